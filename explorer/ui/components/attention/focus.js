// What is looked at among the tokens of a board, in all of its pictures: plane, graph and matrix.
// In them what is learned has the accent, what is ideal thin outlines of ink.

import { identity } from "../core/reorder.js";
import { kindOf } from "./task.js";

/** @import { View } from "./types.js" */

export const FAINT = 0.02; // weights below are not drawn
export const LOOKS = 0.1; // the least weight by which a row looks at a key

// What is looked at: the locked or hovered row, and the column under the pointer.
export const focusOf = (/** @type {Pick<View, "hover" | "locked">} */ view) =>
  view.hover ?? (view.locked === null ? null : { t: view.locked, s: null });

// Whether row t is highlighted: all are without a focus; with a key in focus those that look at it.
/** @type {(view: View, t: number) => boolean} */
export function highlighted(view, t) {
  const focus = focusOf(view);
  const { attention, ideal } = view.solution;
  return (
    focus === null ||
    focus.t === t ||
    (focus.t === null && focus.s !== null && (attention ?? ideal)[t][focus.s] > LOOKS)
  );
}

/** @type {(view: Pick<View, "task" | "shown">, i: number) => number} */
export const tokenAt = ({ task, shown }, i) =>
  kindOf(task).token({ ...task, lengths: shown.lengths }, i);

/** The order in which the head reads the tokens, `token` at each place and the `place` of each: matrix and graph keep it. */
export function reading(/** @type {View} */ view) {
  const order = view.backwards() ? null : view.settings.order;
  const token = order ?? identity(view.task.tau);
  /** @type {number[]} */
  const place = [];
  token.forEach((t, i) => (place[t] = i));
  return { token, place };
}

// Of which tokens the number is written: every one, or every n-th where one has less room than it needs.
/** @type {(needed: number, room: number) => number} */
export const everyToken = (needed, room) => Math.max(1, Math.ceil(needed / Math.max(room, 1)));

// Where each row looks most, in words.
export function strongest(/** @type {View} */ { solution, task }) {
  if (!solution.attention) return "nothing learned yet";
  return solution.attention
    .map((row, t) => `${t} to ${row.indexOf(Math.max(...row))}`)
    .slice(0, task.tau)
    .join(", ");
}
