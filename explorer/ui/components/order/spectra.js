// What says without training how large an architecture must be for ρ: singular values, over their largest.

import { heading } from "../core/axes.js";
import { dot, stroke } from "../core/canvas.js";
import { plotBox } from "../core/plot-box.js";
import { spectrumAxes, spectrumScales, spectrumValues } from "../core/spectrum.js";
import { write } from "../core/text.js";
import { channelsOf, headsOf, statesOf, widthsOf } from "./sizes.js";

/** @import { Draw } from "./errors.js" */
/** @import { SpectrumPlan } from "../core/spectrum.js" */
/** @import { Ctx } from "../core/canvas.js" */

const SHOWN = 1e-6; // shares of the largest one

/** @type {(title: string, none: string, find: (kernel: number[]) => number[][]) => Draw} */
const drawing = (title, none, find) => (ctx, theme, w, h, view) => {
  heading(ctx, theme, title, 0, w);
  const found = view.left ? find(view.left) : [];
  if (!found.length) {
    write(ctx, theme, none, 0, 3 * theme.size, { colour: theme.grey, baseline: "top" });
    return `${title}: ${none}`;
  }
  const count = Math.max(...found.map((sigma) => sigma.length));
  const box = plotBox(theme, w, h, { left: 4.2 });
  const plan = spectrumScales(box, { count, low: SHOWN, high: 2 });
  spectrumAxes(ctx, theme, plan);
  for (const sigma of found) drawValues(ctx, plan, sigma, theme.accent);
  const [first] = found;
  const above = first.filter((x) => x > SHOWN * first[0]).length;
  return `${title}: ${above} of ${first.length} above a millionth of the largest`;
};

/** @type {(ctx: Ctx, plan: SpectrumPlan, sigma: number[], colour: string) => void} */
function drawValues(ctx, plan, sigma, colour) {
  const shares = sigma.map((x) => x / (sigma[0] || 1));
  /** @type {number[][]} */
  const line = [];
  spectrumValues(ctx, plan, shares, colour, (x, y) => line.push([x, y]));
  stroke(ctx, colour, 1, line);
  for (const [x, y] of line) dot(ctx, x, y, 3, { fill: colour });
}

const NONE = "no kernel is left";
/** @type {Record<string, Draw>} */
export const DRAW_SPECTRA = {
  states: drawing("RNN, lin heads: σ of ρ(i+j)", NONE, statesOf),
  heads: drawing("Log heads: σ of ρ(ij−1)", NONE, headsOf),
  channels: drawing("CNN: σ of ρ over bits of s", NONE, channelsOf),
  widths: drawing("Attention: σ of log ρ(i+j)", "none: ρ has a 0 or both signs", widthsOf),
};
