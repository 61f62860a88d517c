// A run beside the pinned one: the strips under the panels of a run that hold their difference.

import { axisY } from "../core/axes.js";
import { dot, horizontal, scale, stroke } from "../core/canvas.js";
import { stepLine } from "../core/error-curve.js";
import { writeLabels } from "../core/labels.js";
import { fmt, fmtInteger, largest, powerOfTen } from "../core/numbers.js";
import { write } from "../core/text.js";
import { niceCeiling } from "../core/ticks.js";

/** @typedef {[number, number]} Row step and value */
/** @typedef {{label: string, ratios: Row[], colour: string}} Ratios to a pinned run */
/** @typedef {Packed["values"] | number[]} Values */

const STRIP = 0.3; // of the height of the axes

// The axes of a panel and, beside a pinned run, those of the strip under them, with a line of text between.
/** @type {(theme: Theme, box: Box, pinned: unknown) => {main: Box, strip: Box | null}} */
export function withStrip(theme, box, pinned) {
  if (!pinned) return { main: box, strip: null };
  const text = 1.9 * theme.size;
  const h = Math.round((box.h - text) * STRIP);
  return { main: { ...box, h: box.h - text - h }, strip: { ...box, y: box.y + box.h - h, h } };
}

/** @type {(ctx: Ctx, theme: Theme, strip: Box, title: string) => void} */
function titleStrip(ctx, theme, strip, title) {
  write(ctx, theme, title, strip.x, strip.y - 0.55 * theme.size, { weight: 600, halo: true });
}

// The error at a step between two evaluations, straight on log-log axes.
/** @type {(rows: Row[], step: number) => number} */
function between(rows, step) {
  const i = Math.max(
    1,
    rows.findIndex((row) => row[0] >= step),
  );
  const [[s, e], [last, error]] = [rows[i - 1], rows[i] ?? rows[i - 1]];
  const t = last > s ? Math.log(step / s) / Math.log(last / s) : 1;
  return Math.exp(Math.log(e) + t * Math.log(error / e));
}

// [step, error of the first over that of the second] at the steps of both, as far as both have come.
/** @type {(one: Row[], other: Row[]) => Row[]} */
export function ratioOf(one, other) {
  if (!one.length || !other.length) return [];
  const low = Math.max(one[0][0], other[0][0]);
  const high = Math.min(one[one.length - 1][0], other[other.length - 1][0]);
  const steps = [...new Set([...one, ...other].map((row) => row[0]))].sort((a, b) => a - b);
  return steps
    .filter((s) => s >= low && s <= high)
    .map((s) => [s, between(one, s) / between(other, s)]);
}

// Around 1, as far up as down; the side says which of the two has the lower error.
// `over` has the ratios to each pinned run, and its colour; to one alone the marks say the side.
/** @type {(ctx: Ctx, theme: Theme, strip: Box, x: Scale, over: Ratios[], read: number | null) => void} */
export function drawRatio(ctx, theme, strip, x, over, read) {
  titleStrip(ctx, theme, strip, "error shown ÷ pinned");
  const known = over.filter(({ ratios }) => ratios.length);
  if (!known.length) return;
  const all = known.flatMap(({ ratios }) => ratios);
  const reach = 1.25 * Math.max(2, ...all.map(([, r]) => Math.max(r, 1 / r)));
  const y = scale(1 / reach, reach, strip.y + strip.h, strip.y, true);
  axisY(ctx, theme, strip, y, ratioTicks(reach));
  horizontal(ctx, strip, y(1), theme.ink);
  /** @type {(text: string, at: number, colour: string) => void} */
  const side = (text, at, colour) => {
    write(ctx, theme, text, strip.x + 8, at, { colour, halo: true });
  };
  side("pinned is lower", strip.y + 1.05 * theme.size, theme.second);
  side("shown is lower", strip.y + strip.h - 0.45 * theme.size, theme.accent);
  const several = known.length > 1;
  const sides = read === null ? ["e", "se", "ne"] : ["ne", "se"]; // at the ends there is room at the right
  const labels = known.map(({ ratios, colour }) => {
    drawRatios(ctx, theme, { x, y }, ratios, several ? colour : null);
    const [step, ratio] = read === null ? ratios[ratios.length - 1] : nearest(ratios, read);
    if (read !== null) stepLine(ctx, theme, strip, x, step);
    const style = several ? { colour } : { weight: 600 };
    const place = { x: x(step), y: y(ratio), gap: 9, sides, leads: false };
    return { text: `× ${fmt(ratio)}`, ...place, ...style };
  });
  const curves = known.map(({ ratios }) => ratios.map(([step, r]) => [x(step), y(r)]));
  const bounds = { ...strip, w: strip.w + 4.4 * theme.size };
  writeLabels(ctx, theme, labels, { bounds, curves });
}

