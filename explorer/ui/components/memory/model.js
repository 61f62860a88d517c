// Where the answer of a memory lies, and what the heads of a layer look at.

/** @typedef {{target: string, tau: number, jumps: number, first: number, lags: number[], vocabulary: number}} Memory */
/** @typedef {{x: number[], b: number[]}} Sequence which of V tokens, from 1 on, and values */

/**
 * Tokens (τ, d_in) as a model sees them: one-hot where there are several, and the value.
 * @type {(tokens: Packed) => Sequence}
 */
export function sequenceOf({ shape: [tau, wide], values }) {
  const rows = Array.from({ length: tau }, (_, t) => [...values.slice(t * wide, (t + 1) * wide)]);
  const x = rows.map(
    (row) => 1 + row.slice(0, -1).reduce((at, v, i, r) => (v > r[at] ? i : at), 0),
  );
  return { x, b: rows.map((row) => row[wide - 1]) };
}

/**
 * The way from token t to what it is to remember: pairs of from and to.
 * @type {(memory: Memory, sequence: Sequence, t: number) => [number, number][]}
 */
export function wayOf(memory, { x }, t) {
  if (t < memory.first) return [];
  if (memory.target === "fixed_memory") return memory.lags.map((lag) => [t, t - lag]);
  if (memory.target === "induction") {
    const last = x.slice(0, t).lastIndexOf(x[t]);
    return last < 0
      ? []
      : [
          [t, last],
          [last, last + 1],
        ];
  }
  /** @type {[number, number][]} */
  const way = [];
  for (let k = 0, at = t; k < memory.jumps; k++) {
    const next = Math.max(0, at - x[at]);
    way.push([at, next]);
    at = next;
  }
  return way;
}

/**
 * What a layer looks at, (τ, τ): of a head (from 1 on), or where 0 the most that any head gives.
 * @param {Packed} attention (layers, heads, τ, τ)
 * @param {number} layer
 * @param {number} head
 * @returns {Packed}
 */
export function looked({ shape: [, heads, tau], values }, layer, head) {
  const size = tau * tau;
  const weightsOf = (/** @type {number} */ h) =>
    values.subarray((layer * heads + h) * size, (layer * heads + h + 1) * size);
  if (head >= 1 && head <= heads) return { shape: [tau, tau], values: weightsOf(head - 1) };
  const most = new Float32Array(size);
  for (let h = 0; h < heads; h++) weightsOf(h).forEach((v, i) => (most[i] = Math.max(most[i], v)));
  return { shape: [tau, tau], values: most };
}
