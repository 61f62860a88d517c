// Heatmaps with their axes, colour bar and crosshair, and what lies under a pointer.

import {
  context,
  crisp,
  fillBox,
  frameBox,
  horizontal,
  inUnits,
  polyline,
  vertical,
} from "./canvas.js";
import { fmt } from "./numbers.js";
import { belowAxis, write } from "./text.js";
import { css, lookup, rgb } from "./theme.js";

/** @type {WeakMap<object, Record<string, HTMLCanvasElement>>} */
const offscreen = new WeakMap();

/**
 * @typedef {{x: number, y: number, side: number}} Square in CSS pixels
 *
 * Values and their colours: low … limit spans `stops`. `below` and `above`: values lie beyond that
 * end; `clipped`: some do.
 * @typedef {{limit: number, clipped?: boolean, below?: boolean, above?: boolean}} Range
 * @typedef {Range & {low: number, stops: number[][]}} Colours
 */

/** −limit … limit: zero is the paper. @type {(theme: Theme, range: Range) => Colours} */
export const diverging = (theme, range) => ({
  ...range,
  low: -range.limit,
  stops: theme.diverging,
});

/**
 * The one scale of attention weights, as palette.weights of charts/: 0 is the paper, 1 the accent.
 * @type {(theme: Theme) => Colours}
 */
export const weightColours = (theme) => ({
  low: 0,
  limit: 1,
  stops: [rgb(theme.paper), rgb(theme.accent)],
});

/**
 * The picture of its own that a heatmap is painted on, one pixel for each value.
 * @type {(holder: object, name: string, rows: number, cols: number) => HTMLCanvasElement}
 */
function imageOf(holder, name, rows, cols) {
  const images = offscreen.get(holder) ?? {};
  offscreen.set(holder, images);
  const image = (images[name] ??= document.createElement("canvas"));
  if (image.width !== cols || image.height !== rows) {
    image.width = cols;
    image.height = rows;
  }
  return image;
}

/**
 * A matrix in a square, row 0 on top; `name` is its own among those of `holder`.
 * @type {(ctx: Ctx, holder: object, name: string, matrix: Packed, colours: Colours, square: Square) => void}
 */
