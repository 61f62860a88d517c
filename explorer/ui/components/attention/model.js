// The head of Eq. 53 on one sequence, in double precision: pages/attention/view_head.py once more, for the hand that drags.

/** @import { AttentionDrawing } from "../payloads.js" */
/** @import { Network, Settings } from "./types.js" */

// erf(z) = 2/√π e^(−z²) Σ_n 2ⁿ z^(2n+1) / (2n+1)!!, whose terms are all of one sign.
export function erf(/** @type {number} */ z) {
  if (Math.abs(z) > 6) return Math.sign(z);
  let term = z;
  let sum = z;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n++) {
    term *= (2 * z * z) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-z * z) * sum;
}

/** @type {Record<string, (z: number) => number>} */
const ACTIVATIONS = {
  sine: Math.sin,
  tanh: Math.tanh,
  gelu: (z) => 0.5 * z * (1 + erf(z / Math.SQRT2)),
  relu: (z) => Math.max(z, 0),
};

/** @type {(a: ArrayLike<number>, b: ArrayLike<number>) => number} */
const product = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

/** Rows of a matrix. @param {Packed} matrix */
export function rowsOf({ shape: [rows, columns], values }) {
  return Array.from({ length: rows }, (_, i) => values.subarray(i * columns, (i + 1) * columns));
}

// What computes: the parameters by name, as rows; null where the arrays hold none. `net` tells depth and activations.
/** @type {(net: AttentionDrawing["net"] | null, arrays: Record<string, Packed>) => Network | null} */
export function networkOf(net, arrays) {
  const named = Object.entries(arrays).filter(([name]) => name.startsWith("weights."));
  if (!net || !named.length) return null;
  const rows = (/** @type {Packed} */ array) =>
    array.shape.length === 2 ? rowsOf(array) : [array.values];
  const parts = Object.fromEntries(named.map(([name, array]) => [name.slice(8), rows(array)]));
  const cut = arrays.query_cut
    ? { query: rowsOf(arrays.query_cut), key: rowsOf(arrays.key_cut) }
    : null;
  return { ...net, parts, cut };
}

/** @type {(rows: ArrayLike<number>[], matrix: ArrayLike<number>[]) => Float64Array[]} */
const linear = (rows, matrix) =>
  rows.map((row) => Float64Array.from(matrix, (weights) => product(weights, row)));

/** @type {(network: Network, name: string, rows: ArrayLike<number>[]) => ArrayLike<number>[]} */
function mlp(network, name, rows) {
  const activate = ACTIVATIONS[name === "f" ? network.activation : network.activation_out];
  for (let layer = 0; layer < network.depth; layer++) {
    const [bias] = network.parts[`${name}.${layer}.bias`];
    const inner = layer ? rows.map((row) => Float64Array.from(row, (x) => activate(x))) : rows;
    rows = linear(inner, network.parts[`${name}.${layer}.weight`]).map((row) =>
      row.map((x, i) => x + bias[i]),
    );
  }
  return rows;
}

// Weights of one row; at temperature 0 all on the first of the largest.
/** @type {(logits: number[], temperature: number) => number[]} */
function softmax(logits, temperature) {
  const top = Math.max(...logits);
  if (temperature === 0) {
    const at = logits.indexOf(top);
    return logits.map((_, i) => (i === at ? 1 : 0));
  }
  const parts = logits.map((x) => Math.exp((x - top) / temperature));
  const sum = parts.reduce((a, b) => a + b, 0);
  return parts.map((x) => x / sum);
}

/** @typedef {{query: Float64Array[], key: Float64Array[], scale: number}} Sides what asks and what is offered, (τ, m_h) each; their inner products by `scale` are the logits */

// W_Q h_t and W_K h_s, or where the k leading singular values of e^λ W_QᵀW_K are kept, along these, √σ on either side.
/** @type {(network: Network, h: ArrayLike<number>[], k: number | null) => Sides} */
function sidesOf({ parts, cut }, h, k) {
  const whole = k === null || !cut || k >= cut.query.length;
  return {
    query: linear(h, whole ? parts.W_Q : cut.query.slice(0, k)),
    key: linear(h, whole ? parts.W_K : cut.key.slice(0, k)),
    scale: whole ? Math.exp(parts.lambda[0][0]) : 1,
  };
}

/** Logits (τ, τ). @type {(sides: Sides) => number[][]} */
export const logitsOf = ({ query, key, scale }) =>
  query.map((q) => key.map((s) => scale * product(q, s)));

/** The same of tokens (τ, d_in). @type {(network: Network, tokens: number[][], k: number | null) => Sides} */
export const meeting = (network, tokens, k) => sidesOf(network, mlp(network, "f", tokens), k);

// ŷ and Â of tokens (τ, d_in), by the weights of those or of others.
/** @type {(network: Network, tokens: number[][], settings?: Partial<Settings>, looked?: number[][]) => {attention: number[][], predicted: number[][]}} */
export function respond(network, tokens, { temperature = 1, k = null } = {}, looked = tokens) {
  const h = mlp(network, "f", tokens);
  const value = linear(h, network.parts.W_V);
  const logits = logitsOf(looked === tokens ? sidesOf(network, h, k) : meeting(network, looked, k));
  const attention = logits.map((row) => softmax(row, temperature));
  const mixed = attention.map((row) =>
    Float64Array.from(value[0], (_, j) => row.reduce((sum, a, s) => sum + a * value[s][j], 0)),
  );
  return { attention, predicted: mlp(network, "F", mixed).map((row) => Array.from(row)) };
}

// F̂(W_V f̂(x)) of tokens (k, d_in).
/** @type {(network: Network, tokens: number[][]) => number[][]} */
export function aloneOf(network, tokens) {
  const values = linear(mlp(network, "f", tokens), network.parts.W_V);
  return mlp(network, "F", values).map((row) => Array.from(row));
}
