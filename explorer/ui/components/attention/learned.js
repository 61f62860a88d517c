// What training has come to: metrics against the step, F̂∘W_V∘f̂ beside F∘f, singular values and the knife among them.

import { axisX, axisY, heading, keyInside, lineKey } from "../core/axes.js";
import { crisp, dot, scale, stroke, vertical, within } from "../core/canvas.js";
import { errorAxes, errorCurves, stepLine } from "../core/error-curve.js";
import { fmt, largest, minus } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { integerTicks, linearTicks, logTicks } from "../core/ticks.js";
import { sorted } from "../run/stream.js";
import { aloneOf } from "./model.js";
import { kindOf } from "./task.js";
import { unit } from "./vectors.js";

export const METRICS = [
  { name: "nmse", label: "nMSE", dash: [], mark: "circle" },
  { name: "attention_error", label: "|Â − A|", dash: [6, 4], mark: "square" },
  { name: "value_error", label: "F̂∘W_V∘f̂", dash: [2, 3], mark: "diamond" },
];
const STRIP_SHARE = 0.28;

export function metricRows(run, name) {
  return name === "nmse" ? sorted(run.evals) : sorted(run.metrics[name] ?? new Map());
}

const coloursOf = (theme) => ({
  nmse: theme.accent,
  attention_error: theme.ink,
  value_error: theme.second,
});

// Errors on log axes; under them, on the same steps, the share of rows whose largest weight is in the right place.
export function drawCurve(ctx, theme, w, h, view) {
  const { run } = view;
  const colours = coloursOf(theme);
  const key = METRICS.map(({ name, label, dash }) => lineKey(label, colours[name], dash));
  const beside = heading(ctx, theme, "Learning", 0, w - 4, key);
  if (!run.scene) return "Metrics against step: nothing yet";
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
  const steps = Math.max(10, run.scene.steps);
  const axes = errorAxes(ctx, theme, box, { steps, ...range }, whole);
  errorCurves(ctx, axes, curves);
  if (!beside) keyInside(ctx, theme, { ...box, y: box.y + 0.2 * theme.size }, key);
  drawAgreement(ctx, theme, strip, axes.x, metricRows(run, "agreement"));
  stepLine(ctx, theme, whole, axes.x, run.scrub);
  const last = (name) => fmt(metricRows(run, name).at(-1)?.[1]);
  return `Metrics against step, log-log: nMSE ${last("nmse")}, attention error ${last("attention_error")}, value error ${last("value_error")}, agreement ${last("agreement")}`;
}

const errorRange = (errors) => ({
  low: 10 ** Math.floor(Math.log10(Math.min(1e-2, ...errors))),
  high: errors.length ? Math.max(3, Math.min(1e4, 1.5 * Math.max(...errors))) : 3,
});

function drawAgreement(ctx, theme, box, x, rows) {
  const y = scale(0, 1, box.y + box.h, box.y);
  axisY(
    ctx,
    theme,
    box,
    y,
    [0, 0.5, 1].map((value) => ({ value, label: String(value) })),
  );
  stroke(
    ctx,
    theme.accent,
    2,
    rows.map(([s, a]) => [x(s), y(a)]),
  );
  write(
    ctx,
    theme,
    `argmax agreement ${rows.length ? rows.at(-1)[1].toFixed(3) : "–"}`,
    box.x + 4,
    box.y - 0.4 * theme.size,
    { colour: theme.grey, halo: true },
  );
}

// ---- F̂∘W_V∘f̂ beside F∘f: a scatter on the diagonal, or lines of equal height over the plane

// Rows [F∘f, F̂∘W_V∘f̂] at the tokens of the picture that is shown.
function valuesShown(view) {
  const { alone, values } = view.pictures() ?? {};
  return alone ? { truth: values.values, learned: alone.values, columns: alone.shape[1] } : null;
}

export function drawValues(ctx, theme, w, h, view) {
  const { task } = view;
  const heights = kindOf(task).overPlane(task) && !view.backwards() && view.heights();
  heading(
    ctx,
    theme,
    heights ? "F̂∘W_V∘f̂ over the plane, F∘f = |x| dashed" : "F̂∘W_V∘f̂ against F∘f",
    0,
    w,
  );
  return heights ? drawContours(ctx, theme, w, h, heights) : drawScatter(ctx, theme, w, h, view);
}

