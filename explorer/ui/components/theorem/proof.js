// The proof of Theorem 4.1 for other σ_k than the design's: what stands on both sides of each step, as theory/losses.py has it.
// φ_k and ψ_k stay. What is a mean over sequences is that of the page, times what these few make of it here.

/** @import { ProofDrawing } from "../payloads.js" */
/** @typedef {{queries: Packed, keys: Packed, tokens: Packed}} Sequences φ_k (n, t, K), ψ_k (n, s, K) and x (n, s) */
/** @typedef {{words: string, kind: string, mended: boolean, before: number, after: number}} Row */

const SUMS = 5; // the first of the levels: means over sequences

/** The terms by size, the largest first; of equal ones the earlier. @type {(sigma: ArrayLike<number>) => number[]} */
export const bySize = (sigma) =>
  Array.from(sigma, (_, k) => k).sort((a, b) => sigma[b] - sigma[a] || a - b);

/** Softmax in place. @param {Float64Array} row */
function soften(row) {
  const most = Math.max(...row);
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += row[i] = Math.exp(row[i] - most);
  for (let i = 0; i < row.length; i++) row[i] /= sum;
}

/**
 * E Σ_t of |H − H_m|, Σ_s |a − a_m| |f|, Σ_s |a − a_m| and Σ_s |ρ − ρ_m|, and τ times the root mean square of ρ − ρ_m.
 * @type {(sequences: Sequences, sigma: ArrayLike<number>, m: number) => number[]}
 */
export function meansOf({ queries, keys, tokens }, sigma, m) {
  const [count, asked, terms] = queries.shape;
  const tau = tokens.shape[1];
  const left = new Set(bySize(sigma).slice(m));
  const sums = new Float64Array(SUMS);
  const [cut, rest] = [new Float64Array(tau), new Float64Array(tau)];
  for (let n = 0; n < count; n++)
    for (let t = 0; t < asked; t++) {
      cut.fill(0);
      rest.fill(0);
      for (let k = 0; k < terms; k++) {
        const into = left.has(k) ? rest : cut;
        const factor = sigma[k] * queries.values[(n * asked + t) * terms + k];
        for (let s = 0; s < tau; s++) into[s] += factor * keys.values[(n * tau + s) * terms + k];
      }
      addTo(sums, cut, rest, tokens.values.subarray(n * tau, (n + 1) * tau));
    }
  const [error, apart, weights, logits, squares] = sums.map((sum) => (tau * sum) / (count * asked));
  return [error, apart, weights, logits, tau * Math.sqrt(squares)];
}

/** What one query adds to the sums. @type {(sums: Float64Array, cut: Float64Array, rest: Float64Array, x: ArrayLike<number>) => void} */
function addTo(sums, cut, rest, x) {
  const whole = cut.map((value, s) => value + rest[s]);
  soften(whole);
  soften(cut);
  let moved = 0;
  for (let s = 0; s < rest.length; s++) {
    const by = cut[s] - whole[s];
    moved += by * x[s];
    sums[1] += Math.abs(by) * x[s];
    sums[2] += Math.abs(by);
    sums[3] += Math.abs(rest[s]);
    sums[4] += rest[s] ** 2;
  }
  sums[0] += Math.abs(moved);
}

/** The error and what stands on the right of each step, for σ_k and the means over sequences. @type {(proof: ProofDrawing, sigma: ArrayLike<number>, means: number[]) => number[]} */
export function levelsOf(proof, sigma, means) {
  const { tau, m, alpha, c_0, form, beyond } = proof;
  const order = bySize(sigma);
  const rate = 2 * alpha - 1;
  const tail = order.slice(m).reduce((sum, k) => sum + sigma[k] ** 2, beyond);
  const c1 = Math.max(...order.map((k, i) => sigma[k] * (i + 1) ** alpha));
  const front = tau ** 2 * c_0;
  const read = form === "absolute" ? Math.sqrt : (/** @type {number} */ x) => x;
  const levels = [...means, tau ** 2 * Math.sqrt(tail)];
  if (form !== "absolute") levels.push(tau ** 2 * tail);
  levels.push(front * read(tail), front * read((c1 ** 2 * m ** -rate) / rate));
  if (form === "printed") levels.push(front * c1 * m ** -rate);
  const first = levels[levels.length - 1];
  return [...levels, ...networksOf(proof, sigma, order.slice(0, m)).map((each) => first + each)];
}

/** What the networks come to, step by step; none where nobody knows. @type {(proof: ProofDrawing, sigma: ArrayLike<number>, terms: number[]) => number[]} */
function networksOf({ tau, m, c_0, networks }, sigma, terms) {
  if (!networks) return [];
  const { phi, psi, sup_phi: supPhi, sup_psi: supPsi } = networks;
  const sum = (/** @type {(k: number) => number} */ cost) =>
    terms.reduce((all, k) => all + cost(k), 0);
  const pair = (/** @type {number} */ k) => phi[k] + psi[k] + phi[k] * psi[k];
  const high = (/** @type {number} */ k) =>
    supPhi[k] * psi[k] + supPsi[k] * phi[k] + phi[k] * psi[k];
  const readout = tau * networks.of_outer;
  const square = tau ** 2;
  const values = square * networks.of_f;
  const bounded = values + square * sum(high);
  const c2 = networks.of_parts + sum((k) => networks.barron[k]);
  const measured = square * c_0 * c2 * networks.rate;
  return [
    readout,
    readout + values,
    readout + values + square * sum((k) => sigma[k] * pair(k)),
    readout + values + square * sum(pair),
    readout + bounded,
    tau * readout + bounded,
    measured,
    m * measured,
  ];
}

/** With the design's σ_k the page's own, whose means here are `own`; else those times what is made of each here. @type {(proof: ProofDrawing, sequences: Sequences, sigma: number[], own: number[]) => number[]} */
export function levelsAt(proof, sequences, sigma, own) {
  const means = meansOf(sequences, sigma, proof.m).map((mean, i) =>
    own[i] ? (proof.levels[i] * mean) / own[i] : mean,
  );
  return levelsOf(proof, sigma, means);
}

/** The steps that start or end above 0. @type {(proof: ProofDrawing, levels: number[]) => Row[]} */
export function rowsOf({ steps }, levels) {
  const rows = steps.map((step, i) => ({ ...step, before: levels[i], after: levels[i + 1] }));
  return rows.filter(({ after }) => after > 0);
}
