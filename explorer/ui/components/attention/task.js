// The three tasks of App. B.1 under the reader's hand: targets/{nearest,gravity,selection}.py once more.
// A board holds what can be moved: points, and masses and lengths of segments, or indices.

import { respond } from "./model.js";

const norm = (point) => Math.hypot(...point);
export const unit = (count, i) => Array.from({ length: count }, (_, j) => (i === j ? 1 : 0));
export const mean = (rows, weights) =>
  rows[0].map((_, j) => rows.reduce((sum, row, s) => sum + weights[s] * row[j], 0));

// Which segment and which point each token is: {asks, segment, point}; one that asks has no point.
export function placesOf(lengths) {
  let point = 0;
  return lengths.flatMap((length, segment) => [
    { asks: true, segment, point: null },
    ...Array.from({ length }, () => ({ asks: false, segment, point: point++ })),
  ]);
}

const nearestTask = {
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
  answer: ({ tau }, board, ideal) =>
    ideal.map((row) => mean(nearestTask.values({ tau }, board), row)),
  board: ({ d }, tokens) => ({
    points: [...tokens.map((x) => x.slice(0, d)), ...tokens.map((x) => x.slice(d))],
  }),
  place: ({ tau }, i) => (i < tau ? `u(${i})` : `v(${i - tau})`),
  token: ({ tau }, i) => i % tau,
  ofToken: ({ tau }, t) => [t, tau + t],
};

const gravityTask = {
  range: [-1, 1],
  query: (board, t) => gravityTask.key(board, t),
  key: ({ points, lengths }, s) => points[placesOf(lengths)[s].point] ?? null,
  tokens: ({ tau, d, segments }, { points, masses, lengths }) =>
    placesOf(lengths).map(({ asks, segment, point }, t) => [
      ...(asks ? Array(d).fill(0) : points[point]),
      asks ? 0 : masses[point],
      asks ? 1 : 0,
      ...unit(tau, t),
      ...unit(segments, segment),
    ]),
  positions: ({ tau, d }) => [d + 2, d + 2 + tau],
  ideal: (task, { masses, lengths }) => {
    const places = placesOf(lengths);
    return places.map(({ asks, segment }, t) => {
      if (!asks) return unit(places.length, t);
      const own = places.map((p) => (!p.asks && p.segment === segment ? masses[p.point] : 0));
      const sum = own.reduce((a, b) => a + b, 0);
      return own.map((m) => m / (sum || 1));
    });
  },
  values: ({ d }, board) =>
    placesOf(board.lengths).map(({ asks }, t) =>
      asks ? Array(d).fill(0) : gravityTask.key(board, t),
    ),
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
  ofToken: ({ lengths }, t) => [placesOf(lengths)[t].point].filter((i) => i !== null),
};

const selectionTask = {
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
};

export const TASKS = { nearest: nearestTask, cog: gravityTask, qsa: selectionTask };

// Board index of the token at each place: what stands at t is the token order[t].
const orderOf = (order, tau) => order ?? Array.from({ length: tau }, (_, t) => t);

// The tokens as the head gets them: in their order, with their positions ("move"), with those of their places ("stay")
// or without any ("off").
function arranged(tokens, span, order, positions) {
  return orderOf(order, tokens.length).map((from, t) => {
    const token = [...tokens[from]];
    if (span)
      for (let i = span[0]; i < span[1]; i++) {
        token[i] = positions === "off" ? 0 : positions === "stay" ? tokens[t][i] : token[i];
      }
    return token;
  });
}

// Rows, or rows and columns, back under the names of the tokens: what answered at t answered for order[t].
function named(rows, order, both) {
  const found = [];
  orderOf(order, rows.length).forEach((at, t) => {
    found[at] = rows[t];
  });
  return both
    ? found.map((row) =>
        orderOf(order, row.length).reduce((out, at, s) => ((out[at] = row[s]), out), []),
      )
    : found;
}

// All that is known of a board: the truth, and what the head answers (without `network` only the truth).
export function solve(task, board, network, settings) {
  const kind = TASKS[task.target];
  const tokens = kind.tokens(task, board);
  const ideal = kind.ideal(task, board);
  const found = { tokens, ideal, answer: kind.answer(task, board, ideal) };
  if (!network) return found;
  const { order, positions } = settings;
  const span = kind.positions(task);
  const { attention, predicted } = respond(
    network,
    arranged(tokens, span, order, positions),
    settings,
  );
  return {
    ...found,
    attention: named(attention, order, true),
    predicted: named(predicted, order, false),
  };
}

// How far shuffling the tokens changes the answers, max |Ĥ(x∘p) − Ĥ(x)∘p|, for each way to treat positions.
export function equivariance(task, board, network, settings) {
  const ways = TASKS[task.target].positions(task) ? ["move", "stay", "off"] : ["move"];
  return Object.fromEntries(
    ways.map((positions) => {
      const [before, after] = [null, settings.order].map(
        (order) => solve(task, board, network, { ...settings, order, positions }).predicted,
      );
      return [positions, farthest(before, after)];
    }),
  );
}

export const farthest = (a, b) =>
  Math.max(...a.flatMap((row, t) => row.map((x, j) => Math.abs(x - b[t][j]))));

// Beside the truth: mean |Â − A|, rows whose largest weight is where an ideal one is, largest |ŷ − y|.
export function compared({ ideal, attention, answer, predicted }) {
  if (!attention) return null;
  const gaps = ideal.flatMap((row, t) => row.map((a, s) => Math.abs(attention[t][s] - a)));
  const hits = ideal.filter(
    (row, t) => row[attention[t].indexOf(Math.max(...attention[t]))] === Math.max(...row),
  );
  const misses = answer.map((y, t) => Math.hypot(...y.map((x, j) => predicted[t][j] - x)));
  return {
    gap: gaps.reduce((a, b) => a + b, 0) / gaps.length,
    hits: hits.length,
    misses,
    worst: Math.max(...misses),
  };
}