function drawScatter(ctx, theme, w, h, view) {
  const shown = valuesShown(view);
  if (!shown) return "Values: nothing learned yet";
  const [low, top] = kindOf(view.task).valueRange;
  const left = 3 * theme.size;
  const side = Math.min(w - left - 6, h - 5.6 * theme.size);
  const box = { x: left, y: 2.4 * theme.size, w: side, h: side };
  const x = scale(low, top, box.x, box.x + side);
  const y = scale(low, top, box.y + side, box.y);
  axisY(ctx, theme, box, y, linearTicks(low, top, side / (3 * theme.size)));
  axisX(ctx, theme, box, x, linearTicks(low, top, side / (4 * theme.size)), "F∘f");
  stroke(
    ctx,
    theme.ink,
    1,
    [
      [x(low), y(low)],
      [x(top), y(top)],
    ],
    [3, 4],
  );
  let gap = 0;
  within(ctx, box, 2, () =>
    shown.truth.forEach((truth, i) => {
      gap = Math.max(gap, Math.abs(truth - shown.learned[i]));
      symbol(ctx, i % shown.columns ? "square" : "circle", x(truth), y(shown.learned[i]), 2.2, {
        fill: theme.accent,
      });
    }),
  );
  return `Learned values against F∘f at ${shown.truth.length / shown.columns} tokens: largest difference ${fmt(gap)}`;
}

// F̂(W_V f̂(x)) at size² points of [−1, 1]², rows y, columns x: points of mass ½ at place 1 of the first segment.
export function overPlane({ tau, segments }, network, size) {
  const rest = [0.5, 0, ...unit(tau, 1), ...unit(segments, 0)];
  const tokens = Array.from({ length: size * size }, (_, at) => [
    coordinate(at % size, size),
    coordinate(Math.floor(at / size), size),
    ...rest,
  ]);
  return aloneOf(network, tokens).map((row) => row[0]);
}

const LEVELS = [0.25, 0.5, 0.75, 1, 1.25];

// The coordinate of the i-th of so many values from −1 to 1.
const coordinate = (i, size) => -1 + (2 * i) / (size - 1);

function drawContours(ctx, theme, w, h, { size, grid }) {
  const left = 2.4 * theme.size;
  const side = Math.min(w - left - 6, h - 5.6 * theme.size);
  const box = { x: left, y: 2.4 * theme.size, w: side, h: side };
  const x = scale(-1, 1, box.x, box.x + side);
  const y = scale(-1, 1, box.y + side, box.y);
  drawUnitSquare(ctx, theme, box, { x, y });
  within(ctx, box, 0, () => {
    for (const level of LEVELS) {
      ctx.setLineDash([3, 4]);
      symbol(ctx, "circle", x(0), y(0), (level * side) / 2, { line: theme.ink, width: 1.2 });
      ctx.setLineDash([]);
      for (const ends of contour(grid, size, level)) {
        const points = ends.map(([i, j]) => [x(coordinate(i, size)), y(coordinate(j, size))]);
        stroke(ctx, theme.accent, 1.8, points);
      }
      /** @type {import("../core/text.js").Style} */
      const text = { align: "center", halo: true, colour: theme.grey };
      write(ctx, theme, String(level), x(0), y(level) - 3, text);
    }
  });
  const truth = (at) =>
    Math.hypot(coordinate(at % size, size), coordinate(Math.floor(at / size), size));
  const gap = Math.max(...grid.map((value, at) => Math.abs(value - truth(at))));
  return `Lines of equal learned value over the plane beside circles |x| = ${LEVELS.join(", ")}: largest difference ${fmt(gap)}`;
}

