// What is written on the figure of a sweep: names of series and ranks, falls, slopes, the point under the pointer.

import { dot, inUnits, paintPath, stroke, upright } from "../core/canvas.js";
import { placeLabels, writeLabels } from "../core/labels.js";
import { clamp, fmt } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { drawDrop } from "../core/zero-lane.js";
import { colourOf, symbolOf } from "./looks.js";
import { along, lawOf } from "./model.js";

/** @import { RatesPoint, RatesSeries } from "../payloads.js" */
/** @import { Plan, Under } from "./figure.js" */
/** @import { Rates } from "./rates.js" */
/** @typedef {{label: Label, line?: Points}} Named what is written, and drawn with it */

// All names of a panel, clear of each other and of what is drawn.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, view: Rates) => void} */
export function nameSeries(ctx, theme, plan, view) {
  const { panel, box, foot } = plan;
  nameEnds(ctx, theme, plan);
  const falls = panel.series.flatMap((one, i) => drawKnee(ctx, theme, plan, one, i));
  const fitted = panel.series.findLastIndex((one) => one.fit && one.rank === null);
  const named = fitted < 0 ? panel.series.findLastIndex((one) => one.fit) : fitted;
  const slope = named < 0 ? [] : drawSlope(ctx, theme, plan, panel.series[named], named);
  const drawn = [...falls, ...slope];
  const labels = [
    ...ranksOf(theme, plan),
    ...drawn.map(({ label }) => label),
    ...yoursOf(theme, plan, view),
  ];
  const { curves, marks } = inkOf(plan, view);
  const bounds = { ...foot, x: box.x + 2, w: box.w - 2, h: box.h };
  writeLabels(ctx, theme, labels, {
    bounds,
    curves: [...curves, ...drawn.flatMap(({ line }) => (line ? [line] : []))],
    marks,
  });
}

// "r = 6" at the upper end of its line; of several series with the same rank once.
/** @type {(theme: Theme, plan: Plan) => Label[]} */
function ranksOf(theme, { panel, x, box }) {
  const first = (/** @type {number} */ rank) =>
    panel.series.findIndex((series) => series.rank === rank);
  return panel.series.flatMap(({ rank }, i) => {
    if (!rank || first(rank) !== i || x(rank) > box.x + box.w) return [];
    const place = { x: x(rank), y: box.y, gap: 4, sides: ["se", "sw"], leads: false };
    return [{ text: `r = ${rank}`, ...place, colour: colourOf(theme, i), priority: 2 }];
  });
}

/** What a reader drew, at its end. @type {(theme: Theme, plan: Plan, view: Rates) => Label[]} */
export function yoursOf(theme, { panel, x, y }, view) {
  return panel.series.flatMap((series, i) => {
    const drawn = view.predictionOf(series);
    const last = drawn && Object.entries(drawn).at(-1);
    if (!last) return [];
    const [m, error] = last;
    const place = { x: x(Number(m)), y: y(error), gap: 8 };
    return [{ text: "yours", ...place, colour: colourOf(theme, i), weight: 600, priority: 1 }];
  });
}

// What names keep clear of.
/** @type {(plan: Plan, view: Rates) => {curves: Points[], marks: Points}} */
function inkOf(plan, view) {
  const { x, y, low, foot } = plan;
  const { series } = plan.panel;
  const lines = series.flatMap((one) => {
    const law = lawOf(one, view.widths, low) ?? [];
    return [one.line, one.floor, one.on_own, one.optimum, one.tail, law];
  });
  return {
    curves: [
      ...lines.map((pairs) => along(plan, pairs, low)),
      ...series.flatMap(({ rank }) => (rank ? [upright(foot, x(rank))] : [])),
    ],
    marks: series.flatMap((one) => one.points.map((p) => [x(p.m_h), y(p.error), 4])),
  };
}

/** @type {(plan: Plan, series: RatesSeries) => number[]} */
function endOf({ y, low }, series) {
  const last = series.line.at(-1) ?? series.floor.at(-1);
  return last ? [y(Math.max(last[1], low))] : [];
}

// Direct labels at the right, pushed apart where they would meet.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan) => void} */
function nameEnds(ctx, theme, plan) {
  const { box, panel } = plan;
  const ends = panel.series.flatMap((series, i) =>
    endOf(plan, series).map((at) => ({ i, series, at })),
  );
  let above = -Infinity;
  for (const { i, series, at } of ends.sort((a, b) => a.at - b.at)) {
    const y = Math.max(at, above + 1.35 * theme.size);
    above = y;
    symbol(ctx, symbolOf(i), box.x + box.w + 12, y, 4, { fill: colourOf(theme, i) });
    /** @type {Style} */
    const style = { baseline: "middle", colour: colourOf(theme, i), halo: true };
    write(ctx, theme, series.name, box.x + box.w + 21, y, style);
  }
}

