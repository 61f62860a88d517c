// @ts-nocheck
// The pictures of a sweep: error against width for each α, a model's spectrum, its surgery.

import { axisX, axisY, heading, keyInside } from "../core/axes.js";
import { crisp, dot, scale, stroke, within } from "../core/canvas.js";
import { clamp, fmt } from "../core/numbers.js";
import { SYMBOLS, symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks } from "../core/ticks.js";
import { atRank, lawOf } from "./model.js";

const LINES = { floor: [7, 4], optimum: [2, 2], tail: [9, 3, 2, 3], theory: [1, 4] };
export const NEAR = 16; // pixels from a point at which it can be chosen

const colourOf = (theme, i) => theme.categories[i % theme.categories.length];

// ---- error against width

function figurePlans(ctx, theme, w, h, view) {
  const s = theme.size;
  const count = view.panels.length;
  const left = 4.4 * s;
  const gap = 1.2 * s;
  const right =
    2.4 * s +
    Math.max(...view.panels.flatMap((p) => p.series.map((r) => measure(ctx, theme, r.name))));
  const wide = (w - left - (count - 1) * gap) / count;
  const [low, high] = view.range;
  const { widths } = view;
  return view.panels.map((panel, i) => {
    const box = { x: left + i * (wide + gap), y: 4.6 * s, w: wide - right, h: h - 8.2 * s };
    const x = scale(
      widths[0] / 1.15,
      Math.max(widths.at(-1), widths[0] * 2) * 1.1,
      box.x,
      box.x + box.w,
      true,
    );
    return { panel, index: i, box, x, y: scale(low, high, box.y + box.h, box.y, true), low, high };
  });
}

export function drawFigure(ctx, theme, w, h, view) {
  const plans = (view.plans = figurePlans(ctx, theme, w, h, view));
  const key = [
    ["truncation floor", LINES.floor],
    ["rank-optimal", LINES.optimum],
    ["exact tail of ρ", LINES.tail],
    ["theory", LINES.theory],
  ]
    .filter(([name]) =>
      view.panels.some((p) =>
        p.series.some(
          (r) => ({ theory: r.theory !== null, "rank-optimal": r.optimum.length })[name] ?? true,
        ),
      ),
    )
    .map(([text, dash]) => ({
      text,
      mark: (c, x, y) =>
        stroke(
          c,
          theme.grey,
          1.8,
          [
            [x - 11, y],
            [x + 11, y],
          ],
          dash,
        ),
    }));
  heading(ctx, theme, view.axis, 0, w - 4, key);
  for (const plan of plans) drawPanel(ctx, theme, plan, view);
  if (view.hover) drawHover(ctx, theme, view, w);
  if (view.left > 0)
    write(ctx, theme, `${view.left} more values of α are in the table`, w - 4, h - 4, {
      align: "right",
      colour: theme.grey,
    });
  return view.sentence();
}

function drawPanel(ctx, theme, plan, view) {
  const { box, x, y, panel, index } = plan;
  const s = theme.size;
  write(ctx, theme, panel.title, box.x, 3.4 * s, { weight: 600 });
  axisY(
    ctx,
    theme,
    box,
    y,
    logTicks(plan.low, plan.high, box.h / (2 * s)).map((t) =>
      index ? { ...t, label: t.label && " " } : t,
    ),
  );
  axisX(ctx, theme, box, x, widthTicks(theme, x, view.widths), "m_h, attention width");
  const hidden = view.predicting;
  const ends = [];
  within(ctx, box, 7, () => {
    for (const series of panel.series) if (!hidden) drawUnder(ctx, theme, plan, view, series);
    panel.series.forEach((series, i) => !hidden && drawRank(ctx, theme, plan, series, i));
  });
  ctx.globalAlpha = hidden ? 0 : view.fade;
  within(ctx, box, 7, () => {
    panel.series.forEach((series, i) => drawSeries(ctx, theme, plan, view, series, i));
    drawTraining(ctx, theme, plan, view);
  });
  panel.series.forEach((series, i) => ends.push({ i, series, at: endOf(plan, series) }));
  if (!hidden) labelEnds(ctx, theme, plan, ends);
  if (!hidden) panel.series.forEach((series, i) => drawKnee(ctx, theme, plan, series, i));
  const named =
    panel.series.findLast((r) => r.fit && r.rank === null) ?? panel.series.findLast((r) => r.fit);
  if (!hidden && named) drawSlope(ctx, theme, plan, named, panel.series.indexOf(named));
  ctx.globalAlpha = 1;
  drawPredictions(ctx, theme, plan, view);
  if (!hidden) drawChosen(ctx, theme, plan, view);
}