// The edge of [−1, 1]², and its numbers.
function drawUnitSquare(ctx, theme, box, { x, y }) {
  ctx.strokeStyle = theme.line;
  ctx.strokeRect(crisp(box.x), crisp(box.y), box.w, box.h);
  /** @type {import("../core/text.js").Style} */
  const below = { align: "center", baseline: "top", colour: theme.grey };
  /** @type {import("../core/text.js").Style} */
  const beside = { align: "right", baseline: "middle", colour: theme.grey };
  for (const value of [-1, 0, 1]) {
    const label = minus(String(value));
    write(ctx, theme, label, x(value), box.y + box.h + 6, below);
    write(ctx, theme, label, box.x - 7, y(value), beside);
  }
}

// Marching squares: segments [[i, j], [i, j]] where the grid (row j, column i) crosses a level.
export function contour(grid, size, level) {
  const segments = [];
  const at = (i, j) => grid[j * size + i] - level;
  for (let j = 0; j < size - 1; j++)
    for (let i = 0; i < size - 1; i++) {
      const corners = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ];
      const crossed = [];
      corners.forEach((a, n) => {
        const b = corners[(n + 1) % 4];
        const [p, q] = [at(...a), at(...b)];
        if (p > 0 !== q > 0) {
          const t = p / (p - q);
          crossed.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
        }
      });
      for (let n = 0; n + 1 < crossed.length; n += 2) segments.push([crossed[n], crossed[n + 1]]);
    }
  return segments;
}

// ---- the singular values of e^λ W_QᵀW_K, the rank that the task needs, and the knife

export function drawSingular(ctx, theme, w, h, view) {
  heading(ctx, theme, "Singular values of e^λ W_QᵀW_K", 0, w);
  const values = view.pictures()?.sigma_hat?.values;
  const needed = view.run.scene?.expected_rank;
  view.knife = null;
  if (!values) return "Singular values: nothing learned yet";
  const box = plotBox(theme, w, h, { right: 0.4 });
  const count = values.length;
  const x = scale(0.4, count + 0.6, box.x, box.x + box.w);
  const height = sigmaScale(values, box);
  axisY(ctx, theme, box, height.y, logTicks(height.low, height.top, box.h / (2.2 * theme.size)));
  axisX(ctx, theme, box, x, integerTicks(1, count, box.w / (1.6 * theme.size)), "k");
  const back = view.backwards();
  const k = back ? count : (view.settings.k ?? count); // a kept picture is of the whole head
  drawStems(ctx, theme, box, { ...height, x }, values, k);
  if (needed && needed < count) drawNeeded(ctx, theme, box, x(needed + 0.5), needed);
  const grip = box.y + 1.6 * theme.size;
  if (!back) view.knife = { box, x, count, grip };
  if (!back && view.network?.cut) drawKnife(ctx, theme, box, x(k + 0.5), grip);
  return `Singular values: ${[...values].map((x) => fmt(x)).join(", ")}; rank ${needed ?? "–"} is enough; ${k} are kept`;
}

function sigmaScale(values, box) {
  const top = 2 * largest(values);
  const low = Math.max(top * 1e-5, 0.5 * Math.min(...values.filter((s) => s > 1e-5 * top)));
  return { y: scale(low, top, box.y + box.h, box.y, true), low, top };
}

// The k values that are kept stand out.
function drawStems(ctx, theme, box, { x, y, low }, values, k) {
  values.forEach((value, i) => {
    const px = x(i + 1);
    const py = y(Math.max(value, low));
    stroke(ctx, i < k ? theme.accent : theme.line, 2, [
      [px, box.y + box.h],
      [px, py],
    ]);
    const paint = i < k ? { fill: theme.accent } : { fill: theme.paper, line: theme.grey };
    dot(ctx, px, py, 4, paint);
  });
}

function drawNeeded(ctx, theme, box, px, needed) {
  vertical(ctx, box, px, theme.grey, 1.5, [2, 3]);
  const text = `rank ${needed} is enough`;
  const room = box.x + box.w - px > measure(ctx, theme, text) + 8;
  write(ctx, theme, text, px + (room ? 6 : -6), box.y + theme.size, {
    align: room ? "left" : "right",
    colour: theme.grey,
    halo: true,
  });
}

function drawKnife(ctx, theme, box, px, grip) {
  stroke(ctx, theme.accent, 2, [
    [px, grip],
    [px, box.y + box.h],
  ]);
  symbol(ctx, "diamond", px, grip, 6, { fill: theme.accent });
}
