// The panels beside and below the spectrum: ρ and what is kept of it, one row through softmax, φ_k and ψ_k.

import { axisX, axisY, heading, lineKey } from "../core/axes.js";
import { crisp, dot, horizontal, scale, stroke, vertical, within } from "../core/canvas.js";
import {
  beyond,
  colourBar,
  crosshair,
  diverging,
  heatmap,
  pick,
  unitAxes,
} from "../core/heatmap.js";
import { fmt } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { measure, write } from "../core/text.js";
import { linearTicks, logTicks } from "../core/ticks.js";
import { relativeSoftmax } from "./model.js";

/** @import { KeyEntry } from "../core/axes.js" */
/** @import { Ctx, Scale } from "../core/canvas.js" */
/** @import { Square } from "../core/heatmap.js" */
/** @import { Packed } from "../core/messages.js" */
/** @import { Box } from "../core/plot-box.js" */
/** @import { Theme } from "../core/theme.js" */
/** @import { Design } from "./design.js" */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: Design) => string} Draw what a screen reader hears */
/** @typedef {Packed["values"]} Values */
/** @typedef {[number, number]} Limits */

// What may be drawn beside ρ, in words.
/** @type {(view: Pick<Design, "design" | "k">) => Record<string, string>} */
export const secondLabels = ({ design, k }) => ({
  kept: `first ${design.m} terms`,
  residual: "residual",
  term: `term ${k}`,
});

// Two squares on one scale with one bar: one above the other, or side by side where the canvas is wide.
/** @type {(theme: Theme, w: number, h: number) => {squares: [Square, Square], stacked: boolean}} */
export function mapsPlan(theme, w, h) {
  const s = theme.size;
  const left = 2.2 * s;
  const bar = 6.4 * s;
  const gap = 1.6 * s;
  const top = 2.6 * s;
  const foot = 2.2 * s;
  const last = 1.5 * s;
  const stacked = h > w;
  const across = stacked ? w - left - bar : (w - left - bar - gap) / 2;
  const side = Math.floor(
    Math.min(across, stacked ? (h - last) / 2 - top - foot : h - top - foot - last),
  );
  const second = stacked
    ? { x: left, y: 2 * top + side + foot, side }
    : { x: left + side + gap, y: top, side };
  return { squares: [{ x: left, y: top, side }, second], stacked };
}

/** @type {Draw} */
export function drawMaps(ctx, theme, w, h, view) {
  const plan = (view.maps = mapsPlan(theme, w, h));
  const [a, b] = plan.squares;
  const title = view.centred ? "ρ(u, v), centred" : "ρ(u, v)";
  write(ctx, theme, title, a.x, 1.35 * theme.size, { weight: 600, scale: 1.08 });
  const maps = [view.rho(), view.second()];
  const range = beyond(view.scale, ...maps.map((map) => map.values));
  const { limit } = range;
  const colours = diverging(theme, range);
  plan.squares.forEach((square, i) => heatmap(ctx, view, `map ${i}`, maps[i], colours, square));
  unitAxes(ctx, theme, a);
  unitAxes(ctx, theme, b, { left: plan.stacked });
  const at = view.point ?? view.at;
  for (const square of plan.squares) crosshair(ctx, theme, square, at.u, at.v);
  colourBar(ctx, theme, colours, b.x + b.side + 12, a.y, b.y + b.side - a.y);
  const values = maps.map((map) => fmt(pick(map, at.u, at.v)));
  const texts = [`ρ = ${values[0]}`, `${view.secondName()} = ${values[1]}`];
  const place = `u ${at.u.toFixed(2)}, v ${at.v.toFixed(2)}`;
  const line = `${place}:  ${texts.join(",  ")}`;
  write(ctx, theme, line, a.x, b.y + b.side + 3.4 * theme.size, { colour: theme.grey });
  return `Heatmaps of ρ and ${secondLabels(view)[view.choice]}, u down, v to the right, from ${fmt(-limit)} to ${fmt(limit)}; at ${place}: ${texts.join(", ")}; arrow keys move the crosshair`;
}

/** @type {(theme: Theme, first: string, second: string) => KeyEntry[]} */
const keyOf = (theme, first, second) => [
  lineKey(first, theme.ink),
  lineKey(second, theme.second, [6, 4]),
];

/** @type {(ctx: Ctx, colour: string, x: Scale, y: Scale, values: ArrayLike<number>, dash?: number[]) => void} */
function curve(ctx, colour, x, y, values, dash = []) {
  const points = Array.from(values, (value, i) => [x((i + 0.5) / values.length), y(value)]);
  stroke(ctx, colour, 2, points, dash);
}

const UNIT_TICKS = [0, 0.5, 1].map((value) => ({ value, label: String(value) }));

// Limits that hold all values, zero included where it is near.
/** @returns {[number, number]} */
/** @type {(lists: Values[]) => Limits} */
function limitsOf(lists) {
  let low = Infinity;
  let high = -Infinity;
  for (const list of lists)
    for (const value of list) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (!(high > low)) return [Math.min(low, 0) - 1 || -1, Math.max(high, 0) + 1 || 1];
  const room = 0.08 * (high - low);
  return [low - room, high + room];
}