function widthTicks(theme, x, widths) {
  let last = -Infinity;
  return widths.map((value) => {
    const fits = x(value) - last >= 1.9 * theme.size;
    if (fits) last = x(value);
    return { value, label: fits ? String(value) : "" };
  });
}

function drawUnder(ctx, theme, { x, y, low }, view, series) {
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
  const at = crisp(x(series.rank));
  stroke(
    ctx,
    colourOf(theme, i),
    1,
    [
      [at, box.y],
      [at, box.y + box.h],
    ],
    [1, 5],
  );
}

function drawSeries(ctx, theme, { x, y }, view, series, i) {
  const colour = colourOf(theme, i);
  const kind = SYMBOLS[i % SYMBOLS.length];
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
      symbol(ctx, SYMBOLS[i % SYMBOLS.length], x(p.m_h), y(p.error), 5.5, {
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
    symbol(ctx, SYMBOLS[end.i % SYMBOLS.length], box.x + box.w + 12, at, 4, {
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
    const drawn = view.drawn(series);
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
    stroke(ctx, theme.grid, 1, [
      [crisp(x(m_h)), box.y],
      [crisp(x(m_h)), box.y + box.h],
    ]);
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

// ---- the spectrum of the chosen model

export function drawModel(ctx, theme, w, h, view) {
  const { series } = view.chosen;
  const point = view.point();
  const s = theme.size;
  const learned = point?.sigma ?? [];
  const title = point
    ? `Spectrum: ${series.name}, m_h = ${point.m_h}, seed ${point.seed}`
    : `Spectrum: ${series.name}`;
  const key = [
    { text: "designed σ_k", mark: (c, x, y) => dot(c, x, y, 4.2, { line: theme.ink }) },
    { text: "learned", mark: (c, x, y) => dot(c, x, y, 3.6, { fill: theme.accent }) },
  ];
  const roomy = heading(ctx, theme, title, 0, w - 4, key);
  const last = Math.max(16, ...view.widths, series.rank ?? 1);
  const designed = series.sigma.slice(0, last);
  const seen = [...designed, ...learned].filter((v) => v > 0);
  const high = Math.max(...seen, 1e-3) * 1.8;
  const low = Math.max(high * 1e-5, Math.min(...seen.filter((v) => v > high * 1e-5)) / 2.5);
  const box = { x: 4.4 * s, y: 3.6 * s, w: w - 5.6 * s, h: h - 7 * s };
  const x = scale(0.86, last * 1.2, box.x, box.x + box.w, true);
  const y = scale(low, high, box.y + box.h, box.y, true);
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (2 * s)));
  axisX(
    ctx,
    theme,
    box,
    x,
    widthTicks(
      theme,
      x,
      Array.from({ length: last }, (_, i) => i + 1),
    ),
    "k",
  );
  within(ctx, box, 6, () => {
    if (point) cliff(ctx, theme, box, x, point.m_h);
    designed.forEach((v, i) => v > 0 && dot(ctx, x(i + 1), y(v), 4.6, { line: theme.ink }));
    learned.forEach((v, i) => v > 0 && dot(ctx, x(i + 1), y(v), 3.4, { fill: theme.accent }));
  });
  if (!roomy) keyInside(ctx, theme, box, key);
  if (!point)
    write(ctx, theme, "not trained yet", box.x + 12, box.y + 1.6 * s, { colour: theme.grey });
  return point
    ? `${title}: ${learned.length} learned singular values, the first ${fmt(learned[0])}`
    : `${title}: not trained yet`;
}

// A head of width m_h has no term beyond it.
function cliff(ctx, theme, box, x, m_h) {
  const at = crisp(x(Math.sqrt(m_h * (m_h + 1))));
  stroke(
    ctx,
    theme.accent,
    1.4,
    [
      [at, box.y],
      [at, box.y + box.h],
    ],
    [4, 3],
  );
  write(ctx, theme, `m_h = ${m_h}`, at + 6, box.y + theme.size, {
    colour: theme.accent,
    halo: true,
  });
}

// ---- surgery: the widest model cut to rank k, beside the model trained at m_h = k and the floor

export function drawSurgery(ctx, theme, w, h, view) {
  const { series } = view.chosen;
  const model = view.surgeon();
  const s = theme.size;
  const i = view.chosen.panel.series.indexOf(series);
  const key = [
    {
      text: "cut to rank k",
      mark: (c, x, y) => symbol(c, "square", x, y, 4, { fill: theme.accent }),
    },
    {
      text: "trained at m_h = k",
      mark: (c, x, y) =>
        symbol(c, SYMBOLS[i % SYMBOLS.length], x, y, 4, { fill: colourOf(theme, i) }),
    },
    {
      text: "floor",
      mark: (c, x, y) =>
        stroke(
          c,
          theme.grey,
          1.8,
          [
            [x - 9, y],
            [x + 9, y],
          ],
          LINES.floor,
        ),
    },
  ];
  const title =
    "Rank surgery" + (model ? `: ${series.name}, m_h = ${model.m_h}, seed ${model.seed}` : "");
  const roomy = heading(ctx, theme, title, 0, w - 4, key);
  const box = { x: 4.4 * s, y: 3.6 * s, w: w - 5.6 * s, h: h - 7 * s };
  if (!model) {
    view.surgeryPlan = null;
    write(
      ctx,
      theme,
      "follows once the widest model of this target is trained",
      box.x,
      box.y + 2 * s,
      { colour: theme.grey },
    );
    return "Rank surgery: nothing trained yet";
  }
  const cut = [...model.surgery.map((e, k) => [k + 1, e]), [model.m_h, model.error]];
  const drawn = [cut, series.line, series.floor];
  const seen = drawn
    .flat()
    .map(([, e]) => e)
    .filter((e) => e > Math.min(...cut.map(([, e]) => e), ...series.line.map(([, e]) => e)) / 10);
  const low = Math.min(...seen) / 2;
  const high = Math.max(...seen) * 2;
  const x = scale(0.9, model.m_h * 1.12, box.x, box.x + box.w, true);
  const y = scale(low, high, box.y + box.h, box.y, true);
  view.surgeryPlan = { box, x, last: model.m_h };
  const at = (pairs) => pairs.map(([m, e]) => [x(m), y(e)]);
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (2 * s)));
  axisX(
    ctx,
    theme,
    box,
    x,
    widthTicks(
      theme,
      x,
      Array.from({ length: model.m_h }, (_, j) => j + 1),
    ),
    "k",
  );
  within(ctx, box, 7, () => {
    stroke(ctx, theme.grey, 1.6, at(series.floor), LINES.floor);
    stroke(ctx, colourOf(theme, i), 1.6, at(series.line));
    for (const [px, py] of at(series.line))
      symbol(ctx, SYMBOLS[i % SYMBOLS.length], px, py, 4.2, { fill: colourOf(theme, i) });
    stroke(ctx, theme.accent, 1.6, at(cut));
    for (const [px, py] of at(cut))
      symbol(ctx, "square", px, py, 4.2, { fill: theme.accent, line: theme.paper, width: 1 });
  });
  drawKnife(ctx, theme, box, x, view, roomy);
  if (!roomy) keyInside(ctx, theme, box, key);
  return surgeryText(view);
}

function drawKnife(ctx, theme, box, x, view) {
  const s = theme.size;
  const px = crisp(x(view.k));
  stroke(ctx, theme.ink, 1.6, [
    [px, box.y],
    [px, box.y + box.h],
  ]);
  dot(ctx, px, box.y, 7, { fill: theme.paper, line: theme.ink, width: 2 });
  const text = surgeryText(view);
  const wide = measure(ctx, theme, text, { weight: 600 });
  write(ctx, theme, text, clamp(px + 12, box.x + 4, box.x + box.w - wide), box.y + 1.3 * s, {
    weight: 600,
    halo: true,
  });
}

function surgeryText(view) {
  const { cut, trained, floor } = atRank(view.chosen.series, view.surgeon(), view.k);
  return `k = ${view.k}: cut ${fmt(cut)}, trained ${fmt(trained)}, floor ${floor === null ? "0" : fmt(floor)}`;
}
