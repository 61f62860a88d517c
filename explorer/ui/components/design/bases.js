// The orthonormal bases of explorer/families/bases.py, by their names there. tests/test_families.py holds the two together.

/** @typedef {(x: number, k: number) => number} Evaluate the function of index k at x; the constant has index 0 */

/** @type {Evaluate} */
const sineAt = (x, k) => Math.SQRT2 * Math.sin(2 * Math.PI * k * x);

/** @type {Evaluate} */
function fourierAt(x, k) {
  if (k === 0) return 1;
  const wave = k % 2 ? Math.cos : Math.sin;
  return Math.SQRT2 * wave(2 * Math.PI * Math.ceil(k / 2) * x);
}

/** @type {Evaluate} */
function legendreAt(x, k) {
  const t = 2 * x - 1;
  let [before, now] = [0, 1];
  for (let n = 0; n < k; n++) [before, now] = [now, ((2 * n + 1) * t * now - n * before) / (n + 1)];
  return Math.sqrt(2 * k + 1) * now;
}

/** @type {Evaluate} */
function haarAt(x, k) {
  if (k === 0) return 1;
  const level = 2 ** Math.floor(Math.log2(k));
  const t = level * x - (k - level);
  return t < 0 || t >= 1 ? 0 : Math.sqrt(level) * (t < 0.5 ? 1 : -1);
}

/** @type {Record<string, {constant: boolean, evaluate: Evaluate}>} */
export const FUNCTIONS = {
  sine: { constant: false, evaluate: sineAt },
  shifted_sine: { constant: false, evaluate: (x, k) => (-1) ** k * sineAt(x, k) },
  fourier: { constant: true, evaluate: fourierAt },
  legendre: { constant: true, evaluate: legendreAt },
  haar: { constant: true, evaluate: haarAt },
};

// Throws where Python has a basis that nobody has described here.
export function basisOf(/** @type {string} */ name) {
  if (!FUNCTIONS[name]) throw new Error(`basis "${name}": it is missing in design/bases.js`);
  return FUNCTIONS[name];
}
