// The tokens as the target has them, and as the model sees them.

import { heading } from "../core/axes.js";
import { fillBox, frameBox, polyline } from "../core/canvas.js";
import { besideAxis, write } from "../core/text.js";

/** @import { Draw } from "./errors.js" */
/** @typedef {Record<"left" | "cell" | "upper" | "lower", number>} Rows where the two are */
/** @typedef {(ctx: Ctx, theme: Theme, rows: Rows, order: number[], chosen: number) => void} DrawTokens */

const HIGH = 1.9; // of a token, in text sizes
const NARROW = 36; // text sizes

/** @type {(ctx: Ctx, theme: Theme, text: string, y: number) => void} */
const nameTokens = (ctx, theme, text, y) =>
  write(ctx, theme, text, 0, y + (HIGH * theme.size) / 2, { ...besideAxis(theme), align: "left" });

/** @type {Draw} */
export function drawTokens(ctx, theme, w, h, view) {
  const { tau, order, chosen } = view;
  const narrow = w < NARROW * theme.size; // the rows have their names above and below them, and all the width
  const left = narrow ? 2 : 7.6 * theme.size;
  const cell = (w - left - 4) / tau;
  const high = HIGH * theme.size;
  const [upper, lower] = [
    (narrow ? 3.4 : 2.6) * theme.size,
    h - high - (narrow ? 1.9 : 0.5) * theme.size,
  ];
  view.tokens = { left, cell, top: lower - 0.5 * high, bottom: h };
  heading(ctx, theme, "Order: drag the lower tokens", 0, w);
  const rows = { left, cell, upper, lower };
  joinTokens(ctx, theme, rows, order, chosen);
  const beyond = narrow ? 1.9 * theme.size : 0;
  nameTokens(ctx, theme, "target: x(t)", upper - beyond);
  nameTokens(ctx, theme, "model: x(p(t))", lower + beyond);
  order.forEach((p, t) => {
    const at = left + t * cell;
    drawToken(ctx, theme, { x: at, y: upper, cell }, false);
    drawToken(ctx, theme, { x: at, y: lower, cell }, t === chosen);
  });
  if (cell < theme.size) for (const y of [upper, lower]) frame(ctx, theme, left, y, w - left - 4);
  numberTokens(ctx, theme, rows, order, chosen);
  return `Order of the tokens: at place ${chosen} the model sees x(${order[chosen]}). Left and right choose a place, with Shift they move its token, Home and End choose the ends`;
}

/** A line from each token of the target to its place. @type {DrawTokens} */
function joinTokens(ctx, theme, { left, cell, upper, lower }, order, chosen) {
  const middle = (/** @type {number} */ t) => left + (t + 0.5) * cell;
  for (const [p, t] of order.map((p, t) => [p, t]).sort(([a], [b]) => a - b)) {
    const from = [middle(p), upper + HIGH * theme.size];
    const colour = t === chosen ? theme.accent : p === t ? theme.line : theme.ink;
    polyline(ctx, colour, t === chosen ? 2.5 : 1, from, [middle(t), lower]);
  }
}

/** Where tokens are narrow only some have a number. @type {DrawTokens} */
function numberTokens(ctx, theme, { left, cell, upper, lower }, order, chosen) {
  const every = cell > 1.5 * theme.size ? 1 : cell > 0.7 * theme.size ? 2 : 4;
  const close = cell < 1.5 * theme.size; // the numbers are wider than their tokens
  order.forEach((p, t) => {
    const middle = left + (t + 0.5) * cell;
    if (t % every && t !== chosen) return;
    if (t % every === 0) numberToken(ctx, theme, middle, upper, t, close);
    if (!close || t === chosen || Math.abs(t - chosen) >= every)
      numberToken(ctx, theme, middle, lower, p, close);
  });
}

/** @type {(ctx: Ctx, theme: Theme, place: {x: number, y: number, cell: number}, chosen: boolean) => void} */
function drawToken(ctx, theme, { x, y, cell }, chosen) {
  const high = HIGH * theme.size;
  fillBox(ctx, theme.paper, [x + 1, y, cell - 2, high]);
  if (cell < theme.size && !chosen) return; // borders would be among the numbers
  frameBox(ctx, chosen ? theme.accent : theme.ink, chosen ? 2.5 : 1, [x + 1, y, cell - 2, high]);
}

// One border around all tokens of a row.
/** @type {(ctx: Ctx, theme: Theme, x: number, y: number, width: number) => void} */
function frame(ctx, theme, x, y, width) {
  frameBox(ctx, theme.ink, 1, [x, y, width, HIGH * theme.size]);
}

/** @type {(ctx: Ctx, theme: Theme, x: number, y: number, number: number, halo: boolean) => void} */
function numberToken(ctx, theme, x, y, number, halo) {
  /** @type {Style} */
  const style = { align: "center", baseline: "middle", halo };
  write(ctx, theme, String(number), x, y + (HIGH * theme.size) / 2, style);
}
