// What the whole model answers when every coupling keeps its first k terms, raw and centred.

import { axisX, headingRows, lineKey, logAxisY, plotBox } from "../core/axes.js";
import { dot, horizontal, scale, stroke, upright, within } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { fmt } from "../core/numbers.js";
import { kTicks } from "../core/spectrum.js";
import { answerSentence } from "./model.js";
import { DASH, MARGINS, band, handle } from "./spectrum.js";

/** @import { RealCut } from "../payloads.js" */
/** @import { Real } from "./real.js" */
/** @typedef {{box: Box, x: Scale, y: Scale}} Axes */

/** @type {import("./real.js").Draw} */
export function drawCut(ctx, theme, w, h, view) {
  const { header } = view.couplings;
  const { raw, centred } = header.cuts;
  const key = [
    lineKey("raw", theme.accent),
    lineKey("centred", theme.second, DASH),
    ...(header.own ? [lineKey("the model itself", theme.grey, [1, 4])] : []),
  ];
  const title = header.answer.slice(0, 1).toUpperCase() + header.answer.slice(1);
  const rows = headingRows(ctx, theme, title, w - 4, key);
  const box = plotBox(theme, w, h, { ...MARGINS, top: MARGINS.top + 1.5 * rows });
  const seen = [...raw, ...centred].flatMap(([, ...values]) => values);
  const [low, high] = [Math.min(...seen) / 1.6, Math.max(...seen) * 1.6];
  const x = scale(0.86, header.width * 1.2, box.x, box.x + box.w, true);
  view.plans.cut = { box, x };
  const y = logAxisY(ctx, theme, box, low, high);
  const ticks = kTicks(theme, { x, count: header.width });
  axisX(ctx, theme, box, x, ticks, "k, terms kept of every head");
  if (header.own) horizontal(ctx, box, y(header.own), theme.grey, 2, [1, 4]);
  within(ctx, box, 6, () => {
    drawCurve(ctx, theme, { box, x, y }, raw, theme.accent);
    drawCurve(ctx, theme, { box, x, y }, centred, theme.second, DASH);
  });
  drawRead(ctx, theme, { box, x, y }, view);
  return answerSentence(view.couplings, view.choice);
}

/** @type {(ctx: Ctx, theme: Theme, axes: Axes, cuts: RealCut[], colour: string, dash?: number[]) => void} */
function drawCurve(ctx, theme, { x, y }, cuts, colour, dash = []) {
  const along = (/** @type {1 | 2 | 3} */ which) => cuts.map((cut) => [x(cut[0]), y(cut[which])]);
  band(ctx, theme, along(1), along(3), colour);
  stroke(ctx, colour, 2, along(2), dash);
  for (const [px, py] of along(2)) dot(ctx, px, py, 2.6, { fill: colour });
}

/** k, and the answer there. @type {(ctx: Ctx, theme: Theme, axes: Axes, view: Real) => void} */
function drawRead(ctx, theme, { box, x, y }, { couplings, choice }) {
  const value = couplings.answer(choice.centred, choice.k);
  const colour = choice.centred ? theme.second : theme.accent;
  const at = x(choice.k);
  handle(ctx, theme, box, at);
  dot(ctx, at, y(value), 5.5, { fill: theme.paper, line: colour, width: 2.4 });
  const { own } = couplings.header;
  const text = `k = ${choice.k}: ${fmt(value, own ? 3 : 2)}`;
  const itself = { text: `its own ${fmt(own, 3)}`, x: box.x, y: y(own), colour: theme.grey };
  const whole = own ? [{ ...itself, sides: ["ne", "se"] }] : [];
  const curves = [couplings.cuts(false), couplings.cuts(true)].map((cuts) =>
    cuts.map(([k, , middle]) => [x(k), y(middle)]),
  );
  const label = { text, x: at, y: y(value), weight: 600, sides: ["ne", "nw", "e"], priority: 1 };
  writeLabels(ctx, theme, [label, ...whole], {
    bounds: box,
    curves: [...curves, upright(box, at)],
  });
}
