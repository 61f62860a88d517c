// The attention of a board as a matrix, row by row.

import { heading } from "../core/axes.js";
import { crisp, fillBox, frameBox, horizontal, vertical } from "../core/canvas.js";
import { besideAxis, write } from "../core/text.js";
import { blend, css, rgb } from "../core/theme.js";
import { everyToken, focusOf, reading, strongest } from "./focus.js";

/** @import { Cells, Draw, Focus } from "./types.js" */

/** @type {Draw} */
export function drawMatrix(ctx, theme, w, h, view) {
  const { task, solution } = view;
  const top = 4 * theme.size;
  const left = 2.2 * theme.size;
  heading(ctx, theme, "Attention A", 0, w);
  const side = Math.floor(Math.min(w - left - 4, h - top - 0.6 * theme.size));
  const cell = side / task.tau;
  const x0 = left + Math.max(0, (w - left - 4 - side) / 2);
  const read = reading(view);
  const { place } = read;
  const matrix = { x: x0, y: top, side, cell };
  view.matrix = matrix;
  for (let t = 0; t < task.tau; t++) {
    for (let s = 0; s < task.tau; s++) {
      const [x, y] = [x0 + place[s] * cell, top + place[t] * cell];
      const weight = solution.attention?.[t][s] ?? 0;
      drawCell(ctx, theme, { x, y, cell }, weight, solution.ideal[t][s]);
    }
  }
  if (cell > theme.size) drawGrid(ctx, theme, matrix, task.tau);
  drawMatrixFrame(ctx, theme, matrix, focusOf(view), read);
  return `Attention matrix, ${task.tau} by ${task.tau}: ${strongest(view)}. Up and down choose a row, left and right a column, Enter locks it`;
}

// A learned weight as a colour, an ideal one as a frame.
/** @type {(ctx: Ctx, theme: Theme, place: {x: number, y: number, cell: number}, weight: number, ideal: number) => void} */
function drawCell(ctx, theme, { x, y, cell }, weight, ideal) {
  fillBox(ctx, css(blend(rgb(theme.paper), rgb(theme.accent), Math.min(1, weight))), [
    x,
    y,
    cell + 0.5,
    cell + 0.5,
  ]);
  if (ideal <= 0) return;
  const inset = 0.5 * cell * (1 - Math.sqrt(ideal)) + 1.5;
  frameBox(ctx, weight > 0.5 ? theme.paper : theme.ink, 1.3, [
    x + inset,
    y + inset,
    cell - 2 * inset,
    cell - 2 * inset,
  ]);
}

// Between large cells, so that rows and columns are found from afar.
/** @type {(ctx: Ctx, theme: Theme, matrix: Cells, tau: number) => void} */
function drawGrid(ctx, theme, { x, y, side, cell }, tau) {
  for (let i = 1; i < tau; i++) {
    horizontal(ctx, { x, w: side }, y + i * cell, theme.grid);
    vertical(ctx, { y, h: side }, x + i * cell, theme.grid);
  }
}

/** @type {(ctx: Ctx, theme: Theme, matrix: Cells, focus: Focus | null, read: ReturnType<typeof reading>) => void} */
function drawMatrixFrame(ctx, theme, matrix, focus, { token, place }) {
  const { x, y, side, cell } = matrix;
  frameBox(ctx, theme.line, 1, [crisp(x), crisp(y), side, side]);
  if (focus) {
    ctx.strokeStyle = theme.ink;
    ctx.lineWidth = 2;
    if (focus.t !== null) ctx.strokeRect(x, y + place[focus.t] * cell, side, cell);
    if (focus.s !== null)
      ctx.strokeRect(
        x + place[focus.s] * cell,
        y + (focus.t === null ? 0 : place[focus.t]) * cell,
        cell,
        focus.t === null ? side : cell,
      );
  }
  nameTokens(ctx, theme, matrix, focus, token);
  /** @type {Style} */
  const style = { align: "right", italic: true, colour: theme.grey };
  write(ctx, theme, "s", x + side, y - 1.5 * theme.size, style);
  write(ctx, theme, "t", x - 6, y - 6, style);
}

// The numbers of the tokens beside their rows and over their columns.
/** @type {(ctx: Ctx, theme: Theme, matrix: Cells, focus: Focus | null, token: number[]) => void} */
function nameTokens(ctx, theme, { x, y, cell }, focus, token) {
  const every = everyToken(1.45 * theme.size, cell);
  for (let i = 0; i < token.length; i += every) {
    const t = token[i];
    const middle = (i + 0.5) * cell;
    const [row, column] = [focus?.t === t, focus?.s === t].map((on) => (on ? 700 : 400));
    write(ctx, theme, String(t), x - 6, y + middle, { ...besideAxis(theme), weight: row });
    /** @type {Style} */
    const over = { align: "center", colour: theme.grey, weight: column };
    write(ctx, theme, String(t), x + middle, y - 6, over);
  }
}
