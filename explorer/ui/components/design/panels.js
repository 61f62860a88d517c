// The panels around the spectrum: ρ and what is kept of it, one row through softmax, φ_k and ψ_k.

import { TITLE, axisX, axisY, heading, lineKey, plotBox } from "../core/axes.js";
import {
  across,
  crisp,
  dot,
  horizontal,
  polyline,
  scale,
  stroke,
  upright,
  vertical,
  within,
} from "../core/canvas.js";
import {
  barAcross,
  beyond,
  colourEnds,
  crosshair,
  diverging,
  heatmap,
  pick,
  unitAxes,
} from "../core/heatmap.js";
import { fmt } from "../core/numbers.js";
import { measure, write } from "../core/text.js";
import { linearTicks, logTicks } from "../core/ticks.js";
import { errorText, normName } from "./floor.js";
import { relativeSoftmax } from "./model.js";

/** @import { Design } from "./design.js" */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: Design) => string} Draw what a screen reader hears */
/** @typedef {Packed["values"]} Values */
/** @typedef {[number, number]} Limits */

const STRIP = 3.4; // in sizes of text: how high φ_k and ψ_k stand around their term

// What may be drawn beside ρ, in words.
/** @type {(view: Pick<Design, "design" | "k">) => Record<string, string>} */
export const secondLabels = ({ design, k }) => ({
  kept: `head of width ${design.m}`,
  residual: "residual",
  term: `term ${k}`,
  learned: "learned",
});

/** The error of what is drawn beside ρ, and of what it is. @type {(view: Design) => {value: string, name: string}} */
const errorOf = (view) =>
  view.learned.rho
    ? view.learned.error
    : { value: errorText(view), name: `${normName(view)} by truncation` };

// Two squares side by side on one scale, the error between them or, where that is narrow, below; one
// above the other where the canvas is high. At the foot what the colours say; in a low canvas that
// stands between the squares, too. `margins` leaves room for φ_k and ψ_k around the second.
/** @typedef {{squares: [Square, Square], stacked: boolean, wide: boolean, low: boolean, gap: number}} MapsPlan */
/** @type {(theme: Theme, w: number, h: number, margins?: boolean) => MapsPlan} */
export function mapsPlan(theme, w, h, margins = false) {
  const s = theme.size;
  const stacked = h > 1.4 * w;
  const low = h < 22 * s && w > 34 * s;
  const wide = low || (!stacked && w > 56 * s);
  const left = (wide || stacked ? 2.2 : 1.2) * s;
  const narrow = (margins ? STRIP + 1.2 : 0.8) * s;
  const gap = low ? (w > 40 * s ? 17 : 10) * s : wide ? 9 * s : narrow;
  const top = (margins ? STRIP + 0.8 : 2.6) * s;
  const [axis, foot] = [2.2 * s, low ? 0 : (wide ? 2 : 5) * s];
  const across = stacked ? w - left - 2 : (w - left - gap - 2) / 2;
  const high = stacked ? (h - foot) / 2 - top - axis : h - top - axis - foot;
  const side = Math.floor(Math.min(across, high));
  const x = left + (stacked ? 0 : Math.max(0, (w - left - gap - 2 * side) / 2));
  const second = stacked
    ? { x, y: 2 * top + side + axis, side }
    : { x: x + side + gap, y: top, side };
  return { squares: [{ x, y: top, side }, second], stacked, wide, low, gap };
}

