// What says without training how large an architecture must be for ρ: singular values, over their largest.

import { heading, plotBox } from "../core/axes.js";
import { dot, stroke } from "../core/canvas.js";
import { shadeFrom, spectrumAxes, spectrumScales, spectrumValues } from "../core/spectrum.js";
import { measure, write } from "../core/text.js";
import { channelsOf, headsOf, statesOf, widthsOf } from "./sizes.js";

/** @import { Draw } from "./errors.js" */
/** @import { Order } from "./order.js" */

const SHOWN = 1e-6; // shares of the largest one

/**
 * @param {string} title
 * @param {string} none said where there is no spectrum
 * @param {(kernel: number[]) => number[][]} find
 * @param {"states" | "channels"} [size] how many of them are enough, where that is known
 * @returns {Draw}
 */
const drawing = (title, none, find, size) => (ctx, theme, w, h, view) => {
  heading(ctx, theme, title, 0, w);
  const spectra = view.left ? find(view.left) : [];
  if (!spectra.length) {
    const why = view.left && size ? "one layer has no bond" : none;
    write(ctx, theme, why, 0, 3 * theme.size, { colour: theme.grey, baseline: "top" });
    return `${title}: ${why}`;
  }
  const count = Math.max(...spectra.map((sigma) => sigma.length));
  const box = plotBox(theme, w, h, { left: 4.2 });
  const plan = spectrumScales(box, { count, low: SHOWN, high: 2 });
  if (size) shadeRest(ctx, theme, plan, view, size);
  spectrumAxes(ctx, theme, plan);
  for (const sigma of spectra) drawValues(ctx, plan, sigma, theme.accent);
  const [first] = spectra;
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

// What may be left out of them for the share of ‖ρ‖² that is asked for, as Design shades its tail.
/** @type {(ctx: Ctx, theme: Theme, plan: SpectrumPlan, view: Order, size: "states" | "channels") => void} */
function shadeRest(ctx, theme, { box, x }, view, size) {
  const least = view.needed?.[size] ?? 0;
  const from = x(least + 0.5);
  shadeFrom(ctx, theme, box, from, 1);
  const words = `${least} ${least === 1 ? size.slice(0, -1) : size} for ${+(100 * view.share).toPrecision(2)} %`;
  const isLate = from + measure(ctx, theme, words) > box.x + box.w;
  /** @type {Style} */
  const style = { align: isLate ? "right" : "left", baseline: "middle", weight: 600 };
  const at = from + (isLate ? -0.4 : 0.4) * theme.size;
  write(ctx, theme, words, at, box.y + 0.6 * box.h, { ...style, colour: theme.accent });
}

const NONE = "no kernel is left";
/** @type {Record<string, Draw>} */
export const DRAW_SPECTRA = {
  states: drawing("RNN, lin heads: σ of ρ(i+j)", NONE, statesOf, "states"),
  heads: drawing("Log heads: σ of ρ(ij−1)", NONE, headsOf),
  channels: drawing("CNN: σ of ρ over bits of s", NONE, channelsOf, "channels"),
  widths: drawing("Attention: σ of log ρ(i+j)", "none: ρ has a 0 or both signs", widthsOf),
};
