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
