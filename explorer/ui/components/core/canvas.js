// A canvas, its scales, and the lines and marks on it.

// The reader wants no motion.
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A canvas as sharp as the screen; the transform maps one unit to one CSS pixel.
export function fit(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const w = canvas.clientWidth;
  const h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
  if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  return { ctx, w, h };
}

export function scale(lo, hi, from, to, log = false) {
  const t = log ? Math.log : (x) => x;
  const a = t(lo);
  const b = t(hi);
  const map = (x) => from + ((t(x) - a) / (b - a)) * (to - from);
  map.invert = (p) => {
    const y = a + ((p - from) / (to - from)) * (b - a);
    return log ? Math.exp(y) : y;
  };
  return map;
}

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

// A run that diverges leaves every axis: what is drawn in `draw` is cut off `margin` beyond the box.
export function within(ctx, box, margin, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin);
  ctx.clip();
  draw();
  ctx.restore();
}

export const crisp = (x) => Math.round(x) + 0.5;

/** @typedef {{fill?: string, line?: string, width?: number}} Paint colours of an area and its edge */

export function dot(ctx, x, y, radius, /** @type {Paint} */ { fill, line, width = 1.5 }) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
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

// A mark of a shape: circle, square, diamond or triangle.
export function marked(ctx, shape, x, y, r, /** @type {Paint} */ { fill, line, width = 1.5 }) {
  ctx.beginPath();
  if (shape === "circle") ctx.arc(x, y, r, 0, 2 * Math.PI);
  if (shape === "square") ctx.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  if (shape === "diamond")
    for (const [dx, dy] of [
      [0, -r],
      [r, 0],
      [0, r],
      [-r, 0],
    ])
      ctx.lineTo(x + 1.15 * dx, y + 1.15 * dy);
  if (shape === "triangle")
    for (const [dx, dy] of [
      [0, -r],
      [r, 0.8 * r],
      [-r, 0.8 * r],
    ])
      ctx.lineTo(x + 1.15 * dx, y + 1.15 * dy);
  if (shape === "diamond" || shape === "triangle") ctx.closePath();
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
