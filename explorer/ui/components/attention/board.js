// What becomes of a board: drawn at random, typed, checked.

import { identity, isPlain } from "../core/reorder.js";
import { kindOf } from "./task.js";
import { round4 } from "./vectors.js";

/** @import { Board, Task } from "./types.js" */

/** Another order of so many tokens. */
export function shuffled(/** @type {number} */ count) {
  const order = identity(count);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return isPlain(order) ? order.reverse() : order;
}

/** Another sequence, drawn as in training. @type {(task: Task, board: Board) => Board} */
export function sampled(task, board) {
  const kind = kindOf(task);
  const [low, high] = kind.range;
  const draw = () => round4(low + (high - low) * Math.random());
  const points = board.points.map((point) => point.map(draw));
  return { ...board, points, ...kind.drawn(task, board) };
}

const numbersIn = (/** @type {string} */ text) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

/** @typedef {{[at: string | number]: unknown}} Part */
/**
 * What a board has in a field, or further in at these places.
 * @type {(board: object, path: (string | number)[]) => Part}
 */
export const partOf = (board, path) =>
  path.reduce((part, at) => /** @type {Part} */ (part[at]), /** @type {Part} */ (board));

// The board with a text typed into one of its numbers or lists; what is no number is NaN.
/** @type {(task: Task, board: Board, at: {field: string, place: string}, text: string) => Board} */
export function typed(task, board, { field, place }, text) {
  const value = kindOf(task).lists.includes(field)
    ? numbersIn(text)
    : text.trim() === ""
      ? NaN
      : Number(text.replace("−", "-").replace(",", "."));
  const path = [field, ...JSON.parse(place)];
  partOf(board, path.slice(0, -1))[path.at(-1)] = value;
  return board;
}

/** Whether a board can be drawn and answered here. @type {(task: Task, board: Board) => boolean} */
export const drawable = (task, board) =>
  board.points.flat().every(Number.isFinite) && kindOf(task).drawable(task, board);
