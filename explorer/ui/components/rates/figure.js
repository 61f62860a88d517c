// The figure of a sweep: error against width, a panel for each α, a series for each target.

import { axisX, axisY, heading, lineKey } from "../core/axes.js";
import { dot, scale, stroke, vertical, within } from "../core/canvas.js";
import { clamp, fmt } from "../core/numbers.js";
import { SYMBOLS, symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks, spacedTicks } from "../core/ticks.js";
import { lawOf } from "./model.js";

export const LINES = { floor: [7, 4], optimum: [2, 2], tail: [9, 3, 2, 3], theory: [1, 4] };
export const NEAR = 16; // pixels from a point at which it can be chosen

export const colourOf = (theme, i) => theme.categories[i % theme.categories.length];
export const symbolOf = (i) => SYMBOLS[i % SYMBOLS.length];

// A panel beside the other, each with room at its right for the names of its series.
function figurePlans(ctx, theme, w, h, { panels, range, widths }) {
  const s = theme.size;
  const left = 4.4 * s;
  const gap = 1.2 * s;
  const names = panels.flatMap((panel) => panel.series.map((series) => series.name));
  const right = 2.4 * s + Math.max(...names.map((name) => measure(ctx, theme, name)));
  const wide = (w - left - (panels.length - 1) * gap) / panels.length;
  const [low, high] = range;
  const ends = [widths[0] / 1.15, Math.max(widths.at(-1), widths[0] * 2) * 1.1];
  return panels.map((panel, index) => {
    const box = { x: left + index * (wide + gap), y: 4.6 * s, w: wide - right, h: h - 8.2 * s };
    const x = scale(ends[0], ends[1], box.x, box.x + box.w, true);
    const y = scale(low, high, box.y + box.h, box.y, true);
    return { panel, index, box, x, y, low, high };
  });
}

export function drawFigure(ctx, theme, w, h, view) {
  const plans = (view.plans = figurePlans(ctx, theme, w, h, view));
  heading(ctx, theme, view.axis, 0, w - 4, figureKey(theme, view.panels));
  for (const plan of plans) drawPanel(ctx, theme, plan, view);
  if (view.hover) drawHover(ctx, theme, view, w);
  const more = `${view.left} more values of α are in the table`;
  if (view.left > 0) write(ctx, theme, more, w - 4, h - 4, { align: "right", colour: theme.grey });
  return view.sentence();
}

// The lines beside what was trained, those that some series has.
function figureKey(theme, panels) {
  const series = panels.flatMap((panel) => panel.series);
  const key = (text, line) => lineKey(text, theme.grey, LINES[line], 1.8);
  return [
    key("truncation", "floor"),
    ...(series.some((one) => one.optimum.length) ? [key("rank-optimal", "optimum")] : []),
    key("exact tail of ρ", "tail"),
    ...(series.some((one) => one.theory !== null) ? [key("theory", "theory")] : []),
  ];
}

function drawPanel(ctx, theme, plan, view) {
  const { box, x, y, panel, index } = plan;
  write(ctx, theme, panel.title, box.x, 3.4 * theme.size, { weight: 600 });
  const ticks = logTicks(plan.low, plan.high, box.h / (2 * theme.size));
  const blank = ticks.map((tick) => ({ ...tick, label: tick.label && " " }));
  axisY(ctx, theme, box, y, index ? blank : ticks);
  axisX(ctx, theme, box, x, spacedTicks(theme, x, view.widths), "m_h, attention width");
  if (!view.predicting)
    within(ctx, box, 7, () => {
      for (const series of panel.series) drawReferences(ctx, theme, plan, view, series);
      panel.series.forEach((series, i) => drawRank(ctx, theme, plan, series, i));
    });
  ctx.globalAlpha = view.predicting ? 0 : view.fade;
  within(ctx, box, 7, () => {
    panel.series.forEach((series, i) => drawSeries(ctx, theme, plan, series, i));
    drawTraining(ctx, theme, plan, view);
  });
  if (!view.predicting) labelSeries(ctx, theme, plan);
  ctx.globalAlpha = 1;
  drawPredictions(ctx, theme, plan, view);
  if (!view.predicting) drawChosen(ctx, theme, plan, view);
}

