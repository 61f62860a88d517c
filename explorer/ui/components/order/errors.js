// Errors of trained models, over the floors of what no model can do better.

import { axisX, heading } from "../core/axes.js";
import { crisp, horizontal, scale, vertical } from "../core/canvas.js";
import { fmt } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks } from "../core/ticks.js";

const LEAST_ERROR = 1e-8; // the left end of the axis of errors; what is smaller stands there
/**
 * Floors: their names, in how many of the rows they stand, and their dashes.
 * @type {[string, string, number, number[]][]}
 */
const FLOORS = [
  ["constant", "a constant", 2, [2, 3]],
  ["time_invariant", "time-invariant", 1, [7, 4]],
  ["causal", "any causal model", 1, [7, 4]],
];
export const MODELS = { rnn: "linear RNN", transformer: "Transformer" };
export const modelColour = (theme, model) => (model === "rnn" ? theme.second : theme.accent);

// The axis of errors; what is smaller than its low end stands there.
function errorScale(ctx, theme, w, h, { low, high, unit }) {
  const box = plotBox(theme, w, h, { left: 7.2, top: 3.4, bottom: 3 });
  const x = scale(low, high, box.x, box.x + box.w, true);
  axisX(ctx, theme, box, x, logTicks(low, high, 9), unit);
  return { box, at: (error) => x(Math.max(error, low)) };
}

// A model, the line of its errors, and what was trained of it.
function modelRow(ctx, theme, { box, at }, y, model, runs) {
  const colour = modelColour(theme, model);
  write(ctx, theme, MODELS[model], 0, y, { baseline: "middle", weight: 600, colour });
  horizontal(ctx, box, y, theme.grid);
  for (const { error, run } of runs) trainedMark(ctx, theme, at(error), y, run);
}

export function drawErrors(ctx, theme, w, h, view) {
  const { floors, comparable } = view;
  const range = { low: LEAST_ERROR, high: Math.max(1, 2 * floors.constant), unit: "MSE" };
  heading(ctx, theme, "MSE: floors without training, trained runs", 0, w - 4, errorKey(theme));
  const axes = errorScale(ctx, theme, w, h, range);
  const { box, at } = axes;
  const high = box.h / 2; // of a row
  ["rnn", "transformer"].forEach((model, i) => {
    const runs = comparable.filter((run) => run.model === model);
    const y = box.y + (i + 0.5) * high;
    const errors = runs.map((run) => ({ run, error: run.mse }));
    modelRow(ctx, theme, axes, y, model, errors);
    /** @type {import("../core/text.js").Style} */
    const none = { baseline: "middle", colour: theme.grey, halo: true };
    if (!runs.length)
      write(ctx, theme, "not trained on this target yet", box.x + 0.4 * box.w, y, none);
  });
  const labels = FLOORS.map(([floor, name, rows, dash]) => {
    const line = { y: box.y + 0.14 * high, h: (rows - 1 + 0.72) * high };
    vertical(ctx, line, at(floors[floor]), theme.ink, 2, dash);
    return { px: crisp(at(floors[floor])), name, error: floors[floor] };
  });
  spreadLabels(ctx, theme, box, labels);
  const trained = comparable.map((run) => `${MODELS[run.model]} ${run.source} ${fmt(run.mse)}`);
  return `Errors on a log axis. Best causal model ${fmt(floors.causal)}, best time-invariant model ${fmt(floors.time_invariant)}, a constant ${fmt(floors.constant)}; ${trained.join(", ") || "nothing trained"}`;
}

/** Of an altered coupling, in units of Var(y): what its content does has no floor that is known. */
export function drawCouplingErrors(ctx, theme, w, h, { comparable }) {
  const errors = comparable.map((run) => ({ run, error: run.nmse }));
  const least = Math.min(1e-5, ...errors.map(({ error }) => error));
  const [trained, , now] = errorKey(theme);
  heading(ctx, theme, "MSE / Var(y) of trained runs", 0, w - 4, [trained, now]);
  const range = { low: 10 ** Math.floor(Math.log10(least)), high: 2, unit: "1 − R²" };
  const axes = errorScale(ctx, theme, w, h, range);
  const { box, at } = axes;
  vertical(ctx, box, at(1), theme.ink, 2, [2, 3]);
  modelRow(ctx, theme, axes, box.y + box.h / 2, "transformer", errors);
  /** @type {import("../core/text.js").Style} */
  const label = { align: "right", colour: theme.grey };
  write(ctx, theme, "a constant 1", at(1), box.y - 0.5 * theme.size, label);
  return `Errors of trained Transformers in units of Var(y): ${errors.map(({ error }) => fmt(error)).join(", ") || "none yet"}`;
}

const errorKey = (theme) => [
  symbolKey("trained", "circle", 4.5, { fill: theme.ink }),
  symbolKey("with convolution", "up", 4.5, { fill: theme.ink }),
  symbolKey("this run", "circle", 6, { fill: theme.paper, line: theme.ink, width: 2 }),
  symbolKey("printed", "diamond", 5, { line: theme.ink }),
];

function trainedMark(ctx, theme, x, y, { source, model, conv }) {
  const colour = modelColour(theme, model);
  if (source === "printed") return symbol(ctx, "diamond", x, y, 6, { line: theme.ink });
  if (source === "this run") return symbol(ctx, "circle", x, y, 8, { line: colour, width: 2.5 });
  symbol(ctx, conv ? "up" : "circle", x, y, 4.5, { fill: colour, line: theme.paper });
}

// Labels of the ticks above the rows, moved apart where they would cover each other.
function spreadLabels(ctx, theme, box, labels) {
  const apart = 0.8 * theme.size;
  let last = Infinity;
  for (const { px, text } of labelsByPlace(labels).sort((a, b) => b.px - a.px)) {
    const width = measure(ctx, theme, text);
    const right = Math.min(box.x + box.w, px + width / 2, last);
    const x = Math.max(box.x + width, right);
    write(ctx, theme, text, x, box.y - 0.5 * theme.size, {
      align: "right",
      colour: theme.grey,
      halo: true,
    });
    last = x - width - apart;
  }
}

// Ticks in one place have one label.
function labelsByPlace(labels) {
  const places = new Map();
  for (const { px, name, error } of labels)
    places.set(px, { px, error, names: [...(places.get(px)?.names ?? []), name] });
  return [...places.values()].map(({ px, names, error }) => ({
    px,
    text: `${names.join(", ")} ${error < LEAST_ERROR ? "0" : fmt(error)}`,
  }));
}