export function heatmap(ctx, holder, name, matrix, colours, { x, y, side }) {
  const { shape, values } = matrix;
  const { low, limit, stops } = colours;
  const [rows, cols] = shape;
  const image = imageOf(holder, name, rows, cols);
  const pen = context(image);
  const pixels = pen.createImageData(cols, rows);
  const words = new Uint32Array(pixels.data.buffer);
  const table = lookup(stops);
  const gain = 255 / (limit - low);
  for (let i = 0; i < words.length; i++)
    words[i] = table[Math.max(0, Math.min(255, Math.round(gain * (values[i] - low))))];
  pen.putImageData(pixels, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(image, x, y, side, side);
}

/**
 * Labels of [0, 1]: where each is aligned along the axis, and how far in beside it.
 * @type {[number, Style["align"], number][]}
 */
const UNIT_LABELS = [
  [0, "left", 5],
  [0.5, "center", 0],
  [1, "right", -5],
];
const VARIABLE = { italic: true, scale: 1.1 };

/** @type {(ctx: Ctx, theme: Theme, square: Square, axes?: {left?: boolean, names?: string[]}) => void} */
export function unitAxes(ctx, theme, square, { left = true, names = ["u", "v"] } = {}) {
  const { x, y, side } = square;
  frameBox(ctx, theme.line, 1, [crisp(x) - 1, crisp(y) - 1, side + 1, side + 1]);
  /** @type {(text: string, t: number, align: Style["align"], style: Style) => void} */
  const below = (text, t, align, style) =>
    write(ctx, theme, text, x + t * side, y + side + 7, { align, baseline: "top", ...style });
  /** @type {(text: string, t: number, inset: number, style: Style) => void} */
  const beside = (text, t, inset, style) => {
    if (!left) return;
    const at = y + t * side + inset;
    write(ctx, theme, text, x - 7, at, { align: "right", baseline: "middle", ...style });
  };
  for (const [t, align, inset] of UNIT_LABELS) {
    below(String(t), t, align, { colour: theme.grey });
    beside(String(t), t, inset, { colour: theme.grey });
  }
  const [u, v] = names;
  below(v, 0.75, "center", VARIABLE);
  beside(u, 0.25, 0, VARIABLE);
}

/** The edge of a map of so many tokens, and where there is room its first and last. @type {(ctx: Ctx, theme: Theme, square: Square, tau: number, isNamed?: boolean) => void} */
export function tokenEdge(ctx, theme, { x, y, side }, tau, isNamed = true) {
  frameBox(ctx, theme.line, 1, [crisp(x), crisp(y), side, side]);
  if (!isNamed) return;
  write(ctx, theme, "0", x, y + side + 5, { baseline: "top", colour: theme.grey });
  const last = `s = ${tau - 1}`;
  write(ctx, theme, last, x + side, y + side + 5, { ...belowAxis(theme), align: "right" });
}

/** What stands at the ends of a scale of colours. @type {(range: Range) => [string, string]} */
export const colourEnds = ({ limit, below, above }) => [
  `${below ? "≤ " : ""}${fmt(-limit)}`,
  `${above ? "≥ " : ""}${fmt(limit)}`,
];

/**
 * The end of a colour scale of these lists, with the ends beyond which there are values.
 * @type {(scale: {limit: number}, ...lists: (Packed["values"] | undefined)[]) => Range}
 */
export function beyond({ limit }, ...lists) {
  const some = (/** @type {(x: number) => boolean} */ far) => lists.some((list) => list?.some(far));
  return {
    limit,
    below: some((x) => x < -1.000001 * limit),
    above: some((x) => x > 1.000001 * limit),
  };
}

/** A scale of colours from left to right. @type {(ctx: Ctx, stops: Colours["stops"], box: Box) => void} */
export function barAcross(ctx, stops, { x, y, w, h }) {
  const gradient = ctx.createLinearGradient(x, 0, x + w, 0);
  stops.forEach((colour, i) => gradient.addColorStop(i / (stops.length - 1), css(colour)));
  fillBox(ctx, gradient, [x, y, w, h]);
}

/** @type {(ctx: Ctx, theme: Theme, colours: Colours, x: number, y: number, height: number) => void} */
export function colourBar(ctx, theme, colours, x, y, height) {
  const { low, limit, stops, clipped, below = clipped, above = clipped } = colours;
  const gradient = ctx.createLinearGradient(0, y + height, 0, y);
  stops.forEach((colour, i) => gradient.addColorStop(i / (stops.length - 1), css(colour)));
  fillBox(ctx, gradient, [x, y, 12, height]);
  frameBox(ctx, theme.line, 1, [crisp(x) - 1, crisp(y) - 1, 13, height + 1]);
  for (const t of low < 0 ? [1, 0.75, 0.5, 0.25, 0] : [1, 0.5, 0]) {
    const at = y + (1 - t) * height;
    polyline(ctx, theme.line, 1, [x + 12, at], [x + 16, at]);
    const inset = t === 1 ? 5 : t === 0 ? -5 : 0;
    const mark = t === 1 && above ? "≥ " : t === 0 && below ? "≤ " : "";
    const text = mark + fmt(low + t * (limit - low));
    write(ctx, theme, text, x + 20, at + inset, { baseline: "middle", colour: theme.grey });
  }
}

/** @type {(ctx: Ctx, theme: Theme, square: Square, u: number | null, v: number | null) => void} */
export function crosshair(ctx, theme, square, u, v) {
  const { x, y, side } = square;
  for (const { colour, width } of [
    { colour: theme.paper, width: 3 },
    { colour: theme.ink, width: 1 },
  ]) {
    if (u !== null) horizontal(ctx, { x, w: side }, y + u * side, colour, width);
    if (v !== null) vertical(ctx, { y, h: side }, x + v * side, colour, width);
  }
}

/** @type {(matrix: Packed, u: number, v: number) => number} */
export function pick({ values, shape: [rows, cols] }, u, v) {
  const i = Math.min(rows - 1, Math.floor(u * rows));
  const j = Math.min(cols - 1, Math.floor(v * cols));
  return values[i * cols + j];
}

/**
 * Where in one of the squares the pointer is, or null.
 * @type {(event: MouseEvent, canvas: HTMLCanvasElement, squares: Square[]) => {u: number, v: number, square: Square} | null}
 */
export function locate(event, canvas, squares) {
  const { left, top } = canvas.getBoundingClientRect();
  const [px, py] = [event.clientX - left, event.clientY - top].map((at) => inUnits(canvas, at));
  for (const square of squares) {
    const { x, y, side } = square;
    const v = (px - x) / side;
    const u = (py - y) / side;
    if (u >= 0 && u < 1 && v >= 0 && v < 1) return { u, v, square };
  }
  return null;
}

/**
 * The symmetric range of a colour scale: all values, unless a few are far out (a ridge, a corner):
 * those are clipped.
 * @param {Packed["values"][]} lists
 * @returns {{limit: number, clipped: boolean}}
 */
export function colourRange(...lists) {
  const all = new Float32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const list of lists)
    for (const value of list) if (Number.isFinite(value)) all[count++] = Math.abs(value);
  const sizes = all.subarray(0, count).sort();
  const top = sizes.at(-1) || 1;
  const most = sizes[Math.floor(0.98 * (sizes.length - 1))];
  return top > 1.5 * most && most > 0
    ? { limit: most, clipped: true }
    : { limit: top, clipped: false };
}
