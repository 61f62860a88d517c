// The nearest point of a set: targets/tasks/nearest.py once more.

import { coordinates, mean, unit } from "../vectors.js";

/** @import { DrawingOf } from "../types.js" */

/** Points are u, then v. @type {DrawingOf<"points">} */
export const nearestTask = {
  range: [0, 1],
  query: (board, t) => board.points[t],
  key: ({ points }, s) => points[points.length / 2 + s],
  tokens: ({ tau }, { points }) => points.slice(0, tau).map((u, t) => [...u, ...points[tau + t]]),
  positions: () => null,
  ideal: ({ tau }, { points }) =>
    points.slice(0, tau).map((u) => {
      const away = points.slice(tau).map((v) => v.reduce((sum, x, j) => sum + (x - u[j]) ** 2, 0));
      return unit(tau, away.indexOf(Math.min(...away)));
    }),
  values: ({ tau }, { points }) => points.slice(tau),
  answer: (task, board, ideal) => ideal.map((row) => mean(nearestTask.values(task, board), row)),
  board: ({ d }, tokens) => ({
    points: [...tokens.map((x) => x.slice(0, d)), ...tokens.map((x) => x.slice(d))],
  }),
  place: ({ tau }, i) => (i < tau ? `u(${i})` : `v(${i - tau})`),
  token: ({ tau }, i) => i % tau,
  ofToken: ({ tau }, t) => [t, tau + t],
  lane: ({ tau }, i) => (i < tau ? 0.68 : 0.32),
  keyLane: 0.32,
  mark: ({ tau }, board, i) =>
    i < tau
      ? { shape: "circle", size: 6, hollow: true, faint: true, name: `u_{${i}}` }
      : { shape: "square", size: 6, hollow: false, faint: false, name: `v_{${i - tau}}` },
  pointed: ({ tau }, i, t) => (i >= tau ? { t: null, s: t } : { t, s: null }),
  answersArePoints: true,
  overPlane: () => false,
  sites: ({ tau }, { points }) => points.slice(tau),
  valueRange: [-0.1, 1.1],
  fields: ({ tau }, { points }, t) => [
    ...coordinates(points, "u", t, t),
    ...coordinates(points, "v", tau + t, t),
  ],
  lists: [],
  drawn: () => ({}),
  drawable: () => true,
};
