// How many states and channels a kernel needs at least, and the singular values that say so, as theory/architectures has them, at once.

/** @typedef {ArrayLike<number>} Row */

const SWEEPS = 60; // for one eigenvalue; three do

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

/** Of ρ(ij − 1), the squarest part: what log heads are needed for. @type {(kernel: number[]) => number[][]} */
export function headsOf(kernel) {
  const rows = Math.floor(Math.sqrt(kernel.length));
  const columns = Math.floor(kernel.length / rows);
  const whole = Array.from({ length: rows }, (_, i) =>
    Array.from({ length: columns }, (_, j) => kernel[(i + 1) * (j + 1) - 1]),
  );
  return [singular(whole)];
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
  const products = rows.map(() => new Float64Array(rows.length));
  rows.forEach((a, i) => {
    for (let j = 0; j <= i; j++) products[i][j] = products[j][i] = dotted(a, rows[j]);
  });
  return products;
}

/** @type {(a: Row, b: Row) => number} */
function dotted(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

// Of a symmetric matrix, which is used up: Householder's reflections leave it tridiagonal, from which QL with implicit shifts takes one after the other.
function eigenvalues(/** @type {Float64Array[]} */ a) {
  const last = a.length - 1;
  const beside = Float64Array.from(a, (_, k) => (k < last ? reflected(a, k) : 0));
  const diagonal = Float64Array.from(a, (row, i) => row[i]);
  const nothing = Number.EPSILON * Math.max(...diagonal.map(Math.abs), ...beside.map(Math.abs));
  for (let l = 0; l < last; l++)
    for (let go = 0; go < SWEEPS && Math.abs(beside[l]) > nothing; go++) {
      let m = l;
      while (m < last && Math.abs(beside[m]) > nothing) m++;
      chase(diagonal, beside, l, m);
    }
  return Array.from(diagonal);
}

// What is left beside the diagonal in row k once the rows below are reflected so that it is alone.
/** @type {(a: Float64Array[], k: number) => number} */
function reflected(a, k) {
  const v = a[k].slice(k + 1);
  const size = Math.sqrt(dotted(v, v));
  if (v.length < 2 || size === 0) return v[0];
  const end = v[0] > 0 ? -size : size;
  const half = size * (size + Math.abs(v[0]));
  v[0] -= end;
  const below = a.slice(k + 1).map((row) => row.subarray(k + 1));
  const w = below.map((row) => dotted(row, v) / half);
  const share = dotted(w, v) / (2 * half);
  v.forEach((x, i) => (w[i] -= share * x));
  below.forEach((row, i) => {
    for (let j = 0; j < row.length; j++) row[j] -= v[i] * w[j] + w[i] * v[j];
  });
  return end;
}

// One sweep of rotations from m up to l, shifted by Wilkinson's.
/** @type {(d: Float64Array, e: Float64Array, l: number, m: number) => void} */
function chase(d, e, l, m) {
  const slope = (d[l + 1] - d[l]) / (2 * e[l]);
  const root = Math.hypot(slope, 1);
  let g = d[m] - d[l] + e[l] / (slope < 0 ? slope - root : slope + root);
  let [s, c, shift] = [1, 1, 0];
  for (let i = m - 1; i >= l; i--) {
    const [f, b] = [s * e[i], c * e[i]];
    e[i + 1] = Math.sqrt(f * f + g * g); // Math.hypot takes ten times as long
    if (e[i + 1] === 0) return void ([d[i + 1], e[m]] = [d[i + 1] - shift, 0]);
    [s, c] = [f / e[i + 1], g / e[i + 1]];
    const left = d[i + 1] - shift;
    const r = (d[i] - left) * s + 2 * c * b;
    shift = s * r;
    d[i + 1] = left + shift;
    g = c * r - b;
  }
  d[l] -= shift;
  [e[l], e[m]] = [g, 0];
}