/** @type {(ctx: Ctx, theme: Theme, axes: {x: Scale, y: Scale}, ratios: Row[], colour: string | null) => void} */
function drawRatios(ctx, theme, { x, y }, ratios, colour) {
  const points = ratios.map(([step, ratio]) => [x(step), y(ratio)]);
  stroke(ctx, colour ?? theme.ink, 1.5, points);
  ratios.forEach(([, ratio], i) => {
    const side = ratio > 1 ? theme.second : ratio < 1 ? theme.accent : theme.grey;
    const paint = { fill: colour ?? side, line: theme.paper, width: 1 };
    dot(ctx, points[i][0], points[i][1], 3.5, paint);
  });
}

// 1 and a round number on both sides: the strip is low. From 1000 on a power of ten, since 1/1000
// is wider than the margin.
export function ratioTicks(/** @type {number} */ reach) {
  const exponent = Math.floor(Math.log10(reach));
  const power = 10 ** exponent;
  const few = [5, 2, 1].map((m) => m * power).find((e) => e < 0.85 * reach) ?? power / 2;
  if (few < 1000)
    return [1 / few, 1, few].map((value) => ({
      value,
      label: value < 1 ? `1/${fmtInteger(few)}` : fmtInteger(value),
    }));
  const most = 10 ** Math.floor(Math.log10(few));
  return [-1, 0, 1].map((side) => ({
    value: most ** side,
    label: side ? powerOfTen(side * Math.log10(most)) : "1",
  }));
}

// A run has no σ̂_k beyond its m_h: there it is 0.
/** @type {(one: Values, other: Values) => number[]} */
export function gapOf(one, other) {
  return Array.from(
    { length: Math.max(one.length, other.length) },
    (_, i) => (one[i] ?? 0) - (other[i] ?? 0),
  );
}

/** @type {(ctx: Ctx, theme: Theme, strip: Box, x: Scale, gaps: number[]) => void} */
export function drawGap(ctx, theme, strip, x, gaps) {
  titleStrip(ctx, theme, strip, "σ̂_k − pinned σ̂_k");
  if (!gaps.length) return;
  const reach = niceCeiling(Math.max(1e-9, largest(gaps)));
  const y = scale(-reach, reach, strip.y + strip.h, strip.y);
  axisY(
    ctx,
    theme,
    strip,
    y,
    [-reach, 0, reach].map((value) => ({ value, label: fmt(value) })),
  );
  const half = Math.min(7, 0.3 * (x(2) - x(1)));
  gaps.forEach((gap, i) => {
    ctx.fillStyle = gap < 0 ? theme.second : theme.accent;
    ctx.fillRect(x(i + 1) - half, Math.min(y(0), y(gap)), 2 * half, Math.abs(y(gap) - y(0)));
  });
  horizontal(ctx, strip, y(0), theme.ink);
}

/** @type {(rows: Row[], step: number) => Row} */
export const nearest = (rows, step) =>
  rows.reduce(
    (a, b) => (Math.abs(Math.log(b[0] / step)) < Math.abs(Math.log(a[0] / step)) ? b : a),
    rows[0],
  );
