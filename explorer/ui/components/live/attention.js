// One row of the attention on an example sequence, learned against ideal, above its tokens.

import { axisY, heading, plotBox } from "../core/axes.js";
import { barEdge, dot, fillBox, frameBox, horizontal, scale, vertical } from "../core/canvas.js";
import { fmt, largest } from "../core/numbers.js";
import { belowAxis, besideAxis, write } from "../core/text.js";
import { linearTicks, niceCeiling } from "../core/ticks.js";
import { isDrawn, shownIn } from "../run/stream.js";

/** @import { Drawn } from "../run/stream.js" */
/** @import { Draw, Over } from "./live.js" */
/** @typedef {{ideal: Packed["values"], learned?: Packed["values"]}} Weights of one query */

/** @type {(run: {drawing: Pick<Over, "tau" | "example_t">}, view: {t?: number | null}) => number} */
export function tokenOf(run, view) {
  return Math.min(view.t ?? run.drawing.example_t ?? 0, run.drawing.tau - 1);
}

/** @type {(theme: Theme) => KeyEntry[]} */
const attentionKey = (theme) => [
  {
    text: "learned",
    mark: (ctx, x, y) => learnedBar(ctx, theme, [x - 5, y - 5, 10, 10], 0.8),
  },
  {
    text: "ideal",
    mark: (ctx, x, y) => {
      frameBox(ctx, theme.ink, 1.3, [x - 5, y - 5, 10, 10]);
    },
  },
];

/** @type {(ctx: Ctx, theme: Theme, box: number[], opacity: number) => void} */
function learnedBar(ctx, theme, [x, y, w, h], opacity) {
  ctx.globalAlpha = opacity;
  fillBox(ctx, theme.accent, [x, y, w, h]);
  ctx.globalAlpha = 1;
}

/** @type {(run: Drawn<Over>, t: number) => Weights} */
function rowsOf(run, t) {
  const { tau, ideal } = run.drawing;
  const row = (/** @type {Packed} */ { values }) => values.subarray(t * tau, (t + 1) * tau);
  const learned = shownIn(run)?.attention;
  return { ideal: row(ideal), learned: learned && row(learned) };
}

/** @type {Draw} */
export function drawAttention(ctx, theme, w, h, view) {
  const { run, s } = view;
  if (!isDrawn(run)) {
    heading(ctx, theme, "Attention row", 0, w);
    return "Attention: nothing yet";
  }
  const { tau, tokens } = run.drawing;
  const t = tokenOf(run, view);
  const rows = rowsOf(run, t);
  const [query, place] = [t, s ?? -1].map((i) => tokens.values[i]?.toFixed(2));
  heading(ctx, theme, `Attention of t = ${t}, x_t = ${query}`, 0, w - 4, attentionKey(theme));
  const whole = plotBox(theme, w, h, { right: 0.45 });
  const high = 2.6 * theme.size; // of the tokens
  const box = { ...whole, h: whole.h - high - 8 };
  const x = scale(-0.5, tau - 0.5, box.x, box.x + box.w);
  view.attentionAxes = { box, x };
  attentionBars(ctx, theme, view.attentionAxes, rows, s);
  drawSequence(ctx, theme, { ...box, y: box.y + box.h + 8, h: high }, x, run.drawing, t);
  if (s !== null) {
    const text = `s = ${s}, x_s = ${place}: learned ${fmt(rows.learned?.[s])}, ideal ${fmt(rows.ideal[s])}`;
    write(ctx, theme, text, box.x + box.w, box.y + theme.size, { align: "right", halo: true });
  }
  return `Attention of token ${t} of ${tau}, x ${query}: learned against ideal, largest difference ${fmt(rowGap(rows))}; arrow keys change the token`;
}

/** @type {(ctx: Ctx, theme: Theme, axes: {box: Box, x: Scale}, weights: Weights, lit: number | null) => void} */
function attentionBars(ctx, theme, { box, x }, { ideal, learned }, lit) {
  const top = niceCeiling(Math.max(1.15 * largest(ideal), largest(learned ?? []), 1e-3));
  const zero = box.y + box.h;
  const y = scale(0, top, zero, box.y);
  axisY(ctx, theme, box, y, linearTicks(0, top, box.h / (2.2 * theme.size)));
  const half = Math.max(1.5, (0.36 * box.w) / ideal.length);
  ideal.forEach((wanted, s) => {
    const [left, right] = [x(s) - half, x(s) + half];
    if (learned)
      learnedBar(
        ctx,
        theme,
        [left, y(learned[s]), 2 * half, zero - y(learned[s])],
        s === lit ? 1 : 0.8,
      );
    barEdge(ctx, theme.ink, 1.3, [left, right], zero, y(wanted));
  });
}

/** @type {(weights: Weights) => number} */
const rowGap = ({ ideal, learned }) =>
  learned ? largest(ideal.map((weight, s) => weight - learned[s])) : NaN;

// The tokens x_s between 0 and 1 under their places; the query is the filled one.
/** @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, drawing: Over, t: number) => void} */
function drawSequence(ctx, theme, box, x, { tau, tokens }, t) {
  const bottom = box.y + box.h;
  const y = scale(0, 1, bottom - 3, box.y + 5);
  for (const line of [box.y - 8, bottom]) horizontal(ctx, box, line, theme.line);
  write(ctx, theme, "x_s", box.x - 8, box.y + box.h / 2, besideAxis(theme));
  tokens.values.forEach((value, s) => {
    vertical(ctx, { y: bottom, h: y(value) - bottom }, x(s), theme.line);
    const query = s === t;
    dot(ctx, x(s), y(value), query ? 4.5 : 2.5, { fill: query ? theme.accent : theme.grey });
  });
  const every = tau <= 20 && box.w / tau > 16 ? 1 : Math.ceil(tau / 12);
  const under = belowAxis(theme);
  for (let s = 0; s < tau; s += every) {
    const query = s === t ? { colour: theme.ink, weight: 600 } : {};
    write(ctx, theme, String(s), x(s), bottom + 6, { ...under, ...query });
  }
  write(ctx, theme, "s", box.x - 8, bottom + 6, { ...under, align: "right", italic: true });
}
