// qSA, the average of selected vectors: targets/tasks/selection.py once more.

import { coordinates, mean, unit, wholeBelow } from "../vectors.js";

/** @import { DrawingOf } from "../types.js" */

/** @type {DrawingOf<"points" | "indices">} */
export const selectionTask = {
  range: [0, 1],
  query: (board, t) => board.points[t],
  key: (board, s) => board.points[s],
  tokens: ({ tau }, { points, indices }) =>
    points.map((v, t) => [
      ...v,
      ...Array.from({ length: tau }, (_, s) => indices[t].filter((i) => i === s).length),
      ...unit(tau, t),
    ]),
  positions: ({ tau, d }) => [d + tau, d + 2 * tau],
  ideal: ({ tau, k }, { indices }) =>
    indices.map((own) =>
      Array.from({ length: tau }, (_, s) => own.filter((i) => i === s).length / k),
    ),
  values: (task, { points }) => points,
  answer: (task, { points }, ideal) => ideal.map((row) => mean(points, row)),
  board: ({ d, tau }, tokens) => ({
    points: tokens.map((x) => x.slice(0, d)),
    indices: tokens.map((x) =>
      x.slice(d, d + tau).flatMap((count, s) => Array(Math.round(count)).fill(s)),
    ),
  }),
  place: (task, i) => `v(${i})`,
  token: (task, i) => i,
  ofToken: (task, t) => [t],
  lane: () => 0.5,
  keyLane: 0.5,
  mark: (task, board, i) => {
    return { shape: "square", size: 6, hollow: false, faint: true, name: `v_{${i}}` };
  },
  pointed: (task, i, t) => ({ t, s: null }),
  answersArePoints: true,
  overPlane: () => false,
  sites: () => [],
  valueRange: [-0.1, 1.1],
  fields: (task, { points }, t) => [
    ...coordinates(points, "v", t, t),
    ["indices s", "indices", [t]],
  ],
  lists: ["indices"],
  drawn: ({ tau, k }, { indices }) => ({
    indices: indices.map(() => Array.from({ length: k }, () => Math.floor(tau * Math.random()))),
  }),
  drawable: ({ tau, k }, { indices }) =>
    indices.every((own) => own.length === k && wholeBelow(own, tau)),
};
