// Singular values of one head's coupling over the inputs, or of all heads, beside those of the weights alone.

import { heading, lineKey, plotBox } from "../core/axes.js";
import { crisp, dot, stroke, upright, vertical, within } from "../core/canvas.js";
import { keyLabel, writeLabels } from "../core/labels.js";
import { fmt } from "../core/numbers.js";
import { shadeFrom, spectrumAxes, spectrumScales } from "../core/spectrum.js";
import { gaugeOf } from "./model.js";

/** @import { Spectrum } from "./model.js" */
/** @import { Real } from "./real.js" */

export const MARGINS = { left: 4.2, top: 2.6, right: 0.8, bottom: 3.2 };
export const DASH = [6, 4]; // of what is compared

/** @type {import("./real.js").Draw} */
export function drawSpectrum(ctx, theme, w, h, view) {
  const { couplings, choice } = view;
  const { one } = choice;
  const spectrum = couplings.spectrum(choice);
  const name = one ? `layer ${one[0] + 1}, head ${one[1] + 1}` : "all heads";
  const key = [
    lineKey(gaugeOf(choice.centred), theme.accent),
    lineKey("weights alone", theme.grey, DASH, 1.8),
  ];
  const roomy = heading(ctx, theme, `σ_k / σ_1, ${name}`, 0, w - 4, key);
  const box = plotBox(theme, w, h, MARGINS);
  const all = couplings.spectrum({ ...choice, one: null }); // the axis stays for most heads
  const low = Math.min(...[spectrum, all].flatMap((each) => [...each.low, ...each.weights])) / 1.5;
  const plan = spectrumScales(box, { count: couplings.header.width, low, high: 1.6 });
  view.plans.spectrum = { box, x: plan.x };
  spectrumAxes(ctx, theme, plan);
  shadeFrom(ctx, theme, box, plan.x(choice.k + 0.5), 0.6);
  within(ctx, box, 2, () => drawValues(ctx, theme, plan, spectrum));
  drawReads(ctx, theme, plan, spectrum, view, roomy ? [] : key);
  return sentence(spectrum, choice.k, name);
}

/** @type {(ctx: Ctx, theme: Theme, plan: SpectrumPlan, spectrum: Spectrum) => void} */
function drawValues(ctx, theme, { x, y }, { low, middle, high, weights }) {
  const along = (/** @type {number[]} */ values) => values.map((v, i) => [x(i + 1), y(v)]);
  band(ctx, theme, along(low), along(high));
  stroke(ctx, theme.grey, 1.8, along(weights), DASH);
  stroke(ctx, theme.accent, 2, along(middle));
}

/** From the lowest input to the highest. @type {(ctx: Ctx, theme: Theme, low: number[][], high: number[][], colour?: string) => void} */
export function band(ctx, theme, low, high, colour = theme.accent) {
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.16;
  ctx.beginPath();
  for (const [x, y] of [...low, ...[...high].reverse()]) ctx.lineTo(x, y);
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** The 99 % rank, and k with the first value that it leaves out. @type {(ctx: Ctx, theme: Theme, plan: SpectrumPlan, spectrum: Spectrum, view: Real, key: KeyEntry[]) => void} */
function drawReads(ctx, theme, { box, x, y }, { middle, weights }, { choice, couplings }, key) {
  const { rank } = couplings.ranks(choice.centred, choice.one);
  vertical(ctx, box, x(rank + 0.5), theme.accent, 1.2, [2, 4]);
  handle(ctx, theme, box, x(choice.k + 0.5));
  const left = middle[choice.k];
  if (left)
    dot(ctx, x(choice.k + 1), y(left), 4, { fill: theme.paper, line: theme.accent, width: 2 });
  const top = { y: box.y, sides: ["se", "sw"], leads: false };
  const below = { ...top, y: box.y + 1.6 * theme.size, colour: theme.accent };
  const next = { text: `σ_{${choice.k + 1}} = ${fmt(left)} σ_1`, x: x(choice.k + 1), y: y(left) };
  const labels = [
    { text: `k = ${choice.k}`, x: x(choice.k + 0.5), weight: 600, ...top, priority: 2 },
    { text: `99 %: ${fmt(rank)}`, x: x(rank + 0.5), ...below },
    ...(left ? [{ ...next, sides: ["ne", "e"] }] : []),
    ...(key.length ? [keyLabel(theme, box, key)] : []),
  ];
  const along = (/** @type {number[]} */ values) => values.map((v, i) => [x(i + 1), y(v)]);
  const curves = [
    along(middle),
    along(weights),
    ...[choice.k, rank].map((k) => upright(box, x(k + 0.5))),
  ];
  writeLabels(ctx, theme, labels, { bounds: box, curves });
}

/** The line of k, and where it is taken hold of. @type {(ctx: Ctx, theme: Theme, box: Box, at: number) => void} */
export function handle(ctx, theme, box, at) {
  vertical(ctx, box, at, theme.ink, 1.6);
  dot(ctx, crisp(at), box.y + box.h, 6, { fill: theme.paper, line: theme.ink, width: 2 });
}

/** @type {(spectrum: Spectrum, k: number, name: string) => string} */
function sentence({ middle }, k, name) {
  const left = k < middle.length ? `the next is ${fmt(middle[k])} σ_1` : "none is left out";
  return `Singular values, ${name}: k = ${k}, ${left}`;
}
