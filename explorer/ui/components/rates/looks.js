// How the series and lines of a sweep are told apart.

import { SYMBOLS } from "../core/symbol.js";

export const LINES = { floor: [7, 4], optimum: [2, 2], tail: [9, 3, 2, 3], theory: [1, 4] };

export const colourOf = (theme, i) => theme.categories[i % theme.categories.length];
export const symbolOf = (i) => SYMBOLS[i % SYMBOLS.length];
