// A slice of ρ(u, v) where all but one number of u and of v are held, and what its first terms make of it.

/** @typedef {Record<"whole" | "left" | "right", Packed>} Arrays at each place where the others are held */

/** ρ in the slice, (cells, cells). @type {(arrays: Arrays, at: number) => Packed} */
export function wholeOf({ whole }, at) {
  const [, rows, columns] = whole.shape;
  const size = rows * columns;
  return { shape: [rows, columns], values: whole.values.subarray(at * size, (at + 1) * size) };
}

/**
 * Σ_{k≤m} σ_k φ_k ψ_k in it; what is no more than `rounding` is 0.
 * @type {(arrays: Arrays, at: number, m: number, rounding: number) => Packed}
 */
export function keptOf({ left, right }, at, m, rounding) {
  const [, rows, terms] = left.shape;
  const columns = right.shape[1];
  const values = new Float32Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const [a, b] = [(at * rows + i) * terms, (at * columns + j) * terms];
      let sum = 0;
      for (let k = 0; k < Math.min(m, terms); k++) sum += left.values[a + k] * right.values[b + k];
      values[i * columns + j] = Math.abs(sum) <= rounding ? 0 : sum;
    }
  return { shape: [rows, columns], values };
}
