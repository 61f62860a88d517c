// How many states and channels a kernel needs at least, as theory/architectures has them: by singular values, at once.

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
    const columns = kernel.length + 1 - rows;
    const part = Array.from({ length: rows }, (_, i) => kernel.slice(i, i + columns));
    states = Math.max(states, rankFor(part, most * rows));
  }
  return states;
}

// The same for ρ as a matrix over the lower bits of s and the higher ones.
/** @type {(kernel: number[], most: number) => number} */
function channelsFor(kernel, most) {
  let channels = 1;
  for (let low = 2; 2 * low <= 2 ** Math.ceil(Math.log2(kernel.length)); low *= 2) {
    const rows = Math.floor(kernel.length / low);
    const unfolded = Array.from({ length: rows }, (_, i) => kernel.slice(i * low, (i + 1) * low));
    channels = Math.max(channels, rankFor(unfolded, most));
  }
  return channels;
}

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
