// Values at 0, 1, 2, … as stems: the filter, the kernels, and the answers of a coupling.

import { axisX, axisY, heading, keyInside, plotBox } from "../core/axes.js";
import { horizontal, polyline, scale } from "../core/canvas.js";
import { clamp, fmt, largest } from "../core/numbers.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { integerTicks, linearTicks, niceCeiling } from "../core/ticks.js";
import { alike } from "./model.js";

/** @import { Paint } from "../core/canvas.js" */
/** @import { Draw, DrawKernel } from "./errors.js" */
/** @typedef {{count: number, low: number, high: number}} StemRange */
/** @typedef {StemRange & {box: Box, x: Scale, y: Scale}} StemPlan */
/** @typedef {{shape: string, r: number, paint: Paint & {fill: string}, share?: number}} Mark `share` of the room between two: of its stem */

const SLOTS = 8; // taps that are shown at least
const LEAST_REACH = 0.3; // that the axis of a filter reaches
const BROADEST = 30; // pixels of a stem
const STEM_KEYS = "Left and right choose one, up and down change it, Delete sets it to 0";

// Axes of `count` values from low to high, with the line at 0.
/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, range: StemRange & {letter: string}) => StemPlan} */
function stemAxes(ctx, theme, w, h, { count, low, high, letter }) {
  const box = plotBox(theme, w, h, { left: 3.2, right: 0.4, bottom: 3 });
  const x = scale(-0.6, count - 0.4, box.x, box.x + box.w);
  const y = scale(low, high, box.y + box.h, box.y);
  axisY(ctx, theme, box, y, linearTicks(low, high, Math.min(4, box.h / (1.6 * theme.size))));
  axisX(ctx, theme, box, x, integerTicks(0, count - 1, box.w / (1.8 * theme.size)), letter);
  horizontal(ctx, box, y(0), theme.line);
  return { box, x, y, count, low, high };
}

// How broad a stem is: so much of the room between two.
const broad = (/** @type {StemPlan} */ { x }, share = 0.3) =>
  clamp(share * (x(1) - x(0)), 1.5, BROADEST);

// Stems in the colour of their marks, `shift` pixels beside their places.
/** @type {(ctx: Ctx, plan: StemPlan, values: Iterable<number>, mark: Mark, shift?: number) => void} */
function stems(ctx, plan, values, { shape, r, paint, share }, shift = 0) {
  const { x, y } = plan;
  [...values].forEach((value, s) => {
    const [at, end] = [x(s) + shift, y(value)];
    polyline(ctx, paint.line ?? paint.fill, broad(plan, share), [at, y(0)], [at, end]);
    symbol(ctx, shape, at, end, r, paint);
  });
}

const hollow = (/** @type {Theme} */ theme) => ({ fill: theme.paper, line: theme.ink });

// A ring around the stem that the keys move.
/** @type {(ctx: Ctx, theme: Theme, plan: StemPlan, s: number | null, values: number[]) => void} */
function ringChosen(ctx, theme, { x, y }, s, values) {
  if (s !== null)
    symbol(ctx, "circle", x(s), y(values[s] ?? 0), 9, { line: theme.accent, width: 2 });
}