/** @type {Draw} */
export function drawMaps(ctx, theme, w, h, view) {
  const margins = view.beside === "term" && h <= 1.4 * w;
  const plan = (view.maps = mapsPlan(theme, w, h, margins));
  const [a, b] = plan.squares;
  const maps = [view.rho(), view.second()];
  const range = beyond(view.scale, ...maps.map((map) => map.values));
  const colours = diverging(theme, range);
  const raw = view.editable || view.centred ? "" : ", with its mean";
  write(ctx, theme, `ρ, wanted${raw}`, a.x, 1.35 * theme.size, TITLE);
  plan.squares.forEach((square, i) => heatmap(ctx, view, `map ${i}`, maps[i], colours, square));
  unitAxes(ctx, theme, a, { left: plan.wide || plan.stacked });
  unitAxes(ctx, theme, b, { left: plan.stacked });
  if (!plan.wide && !plan.stacked) write(ctx, theme, "u", 0, a.y + 0.25 * a.side, { italic: true });
  if (margins) drawMargins(ctx, theme, b, view);
  const at = view.point ?? view.at;
  for (const square of plan.squares) crosshair(ctx, theme, square, at.u, at.v);
  const values = maps.map((map) => fmt(pick(map, at.u, at.v)));
  const texts = [`ρ = ${values[0]}`, `${view.secondName()} = ${values[1]}`];
  const place = `u ${at.u.toFixed(2)}, v ${at.v.toFixed(2)}`;
  if (plan.low) drawBetween(ctx, theme, plan, colours);
  else drawFoot(ctx, theme, plan, colours, plan.wide ? `${place}: ${texts.join(", ")}` : "");
  drawError(ctx, theme, plan, view);
  const { limit } = range;
  return `Heatmaps of ρ and ${secondLabels(view)[view.beside]}, u down, v to the right, from ${fmt(-limit)}, blue, to ${fmt(limit)}, warm; at ${place}: ${texts.join(", ")}; ${normName(view)} ${errorText(view)}; arrow keys move the crosshair`;
}

// φ_k down the left of its term, ψ_k above it: what is multiplied at each point.
/** @type {(ctx: Ctx, theme: Theme, square: Square, view: Design) => void} */
function drawMargins(ctx, theme, { x, y, side }, view) {
  const { k } = view;
  const [phi, psi] = [view.coupling.phi[k - 1], view.coupling.psi[k - 1]];
  if (!phi) return;
  const s = theme.size;
  const [low, high] = limitsOf([phi, psi]);
  const right = scale(low, high, x - STRIP * s, x - 0.3 * s);
  const up = scale(low, high, y - 0.3 * s, y - STRIP * s);
  const along = (/** @type {Values} */ list, /** @type {number} */ i) =>
    (side * (i + 0.5)) / list.length;
  polyline(ctx, theme.line, 1, ...upright({ y, h: side }, right(0)));
  polyline(ctx, theme.line, 1, ...across({ x, w: side }, up(0)));
  const left = Array.from(phi, (value, i) => [right(value), y + along(phi, i)]);
  stroke(ctx, theme.ink, 2, left);
  const above = Array.from(psi, (value, i) => [x + along(psi, i), up(value)]);
  stroke(ctx, theme.second, 2, above, [6, 4]);
  const second = { align: /** @type {const} */ ("right"), colour: theme.second };
  write(ctx, theme, `ψ_{${k}}`, x + side, y - STRIP * s - 2, second);
  write(ctx, theme, `φ_{${k}}`, x - STRIP * s, y - 0.5 * s);
}

// What a head of this width leaves by truncation, as one number.
/** @type {(ctx: Ctx, theme: Theme, plan: MapsPlan, view: Design) => void} */
function drawError(ctx, theme, { squares, wide, low, gap }, view) {
  const s = theme.size;
  const [a, b] = squares;
  const { value, name } = errorOf(view);
  const number = { weight: 600, scale: wide ? 2.3 : 1.7 };
  const grey = { colour: theme.grey };
  if (!wide) {
    const foot = b.y + b.side + 4.5 * s;
    const room = measure(ctx, theme, value, number) + 8 + measure(ctx, theme, name);
    const x = Math.min(a.x, Math.max(0, b.x + b.side - room)); // small squares stand in the middle
    const used = write(ctx, theme, value, x, foot, number);
    return void write(ctx, theme, name, x + used + 8, foot, grey);
  }
  const x = a.x + a.side + gap / 2;
  const y = low ? a.y + 2.6 * s : a.y + a.side / 2;
  write(ctx, theme, "error", x, y - 2 * s, { align: "center", ...grey });
  write(ctx, theme, value, x, y + 0.5 * s, { align: "center", ...number });
  (gap > 12 * s ? [name] : name.split(/ (?=by)/)).forEach((line, i) =>
    write(ctx, theme, line, x, y + (2.3 + 1.4 * i) * s, { align: "center", ...grey }),
  );
}

