// The rectangle inside the axes of a panel.

/** @typedef {{x: number, y: number, w: number, h: number}} Box in CSS pixels */

/**
 * A panel of w × h without its margins, which are in text sizes: left for the labels of the y axis,
 * top for the title, bottom for those of the x axis.
 * @param {{size: number}} theme
 * @param {number} w
 * @param {number} h
 * @returns {Box}
 */
export function plotBox(theme, w, h, { left = 3.4, top = 2.6, right = 1.2, bottom = 3.3 } = {}) {
  const s = theme.size;
  return { x: left * s, y: top * s, w: w - (left + right) * s, h: h - (top + bottom) * s };
}
