// The figure of a sweep: error against width, a panel for each α, a series for each target.

import { axisX, axisY, headingRows, lineKey } from "../core/axes.js";
import { dot, scale, stroke, vertical, within } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { clamp } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { cliffOf, logTicks, spacedTicks } from "../core/ticks.js";
import { drawFall, drawLane, withLane } from "../core/zero-lane.js";
import { LINES, colourOf, symbolOf } from "./looks.js";
import { along, lawOf } from "./model.js";
import { drawHover, nameSeries, yoursOf } from "./words.js";

/** @import { Pair, RatesPoint, RatesSeries } from "../payloads.js" */
/** @import { Draw, Rates } from "./rates.js" */
/** @typedef {ReturnType<typeof figurePlans>[number]} Plan of a panel: where it is drawn */
/** @typedef {(ctx: Ctx, theme: Theme, plan: Plan, view: Rates) => void} DrawPart of a panel */

export const NEAR = 16; // pixels from a point at which it can be chosen

const NARROW = 560; // pixels from which on panels stand side by side, and in a low figure always
const LOW = 22; // lines of text below which a panel gives its height to what is drawn

/**
 * A panel beside the other, on a phone below it, each with room at its right for the names of its series.
 * @param {Ctx} ctx
 * @param {Theme} theme
 * @param {number} w
 * @param {number} h
 * @param {Rates} view
 * @param {number} top
 */
function figurePlans(ctx, theme, w, h, { panels, range, widths }, top) {
  const s = theme.size;
  const left = 4.4 * s;
  const stacked = w < NARROW && h > w / 2;
  const [across, down] = stacked ? [1, panels.length] : [panels.length, 1];
  const gap = 1.2 * s;
  const names = panels.flatMap((panel) => panel.series.map((series) => series.name));
  const right = 21 + 0.6 * s + Math.max(...names.map((name) => measure(ctx, theme, name)));
  const wide = (w - left - (across - 1) * gap) / across;
  const high = (h - top) / down;
  const [low, most] = range;
  const cramped = high < LOW * s;
  const [over, around] = cramped ? [1.9, 4.8] : [2.4, 6.2];
  const last = widths[widths.length - 1];
  const ends = [widths[0] / 1.15, Math.max(last, widths[0] * 2) * 1.1];
  const ranks = panels.flatMap((panel) => panel.series.map((series) => series.rank));
  const falls = ranks.some((rank) => rank !== null && rank >= widths[0] && rank <= last);
  return panels.map((panel, index) => {
    const [column, row] = stacked ? [0, index] : [index, 0];
    const y0 = top + row * high + over * s;
    const foot = { x: left + column * (wide + gap), y: y0, w: wide - right, h: high - around * s };
    const { main: box, lane } = withLane(theme, foot, falls);
    const x = scale(ends[0], ends[1], box.x, box.x + box.w, true);
    const y = scale(low, most, box.y + box.h, box.y, true);
    return { panel, index, box, foot, lane, x, y, low, high: most, first: !column, cramped };
  });
}

/** @type {Draw} */
export function drawFigure(ctx, theme, w, h, view) {
  const key = figureKey(theme, view);
  const rows = headingRows(ctx, theme, view.axis, w - 4, key);
  const plans = (view.plans = figurePlans(ctx, theme, w, h, view, (2.2 + 1.5 * rows) * theme.size));
  for (const plan of plans) drawPanel(ctx, theme, plan, view);
  if (view.hover) drawHover(ctx, theme, view.hover);
  const more = `${view.left} more values of α are in the table`;
  if (view.left > 0) write(ctx, theme, more, w - 4, h - 4, { align: "right", colour: theme.grey });
  return view.sentence();
}

// The lines beside what was trained, those that some series has within the axes.
/** @type {(theme: Theme, view: Rates) => KeyEntry[]} */
export function figureKey(theme, { panels, range: [low, high] }) {
  const series = panels.flatMap((panel) => panel.series);
  const seen = (/** @type {Pair[]} */ pairs) =>
    pairs.some(([, error]) => error >= low && error <= high);
  /** @type {Record<string, [string, (one: RatesSeries) => boolean]>} */
  const lines = {
    floor: ["truncation · first m terms alone", (one) => seen(one.floor)],
    on_own: ["error on the training set", (one) => seen(one.on_own)],
    optimum: ["rank-optimal", (one) => seen(one.optimum)],
    tail: ["exact tail of ρ", (one) => seen(one.tail)],
    theory: ["theory", (one) => one.theory !== null],
  };
  return Object.entries(lines)
    .filter(([, [, has]]) => series.some(has))
    .map(([name, [text]]) => lineKey(text, theme.grey, LINES[name], 1.8));
}

