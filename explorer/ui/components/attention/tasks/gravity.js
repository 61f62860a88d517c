// Centres of gravity of segments: targets/tasks/gravity.py once more.

import { coordinates, mean, norm, round4, unit, wholeBelow } from "../vectors.js";

/** @import { DrawingOf, Field } from "../types.js" */

const SEGMENT_MARKS = ["square", "diamond", "up", "circle", "square", "diamond"];

// Which segment and which point each token is; one that asks has no point.
function placesOf(/** @type {number[]} */ lengths) {
  let point = 0;
  return lengths.flatMap((length, segment) => [
    { segment, point: null },
    ...Array.from({ length }, () => ({ segment, point: point++ })),
  ]);
}

/** @type {DrawingOf<"points" | "masses" | "lengths">} */
export const gravityTask = {
  range: [-1, 1],
  query: (board, t) => gravityTask.key(board, t),
  key: ({ points, lengths }, s) => {
    const { point } = placesOf(lengths)[s];
    return point === null ? null : points[point];
  },
  tokens: ({ tau, d, segments }, { points, masses, lengths }) =>
    placesOf(lengths).map(({ segment, point }, t) => [
      ...(point === null ? [...Array(d).fill(0), 0, 1] : [...points[point], masses[point], 0]),
      ...unit(tau, t),
      ...unit(segments, segment),
    ]),
  positions: ({ tau, d }) => [d + 2, d + 2 + tau],
  ideal: (task, { masses, lengths }) => {
    const places = placesOf(lengths);
    return places.map(({ segment, point }, t) => {
      if (point !== null) return unit(places.length, t);
      const own = places.map((p) =>
        p.point !== null && p.segment === segment ? masses[p.point] : 0,
      );
      const sum = own.reduce((a, b) => a + b, 0);
      return own.map((m) => m / (sum || 1));
    });
  },
  values: ({ d }, board) =>
    placesOf(board.lengths).map((_, t) => gravityTask.key(board, t) ?? Array(d).fill(0)),
  answer: (task, board, ideal) =>
    ideal.map((row) => [norm(mean(gravityTask.values(task, board), row))]),
  board: ({ d, tau }, tokens) => {
    const points = tokens.filter((x) => !x[d + 1]);
    const segments = points.map((x) => x.slice(d + 2 + tau).indexOf(1));
    const lengths = [...new Set(segments)].map(
      (segment) => segments.filter((other) => other === segment).length,
    );
    return { points: points.map((x) => x.slice(0, d)), masses: points.map((x) => x[d]), lengths };
  },
  place: (task, i) => `x(${gravityTask.token(task, i)})`,
  token: ({ lengths }, i) => placesOf(lengths).findIndex((p) => p.point === i),
  ofToken: ({ lengths }, t) => {
    const { point } = placesOf(lengths)[t];
    return point === null ? [] : [point];
  },
  lane: () => 0.5,
  keyLane: 0.5,
  mark: ({ tau }, { masses, lengths }, i) => {
    const t = gravityTask.token({ tau, lengths }, i);
    const size = 4 + 7 * Math.sqrt(Math.max(0, Math.min(masses[i], 1.5)));
    const shape = SEGMENT_MARKS[placesOf(lengths)[t].segment];
    return { shape, size, hollow: false, faint: true, name: `x_{${t}}` };
  },
  pointed: (task, i, t) => ({ t, s: null }),
  answersArePoints: false,
  overPlane: ({ d }) => d === 2,
  sites: () => [],
  valueRange: [0, 1.5],
  fields: (task, { points, lengths }, t) => {
    const { point } = placesOf(lengths)[t];
    const segments = /** @type {Field} */ (["points per segment", "lengths", []]);
    if (point === null) return [segments];
    return [...coordinates(points, "x", point, t), ["mass m", "masses", [point]], segments];
  },
  lists: ["lengths"],
  // Segments stay as they are.
  drawn: (task, { masses }) => ({
    masses: masses.map(() => round4(0.1 + 0.9 * Math.random())),
  }),
  drawable: ({ tau, segments }, { points, masses, lengths }) =>
    masses.every((m) => m > 0 && Number.isFinite(m)) &&
    wholeBelow(lengths, tau) &&
    lengths.length <= segments &&
    lengths.every((n) => n >= 2) &&
    lengths.reduce((a, b) => a + b, 0) === points.length &&
    lengths.length + points.length === tau,
};