/** @type {Draw} */
export function drawFilter(ctx, theme, w, h, view) {
  const taps = view.taps ?? [1];
  const count = Math.min(view.tau, Math.max(SLOTS, taps.length + 1));
  const reach = view.drag?.range?.high ?? niceCeiling(Math.max(1.3 * largest(taps), LEAST_REACH));
  const learned = view.learnedTaps && alike(view.learnedTaps, taps);
  const mark = { shape: "diamond", r: 4, paint: { fill: theme.accent } };
  const key = learned ? [symbolKey("learned, up to sign and scale", "diamond", 4, mark.paint)] : [];
  const title = view.taps ? "Filter θ(s): drag" : "Filter θ: none yet, drag";
  const above = heading(ctx, theme, title, 0, w - 4, key);
  const plan = stemAxes(ctx, theme, w, h, { count, low: -reach, high: reach, letter: "s" });
  view.stems.filter = plan;
  const fill = view.taps ? theme.ink : theme.line;
  stems(ctx, plan, taps, { shape: "circle", r: 5, paint: { fill } });
  if (learned) stems(ctx, plan, learned, mark, broad(plan) + 4);
  ringChosen(ctx, theme, plan, view.chosenStem.filter, taps);
  if (!above) keyInside(ctx, theme, plan.box, key);
  const list = (/** @type {number[]} */ values) => values.map((tap) => fmt(tap)).join(", ");
  return `Filter with taps ${list(taps)}${learned ? `; learned ${list(learned)}` : ""}. ${STEM_KEYS}`;
}

/** @type {DrawKernel} */
export function drawKernels(ctx, theme, w, h, view) {
  const { kernel, floors, tau } = view;
  const learned = view.pictures()?.kernel_hat?.values;
  const key = kernelKey(theme).slice(0, learned ? 3 : 2);
  const above = heading(ctx, theme, "Kernels: drag ρ", 0, w - 4, key);
  const range = view.drag?.range ?? rangeOf([...kernel, ...floors.kernel, ...(learned ?? [])]);
  const plan = stemAxes(ctx, theme, w, h, { count: tau, ...range, letter: "s" });
  view.stems.kernels = plan;
  const best = { shape: "square", r: 3.5, paint: { fill: theme.grey }, share: 0.6 };
  stems(ctx, plan, floors.kernel, best);
  stems(ctx, plan, kernel, { shape: "circle", r: 4, paint: hollow(theme) });
  if (learned) stems(ctx, plan, learned, { shape: "diamond", r: 3, paint: { fill: theme.second } });
  ringChosen(ctx, theme, plan, view.chosenStem.kernels, kernel);
  const { box } = plan;
  const corner = { ...box, x: box.x + 0.55 * box.w, y: box.y - 0.5 * box.h };
  if (!above) keyInside(ctx, theme, corner, key);
  const s = view.chosenStem.kernels ?? 0;
  return `Kernel ρ of the target, ρ(${s}) = ${fmt(kernel[s])}, the best time-invariant one of the altered target${learned ? " and the learned one" : ""}, over lags 0 to ${tau - 1}. ${STEM_KEYS}`;
}

const kernelKey = (/** @type {Theme} */ theme) => [
  symbolKey("ρ", "circle", 4, hollow(theme)),
  symbolKey("best k", "square", 3.5, { fill: theme.grey }),
  symbolKey("learned k̂", "diamond", 3.5, { fill: theme.second }),
];

// What the axis spans: room to drag beyond the largest value, and below 0.
function rangeOf(/** @type {number[]} */ values) {
  const high = 1.2 * Math.max(...values, 1e-3);
  return { low: Math.min(-0.2 * high, 1.2 * Math.min(...values)), high };
}

/** @type {Draw} */
export function drawAnswers(ctx, theme, w, h, view) {
  const { answer, predicted } = view.pictures() ?? {};
  const learned = { fill: theme.accent };
  heading(ctx, theme, "Answers on an example", 0, w - 4, [
    symbolKey("y", "circle", 4, hollow(theme)),
    symbolKey("ŷ", "diamond", 4, learned),
  ]);
  if (!answer) return "Answers on an example: not trained";
  const all = [...answer.values, ...predicted.values];
  const range = { low: Math.min(0, ...all), high: 1.06 * Math.max(...all, 0.1) };
  const plan = stemAxes(ctx, theme, w, h, { count: view.tau, ...range, letter: "t" });
  stems(ctx, plan, answer.values, { shape: "circle", r: 5, paint: hollow(theme) });
  stems(ctx, plan, predicted.values, { shape: "diamond", r: 3.5, paint: learned });
  return `Answers y and learned ŷ on an example, ${view.tau} steps`;
}
