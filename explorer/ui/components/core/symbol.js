// Marks of points: series are told apart by them where there is no colour.

import { dot, paintPath } from "./canvas.js";

export const SYMBOLS = ["circle", "square", "diamond", "up", "cross", "down"];

/** @import { Paint } from "./canvas.js" */

/**
 * Corners of a regular polygon; at 0 the first is on top.
 * @type {(count: number, radius: number, rotation: number) => Points}
 */
const polygon = (count, radius, rotation) =>
  Array.from({ length: count }, (_, i) => {
    const angle = rotation + (2 * Math.PI * i) / count;
    return [radius * Math.sin(angle), -radius * Math.cos(angle)];
  });

const ARM = [
  [-0.4, -1.2],
  [0.4, -1.2],
  [0.4, -0.4],
];
const quarter = (/** @type {number[]} */ [x, y]) => [-y, x];

/** @type {Record<string, Points>} */
const CORNERS = {
  square: polygon(4, 1.23, Math.PI / 4),
  diamond: polygon(4, 1.2, 0),
  up: polygon(3, 1.3, 0),
  down: polygon(3, 1.3, Math.PI),
  cross: [0, 1, 2, 3].flatMap((turns) =>
    ARM.map((point) => Array.from({ length: turns }).reduce(quarter, point)),
  ),
};

/**
 * A mark of about the size of a dot of radius r.
 * @type {(ctx: Ctx, name: string, x: number, y: number, r: number, paint: Paint) => void}
 */
export function symbol(ctx, name, x, y, r, paint) {
  if (name === "circle") return dot(ctx, x, y, r, paint);
  ctx.beginPath();
  for (const [dx, dy] of CORNERS[name]) ctx.lineTo(x + r * dx, y + r * dy);
  ctx.closePath();
  paintPath(ctx, paint);
}

/**
 * An entry of a key whose mark is a symbol.
 * @type {(text: string, name: string, r: number, paint: Paint) => KeyEntry}
 */
export const symbolKey = (text, name, r, paint) => ({
  text,
  mark: (ctx, x, y) => symbol(ctx, name, x, y, r, paint),
});
