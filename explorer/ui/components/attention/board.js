// What becomes of a board: drawn at random, typed, checked.

import { kindOf } from "./task.js";

/** @import { Board, Task } from "./types.js" */

export const round4 = (/** @type {number} */ x) => Math.round(1e4 * x) / 1e4;

/** Another order of so many tokens. */
export function shuffled(/** @type {number} */ count) {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.every((p, t) => p === t) ? order.reverse() : order;
}

// Another sequence, drawn as in training; segments stay as they are.
/** @type {(task: Task, board: Board) => Board} */
export function sampled(task, board) {
  const { tau, k = 0 } = task;
  const [low, high] = kindOf(task).range;
  const draw = () => round4(low + (high - low) * Math.random());
  return {
    ...board,
    points: board.points?.map((point) => point.map(draw)),
    ...(board.masses && { masses: board.masses.map(() => round4(0.1 + 0.9 * Math.random())) }),
    ...(board.indices && {
      indices: board.indices.map(() =>
        Array.from({ length: k }, () => Math.floor(tau * Math.random())),
      ),
    }),
  };
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
/** @type {<B extends object>(board: B, at: {field: string, place: string}, text: string) => B} */
export function typed(board, { field, place }, text) {
  const list = field === "indices" || field === "lengths";
  const value = list
    ? numbersIn(text)
    : text.trim() === ""
      ? NaN
      : Number(text.replace("−", "-").replace(",", "."));
  const path = [field, ...JSON.parse(place)];
  partOf(board, path.slice(0, -1))[path.at(-1)] = value;
  return board;
}

// Whether a board can be drawn and answered here.
/** @type {(task: Required<Task>, board: {points: number[][]} & Board) => boolean} */
export function drawable({ tau, k, segments }, { points, masses, lengths, indices }) {
  const whole = (/** @type {number[]} */ list, /** @type {number} */ most) =>
    list.every((i) => Number.isInteger(i) && i >= 0 && i < most);
  if (
    !points.flat().every(Number.isFinite) ||
    !(masses ?? []).every((m) => m > 0 && Number.isFinite(m))
  )
    return false;
  if (indices && !indices.every((own) => own.length === k && whole(own, tau))) return false;
  const fits = (/** @type {number[]} */ l) =>
    l.length <= segments &&
    l.every((n) => n >= 2) &&
    l.reduce((a, b) => a + b, 0) === points.length &&
    l.length + points.length === tau;
  return !lengths || (whole(lengths, tau) && fits(lengths));
}
