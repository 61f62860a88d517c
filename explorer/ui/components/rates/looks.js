// How the series and lines of a sweep are told apart.

import { SYMBOLS } from "../core/symbol.js";

/** @type {Record<string, number[]>} Dashes of the lines. */
export const LINES = {
  floor: [7, 4],
  on_own: [4, 1],
  optimum: [2, 2],
  tail: [9, 3, 2, 3],
  theory: [1, 4],
};

/** @type {(theme: Theme, i: number) => string} */
export const colourOf = (theme, i) => theme.categories[i % theme.categories.length];
export const symbolOf = (/** @type {number} */ i) => SYMBOLS[i % SYMBOLS.length];