// The values under the crosshair, where there is room, and at the right the colours with their ends.
/** @type {(ctx: Ctx, theme: Theme, plan: MapsPlan, colours: Colours, words: string) => void} */
function drawFoot(ctx, theme, { squares: [a, b], wide }, colours, words) {
  const s = theme.size;
  const y = b.y + b.side + (wide ? 3.6 : 6.4) * s;
  write(ctx, theme, words, a.x, y, { colour: theme.grey });
  const [least, most] = colourEnds(colours);
  const ends = [`blue repels ${least}`, `${most} warm attracts`];
  const [low, high] = ends.map((text) => measure(ctx, theme, text) + 8);
  const right = Math.max(b.x + b.side, low + 24 + high); // small squares stand in the middle
  const bar = Math.max(24, wide ? 8 * s : b.x + b.side - a.x - low - high);
  const x = right - high - bar;
  barAcross(ctx, colours.stops, { x, y: y - 0.8 * s, w: bar, h: 0.9 * s });
  write(ctx, theme, ends[0], x - 8, y, { align: "right" });
  write(ctx, theme, ends[1], right, y, { align: "right" });
}

// The same between the squares, the ends at its sides and what they say below them.
/** @type {(ctx: Ctx, theme: Theme, plan: MapsPlan, colours: Colours) => void} */
function drawBetween(ctx, theme, { squares: [a], gap }, colours) {
  const s = theme.size;
  const [x, w] = [a.x + a.side + 2 * s, gap - 4 * s];
  const y = a.y + a.side - 0.8 * s;
  barAcross(ctx, colours.stops, { x, y: y - 2.2 * s, w, h: 0.9 * s });
  const ends = colourEnds(colours);
  write(ctx, theme, ends[0], x, y);
  write(ctx, theme, ends[1], x + w, y, { align: "right" });
  write(ctx, theme, "blue repels", x, y + 1.4 * s);
  const line = gap > 12 * s ? 1.4 : 2.8;
  write(ctx, theme, "warm attracts", x + w, y + line * s, { align: "right" });
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

/** ρ(u, ·) above, its softmax below, over the same v. @type {Draw} */
export function drawRow(ctx, theme, w, h, view) {
  const at = view.point ?? view.at;
  const { whole, cut, mean } = view.rowsAt(at.u);
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
  const y = pair(ctx, theme, upper, x, [whole, cut], limitsOf([whole, cut]), false);
  if (mean !== null) meanLine(ctx, theme, upper, y, mean);
  const weights = [relativeSoftmax(whole), relativeSoftmax(cut)];
  const [range, log] = softmaxRange(weights);
  const uniform = `softmax, uniform = 1${log ? " (log)" : ""}`;
  write(ctx, theme, uniform, left, lower.y - 0.7 * s, { colour: theme.grey });
  pair(ctx, theme, lower, x, weights, range, log);
  axisX(ctx, theme, lower, x, UNIT_TICKS, "v");
  for (const box of [upper, lower]) vertical(ctx, box, x(at.v), theme.grey);
  const j = Math.min(weights[0].length - 1, Math.floor(at.v * weights[0].length));
  const jm = Math.min(cut.length - 1, Math.floor(at.v * cut.length));
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
  const off = at > box.y + 2 * theme.size ? -6 : 1.1 * theme.size;
  write(ctx, theme, text, box.x + 6, at + off, { colour: theme.grey, halo: true });
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
  const valueAt = (/** @type {Values} */ list, /** @type {number} */ t) =>
    list[Math.min(list.length - 1, Math.floor(t * list.length))];
  const [left, right] = [valueAt(phi[k - 1], here.u), valueAt(psi[k - 1], here.v)];
  dot(ctx, x(here.u), y(left), 4.5, { fill: theme.ink, line: theme.paper });
  dot(ctx, x(here.v), y(right), 4.5, { fill: theme.paper, line: theme.second, width: 2 });
  return `Singular functions ${k}: φ at u ${here.u.toFixed(2)} is ${fmt(left)}, ψ at v ${here.v.toFixed(2)} is ${fmt(right)}`;
}
