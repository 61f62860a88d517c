// A run on its way: where its error has been, step by step, as a ring with a trail.

import { dot } from "../core/canvas.js";
import { symbol } from "../core/symbol.js";
import { sorted } from "../run/stream.js";

/** @import { Order } from "./order.js" */
/** @typedef {(error: number) => number} At the place of an error on its axis */

const TRAIL = 60; // rows of the training loss that stay visible

/**
 * @typedef {object} Way
 * @property {number[]} errors oldest first, at least one
 * @property {boolean} moving whether the run is at work
 */

/**
 * The way of a model on the target shown: of the run shown until Python draws its end or where the
 * reader looks back, and of that which is trained beside it. Null where there is none.
 * @param {Order} view
 * @param {string} model
 * @param {number} variance by which errors in units of Var(y) are multiplied
 * @param {boolean} done whether the end of the run shown is drawn already
 * @returns {Way | null}
 */
export function wayOf(view, model, variance, done) {
  if (!view.same) return null;
  const run = [view.run, view.pin].find((run) => run?.drawing?.model === model);
  if (!run || (run === view.run && done && run.scrub === null)) return null;
  const errors = errorsOf(run).map((error) => error * variance);
  return errors.length ? { errors, moving: run.frame?.status === "running" } : null;
}

// What it was measured to have left at the kept step that is looked at, else the losses of its last rows.
function errorsOf(/** @type {Run} */ run) {
  const error = run.scrub === null ? undefined : run.evals.get(run.scrub);
  if (error !== undefined) return [error];
  const rows = sorted(run.loss).slice(-TRAIL);
  const measured = sorted(run.evals).at(-1);
  const late = measured && measured[0] >= (rows.at(-1)?.[0] ?? 0);
  return [...rows, ...(late ? [measured] : [])].map(([, error]) => error);
}

/**
 * A ring at the newest error, and behind it a trail that fades.
 * @type {(ctx: Ctx, theme: Theme, colour: string, way: Way, at: At, y: number) => void}
 */
export function drawWay(ctx, theme, colour, { errors, moving }, at, y) {
  errors.slice(0, -1).forEach((error, i) => {
    ctx.globalAlpha = (0.5 * (i + 1)) / errors.length;
    dot(ctx, at(error), y, 3, { fill: colour });
  });
  ctx.globalAlpha = 1;
  const x = at(errors[errors.length - 1]);
  if (moving) dot(ctx, x, y, 8, { fill: theme.paper });
  symbol(ctx, "circle", x, y, 8, { line: colour, width: 2.5 });
  if (moving) dot(ctx, x, y, 3, { fill: colour });
}
