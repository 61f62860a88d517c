// The attention of a board as a matrix, row by row.

import { heading } from "../core/axes.js";
import { crisp } from "../core/canvas.js";
import { write } from "../core/text.js";
import { blend, css, rgb } from "../core/theme.js";
import { everyToken, focusOf, strongest } from "./focus.js";

export function drawMatrix(ctx, theme, w, h, view) {
  const { task, solution } = view;
  const top = 4 * theme.size;
  const left = 2.2 * theme.size;
  heading(ctx, theme, "Attention A", 0, w);
  const side = Math.floor(Math.min(w - left - 4, h - top - 0.6 * theme.size));
  const cell = side / task.tau;
  const x0 = left + Math.max(0, (w - left - 4 - side) / 2);
  view.matrix = { x: x0, y: top, side, cell };
  const paper = rgb(theme.paper);
  const accent = rgb(theme.accent);
  const focus = focusOf(view);
  for (let t = 0; t < task.tau; t++) {
    for (let s = 0; s < task.tau; s++) {
      const x = x0 + s * cell;
      const y = top + t * cell;
      const weight = solution.attention?.[t][s] ?? 0;
      const ideal = solution.ideal[t][s];
      ctx.fillStyle = css(blend(paper, accent, Math.min(1, weight)));
      ctx.fillRect(x, y, cell + 0.5, cell + 0.5);
      if (ideal <= 0) continue;
      const inset = 0.5 * cell * (1 - Math.sqrt(ideal)) + 1.5;
      ctx.strokeStyle = weight > 0.5 ? theme.paper : theme.ink;
      ctx.lineWidth = 1.3;
      ctx.strokeRect(x + inset, y + inset, cell - 2 * inset, cell - 2 * inset);
    }
  }
  drawMatrixFrame(ctx, theme, view, focus);
  return `Attention matrix, ${task.tau} by ${task.tau}: ${strongest(view)}. Up and down choose a row, left and right a column, Enter locks it`;
}

function drawMatrixFrame(ctx, theme, { task, matrix: { x, y, side, cell } }, focus) {
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.strokeRect(crisp(x), crisp(y), side, side);
  if (focus) {
    ctx.strokeStyle = theme.ink;
    ctx.lineWidth = 2;
    if (focus.t !== null) ctx.strokeRect(x, y + focus.t * cell, side, cell);
    if (focus.s !== null)
      ctx.strokeRect(
        x + focus.s * cell,
        y + (focus.t ?? 0) * cell,
        cell,
        focus.t === null ? side : cell,
      );
  }
  const every = everyToken(1.45 * theme.size, cell);
  for (let t = 0; t < task.tau; t += every) {
    const middle = (t + 0.5) * cell;
    const weight = (on) => (on ? 700 : 400);
    write(ctx, theme, String(t), x - 6, y + middle, {
      align: "right",
      baseline: "middle",
      colour: theme.grey,
      weight: weight(focus?.t === t),
    });
    write(ctx, theme, String(t), x + middle, y - 6, {
      align: "center",
      colour: theme.grey,
      weight: weight(focus?.s === t),
    });
  }
  write(ctx, theme, "s", x + side, y - 1.5 * theme.size, {
    align: "right",
    italic: true,
    colour: theme.grey,
  });
  write(ctx, theme, "t", x - 6, y - 6, { align: "right", italic: true, colour: theme.grey });
}
