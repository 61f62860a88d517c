// A head on one input: its coupling, what softmax makes of it, and the same with k terms.

/** @typedef {{t: number, s: number | null}} Focus a query token, and the key token it is read with */

/**
 * softmax over the keys of each query; where `causal`, later keys get nothing.
 * @type {(logits: Packed, causal: boolean) => Packed}
 */
export function softmax({ shape, values }, causal) {
  const count = shape[0];
  const weights = new Float32Array(count * count);
  for (let t = 0; t < count; t++) {
    const last = causal ? t + 1 : count;
    const row = values.subarray(t * count, t * count + last);
    const top = Math.max(...row);
    let sum = 0;
    for (let s = 0; s < last; s++) sum += weights[t * count + s] = Math.exp(row[s] - top);
    for (let s = 0; s < last; s++) weights[t * count + s] /= sum;
  }
  return { shape, values: weights };
}

/**
 * Σ_{i ≤ k} σ_i φ_i ψ_iᵀ; the columns of φ and ψ are the terms.
 * @type {(sigma: Packed, phi: Packed, psi: Packed, k: number) => Packed}
 */
export function truncated(sigma, phi, psi, k) {
  const [count, terms] = phi.shape;
  const values = new Float32Array(count * count);
  for (let t = 0; t < count; t++)
    for (let i = 0; i < Math.min(k, terms); i++) {
      const weight = sigma.values[i] * phi.values[t * terms + i];
      for (let s = 0; s < count; s++) values[t * count + s] += weight * psi.values[s * terms + i];
    }
  return { shape: [count, count], values };
}

/** The i-th term as numbers over the tokens. @type {(functions: Packed, i: number) => number[]} */
export const column = ({ shape: [count, terms], values }, i) =>
  Array.from({ length: count }, (_, t) => values[t * terms + i]);

/**
 * How far two attentions are apart: half the sum of what differs in a row, mean over the rows.
 * @type {(a: Packed, b: Packed) => number}
 */
export function apart(a, b) {
  let sum = 0;
  for (let i = 0; i < a.values.length; i++) sum += Math.abs(a.values[i] - b.values[i]);
  return sum / (2 * a.shape[0]);
}

/**
 * The query token that looks most at one other than itself and the first, which many heads rest on.
 * @type {(attention: Packed) => number}
 */
export function farthest({ shape: [count], values }) {
  let [best, most] = [0, -1];
  for (let t = 0; t < count; t++)
    for (let s = 1; s < count; s++)
      if (s !== t && values[t * count + s] > most) [best, most] = [t, values[t * count + s]];
  return best;
}

/** A token as it can be read: a space is seen, a line break too. @param {string} token */
export const shownToken = (token) =>
  token
    .replace(/\n/g, "⏎")
    .replace(/^ (?=.)/, "")
    .replace(/^ ?$/, "␣");
