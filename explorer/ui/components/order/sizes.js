// How many states and channels a kernel needs at least, and the singular values that say so, as theory/architectures has them, at once.

/** @typedef {ArrayLike<number>} Row */

/** The share of ‖ρ‖² that may be left, where the page says sizes. */
export const SHARE = 0.01;
const SWEEPS = 12;
const SETTLED = 1e-16; // of the squares of all entries: what is left beside the diagonal

/** Least states of a linear RNN and channels of a dilated CNN that leave this share of ‖ρ‖². @type {(kernel: number[], error: number) => {states: number, channels: number}} */
export function sizesFor(kernel, error) {
  const most = error * kernel.reduce((sum, x) => sum + x * x, 0);
  return { states: statesFor(kernel, most), channels: channelsFor(kernel, most) };
}

// Eckart and Young for every part of the Hankel matrix, in which a tap stands as often as it has rows.
/** @type {(kernel: number[], most: number) => number} */
function statesFor(kernel, most) {
  let states = 1;
  for (let rows = (kernel.length + 1) >> 1; rows > states; rows--) {
    states = Math.max(states, rankFor(hankel(kernel, rows), most * rows));
  }
  return states;
}

// The same for ρ as a matrix over the lower bits of s and the higher ones.
/** @type {(kernel: number[], most: number) => number} */
function channelsFor(kernel, most) {
  let channels = 1;
  for (let low = 2; 2 * low <= 2 ** Math.ceil(Math.log2(kernel.length)); low *= 2) {
    channels = Math.max(channels, rankFor(unfolded(kernel, low), most));
  }
  return channels;
}

/** Singular values of ρ(i+j), the squarest part: what an RNN needs states for. @type {(kernel: number[]) => number[][]} */
export const statesOf = (kernel) => [singular(hankel(kernel))];

/** Of ρ over the lower and the higher bits of s, at each bond: what a dilated CNN needs channels for. @type {(kernel: number[]) => number[][]} */
export function channelsOf(kernel) {
  const bits = Math.ceil(Math.log2(kernel.length));
  const whole = Array.from({ length: 2 ** bits }, (_, s) => kernel[s] ?? 0);
  return Array.from({ length: bits - 1 }, (_, j) => singular(unfolded(whole, 2 ** (j + 1))));
}

/** Of log|ρ(i+j)|, each row less its mean, as softmax sees it: what attention with positions needs width for; none where ρ has a 0 or both signs. @type {(kernel: number[]) => number[][]} */
export function widthsOf(kernel) {
  const sign = Math.sign(kernel[0]);
  if (!sign || kernel.some((x) => Math.sign(x) !== sign)) return [];
  const logs = hankel(kernel.map((x) => Math.log(Math.abs(x))));
  return [singular(logs.map((row) => row.map((x) => x - mean(row))))];
}

const mean = (/** @type {number[]} */ row) => row.reduce((sum, x) => sum + x, 0) / row.length;

/** @type {(kernel: number[], rows?: number) => number[][]} */
const hankel = (kernel, rows = (kernel.length + 1) >> 1) =>
  Array.from({ length: rows }, (_, i) => kernel.slice(i, i + kernel.length + 1 - rows));

/** @type {(kernel: number[], low: number) => number[][]} */
const unfolded = (kernel, low) =>
  Array.from({ length: Math.floor(kernel.length / low) }, (_, i) =>
    kernel.slice(i * low, (i + 1) * low),
  );

// Descending; to some 1e-8 of the largest, as they are roots.
const singular = (/** @type {Row[]} */ matrix) =>
  eigenvalues(gram(matrix))
    .map((x) => Math.sqrt(Math.max(0, x)))
    .sort((a, b) => b - a);

// The least rank that leaves no more than `most` of the squares of a matrix.
/** @type {(matrix: Row[], most: number) => number} */
function rankFor(matrix, most) {
  const squares = eigenvalues(gram(matrix)).sort((a, b) => b - a);
  let left = 0;
  let rank = squares.length;
  while (rank > 0 && left + squares[rank - 1] <= most) left += squares[--rank];
  return rank;
}

// M Mᵀ, or MᵀM where that is smaller.
function gram(/** @type {Row[]} */ matrix) {
  const wide = matrix[0].length >= matrix.length;
  const rows = wide ? matrix : Array.from(matrix[0], (_, j) => matrix.map((row) => row[j]));
  return rows.map((a) => Float64Array.from(rows, (b) => dotted(a, b)));
}

/** @type {(a: Row, b: Row) => number} */
function dotted(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

// Of a symmetric matrix, which is used up: Jacobi's rotations.
function eigenvalues(/** @type {Float64Array[]} */ a) {
  const whole = a.reduce((sum, row) => sum + dotted(row, row), 0);
  for (let sweep = 0; sweep < SWEEPS && offDiagonal(a) > SETTLED * whole; sweep++)
    for (let p = 0; p < a.length; p++)
      for (let q = p + 1; q < a.length; q++) if (a[p][q] !== 0) rotate(a, p, q);
  return a.map((row, i) => row[i]);
}

const offDiagonal = (/** @type {Float64Array[]} */ a) =>
  a.reduce((sum, row, i) => sum + dotted(row, row) - row[i] ** 2, 0);

/** @type {(a: Float64Array[], p: number, q: number) => void} */
function rotate(a, p, q) {
  const slope = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const t = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.hypot(slope, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  const [first, second] = [a[p], a[q]];
  for (let k = 0; k < a.length; k++) {
    const x = first[k];
    const y = second[k];
    first[k] = c * x - s * y;
    second[k] = s * x + c * y;
  }
  for (const row of a) {
    const x = row[p];
    const y = row[q];
    row[p] = c * x - s * y;
    row[q] = s * x + c * y;
  }
}
