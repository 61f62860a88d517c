// The laws that give σ_k, by their names in explorer/families/spectra.py: what is drawn of one while it
// is dragged. A new spectrum with a law has its entry here; tests/test_families.py holds the two together.

import { fmt, minus } from "../core/numbers.js";

/** @typedef {"alpha" | "decay"} Parameter a field of a specification that turns the line of a law */
/**
 * log σ_k = log c + slope·x(k) with x(1) = 0: a straight line over x, turned by one parameter.
 * @typedef {object} Law
 * @property {Parameter} parameter
 * @property {number} step - by which a key makes it steeper
 * @property {(c: number, value: number) => (k: number) => number} sigma
 * @property {(k: number) => number} x
 * @property {(value: number) => number} slope - of the line at a value of the parameter
 * @property {(slope: number) => number} value - the way back
 * @property {(value: number, about: string) => string} words - "=" or "≈" before the number
 * @property {(value: number, about: string) => string} error - what m terms leave, squared, in words
 * @property {((value: number) => number | null) | null} rate - exponent of m in it, by Theorem 4.1;
 *   a law with one has none where ψ = φ
 */

const two = (/** @type {number} */ x) => minus((Math.round(100 * x) / 100 || 0).toFixed(2));
const power = (/** @type {number} */ alpha) => (alpha > 0.5 ? 1 - 2 * alpha : null);

/** @type {Record<string, Law>} */
export const LAWS = {
  power: {
    parameter: "alpha",
    step: 0.05,
    sigma: (c, alpha) => (k) => c * k ** -alpha,
    x: Math.log,
    slope: (alpha) => -alpha,
    value: (slope) => -slope,
    words: (alpha, about) => `−α ${about} ${two(-alpha)}`,
    error: (alpha, about) => {
      const rate = power(alpha);
      if (rate === null) return "no predicted slope for α ≤ ½";
      return `predicted slope ${about === "=" ? "" : `${about} `}${two(rate)}`;
    },
    rate: power,
  },
  exponential: {
    parameter: "decay",
    step: -0.01,
    sigma: (c, decay) => (k) => c * decay ** (k - 1),
    x: (k) => k - 1,
    slope: Math.log,
    value: Math.exp,
    words: (decay, about) => `σ_{k+1}/σ_k ${about} ${fmt(decay)}`,
    error: (decay) => `squared error × ${fmt(decay ** 2)} per term`,
    rate: null,
  },
};
export const PARAMETERS = [...new Set(Object.values(LAWS).map((law) => law.parameter))];
export const TERMS = 64; // as many are kept of a law that does not end
export const FREE_LIST = "list"; // the spectrum of a design whose σ_k are given one by one

// Throws where Python has a spectrum that nobody has described here.
export function lawOf(/** @type {string} */ name) {
  if (!LAWS[name]) throw new Error(`spectrum "${name}": its law is missing in design/laws.js`);
  return LAWS[name];
}