/** @type {DrawPart} */
function drawPanel(ctx, theme, plan, view) {
  const { box, foot, lane, x, y, panel } = plan;
  write(ctx, theme, panel.title, box.x, box.y - 1.3 * theme.size, { weight: 600 });
  const ticks = logTicks(plan.low, plan.high, box.h / (2 * theme.size));
  const blank = ticks.map((tick) => ({ ...tick, label: tick.label && " " }));
  axisY(ctx, theme, box, y, plan.first ? ticks : blank);
  const cliffs = panel.series.flatMap(({ rank }) => cliffOf(rank));
  const labels = spacedTicks(theme, x, view.widths, [...cliffs, ...view.widths]);
  axisX(ctx, theme, foot, x, labels, "m_h, attention width");
  if (lane) drawLane(ctx, theme, lane);
  if (!view.predicting) {
    within(ctx, box, 7, () => {
      panel.series.forEach((series, i) => drawReferences(ctx, theme, plan, view, series, i));
    });
    panel.series.forEach((series, i) => drawRank(ctx, theme, plan, view, series, i));
  }
  ctx.globalAlpha = view.predicting ? 0 : view.fade;
  within(ctx, box, 7, () => {
    panel.series.forEach((series, i) => drawSeries(ctx, theme, plan, series, i));
    drawTraining(ctx, theme, plan, view);
  });
  if (!view.predicting) nameSeries(ctx, theme, plan, view);
  ctx.globalAlpha = 1;
  drawOthers(ctx, theme, plan, view);
  drawPredictions(ctx, theme, plan, view);
  if (!view.predicting) drawChosen(ctx, theme, plan, view);
}

// What theory says of a series, and, in its colour, what was measured on its training set.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, view: Rates, series: RatesSeries, i: number) => void} */
function drawReferences(ctx, theme, plan, view, series, i) {
  ctx.globalAlpha = view.isChosen(series) ? 1 : 0.55;
  const floor = along(plan, series.floor);
  if (floor.length === 1) floor.push([floor[0][0] + 14, floor[0][1]]);
  stroke(ctx, theme.grey, 1.5, floor, LINES.floor);
  stroke(ctx, colourOf(theme, i), 1.6, along(plan, series.on_own), LINES.on_own);
  if (series.optimum.length)
    stroke(ctx, theme.grey, 1.6, along(plan, series.optimum), LINES.optimum);
  stroke(ctx, theme.grey, 1.2, along(plan, series.tail), LINES.tail);
  const law = lawOf(series, view.widths, plan.low);
  if (law) stroke(ctx, theme.grey, 1.8, along(plan, law), LINES.theory);
  ctx.globalAlpha = 1;
}

// A finite rank: its truncation falls into the lane there, from the last width before it.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, view: Rates, series: RatesSeries, i: number) => void} */
function drawRank(ctx, theme, { box, foot, lane, x, y, low }, view, series, i) {
  const { rank, floor } = series;
  if (rank === null || !lane) return;
  const at = x(rank);
  if (at > foot.x + foot.w) return;
  vertical(ctx, foot, at, colourOf(theme, i), 1, [1, 5]);
  const before = floor.findLast(([width]) => width < rank);
  const from = before ? [x(before[0]), Math.min(y(before[1]), y(low))] : null;
  ctx.globalAlpha = view.isChosen(series) ? 1 : 0.55;
  const fall = { from, at, end: foot.x + foot.w, width: 1.5, dash: LINES.floor };
  within(ctx, { ...box, h: foot.y + foot.h - box.y }, 7, () =>
    drawFall(ctx, lane, theme.grey, fall),
  );
  ctx.globalAlpha = 1;
  symbol(ctx, symbolOf(i), at, lane.y, 4.6, { fill: theme.paper, line: colourOf(theme, i) });
}

