// What is said above the spectrum: how much is left out, all of it as a bar, and what else is known.

import { fillBox } from "../core/canvas.js";
import { fmt } from "../core/numbers.js";
import { measure, write } from "../core/text.js";
import { leftOut, rankText, rateTexts } from "./model.js";

/** @import { Design } from "./design.js" */

/** In text sizes: where they stand, and of the bar its height, width and what it leaves to the next of them. */
const FACTS = { baseline: 2.95, gap: 1.6, least: 6, most: 14, high: 1.5, rest: 6 };

/** As much as there is room for, from the left. @type {(ctx: Ctx, theme: Theme, view: Design, w: number) => void} */
export function drawFacts(ctx, theme, view, w) {
  const { size } = theme;
  const style = { weight: 600 };
  const first = leftOutTexts(view).find((text) => measure(ctx, theme, text, style) <= w) ?? "";
  let x = write(ctx, theme, first, 0, FACTS.baseline * size, style) + FACTS.gap * size;
  x = barTo(ctx, theme, view, x, w - FACTS.rest * size, FACTS.baseline * size);
  for (const text of othersOf(view)) {
    if (x + measure(ctx, theme, text) > w) continue;
    x +=
      write(ctx, theme, text, x, FACTS.baseline * size, { colour: theme.grey }) + FACTS.gap * size;
  }
}

/** The bar alone, in the line of a title of so many pixels. @type {(ctx: Ctx, theme: Theme, view: Design, after: number, w: number) => void} */
export function drawBar(ctx, theme, view, after, w) {
  barTo(ctx, theme, view, after + FACTS.gap * theme.size, w, 1.35 * theme.size);
}

// From x on and, with what it keeps clear of, as far as there is room; where it ends.
/** @type {(ctx: Ctx, theme: Theme, view: Design, x: number, right: number, baseline: number) => number} */
function barTo(ctx, theme, view, x, right, baseline) {
  const { size } = theme;
  const wide = Math.min(right - x, FACTS.most * size);
  if (wide < FACTS.least * size) return x;
  const y = baseline - (0.35 + FACTS.high / 2) * size;
  drawShares(ctx, theme, view, { x, y, w: wide, h: FACTS.high * size });
  return x + wide + FACTS.gap * size;
}

/** The longer one first. @type {(view: Design) => string[]} */
function leftOutTexts({ design, isKept, beyond }) {
  const { tail, share } = leftOut(design.sigma, isKept, beyond);
  const percent = share < 0.001 ? "< 0.1" : (100 * share).toFixed(share < 0.1 ? 1 : 0);
  const sum = `left out: Σ_{k>m} σ_k² = ${fmt(tail)}`;
  return share > 0 ? [`${sum} (${percent} %)`, `left out: ${percent} %`] : [sum, "left out: 0"];
}

function othersOf(/** @type {Design} */ { design, tolerance, line, exact }) {
  const rank = rankText(design, tolerance);
  const rates = rateTexts(line, exact);
  return [
    rank === "infinite" ? "infinite rank" : `rank ${rank}`,
    ...(rates?.mse ? [rates.mse] : []),
    ...(design.order.every((i, place) => i === place) ? [] : ["σ_k by size"]),
  ];
}

// Σ σ_k² over the bar, a piece for each term: filled those that are kept, with their share in them.
/** @type {(ctx: Ctx, theme: Theme, view: Design, box: Box) => void} */
function drawShares(ctx, theme, { design, isKept, beyond }, { x, y, w, h }) {
  const { sigma, order } = design;
  const { share } = leftOut(sigma, isKept, beyond);
  const all = beyond + sigma.reduce((sum, s) => sum + s * s, 0);
  if (!all) return;
  fillBox(ctx, theme.grid, [x, y, w, h]);
  let at = x;
  for (const i of order) {
    const wide = (w * sigma[i] ** 2) / all;
    fillBox(ctx, isKept[i] ? theme.ink : theme.line, [at, y, Math.max(wide - 1, 0), h]); // a pixel between two
    at += wide;
  }
  const text = `${fmt(100 * (1 - share))} %`;
  if ((1 - share) * w < measure(ctx, theme, text, { weight: 600 }) + theme.size) return;
  const style = { baseline: /** @type {const} */ ("middle"), weight: 600, colour: theme.paper };
  write(ctx, theme, text, x + 0.5 * theme.size, y + h / 2, style);
}