// ρ(u, ·) above, its softmax below, over the same v.
/** @type {Draw} */
export function drawRow(ctx, theme, w, h, view) {
  const at = view.point ?? view.at;
  const { whole, kept, mean } = view.rowsAt(at.u);
  const s = theme.size;
  heading(ctx, theme, `Row u = ${at.u.toFixed(2)}`, 0, w - 4, keyOf(theme, "ρ", "ρ_m"));
  const left = 3.3 * s;
  const wide = w - left - 6;
  const top = 2.6 * s;
  const between = 2.5 * s;
  const high = (h - top - between - 3.3 * s) / 2;
  const upper = { x: left, y: top, w: wide, h: high };
  const lower = { x: left, y: top + high + between, w: wide, h: high };
  const x = scale(0, 1, left, left + wide);
  const y = pair(ctx, theme, upper, x, [whole, kept], limitsOf([whole, kept]), false);
  if (mean !== null) meanLine(ctx, theme, upper, y, mean);
  const weights = [relativeSoftmax(whole), relativeSoftmax(kept)];
  const [range, log] = softmaxRange(weights);
  write(ctx, theme, `softmax, uniform = 1${log ? " (log)" : ""}`, left, lower.y - 0.7 * s, {
    colour: theme.grey,
  });
  pair(ctx, theme, lower, x, weights, range, log);
  axisX(ctx, theme, lower, x, UNIT_TICKS, "v");
  for (const box of [upper, lower]) vertical(ctx, box, x(at.v), theme.grey);
  const j = Math.min(weights[0].length - 1, Math.floor(at.v * weights[0].length));
  const jm = Math.min(kept.length - 1, Math.floor(at.v * kept.length));
  return `Row of ρ at u ${at.u.toFixed(2)} and its softmax: at v ${at.v.toFixed(2)} attention is ${fmt(weights[0][j])} times uniform, by m terms ${fmt(weights[1][jm])}`;
}

// Linear up to about thirty between the ends, then logarithmic, to the depth a picture can show.
/** @returns {[[number, number], boolean]} */
/** @type {(weights: Values[]) => [Limits, boolean]} */
export function softmaxRange(weights) {
  const all = weights.flatMap((list) => [...list]);
  const most = Math.max(...all);
  const least = Math.max(1e-12, Math.min(...all));
  return most / least < 30
    ? [[0, Math.max(1.2, 1.08 * most)], false]
    : [[least / 1.5, most * 1.5], true];
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, lists: Values[], limits: Limits, log: boolean) => Scale} */
function pair(ctx, theme, box, x, lists, [low, high], log) {
  const y = scale(low, high, box.y + box.h, box.y, log);
  const room = box.h / (1.35 * theme.size);
  axisY(ctx, theme, box, y, log ? logTicks(low, high, room) : linearTicks(low, high, room));
  within(ctx, box, 2, () => {
    curve(ctx, theme.ink, x, y, lists[0]);
    curve(ctx, theme.second, x, y, lists[1], [6, 4]);
  });
  return y;
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, y: Scale, mean: number) => void} */
function meanLine(ctx, theme, box, y, mean) {
  const at = crisp(y(mean));
  if (at < box.y || at > box.y + box.h) return;
  horizontal(ctx, box, y(mean), theme.grey, 1.2, [2, 4]);
  const long = "mean over v: softmax cannot see it";
  const text = measure(ctx, theme, long) < box.w - 12 ? long : "mean over v";
  write(ctx, theme, text, box.x + 6, at + (at > box.y + 2 * theme.size ? -6 : 1.1 * theme.size), {
    colour: theme.grey,
    halo: true,
  });
}

/** @type {Draw} */
export function drawFunctions(ctx, theme, w, h, view) {
  const { k } = view;
  const { phi, psi } = view.coupling;
  const s = theme.size;
  if (!phi[k - 1]) return "Singular functions: none";
  let at = 0;
  for (const { text, mark } of keyOf(theme, `φ_{${k}}(u)`, `ψ_{${k}}(v)`)) {
    mark(ctx, at + 10, 1.03 * s);
    at += 26 + write(ctx, theme, text, at + 26, 1.35 * s, { weight: 600, scale: 1.08 }) + 18;
  }
  const box = plotBox(theme, w, h, { left: 3.3, top: 3, right: 0.45, bottom: 3.4 });
  const x = scale(0, 1, box.x, box.x + box.w);
  const both = [phi[k - 1], psi[k - 1]];
  const y = pair(ctx, theme, box, x, both, limitsOf(both), false);
  axisX(ctx, theme, box, x, UNIT_TICKS, "u, v");
  const here = view.point ?? view.at;
  const of = (/** @type {Values} */ list, /** @type {number} */ t) =>
    list[Math.min(list.length - 1, Math.floor(t * list.length))];
  const [left, right] = [of(phi[k - 1], here.u), of(psi[k - 1], here.v)];
  dot(ctx, x(here.u), y(left), 4.5, { fill: theme.ink, line: theme.paper });
  dot(ctx, x(here.v), y(right), 4.5, { fill: theme.paper, line: theme.second, width: 2 });
  return `Singular functions ${k}: φ at u ${here.u.toFixed(2)} is ${fmt(left)}, ψ at v ${here.v.toFixed(2)} is ${fmt(right)}`;
}
