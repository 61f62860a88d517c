// A linear target under the reader's hand: targets/linear/target.py, targets/alterations.py and theory/linear.py once more.
// y = K x̃ with K[t, j] = (T Θ)[t, p(j)]: T is the Toeplitz matrix of ρ, Θ that of the filter, p the order of x̃.

import { isPlain } from "../core/reorder.js";

/** @typedef {Float64Array[]} Matrix row by row */
/** @typedef {number[] | Packed["values"]} Values */
/** @typedef {{kernel: number[], order: number[] | null, taps: number[] | null, mode: string}} Target */
/** @typedef {ReturnType<typeof floorsOf>} Floors */

const VARIANCE = 1 / 12;
const MEAN = 1 / 2; // of x ~ U[0, 1]
const zeros = (/** @type {number} */ tau) =>
  Array.from({ length: tau }, () => new Float64Array(tau));

// Θ: where the filter takes (θ*x)(t) from; places beyond the sequence hold 0, but for circular.
/** @type {(tau: number, taps: number[], mode: string) => Matrix} */
function filterMatrix(tau, taps, mode) {
  const matrix = zeros(tau);
  const middle = mode === "centred" ? Math.floor((taps.length - 1) / 2) : 0;
  for (let t = 0; t < tau; t++)
    taps.forEach((tap, s) => {
      const from = mode === "ahead" ? t + s : t - s + middle;
      const at = mode === "circular" ? ((from % tau) + tau) % tau : from;
      if (at >= 0 && at < tau) matrix[t][at] += tap;
    });
  return matrix;
}

/** @type {(target: Target) => Matrix} */
export function targetMatrix({ kernel, order, taps, mode }) {
  const tau = kernel.length;
  const theta = taps ? filterMatrix(tau, taps, mode) : null;
  const matrix = zeros(tau);
  for (let t = 0; t < tau; t++)
    for (let j = 0; j < tau; j++) {
      const p = order ? order[j] : j;
      if (!theta) {
        matrix[t][j] = t >= p ? kernel[t - p] : 0;
        continue;
      }
      for (let s = 0; s <= t; s++) matrix[t][j] += kernel[t - s] * theta[s][p];
    }
  return matrix;
}

// Mean squared errors that no training gets below: of any causal model, of a time-invariant one, of a constant.
export function floorsOf(/** @type {Matrix} */ matrix) {
  const tau = matrix.length;
  const share = VARIANCE / tau;
  const kernel = new Float64Array(tau);
  let future = 0;
  let whole = 0;
  for (let t = 0; t < tau; t++)
    for (let s = 0; s < tau; s++) {
      const square = matrix[t][s] ** 2;
      whole += square;
      if (s > t) future += square;
      else kernel[t - s] += matrix[t][s] / (tau - (t - s));
    }
  let rest = future;
  for (let t = 0; t < tau; t++)
    for (let s = 0; s <= t; s++) rest += (matrix[t][s] - kernel[t - s]) ** 2;
  const means = matrix.map((row) => MEAN * row.reduce((a, b) => a + b, 0));
  const centre = means.reduce((a, b) => a + b, 0) / tau;
  const spread = means.reduce((sum, m) => sum + (m - centre) ** 2, 0) / tau;
  return {
    causal: share * future,
    time_invariant: share * rest,
    constant: share * whole + spread,
    constant_per_step: share * whole,
    kernel,
  };
}

// Taps without the zeros at their end (which only the centred convention counts); null where nothing is left.
/** @type {(taps: number[], mode: string) => number[] | null} */
export function trimmed(taps, mode) {
  let length = taps.length;
  while (length && taps[length - 1] === 0) length--;
  return length ? (mode === "centred" ? taps : taps.slice(0, length)) : null;
}

// A list up to its last value that is not 0.
export const ended = (/** @type {number[]} */ list) =>
  list.slice(0, 1 + list.findLastIndex((x) => x !== 0));

/** @type {(a: Values, b: Values) => number} */
export const product = (a, b) => [...a].reduce((sum, x, s) => sum + x * (b[s] ?? 0), 0);

// Learned taps in the scale and sign that is nearest to the filter: a convolution is known up to those.
/** @type {(learned: Values, taps: number[]) => number[] | null} */
export function alike(learned, taps) {
  const square = product(learned, learned);
  return square > 0 ? [...learned].map((x) => (x * product(learned, taps)) / square) : null;
}

// |cos| of the angle between them: 1 where they agree up to sign and scale.
/** @type {(learned: Values, taps: number[]) => number} */
export function cosine(learned, taps) {
  return Math.abs(product(learned, taps)) / (Math.hypot(...learned) * Math.hypot(...taps) || 1);
}

// theory/linear.py's measures of Eq. 76 to 78, corrected: γ is the decay length of |ρ| beyond the window, C_1.
/** @type {(kernel: number[], gamma: number) => Record<"c_1" | "c_2" | "c_rnn" | "windowed", number>} */
export function complexityOf(kernel, gamma) {
  const size = magnitude(kernel, gamma);
  return {
    c_1: gamma,
    c_2: size,
    c_rnn: size === Infinity ? Infinity : gamma * size,
    windowed: windowed(kernel),
  };
}

// Of the kernel that is left after an order and a filter; null where none is.
/** @type {(matrix: Matrix, order: number[], taps: number[] | null, mode: string) => number[] | null} */
export function leftKernel(matrix, order, taps, mode) {
  return isPlain(order) && (!taps || mode === "causal") ? matrix.map((row) => row[0]) : null;
}

// [t, log|ρ(t)|] where ρ(t) is not 0.
const heights = (/** @type {number[]} */ kernel) =>
  [...kernel].flatMap((rho, t) => (rho === 0 ? [] : [[t, Math.log(Math.abs(rho))]]));

/** @type {(kernel: number[], gamma: number) => number} */
function magnitude(kernel, gamma) {
  const points = heights(kernel);
  if (gamma === 0) return points.some(([t]) => t > 0) ? Infinity : Math.abs(kernel[0]);
  return Math.exp(Math.max(...points.map(([t, height]) => t / gamma + height)));
}

// min_β β max_t e^{t/β}|ρ(t)|: in b = 1/β convex, least at b = 1/t of some t or where two lines meet.
function windowed(/** @type {number[]} */ kernel) {
  const points = heights(kernel);
  const last = points.at(-1);
  if (!last || last[0] === 0) return 0;
  const at = points.flatMap(([t, high], i) => [
    1 / t,
    ...points.slice(0, i).map(([s, low]) => (low - high) / (t - s)),
  ]);
  const value = (/** @type {number} */ b) =>
    Math.max(...points.map(([t, height]) => t * b + height)) - Math.log(b);
  return Math.exp(Math.min(...at.filter((b) => b > 0 && b < Infinity).map(value)));
}
