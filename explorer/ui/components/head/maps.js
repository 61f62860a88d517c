// The coupling of a head and its attention as maps, tokens beside rows and under columns.

import { heading } from "../core/axes.js";
import { crisp, frameBox, polyline } from "../core/canvas.js";
import { colourRange, diverging, heatmap, weightColours } from "../core/heatmap.js";
import { fmt } from "../core/numbers.js";
import { besideAxis, measure, write } from "../core/text.js";
import { shownToken } from "./model.js";

/** @import { Head } from "./head.js" */
/** @typedef {"coupling" | "whole" | "kept"} MapName */

const LONGEST = 9; // letters of a token beside a row
const HATCH = 7; // pixels between two lines

/** @type {(view: Head, name: MapName) => string} */
const titleOf = ({ k, most }, name) =>
  ({
    coupling: "Coupling QKᵀ/√m_h",
    whole: `Attention, 0 to ${fmt(most)}`,
    kept: `The same, k = ${k}`,
  })[name];

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Head, name: MapName) => string} */
export function drawMap(ctx, theme, w, h, view, name) {
  const matrix = view.maps[name];
  const { size } = theme;
  const [left, top] = [5.2 * size, 2.2 * size];
  const side = Math.floor(Math.min(w - left - 2, h - top - 4.6 * size));
  const square = { x: Math.floor(left), y: Math.floor(top), side };
  view.squares[name] = square;
  heading(ctx, theme, titleOf(view, name), 0, w);
  const colours =
    name === "coupling"
      ? diverging(theme, colourRange(matrix.values))
      : { ...weightColours(theme), limit: view.most };
  heatmap(ctx, view, name, matrix, colours, square);
  if (view.causal) hatch(ctx, theme, square);
  frameBox(ctx, theme.line, 1, [crisp(square.x), crisp(square.y), side, side]);
  nameRows(ctx, theme, view, square);
  nameColumns(ctx, theme, view, square);
  frameFocus(ctx, theme, view, square);
  return `${titleOf(view, name)}, ${matrix.shape[0]} by ${matrix.shape[1]}: rows are the tokens that look, columns those looked at${view.causal ? "; what is hatched comes later and is hidden by the causal mask" : ""}`;
}

/**
 * The entries that a causal mask hides: above the diagonal.
 * @type {(ctx: Ctx, theme: Theme, square: Square) => void}
 */
function hatch(ctx, theme, { x, y, side }) {
  ctx.save();
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + side, y);
  ctx.lineTo(x + side, y + side);
  ctx.clip();
  for (let at = HATCH; at < 2 * side; at += HATCH)
    polyline(ctx, theme.grey, 0.8, [x + at, y], [x + at - side, y + side]);
  ctx.restore();
}

/** Every so many tokens have a name. @type {(theme: Theme, side: number, count: number) => number} */
const every = (theme, side, count) => Math.ceil((1.25 * theme.size * count) / side);

/** @type {(token: string) => string} */
const short = (token) => {
  const text = shownToken(token);
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
};

/** @type {(ctx: Ctx, theme: Theme, view: Head, square: Square) => void} */
function nameRows(ctx, theme, { tokens, names, focus }, { x, y, side }) {
  const cell = side / tokens.length;
  const step = every(theme, side, tokens.length);
  const far = (/** @type {number} */ i) => Math.abs(i - focus.t) * cell >= 1.25 * theme.size;
  for (let i = 0; i < tokens.length; i += step)
    if (far(i)) writeRow(ctx, theme, short(names[i]), x, y + (i + 0.5) * cell);
  writeRow(ctx, theme, short(names[focus.t]), x, y + (focus.t + 0.5) * cell, true);
}

/** @type {(ctx: Ctx, theme: Theme, text: string, x: number, y: number, bold?: boolean) => void} */
function writeRow(ctx, theme, text, x, y, bold = false) {
  const style = bold ? { weight: 700, colour: theme.ink } : {};
  write(ctx, theme, text, x - 5, y, { ...besideAxis(theme), ...style });
}

/** @type {(ctx: Ctx, theme: Theme, view: Head, square: Square) => void} */
function nameColumns(ctx, theme, { tokens, names, focus }, { x, y, side }) {
  const cell = side / tokens.length;
  const step = every(theme, side, tokens.length);
  const chosen = focus.s ?? -1;
  const far = (/** @type {number} */ i) =>
    chosen < 0 || Math.abs(i - chosen) * cell >= 1.25 * theme.size;
  for (let i = 0; i < tokens.length; i += step)
    if (far(i)) writeUpright(ctx, theme, short(names[i]), x + (i + 0.5) * cell, y + side + 5);
  if (chosen >= 0)
    writeUpright(ctx, theme, short(names[chosen]), x + (chosen + 0.5) * cell, y + side + 5, true);
}

/** From top to bottom. @type {(ctx: Ctx, theme: Theme, text: string, x: number, y: number, bold?: boolean) => void} */
function writeUpright(ctx, theme, text, x, y, bold = false) {
  measure(ctx, theme, text);
  ctx.save();
  ctx.translate(x, y);
  ctx.rotate(Math.PI / 2);
  ctx.font = `${bold ? 700 : 400} ${theme.size}px ${theme.font}`;
  ctx.textBaseline = "middle";
  ctx.fillStyle = bold ? theme.ink : theme.grey;
  ctx.fillText(text, 0, 0);
  ctx.restore();
}

/** @type {(ctx: Ctx, theme: Theme, view: Head, square: Square) => void} */
function frameFocus(ctx, theme, { tokens, focus }, { x, y, side }) {
  const cell = side / tokens.length;
  frameBox(ctx, theme.ink, 1.5, [x, y + focus.t * cell, side, cell]);
  if (focus.s !== null) ctx.strokeRect(x + focus.s * cell, y, cell, side);
}
