// Singular values on a log axis: scales and axes that all spectra share.

import { axisX, axisY } from "./axes.js";
import { fillBox, polyline, scale } from "./canvas.js";
import { integerTicks, logTicks, spacedTicks } from "./ticks.js";

/**
 * @typedef {object} SpectrumPlan
 * @property {Box} box
 * @property {Scale} x of k = 1 … count
 * @property {Scale} y of σ from low to high
 * @property {number} count
 * @property {number} low
 * @property {number} high
 * @property {boolean} log k on a log axis too: a power law is a straight line
 */

/**
 * @type {(box: Box, range: {count: number, low: number, high: number, log?: boolean}) => SpectrumPlan}
 */
export function spectrumScales(box, { count, low, high, log = false }) {
  const [first, last] = log ? [0.86, 1.3 * Math.max(count, 4)] : [0.4, count + 0.6];
  const x = scale(first, last, box.x, box.x + box.w, log);
  return { box, x, y: scale(low, high, box.y + box.h, box.y, true), count, low, high, log };
}

/**
 * Axes of a plan; those of k are under `foot` where a strip follows below, with labels at `first` before others.
 * @type {(ctx: Ctx, theme: Theme, plan: SpectrumPlan, foot?: Box, first?: number[]) => void}
 */
export function spectrumAxes(ctx, theme, plan, foot = plan.box, first = []) {
  const { box, x, y, low, high, count, log } = plan;
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (2.2 * theme.size)));
  const even = integerTicks(1, count, box.w / (2 * theme.size));
  const shown = [...first, ...even.filter((tick) => tick.label).map((tick) => tick.value)];
  const values = even.map((tick) => tick.value);
  const ticks = log ? kTicks(theme, plan, first) : spacedTicks(theme, x, values, shown);
  axisX(ctx, theme, foot, x, ticks, "k");
}

/**
 * On a log axis these, then 1, 2, 3 and the powers of 2 have labels, as far as there is room.
 * @type {(theme: Theme, plan: {x: Scale, count: number}, first?: number[]) => Tick[]}
 */
export function kTicks(theme, { x, count }, first = []) {
  const all = Array.from({ length: Math.max(count, 4) }, (_, i) => i + 1);
  const usual = all.filter((k) => count <= 8 || k < 4 || Number.isInteger(Math.log2(k)));
  return spacedTicks(theme, x, all, [...first, ...usual]);
}

/**
 * Each value by its `mark`; one below the axis (0, or under a tolerance) is a tick on it, no point.
 * @type {(ctx: Ctx, plan: Pick<SpectrumPlan, "box" | "x" | "y" | "low">, values: Packed["values"] | number[], colour: string, mark: (x: number, y: number, i: number) => void) => void}
 */
export function spectrumValues(ctx, { box, x, y, low }, values, colour, mark) {
  values.forEach((value, i) => {
    const px = x(i + 1);
    const bottom = box.y + box.h;
    if (value >= low) return mark(px, y(value), i);
    below(ctx, colour, px, bottom - 2);
  });
}

/** What lies right of a place is beyond the width. @type {(ctx: Ctx, theme: Theme, box: Box, x: number, alpha?: number) => void} */
export const shadeFrom = (ctx, theme, box, x, alpha = 0.45) =>
  fillBox(ctx, theme.grid, [x, box.y, Math.max(0, box.x + box.w - x), box.h], alpha);

/**
 * An arrow that points down: the value is below the axis.
 * @type {(ctx: Ctx, colour: string, x: number, tip: number) => void}
 */
export function below(ctx, colour, x, tip) {
  polyline(ctx, colour, 1.5, [x - 4, tip - 5], [x, tip], [x + 4, tip - 5]);
}