// Names at the right ends, factors of the knees, and one fitted slope, of a target without a rank if there is one.
function labelSeries(ctx, theme, plan) {
  const { series } = plan.panel;
  labelEnds(
    ctx,
    theme,
    plan,
    series.map((one, i) => ({ i, series: one, at: endOf(plan, one) })),
  );
  series.forEach((one, i) => drawKnee(ctx, theme, plan, one, i));
  const fitted = series.findLast((one) => one.fit && one.rank === null);
  const named = fitted ?? series.findLast((one) => one.fit);
  if (named) drawSlope(ctx, theme, plan, named, series.indexOf(named));
}

// What theory says of a series.
function drawReferences(ctx, theme, { x, y, low }, view, series) {
  const along = (pairs) => pairs.map(([m, e]) => [x(m), y(e)]);
  const faint = view.isChosen(series) ? 1 : 0.55;
  ctx.globalAlpha = faint;
  const floor = along(series.floor);
  if (floor.length === 1) floor.push([floor[0][0] + 14, floor[0][1]]);
  stroke(ctx, theme.grey, 1.5, floor, LINES.floor);
  if (series.optimum.length) stroke(ctx, theme.grey, 1.6, along(series.optimum), LINES.optimum);
  stroke(ctx, theme.grey, 1.2, along(series.tail), LINES.tail);
  const law = lawOf(series, view.widths, low);
  if (law) stroke(ctx, theme.grey, 1.8, along(law), LINES.theory);
  ctx.globalAlpha = 1;
}

// A finite rank, where the error should vanish.
function drawRank(ctx, theme, { box, x }, series, i) {
  if (series.rank === null) return;
  vertical(ctx, box, x(series.rank), colourOf(theme, i), 1, [1, 5]);
}

function drawSeries(ctx, theme, { x, y }, series, i) {
  const colour = colourOf(theme, i);
  const kind = symbolOf(i);
  stroke(
    ctx,
    colour,
    1.8,
    series.line.map(([m, e]) => [x(m), y(e)]),
  );
  for (const { m_h, error } of series.points)
    dot(ctx, x(m_h), y(error), 2.6, { line: colour, width: 1.1 });
  for (const [m, e] of series.line) symbol(ctx, kind, x(m), y(e), 4.6, { fill: colour });
}

// A unit at work: its losses, open until they are errors on fresh sequences.
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

function endOf({ x, y, low }, series) {
  const last = series.line.at(-1) ?? series.floor.at(-1);
  return last ? { x: x(last[0]), y: y(Math.max(last[1], low)) } : null;
}

// Direct labels at the right, pushed apart where they would meet.
function labelEnds(ctx, theme, { box }, ends) {
  const s = theme.size;
  const shown = ends.filter((e) => e.at).sort((a, b) => a.at.y - b.at.y);
  let above = -Infinity;
  for (const end of shown) {
    const at = Math.max(end.at.y, above + 1.35 * s);
    above = at;
    symbol(ctx, symbolOf(end.i), box.x + box.w + 12, at, 4, {
      fill: colourOf(theme, end.i),
    });
    write(ctx, theme, end.series.name, box.x + box.w + 21, at, {
      baseline: "middle",
      colour: colourOf(theme, end.i),
      halo: true,
    });
  }
}

// The knee by its factor, beside the fall; the rank's own line says where r is.
function drawKnee(ctx, theme, { box, x, y }, { line, knee, rank }, i) {
  const at = knee && line.findIndex(([m]) => m === knee.m_h);
  if (!at || at < 0) return;
  const middle = Math.sqrt(line[at - 1][1] * line[at][1]);
  const text = `÷ ${fmt(knee.ratio)}${knee.m_h === rank ? " at m_h = r" : ""}`;
  const px = clamp(x(knee.m_h) + 6, box.x, box.x + box.w - measure(ctx, theme, text));
  write(ctx, theme, text, px, y(middle) + i * 1.3 * theme.size, {
    colour: colourOf(theme, i),
    weight: 600,
    halo: true,
  });
}

