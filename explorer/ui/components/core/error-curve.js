// Errors against the step on log-log axes: what all such panels share.

import { axisX, logAxisY } from "./axes.js";
import { scale, stroke, vertical, within } from "./canvas.js";
import { logTicks } from "./ticks.js";

/** @typedef {{box: Box, x: Scale, y: Scale}} ErrorAxes */
/**
 * @typedef {object} Curve
 * @property {[number, number][]} rows step and error, in order
 * @property {string} colour
 * @property {number} [width] of the line; 0: only marks
 * @property {number[]} [dash]
 * @property {number} [opacity] of the line
 * @property {(x: number, y: number) => void} [mark] of each row
 */

/**
 * Scales of 1 … steps and of errors from low to high, with their axes; `foot` has those of steps.
 * @type {(ctx: Ctx, theme: Theme, box: Box, range: {steps: number, low: number, high: number}, foot?: Box) => ErrorAxes}
 */
export function errorAxes(ctx, theme, box, { steps, low, high }, foot = box) {
  const x = scale(1, steps, box.x, box.x + box.w, true);
  const y = logAxisY(ctx, theme, box, low, high);
  axisX(ctx, theme, foot, x, logTicks(1, steps, 8), "step");
  return { box, x, y };
}

/**
 * A step of 0, before training, is drawn at 1.
 * @type {(ctx: Ctx, axes: ErrorAxes, curves: Curve[]) => void}
 */
export function errorCurves(ctx, { box, x, y }, curves) {
  within(ctx, box, 6, () => {
    for (const { rows, colour, width = 1.5, dash = [], opacity = 1, mark } of curves) {
      const points = rows.map(([step, error]) => [x(Math.max(1, step)), y(error)]);
      ctx.globalAlpha = opacity;
      if (width) stroke(ctx, colour, width, points, dash);
      ctx.globalAlpha = 1;
      if (mark) for (const [px, py] of points) mark(px, py);
    }
  });
}

/**
 * The step that is read, or looked back at.
 * @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, step: number | null) => void}
 */
export function stepLine(ctx, theme, box, x, step) {
  if (step !== null) vertical(ctx, box, x(step), theme.grey);
}
