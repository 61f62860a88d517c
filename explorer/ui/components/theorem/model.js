// The two terms of Theorem 4.1 (Eq. 17): the coupling's falls with m_h, that of the networks rises, and falls with m_FF.

/** @import { TheoremDrawing } from "../payloads.js" */
/** @typedef {Pick<TheoremDrawing, "first" | "second" | "beta">} Terms the second at m_FF = 1 */

/** The networks' term at a log₁₀ of m_FF, over m_h = 1, 2, … @type {(terms: Terms, ff: number) => number[]} */
export const networksTerm = ({ second, beta }, ff) =>
  second.map((value) => value * 10 ** (-beta * ff));

/** @type {(terms: Terms, ff: number) => number[]} */
export const sumOf = (terms, ff) =>
  networksTerm(terms, ff).map((value, i) => value + terms.first[i]);

/** The m_h of the least. @type {(sum: number[]) => number} */
export const leastOf = (sum) => sum.indexOf(Math.min(...sum)) + 1;

/** The log₁₀ of m_FF at which the networks' term of an m_h is `value`. @type {(terms: Terms, m: number, value: number) => number} */
export const ffThrough = ({ second, beta }, m, value) => Math.log10(second[m - 1] / value) / beta;

/** The terms of a representation, by its index: those of the design, where it is of none. @type {(terms: TheoremDrawing, at: number) => TheoremDrawing} */
export const termsAt = (terms, at) => {
  const [first, second] = [terms.same?.first[at], terms.same?.second[at]];
  return first && second ? { ...terms, first, second } : terms;
};

/**
 * What moves along the representations, the bound at its m_h and a log₁₀ of m_FF as the last.
 * @type {(terms: TheoremDrawing, ff: number) => {name: string, values: number[]}[]}
 */
export function curvesOf(terms, ff) {
  const { same, m } = terms;
  if (!same) return [];
  const sums = same.first.map((_, at) => sumOf(termsAt(terms, at), ff));
  const values = sums.map((sum) => sum[Math.min(m, sum.length) - 1]);
  return values.length ? [...same.curves, { name: "bound", values }] : same.curves;
}

/** The index of the least; of equal ones the nearest to `own`. @type {(values: number[], own: number) => number} */
export function leastAlong(values, own) {
  const most = Math.min(...values) * (1 + EQUAL);
  return values.reduce(
    (best, value, i) =>
      value <= most && (best < 0 || Math.abs(i - own) < Math.abs(best - own)) ? i : best,
    -1,
  );
}

/** Relative: two values are one, as in theory/representations.py. */
const EQUAL = 1e-6;
