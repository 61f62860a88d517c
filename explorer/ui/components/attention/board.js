// What becomes of a board: drawn at random, typed, checked.

import { kindOf } from "./task.js";
import { round4 } from "./vectors.js";

/** Another order of so many tokens. */
export function shuffled(count) {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.every((p, t) => p === t) ? order.reverse() : order;
}

// Another sequence, drawn as in training.
export function sampled(task, board) {
  const kind = kindOf(task);
  const [low, high] = kind.range;
  const draw = () => round4(low + (high - low) * Math.random());
  const points = board.points.map((point) => point.map(draw));
  return { ...board, points, ...kind.drawn(task, board) };
}

const numbersIn = (text) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

// The board with a text typed into one of its numbers or lists; what is no number is NaN.
export function typed(task, board, { field, place }, text) {
  const at = JSON.parse(place);
  const value = kindOf(task).lists.includes(field)
    ? numbersIn(text)
    : text.trim() === ""
      ? NaN
      : Number(text.replace("−", "-").replace(",", "."));
  if (!at.length) board[field] = value;
  else at.slice(0, -1).reduce((part, i) => part[i], board[field])[at.at(-1)] = value;
  return board;
}

// Whether a board can be drawn and answered here.
export const drawable = (task, board) =>
  board.points.flat().every(Number.isFinite) && kindOf(task).drawable(task, board);
