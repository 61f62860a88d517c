// The made-up task of made_up_task.py in the browser.

import { coordinates, mean, round4, unit } from "../vectors.js";

export const largestTask = {
  range: [0, 1],
  query: (board, t) => board.points[t],
  key: (board, s) => board.points[s],
  tokens: (task, { points, keys }) => points.map((v, t) => [keys[t], ...v]),
  positions: () => null,
  ideal: ({ tau }, { keys }) => keys.map(() => unit(tau, keys.indexOf(Math.max(...keys)))),
  values: (task, { points }) => points,
  answer: (task, { points }, ideal) => ideal.map((row) => mean(points, row)),
  board: (task, tokens) => ({
    points: tokens.map((x) => x.slice(1)),
    keys: tokens.map(([k]) => k),
  }),
  place: (task, i) => `v(${i})`,
  token: (task, i) => i,
  ofToken: (task, t) => [t],
  lane: () => 0.5,
  keyLane: 0.5,
  mark: (task, board, i) => ({
    shape: "square",
    size: 6,
    hollow: false,
    faint: true,
    name: `v_{${i}}`,
  }),
  pointed: (task, i, t) => ({ t, s: null }),
  answersArePoints: true,
  overPlane: () => false,
  sites: () => [],
  valueRange: [-0.1, 1.1],
  fields: (task, { points }, t) => [...coordinates(points, "v", t, t), ["key k", "keys", [t]]],
  lists: [],
  drawn: (task, { keys }) => ({ keys: keys.map(() => round4(Math.random())) }),
  drawable: (task, { keys }) => keys.every(Number.isFinite) && new Set(keys).size === keys.length,
};
