// What a task measures, against the step of training.

import { axisY, heading, keyInside, lineKey, plotBox } from "../core/axes.js";
import { areaUnder, scale, stroke } from "../core/canvas.js";
import { errorAxes, errorCurves, stepLine } from "../core/error-curve.js";
import { fmt } from "../core/numbers.js";
import { write } from "../core/text.js";
import { sorted } from "../run/stream.js";

/** @import { Draw } from "./types.js" */
/** @typedef {[number, number]} Row step and value */

export const METRICS = [
  { name: "nmse", label: "nMSE", dash: [], mark: "circle" },
  { name: "attention_error", label: "|Â − A|", dash: [6, 4], mark: "square" },
  { name: "value_error", label: "F̂∘W_V∘f̂", dash: [2, 3], mark: "diamond" },
];
const STRIP_SHARE = 0.28;

/** @type {(run: Run, name: string) => Row[]} */
export function metricRows(run, name) {
  return name === "nmse" ? sorted(run.evals) : sorted(run.metrics[name] ?? new Map());
}

/** @type {(theme: Theme) => Record<string, string>} */
const coloursOf = (theme) => ({
  nmse: theme.accent,
  attention_error: theme.ink,
  value_error: theme.second,
});

// Errors on log axes; under them, on the same steps, the share of rows whose largest weight is in the right place.
/** @type {Draw} */
export function drawCurve(ctx, theme, w, h, view) {
  const { run } = view;
  const colours = coloursOf(theme);
  const key = METRICS.map(({ name, label, dash }) => lineKey(label, colours[name], dash));
  const beside = heading(ctx, theme, "Learning", 0, w - 4, key);
  if (!run.drawing) return "Metrics against step: nothing yet";
  const whole = plotBox(theme, w, h);
  const strip = { ...whole, h: STRIP_SHARE * whole.h, y: whole.y + (1 - STRIP_SHARE) * whole.h };
  const box = { ...whole, h: whole.h - strip.h - 1.6 * theme.size };
  const curves = METRICS.map(({ name, dash }) => ({
    rows: metricRows(run, name),
    colour: colours[name],
    width: 2,
    dash,
  }));
  const range = errorRange(curves.flatMap(({ rows }) => rows.map(([, error]) => error)));
  const steps = Math.max(10, run.drawing.steps);
  const axes = errorAxes(ctx, theme, box, { steps, ...range }, whole);
  errorCurves(ctx, axes, curves);
  if (!beside) keyInside(ctx, theme, { ...box, y: box.y + 0.2 * theme.size }, key);
  drawAgreement(ctx, theme, strip, axes.x, metricRows(run, "agreement"));
  stepLine(ctx, theme, whole, axes.x, run.scrub);
  const last = (/** @type {string} */ name) => fmt(metricRows(run, name).at(-1)?.[1]);
  return `Metrics against step, log-log: nMSE ${last("nmse")}, attention error ${last("attention_error")}, value error ${last("value_error")}, agreement ${last("agreement")}`;
}

const errorRange = (/** @type {number[]} */ errors) => ({
  low: 10 ** Math.floor(Math.log10(Math.min(1e-2, ...errors))),
  high: errors.length ? Math.max(3, Math.min(1e4, 1.5 * Math.max(...errors))) : 3,
});

/** @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, rows: Row[]) => void} */
function drawAgreement(ctx, theme, box, x, rows) {
  const y = scale(0, 1, box.y + box.h, box.y);
  const ticks = [0, 0.5, 1].map((value) => ({ value, label: String(value) }));
  axisY(ctx, theme, box, y, ticks);
  const points = rows.map(([step, share]) => [x(step), y(share)]);
  areaUnder(ctx, theme.accent, points, box.y + box.h);
  stroke(ctx, theme.accent, 2, points);
  const text = `argmax agreement ${rows.at(-1)?.[1].toFixed(3) ?? "–"}`;
  write(ctx, theme, text, box.x + 4, box.y - 0.4 * theme.size, { colour: theme.grey, halo: true });
}