// The triangle of the fitted slope, under its line, with the number and its interval; what is no line has only the words.
function drawSlope(ctx, theme, { box, x, y }, { fit, name }, i) {
  const colour = colourOf(theme, i);
  const s = theme.size;
  const { slope: text, worth } = fit;
  const inTheCorner = (words) =>
    write(ctx, theme, words, box.x + 8, box.y + box.h - s, { colour, weight: 600, halo: true });
  if (!fit.ends) return inTheCorner(`${name}: ${text}, slope ${worth}`);
  const [[m0, e0], [m1, e1]] = fit.ends;
  const at = (t) => ({ px: x(m0 * (m1 / m0) ** t), py: y(e0 * (e1 / e0) ** t) + 1.4 * s });
  const a = at(0.42);
  const b = at(0.72);
  const deep = Math.max(a.py, b.py);
  if (deep + 3 * s > box.y + box.h) return inTheCorner(`${text} ${worth}`);
  stroke(ctx, colour, 1.4, [
    [a.px, a.py],
    [a.px, b.py],
    [b.px, b.py],
    [a.px, a.py],
  ]);
  write(ctx, theme, text, a.px - 8, deep + 1.1 * s, {
    colour,
    weight: 600,
    halo: true,
    align: "right",
  });
  write(ctx, theme, worth, a.px - 8, deep + 2.4 * s, { colour, halo: true, align: "right" });
}

function drawPredictions(ctx, theme, { x, y, panel, box }, view) {
  panel.series.forEach((series, i) => {
    const drawn = view.predictionOf(series);
    if (!drawn) return;
    const points = Object.entries(drawn).map(([m, e]) => [x(Number(m)), y(e)]);
    within(ctx, box, 7, () => {
      stroke(ctx, colourOf(theme, i), 3, points, [10, 5]);
      for (const [px, py] of points)
        dot(ctx, px, py, 4, { fill: theme.paper, line: colourOf(theme, i), width: 2 });
    });
    const [px, py] = points.at(-1);
    write(ctx, theme, "yours", Math.min(px + 8, box.x + box.w - 2.6 * theme.size), py - 9, {
      colour: colourOf(theme, i),
      weight: 600,
      halo: true,
    });
  });
  if (view.predicting && view.chosen.panel === panel) {
    const { series, m_h } = view.chosen;
    const text = `draw ${series.name} here`;
    write(ctx, theme, text, box.x + box.w / 2, box.y + 1.4 * theme.size, {
      align: "center",
      colour: colourOf(theme, panel.series.indexOf(series)),
      weight: 600,
      halo: true,
    });
    vertical(ctx, box, x(m_h), theme.grid);
  }
}

function drawChosen(ctx, theme, { x, y, panel }, view) {
  const point = view.point();
  if (view.chosen.panel === panel && point)
    dot(ctx, x(point.m_h), y(point.error), 9, { line: theme.ink, width: 2 });
}

function drawHover(ctx, theme, view, w) {
  const { plan, point, series } = view.hover;
  const s = theme.size;
  const text = `${series.name}, m_h = ${point.m_h}, seed ${point.seed}: ${fmt(point.error)}`;
  const px = plan.x(point.m_h);
  const py = plan.y(point.error);
  const wide = measure(ctx, theme, text);
  write(ctx, theme, text, clamp(px + 12, 0, w - wide - 4), Math.max(py - s, 2 * s), {
    halo: true,
    weight: 600,
  });
  dot(ctx, px, py, 6, { line: theme.ink, width: 1.5 });
}

// The point under the pointer: {plan, series, point}, or null.
export function pointUnder(plans, px, py, reach = NEAR) {
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

export const panelUnder = (plans, px) =>
  plans.find(({ box }) => px >= box.x - 12 && px <= box.x + box.w + 12) ?? null;
