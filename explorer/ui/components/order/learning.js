// The error of a run against the step, beside the run that has a convolution in front, or has none.

import { heading, keyInside, plotBox } from "../core/axes.js";
import { dot, horizontal, within } from "../core/canvas.js";
import { errorAxes, errorCurves, stepLine } from "../core/error-curve.js";
import { fmt } from "../core/numbers.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { sorted } from "../run/stream.js";
import { MODELS, modelColour } from "./errors.js";

/** @import { Draw } from "./errors.js" */
/** @import { Order } from "./order.js" */

/** @type {Draw} */
export function drawLearning(ctx, theme, w, h, view) {
  const { beside } = view;
  const run = view.toldRun();
  const other = { fill: theme.paper, line: theme.ink };
  const key = beside ? [symbolKey(beside.label, "up", 3.5, other)] : [];
  const above = heading(ctx, theme, "nMSE against step", 0, w - 4, key);
  if (!run.drawing) return "Error against step: nothing yet";
  const rows = { loss: sorted(run.loss), evals: sorted(run.evals), others: beside?.evals ?? [] };
  const box = plotBox(theme, w, h, { right: 1.6 });
  const floors = floorShares(view);
  const points = Object.values(rows).flat();
  const steps = Math.max(10, run.drawing.steps, ...rows.others.map(([step]) => step));
  const range = learningRange(
    points.map(([, error]) => error),
    floors,
  );
  const axes = errorAxes(ctx, theme, box, { steps, ...range });
  for (const floor of run.drawing.model === "rnn" ? floors : [])
    within(ctx, box, 4, () => horizontal(ctx, box, axes.y(floor), theme.grey, 1.5, [7, 5]));
  errorCurves(ctx, axes, curvesOf(ctx, theme, rows, modelColour(theme, run.drawing.model)));
  if (!above) keyInside(ctx, theme, box, key);
  stepLine(ctx, theme, box, axes.x, run.scrub);
  const [step, error] = rows.evals.at(-1) ?? [0];
  const second = beside ? `; ${beside.label} ${fmt(rows.others.at(-1)?.[1])}` : "";
  return `Error of the ${MODELS[run.drawing.model] ?? "model"} against step, log-log: nMSE ${fmt(error)} at step ${step}${second}`;
}

/** @type {(ctx: Ctx, theme: Theme, rows: Record<"loss" | "evals" | "others", Curve["rows"]>, colour: string) => Curve[]} */
function curvesOf(ctx, theme, { loss, evals, others }, colour) {
  const other = { fill: theme.paper, line: theme.ink };
  const evaluated = { fill: colour, line: theme.paper };
  return [
    { rows: loss, colour, width: 1.2, opacity: 0.45 },
    {
      rows: others,
      colour: theme.ink,
      width: 1.2,
      dash: [4, 4],
      mark: (x, y) => symbol(ctx, "up", x, y, 3.5, other),
    },
    { rows: evals, colour, width: 0, mark: (x, y) => dot(ctx, x, y, 3.5, evaluated) },
  ];
}

// The floors of models that are time-invariant, and causal, over that of a constant: of this run's target only.
function floorShares(/** @type {Order} */ { floors, same }) {
  if (!floors || !same) return [];
  return [floors.time_invariant, floors.causal]
    .map((floor) => floor / floors.constant)
    .filter((share) => share > 1e-10);
}

/** @type {(errors: number[], floors: number[]) => {low: number, high: number}} */
function learningRange(errors, floors) {
  const low = 10 ** Math.floor(Math.log10(Math.min(1e-2, ...errors, ...floors)));
  return { low: Math.max(low, 1e-10), high: Math.max(2, Math.min(1e4, Math.max(...errors))) };
}
