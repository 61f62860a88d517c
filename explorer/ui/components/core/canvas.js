// A canvas, its scales, and the lines and marks on it.

/**
 * @typedef {CanvasRenderingContext2D} Ctx
 * @typedef {((x: number) => number) & {invert: (p: number) => number}} Scale from values to pixels
 * @typedef {number[][]} Points [x, y] each
 */

// The reader wants no motion.
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

const sharpness = () => window.devicePixelRatio || 1;

/** The pixels of the screen that a canvas covers. @param {HTMLCanvasElement} canvas */
const covered = ({ clientWidth, clientHeight }) =>
  [clientWidth, clientHeight].map((length) => Math.round(length * sharpness()));

/** Whether it has as many as it covers. @param {HTMLCanvasElement} canvas */
export function fits(canvas) {
  const [width, height] = covered(canvas);
  return canvas.width === width && canvas.height === height;
}

/** CSS pixels of a unit in which a canvas is drawn, where that is not one. @type {WeakMap<Element, number>} */
const units = new WeakMap();

/** A length on a canvas in the units in which it is drawn; pixels elsewhere. @param {Element} canvas @param {number} pixels */
export const inUnits = (canvas, pixels) => pixels / (units.get(canvas) ?? 1);

/**
 * A canvas as sharp as the screen, to be drawn in units of so many CSS pixels.
 * @param {HTMLCanvasElement} canvas
 */
export function fit(canvas, unit = 1) {
  units.set(canvas, unit);
  const ratio = sharpness() * unit;
  const [w, h] = [canvas.clientWidth / unit, canvas.clientHeight / unit];
  if (!fits(canvas)) [canvas.width, canvas.height] = covered(canvas);
  const ctx = context(canvas);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  return { ctx, w, h };
}

/** @type {(canvas: HTMLCanvasElement) => Ctx} */
export function context(canvas) {
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("this canvas draws otherwise already");
  return ctx;
}

/** @type {(lo: number, hi: number, from: number, to: number, log?: boolean) => Scale} */
export function scale(lo, hi, from, to, log = false) {
  const t = log ? Math.log : (/** @type {number} */ x) => x;
  const a = t(lo);
  const b = t(hi);
  const map = (/** @type {number} */ x) => from + ((t(x) - a) / (b - a)) * (to - from);
  map.invert = (/** @type {number} */ p) => {
    const y = a + ((p - from) / (to - from)) * (b - a);
    return log ? Math.exp(y) : y;
  };
  return map;
}

/** @type {(ctx: Ctx, colour: string, width: number, points: Points, dash?: number[]) => void} */
export function stroke(ctx, colour, width, points, dash = []) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** The same through a few points. @type {(ctx: Ctx, colour: string, width: number, ...points: Points) => void} */
export const polyline = (ctx, colour, width, ...points) => stroke(ctx, colour, width, points);

/** The edge of a bar that stands on its foot. @type {(ctx: Ctx, colour: string, width: number, sides: number[], foot: number, top: number) => void} */
export function barEdge(ctx, colour, width, [left, right], foot, top) {
  polyline(ctx, colour, width, [left, foot], [left, top], [right, top], [right, foot]);
}

/** A box [x, y, w, h] in a colour, of which what lies below is seen. @type {(ctx: Ctx, colour: string | CanvasGradient, box: number[], alpha?: number) => void} */
export function fillBox(ctx, colour, [x, y, w, h], alpha = 1) {
  const before = ctx.globalAlpha;
  ctx.globalAlpha = alpha * before;
  ctx.fillStyle = colour;
  ctx.fillRect(x, y, w, h);
  ctx.globalAlpha = before;
}

/** The edge of a box [x, y, w, h]. @type {(ctx: Ctx, colour: string, width: number, box: number[]) => void} */
export function frameBox(ctx, colour, width, [x, y, w, h]) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.strokeRect(x, y, w, h);
}

/** What is under a line, down to `foot`. @type {(ctx: Ctx, colour: string, points: Points, foot: number, alpha?: number) => void} */
export function areaUnder(ctx, colour, points, foot, alpha = 0.12) {
  if (points.length < 2) return;
  ctx.beginPath();
  ctx.moveTo(points[0][0], foot);
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.lineTo(points[points.length - 1][0], foot);
  const before = ctx.globalAlpha;
  ctx.globalAlpha = alpha * before;
  ctx.fillStyle = colour;
  ctx.fill();
  ctx.globalAlpha = before;
}

/**
 * Lines through the whole box, as sharp as the screen.
 * @template {keyof Box} Sides that it needs of the box
 * @typedef {(
 *   ctx: Ctx, box: Pick<Box, Sides>, at: number, colour: string, width?: number, dash?: number[]
 * ) => void} LineThrough
 */

/** @type {LineThrough<"x" | "w">} */
export function horizontal(ctx, box, y, colour, width = 1, dash = []) {
  stroke(ctx, colour, width, across(box, crisp(y)), dash);
}

/** @type {LineThrough<"y" | "h">} */
export function vertical(ctx, box, x, colour, width = 1, dash = []) {
  stroke(ctx, colour, width, upright(box, crisp(x)), dash);
}

/** The ends of a line across a box. @type {(box: Pick<Box, "x" | "w">, y: number) => Points} */
export const across = ({ x, w }, y) => [x, x + w].map((at) => [at, y]);

/** The same from top to bottom. @type {(box: Pick<Box, "y" | "h">, x: number) => Points} */
export const upright = ({ y, h }, x) => [y, y + h].map((at) => [x, at]);

/**
 * A run that diverges leaves every axis: what is drawn in `draw` is cut off `margin` beyond the box.
 * @type {(ctx: Ctx, box: Box, margin: number, draw: () => void) => void}
 */
export function within(ctx, box, margin, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin);
  ctx.clip();
  draw();
  ctx.restore();
}

export const crisp = (/** @type {number} */ x) => Math.round(x) + 0.5;

/** @typedef {{fill?: string, line?: string, width?: number}} Paint colours of an area and its edge */

/** Fills and strokes the path that was drawn. @type {(ctx: Ctx, paint: Paint) => void} */
export function paintPath(ctx, { fill, line, width = 1.5 }) {
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (line) {
    ctx.strokeStyle = line;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

/** @type {(ctx: Ctx, x: number, y: number, radius: number, paint: Paint) => void} */
export function dot(ctx, x, y, radius, paint) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  paintPath(ctx, paint);
}
