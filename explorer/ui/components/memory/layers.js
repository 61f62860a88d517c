// The attention of every layer of the run shown, with the cells that lead the chosen token to its answer.

import { heading } from "../core/axes.js";
import { frameBox } from "../core/canvas.js";
import { colourBar, heatmap, tokenEdge, weightColours } from "../core/heatmap.js";
import { write } from "../core/text.js";
import { shownIn } from "../run/stream.js";
import { looked, sequenceOf, wayOf } from "./model.js";

/** @import { Draw } from "./memory.js" */

const TOP = 4.3; // of the squares, in text sizes
const UNDER = 1.7;

/** @type {Draw} */
export function drawLayers(ctx, theme, w, h, view) {
  const { drawing } = view.run;
  const frame = shownIn(view.run);
  heading(ctx, theme, "Attention of every layer: rows t look at columns s ≤ t", 0, w);
  view.squares = [];
  if (!drawing || !frame?.attention) return "Attention of every layer: nothing yet";
  const { layers, tau } = drawing;
  const gap = 1.4 * theme.size;
  const bar = 5 * theme.size;
  const wide = (w - bar - gap * (layers - 1) - 2) / layers;
  const side = Math.floor(Math.max(24, Math.min(wide, h - (TOP + UNDER) * theme.size)));
  const colours = weightColours(theme);
  const t = view.token();
  const way = wayOf(drawing, sequenceOf(frame.tokens), t);
  for (let layer = 0; layer < layers; layer++) {
    const square = { x: 1 + layer * (side + gap), y: TOP * theme.size, side };
    view.squares.push(square);
    const name = side > 4 * theme.size ? `layer ${layer + 1}` : `L${layer + 1}`;
    write(ctx, theme, name, square.x, square.y - 0.5 * theme.size, { colour: theme.grey });
    const matrix = looked(frame.attention, layer, view.head);
    heatmap(ctx, view.holder, `layer ${layer}`, matrix, colours, square);
    tokenEdge(ctx, theme, square, tau, side >= 5 * theme.size);
    drawCells(ctx, theme, square, tau, t, way);
  }
  const right = layers * (side + gap);
  colourBar(ctx, theme, colours, right, TOP * theme.size, side);
  return `Attention of ${layers} layers on an example of ${tau} tokens, row ${t} marked`;
}

// Each step of the way in its row, the answer in that of the chosen token.
/** @type {(ctx: Ctx, theme: Theme, square: Square, tau: number, t: number, way: [number, number][]) => void} */
function drawCells(ctx, theme, { x, y, side }, tau, t, way) {
  const cell = side / tau;
  const wide = cell + 3; // around a cell
  const mark = (/** @type {number} */ row, /** @type {number} */ column) =>
    frameBox(ctx, theme.ink, 1.4, [x + column * cell - 1.5, y + row * cell - 1.5, wide, wide]);
  frameBox(ctx, theme.line, 1, [x, y + t * cell, side, cell]);
  for (const [from, to] of way) mark(from, to);
  const last = way.at(-1);
  ctx.setLineDash([3, 2]);
  if (last && way.length > 1 && last[0] !== t) mark(t, last[1]);
  ctx.setLineDash([]);
}
