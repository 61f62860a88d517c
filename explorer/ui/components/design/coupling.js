// ρ as the page has it: Σ σ_k φ_k ψ_kᵀ, or the samples that were given; what m terms keep of it, and its rows.
// Few changed weights are added as rank-one terms, many are summed anew.

import { pick } from "../core/heatmap.js";

/** @typedef {{phi: Packed["values"][], psi: Packed["values"][], n: number, weights: number[], values: Float64Array}} Mixture */
/** @typedef {{sigma: number[], isKept: boolean[], k: number, choice: string}} Chosen which terms are drawn */

/** @type {(phi: Packed["values"][], psi: Packed["values"][], n: number) => Mixture} */
export function mixture(phi, psi, n) {
  return { phi, psi, n, weights: new Array(phi.length).fill(0), values: new Float64Array(n * n) };
}

/** @type {(mixed: Mixture, k: number, weight: number) => void} */
function addTerm({ phi, psi, n, values }, k, weight) {
  const left = phi[k];
  const right = psi[k];
  for (let i = 0; i < n; i++) {
    const a = weight * left[i];
    const row = i * n;
    for (let j = 0; j < n; j++) values[row + j] += a * right[j];
  }
}

/** Terms beyond the weights that are given have none. @type {(mixed: Mixture, given: number[]) => Packed} */
export function mix(mixed, given) {
  const weights = mixed.phi.map((_, k) => given[k] ?? 0);
  const changed = weights.filter((w, k) => w !== mixed.weights[k]).length;
  const anew = 2 * changed > weights.length;
  if (anew) mixed.values.fill(0);
  weights.forEach((w, k) => {
    const change = anew ? w : w - mixed.weights[k];
    if (change !== 0) addTerm(mixed, k, change);
  });
  mixed.weights = weights;
  return { shape: [mixed.n, mixed.n], values: mixed.values };
}

/**
 * Rows of (K, fine) functions; every `step`th value from the middle of the first step is a cell of
 * the map.
 * @param {Packed} functions
 */
export function rowsOf({ shape: [count, width], values }, step = 1) {
  return Array.from({ length: count }, (_, k) => {
    const row = values.subarray(k * width, (k + 1) * width);
    return step === 1
      ? row
      : Float64Array.from({ length: width / step }, (_, i) => row[i * step + (step - 1) / 2]);
  });
}

/** @type {(phi: Packed["values"][], psi: Packed["values"][], weights: number[], i: number) => Float64Array} */
export function rowAt(phi, psi, weights, i) {
  const row = new Float64Array(psi[0]?.length ?? 0);
  weights.forEach((w, k) => {
    const a = w * phi[k][i];
    if (a !== 0) for (let j = 0; j < row.length; j++) row[j] += a * psi[k][j];
  });
  return row;
}

export class Coupling {
  /**
   * @param {Record<string, Packed>} arrays of the drawing: phi and psi (count, n); of a given coupling rho and mean, its rows' means
   * @param {number} coarse every so many-th point is enough for a picture
   */
  constructor({ phi, psi, rho, mean }, coarse) {
    this.phi = rowsOf(phi);
    this.psi = rowsOf(psi);
    this.given = rho;
    this.mean = mean;
    const [left, right] = [rowsOf(phi, coarse), rowsOf(psi, coarse)];
    this.summed = mixture(left, right, phi.shape[1] / coarse);
    this.partly = mixture(left, right, phi.shape[1] / coarse);
  }

  /** ρ of these σ_k, as {shape, values}. */
  rho(/** @type {number[]} */ sigma) {
    return this.given ?? mix(this.summed, sigma);
  }

  /** What is drawn beside ρ: "kept" terms, the "residual" they leave, or the "term" k alone. */
  /** @type {(chosen: Chosen) => Packed} */
  second({ sigma, isKept, k, choice }) {
    if (choice === "term" && this.phi[k - 1]) return this.term(sigma[k - 1], k - 1);
    if (choice !== "residual" || !this.given)
      return mix(this.partly, chosenWeights({ sigma, isKept, k, choice }));
    const part = mix(this.partly, chosenWeights({ sigma, isKept, k, choice: "kept" }));
    return { shape: part.shape, values: this.given.values.map((x, i) => x - part.values[i]) };
  }

  // One term has up to 64 oscillations: in all the points there are.
  /** @type {(weight: number, i: number) => Packed} */
  term(weight, i) {
    return mix(mixture([this.phi[i]], [this.psi[i]], this.phi[i].length), [weight]);
  }

  /** Row u of ρ and of what is kept of it; and its mean, which softmax cannot see, where ρ is drawn with it. */
  /** @type {(u: number, shown: {sigma: number[], isKept: boolean[], centred: boolean}) => {whole: Packed["values"], cut: Packed["values"], mean: number | null}} */
  rowsAt(u, { sigma, isKept, centred }) {
    const fine = this.phi[0]?.length ?? 0;
    const i = Math.min(fine - 1, Math.floor(u * fine));
    const weights = sigma.map((s, k) => (isKept[k] ? s : 0));
    const whole = this.given ? givenRow(this.given, u) : rowAt(this.phi, this.psi, sigma, i);
    const length = this.given ? whole.length : this.summed.n || 2;
    const cut = fine ? rowAt(this.phi, this.psi, weights, i) : new Float64Array(length);
    return { whole, cut, mean: this.mean && !centred ? meanAt(this.mean, u) : null };
  }
}

/** @type {(mean: Packed, u: number) => number} */
const meanAt = ({ values }, u) => pick({ shape: [values.length, 1], values }, u, 0);

/** @type {(chosen: Chosen) => number[]} */
function chosenWeights({ sigma, isKept, k, choice }) {
  if (choice === "term") return sigma.map((s, i) => (i + 1 === k ? s : 0));
  return sigma.map((s, i) => (isKept[i] === (choice === "kept") ? s : 0));
}

/** @type {(matrix: Packed, u: number) => Float32Array | Float64Array} */
function givenRow({ shape: [rows, cols], values }, u) {
  const row = Math.min(rows - 1, Math.floor(u * rows));
  return values.subarray(row * cols, (row + 1) * cols);
}