/** @type {(ctx: Ctx, theme: Theme, plan: Plan, series: RatesSeries, i: number) => void} */
function drawSeries(ctx, theme, plan, series, i) {
  const { x, y } = plan;
  const colour = colourOf(theme, i);
  const line = along(plan, series.line);
  stroke(ctx, colour, 1.8, line);
  for (const { m_h, error } of series.points)
    dot(ctx, x(m_h), y(error), 2.6, { line: colour, width: 1.1 });
  for (const [px, py] of line) symbol(ctx, symbolOf(i), px, py, 4.6, { fill: colour });
}

/** A unit at work: its losses, open until they are errors on fresh sequences. @type {DrawPart} */
function drawTraining(ctx, theme, { x, y, panel }, view) {
  for (const p of view.training?.points ?? []) {
    const i = panel.series.findIndex(
      ({ cell }) => cell.alpha === p.alpha && cell.rank === p.rank && cell.m_ff === p.m_ff,
    );
    if (i >= 0)
      symbol(ctx, symbolOf(i), x(p.m_h), y(p.error), 5.5, {
        fill: theme.paper,
        line: colourOf(theme, i),
        width: 1.6,
      });
  }
}

/** What others have drawn, without names: it is darkest where most agree. @type {DrawPart} */
function drawOthers(ctx, theme, plan, { others, lines }) {
  const { panel, box } = plan;
  ctx.globalAlpha = clamp(4 / others.length, 0.12, 0.6);
  within(ctx, box, 7, () => {
    for (const { line, pairs } of others) {
      const i = panel.series.indexOf(lines[line]);
      if (i >= 0) stroke(ctx, colourOf(theme, i), 2.5, along(plan, pairs));
    }
  });
  ctx.globalAlpha = 1;
}

/** @type {DrawPart} */
function drawPredictions(ctx, theme, plan, view) {
  const { x, y, panel, box } = plan;
  panel.series.forEach((series, i) => {
    const drawn = view.predictionOf(series);
    if (!drawn) return;
    const points = Object.entries(drawn).map(([m, e]) => [x(Number(m)), y(e)]);
    within(ctx, box, 7, () => {
      stroke(ctx, colourOf(theme, i), 3, points, [10, 5]);
      for (const [px, py] of points)
        dot(ctx, px, py, 4, { fill: theme.paper, line: colourOf(theme, i), width: 2 });
    });
  });
  const { series, m_h } = view.chosen;
  if (!view.predicting || view.chosen.panel !== panel) return;
  const style = { colour: colourOf(theme, panel.series.indexOf(series)), weight: 600 };
  vertical(ctx, box, x(m_h), theme.grid);
  const place = { x: box.x + box.w / 2, y: box.y, sides: ["s"], leads: false };
  const label = { text: `draw ${series.name} here`, ...place, ...style };
  writeLabels(ctx, theme, [label, ...yoursOf(theme, plan, view)], { bounds: box });
}

/** @type {DrawPart} */
function drawChosen(ctx, theme, { x, y, panel }, view) {
  const point = view.point();
  if (view.chosen.panel === panel && point)
    dot(ctx, x(point.m_h), y(point.error), 9, { line: theme.ink, width: 2 });
}

/**
 * The point under the pointer, or null.
 * @typedef {{plan: Plan, series: RatesSeries, point: RatesPoint}} Under
 * @type {(plans: Plan[], px: number, py: number, reach?: number) => Under | null}
 */
export function pointUnder(plans, px, py, reach = NEAR) {
  /** @type {Under | null} */
  let best = null;
  let least = reach;
  for (const plan of plans) {
    for (const series of plan.panel.series) {
      for (const point of series.points) {
        const distance = Math.hypot(px - plan.x(point.m_h), py - plan.y(point.error));
        if (distance < least) {
          least = distance;
          best = { plan, series, point };
        }
      }
    }
  }
  return best;
}

/** @type {(plans: Plan[], px: number) => Plan | null} */
export const panelUnder = (plans, px) =>
  plans.find(({ box }) => px >= box.x - 12 && px <= box.x + box.w + 12) ?? null;
