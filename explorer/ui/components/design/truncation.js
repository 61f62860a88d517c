// The truncation floor of explorer/theory/floor.py where no Python answers: a designed coupling is its own POD, as its φ_k and
// ψ_k are orthonormal and no ψ_k has a mean. The sequences are the same, number by number.

import { basisOf } from "./bases.js";

/** @typedef {{state: string, increment: string}} Generator numpy's PCG64, in decimals: more digits than a number has */
/** @typedef {{sigma: number[], order: number[], left: string, right: string, tau: number, exact: number | null}} Designed order: from the largest σ_k down */
/** @typedef {{left: Float64Array, right: Float64Array}} Pairs σ_k φ_k and ψ_k at the centres of the cells */

const FLOOR_SEQUENCES = 512;
const FLOOR_QUERIES = 16;
const FLOOR_CELLS = 2048; // cells of [0, 1]
const MOST_TERMS = 32;
const PCG_MULTIPLIER = 0x2360ed051fc65da44385df649fccf645n;
const Z95 = 1.96;

/** The leading 11 bits of so many numbers: the cells of [0, 1] that they fall into. @type {(generator: Generator, count: number) => Uint16Array} */
export function drawnCells({ state: start, increment }, count) {
  let state = BigInt(start);
  const step = BigInt(increment);
  return Uint16Array.from({ length: count }, () => {
    state = BigInt.asUintN(128, state * PCG_MULTIPLIER + step);
    const mixed = BigInt.asUintN(64, (state >> 64n) ^ state);
    const rotation = state >> 122n;
    return Number(BigInt.asUintN(64, (mixed >> rotation) | (mixed << (64n - rotation))) >> 53n);
  });
}

const cellCentre = (/** @type {number} */ cell) => (cell + 0.5) / FLOOR_CELLS;

/** From the largest σ_k down. @type {(design: Designed) => Pairs[]} */
function pairsOf({ sigma, order, left, right }) {
  const [l, r] = [basisOf(left), basisOf(right)];
  return order.map((i) => ({
    left: Float64Array.from({ length: FLOOR_CELLS }, (_, c) => {
      return sigma[i] * l.evaluate(cellCentre(c), i + (l.constant ? 0 : 1));
    }),
    right: Float64Array.from({ length: FLOOR_CELLS }, (_, c) => r.evaluate(cellCentre(c), i + 1)),
  }));
}

/** H_t(x) of the first m terms for m = 0 … 32, and of all of them last: at one t of one sequence x. */
/** @type {(pairs: Pairs[], x: Uint16Array, t: number, answers: Float64Array) => void} */
function answersAt(pairs, x, t, answers) {
  const rho = new Float64Array(x.length);
  for (let m = 0; m <= pairs.length; m++) {
    if (m > 0) {
      const { left, right } = pairs[m - 1];
      const a = left[x[t]];
      for (let s = 0; s < x.length; s++) rho[s] += a * right[x[s]];
    }
    const known = m < answers.length - 1;
    if (known || m === pairs.length)
      answers.fill(meanUnderSoftmax(rho, x), known ? m : answers.length - 1);
  }
}

/** The mean of x under the softmax of ρ. @type {(rho: Float64Array, x: Uint16Array) => number} */
function meanUnderSoftmax(rho, x) {
  let top = -Infinity;
  for (const r of rho) if (r > top) top = r;
  let [total, sum] = [0, 0];
  for (let s = 0; s < x.length; s++) {
    const weight = Math.exp(rho[s] - top);
    total += weight;
    sum += weight * cellCentre(x[s]);
  }
  return sum / total;
}

/** Of each sequence: the means of y and y², and of each m those of the squared and the absolute error. */
/** @type {(design: Designed, generator: Generator) => {y: number[], square: number[], mse: Float64Array[], mae: Float64Array[]}} */
function measuredErrors(design, generator) {
  const { tau } = design;
  const pairs = pairsOf(design);
  const cells = drawnCells(generator, FLOOR_SEQUENCES * tau);
  const queries = Math.min(FLOOR_QUERIES, tau);
  const answers = new Float64Array(MOST_TERMS + 2);
  const zeros = () =>
    Array.from({ length: MOST_TERMS + 1 }, () => new Float64Array(FLOOR_SEQUENCES));
  const [mse, mae] = [zeros(), zeros()];
  const [y, square] = [new Array(FLOOR_SEQUENCES).fill(0), new Array(FLOOR_SEQUENCES).fill(0)];
  for (let n = 0; n < FLOOR_SEQUENCES; n++)
    for (let t = 0; t < queries; t++) {
      answersAt(pairs, cells.subarray(n * tau, (n + 1) * tau), t, answers);
      const whole = answers[MOST_TERMS + 1] - 0.5; // off its middle: squares would lose digits
      y[n] += whole / queries;
      square[n] += whole ** 2 / queries;
      for (let m = 0; m <= MOST_TERMS; m++) {
        const error = Math.abs(answers[m] - answers[MOST_TERMS + 1]);
        mse[m][n] += error ** 2 / queries;
        mae[m][n] += error / queries;
      }
    }
  return { y, square, mse, mae };
}

/** @type {(list: ArrayLike<number>) => number} */
const floorMean = (list) => Array.from(list).reduce((sum, value) => sum + value, 0) / list.length;

/**
 * nMSE, mean absolute error and their 95% half-widths at m = 0 … 32, (4, 33), as the drawing has them; the nMSE's by the
 * delta method, exactly 0 from the rank on.
 * @param {Designed} design
 * @param {Generator} generator
 */
export function truncation(design, generator) {
  const { y, square, mse, mae } = measuredErrors(design, generator);
  const middle = floorMean(y);
  const variance = floorMean(square) - middle ** 2;
  const spread = square.map((b, n) => b - 2 * middle * y[n] + middle ** 2);
  const pairs = FLOOR_SEQUENCES * (FLOOR_SEQUENCES - 1);
  const values = new Float32Array(4 * (MOST_TERMS + 1));
  for (let m = 0; m <= MOST_TERMS && m < (design.exact ?? Infinity); m++) {
    const [nmse, mean] = [floorMean(mse[m]) / variance, floorMean(mae[m])];
    const off = spread.reduce((sum, v, n) => sum + (mse[m][n] - nmse * v) ** 2, 0);
    const apart = mae[m].reduce((sum, a) => sum + (a - mean) ** 2, 0);
    const halves = [(Z95 * Math.sqrt(off / pairs)) / variance, Z95 * Math.sqrt(apart / pairs)];
    [nmse, mean, ...halves].forEach((value, row) => (values[row * (MOST_TERMS + 1) + m] = value));
  }
  return { shape: [4, MOST_TERMS + 1], values };
}
