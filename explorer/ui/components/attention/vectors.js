// Vectors, and what can be typed of them.

/** @import { Field } from "./types.js" */

export const norm = (/** @type {number[]} */ point) => Math.hypot(...point);
/** @type {(count: number, i: number) => number[]} */
export const unit = (count, i) => Array.from({ length: count }, (_, j) => (i === j ? 1 : 0));
/** @type {(rows: number[][], weights: number[]) => number[]} */
export const mean = (rows, weights) =>
  rows[0].map((_, j) => rows.reduce((sum, row, s) => sum + weights[s] * row[j], 0));

export const round4 = (/** @type {number} */ x) => Math.round(1e4 * x) / 1e4;

/**
 * Whether all are whole numbers from 0, each less than `most`.
 * @type {(list: number[], most: number) => boolean}
 */
export const wholeBelow = (list, most) =>
  list.every((i) => Number.isInteger(i) && i >= 0 && i < most);

const subscript = (/** @type {number} */ t) =>
  String(t).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);

// The coordinates of point i as fields to be typed: [label, field, place of the number, what follows it].
// They are called as in the plane, by the token t: "u₂ = (… , …)".
/** @type {(points: number[][], name: string, i: number, t: number) => Field[]} */
export const coordinates = (points, name, i, t) => {
  const last = points[i].length - 1;
  const before = (/** @type {number} */ j) =>
    j ? "," : `${name}${subscript(t)} = ${last ? "(" : ""}`;
  return points[i].map((_, j) => [before(j), "points", [i, j], last && j === last ? ")" : ""]);
};