// The knee: ↓ beside the fall with its factor; the rank's own line says where r is.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, series: RatesSeries, i: number) => Named[]} */
function drawKnee(ctx, theme, { x, y }, { line, knee }, i) {
  const at = line.findIndex(([m]) => m === knee?.m_h);
  if (!knee || at < 1) return [];
  const [from, to] = [y(line[at - 1][1]), y(line[at][1])];
  const px = x(knee.m_h) + 9;
  drawDrop(ctx, colourOf(theme, i), px, from, to - 6);
  const place = { x: px, y: (from + to) / 2, sides: ["e", "ne", "se"], gap: 7 };
  const style = { colour: colourOf(theme, i), weight: 600, priority: 3 };
  const label = { text: `÷ ${fmt(knee.ratio)}`, ...place, ...style };
  return [{ label, line: upright({ y: from, h: to - from }, px) }];
}

// The triangle of the fitted slope, above its line, with the number and its interval; what is no line has only the words.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, series: RatesSeries, i: number) => Named[]} */
function drawSlope(ctx, theme, { x, y, box, cramped }, { fit, line, name }, i) {
  const colour = colourOf(theme, i);
  const optional = cramped || box.w < 25 * theme.size;
  const style = { colour, weight: 600, sides: ["ne", "n", "e", "sw", "s"], optional };
  if (!fit) return [];
  if (!fit.ends) {
    const [m, error] = line[line.length >> 1];
    const text = [`${name}: ${fit.slope}`, `slope ${fit.worth}`];
    return [{ label: { text, x: x(m), y: y(error), ...style } }];
  }
  const [[m0, e0], [m1, e1]] = fit.ends;
  const at = (/** @type {number} */ t) => [
    x(m0 * (m1 / m0) ** t),
    y(e0 * (e1 / e0) ** t) - 1.2 * theme.size,
  ];
  const [[left, top], [right, bottom]] = [at(0.42), at(0.72)];
  const label = { text: [fit.slope, fit.worth], x: right, y: top, ...style };
  if (top < box.y) return [{ label }];
  const corners = [
    [left, top],
    [right, top],
    [right, bottom],
    [left, top],
  ];
  stroke(ctx, colour, 1.4, corners);
  return [{ label, line: corners }];
}

// ---- the point under the pointer: what it is, and the spectrum of its model

/** @type {(ctx: Ctx, theme: Theme, under: Under) => void} */
export function drawHover(ctx, theme, { plan, point, series }) {
  const s = theme.size;
  const text = `${series.name}, m_h = ${point.m_h}, seed ${point.seed}: ${fmt(point.error)}`;
  const [px, py] = [plan.x(point.m_h), plan.y(point.error)];
  dot(ctx, px, py, 6, { line: theme.ink, width: 1.5 });
  const w = Math.max(measure(ctx, theme, text, { weight: 600 }) + 1.2 * s, 14 * s);
  const { clientWidth, clientHeight } = ctx.canvas;
  const [wide, high] = [clientWidth, clientHeight].map((length) => inUnits(ctx.canvas, length));
  const bounds = { x: 2, y: 2, w: wide - 4, h: high - 4 };
  const [spot] = placeLabels([{ x: px, y: py, w: Math.min(w, bounds.w), h: 8.4 * s, gap: 14 }], {
    bounds,
    curves: [along(plan, series.line)],
  });
  if (spot) drawCard(ctx, theme, spot.box, text, { series, point });
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, text: string, model: {series: RatesSeries, point: RatesPoint}) => void} */
function drawCard(ctx, theme, { x, y, w, h }, text, { series, point }) {
  const s = theme.size;
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, 6);
  paintPath(ctx, { fill: theme.paper, line: theme.line, width: 1 });
  write(ctx, theme, text, x + 0.6 * s, y + 1.4 * s, { weight: 600 });
  const held = `σ_k: ${point.sigma.length} learned of ${series.rank ?? "∞"}`;
  write(ctx, theme, held, x + 0.6 * s, y + 2.8 * s, { colour: theme.grey });
  const box = { x: x + 0.8 * s, y: y + 3.4 * s, w: w - 1.6 * s, h: h - 4 * s };
  drawBars(ctx, theme, box, series, point);
}

// Designed σ_k as rings, learned ones as dots, over three decades on a log axis.
/** @type {(ctx: Ctx, theme: Theme, box: Box, series: RatesSeries, point: RatesPoint) => void} */
function drawBars(ctx, theme, box, { sigma, rank }, point) {
  const count = Math.min(16, Math.max(point.sigma.length, rank ?? 0, 6) + 2);
  const top = Math.max(...sigma, ...point.sigma, 1e-12);
  const at = (/** @type {number} */ v) =>
    box.y + box.h * clamp(Math.log10(top / Math.max(v, 1e-12)) / 3, 0, 1);
  for (let k = 0; k < count; k++) {
    const px = box.x + (box.w * (k + 0.5)) / count;
    dot(ctx, px, at(sigma[k] ?? 0), 4, { line: theme.ink, width: 1.2 });
    if (point.sigma[k] > 0) dot(ctx, px, at(point.sigma[k]), 2.6, { fill: theme.accent });
  }
}
