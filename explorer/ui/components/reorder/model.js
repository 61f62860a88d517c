// Where the tokens of a text stand, line by line.

/** @import { Rect } from "../core/arranged.js" */

/** How far a number is outside of what lies between two. */
const beyond = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.max(low - at, at - high, 0);

/**
 * The place that a pointer means: the token under it, else the nearest in the line that is nearest.
 * @param {Rect[]} rects
 * @param {Place} at
 */
export function nearest(rects, { px, py }) {
  const lines = rects.map(({ top, bottom }) => beyond(py, top, bottom));
  const line = Math.min(...lines);
  const away = rects.map(({ left, right }, t) =>
    lines[t] === line ? beyond(px, left, right) : Infinity,
  );
  return away.indexOf(Math.min(...away));
}
