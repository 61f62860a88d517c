// The panels beside the figure of a sweep: the chosen model's spectrum, and the widest model cut to rank k.

import { axisX, axisY, heading, keyInside, lineKey } from "../core/axes.js";
import { crisp, dot, scale, stroke, vertical, within } from "../core/canvas.js";
import { clamp, fmt } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { spectrumAxes, spectrumScales } from "../core/spectrum.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks, spacedTicks } from "../core/ticks.js";
import { LINES, colourOf, symbolOf } from "./figure.js";
import { atRank } from "./model.js";

const MARGINS = { left: 4.4, top: 3.6, right: 1.2, bottom: 3.4 };

// ---- the spectrum of the chosen model

export function drawModel(ctx, theme, w, h, view) {
  const { series } = view.chosen;
  const point = view.point();
  const learned = point?.sigma ?? [];
  const title = `Spectrum: ${series.name}${point ? `, m_h = ${point.m_h}, seed ${point.seed}` : ""}`;
  const key = [
    { text: "designed σ_k", mark: (c, x, y) => dot(c, x, y, 4.2, { line: theme.ink }) },
    { text: "learned", mark: (c, x, y) => dot(c, x, y, 3.6, { fill: theme.accent }) },
  ];
  const roomy = heading(ctx, theme, title, 0, w - 4, key);
  const box = plotBox(theme, w, h, MARGINS);
  const count = Math.max(16, ...view.widths, series.rank ?? 1);
  const designed = series.sigma.slice(0, count);
  const range = modelRange([...designed, ...learned]);
  const plan = spectrumScales(box, { count, ...range, log: true });
  const { x, y } = plan;
  spectrumAxes(ctx, theme, plan);
  within(ctx, box, 6, () => {
    if (point) drawWidth(ctx, theme, box, x, point.m_h);
    designed.forEach((v, i) => v > 0 && dot(ctx, x(i + 1), y(v), 4.6, { line: theme.ink }));
    learned.forEach((v, i) => v > 0 && dot(ctx, x(i + 1), y(v), 3.4, { fill: theme.accent }));
  });
  if (!roomy) keyInside(ctx, theme, box, key);
  const nothing = { x: box.x + 12, y: box.y + 1.6 * theme.size };
  if (!point) write(ctx, theme, "not trained yet", nothing.x, nothing.y, { colour: theme.grey });
  return point
    ? `${title}: ${learned.length} learned singular values, the first ${fmt(learned[0])}`
    : `${title}: not trained yet`;
}

// Five decades at most, and no more than there is.
function modelRange(sigma) {
  const seen = sigma.filter((v) => v > 0);
  const high = Math.max(...seen, 1e-3) * 1.8;
  return {
    low: Math.max(high * 1e-5, Math.min(...seen.filter((v) => v > high * 1e-5)) / 2.5),
    high,
  };
}

// A head of width m_h has no term beyond it.
function drawWidth(ctx, theme, box, x, m_h) {
  const at = x(Math.sqrt(m_h * (m_h + 1)));
  vertical(ctx, box, at, theme.accent, 1.4, [4, 3]);
  const style = { colour: theme.accent, halo: true };
  write(ctx, theme, `m_h = ${m_h}`, crisp(at) + 6, box.y + theme.size, style);
}

// ---- surgery: the widest model cut to rank k, beside the model trained at m_h = k and the floor

export function drawSurgery(ctx, theme, w, h, view) {
  const { series, panel } = view.chosen;
  const model = view.surgeryModel();
  const i = panel.series.indexOf(series);
  const title = model ? `: ${series.name}, m_h = ${model.m_h}, seed ${model.seed}` : "";
  const key = surgeryKey(theme, i);
  const roomy = heading(ctx, theme, `Rank surgery${title}`, 0, w - 4, key);
  const box = plotBox(theme, w, h, MARGINS);
  if (!model) {
    view.surgeryPlan = null;
    const text = "follows once the widest model of this target is trained";
    write(ctx, theme, text, box.x, box.y + 2 * theme.size, { colour: theme.grey });
    return "Rank surgery: nothing trained yet";
  }
  const cut = [...model.surgery.map((e, k) => [k + 1, e]), [model.m_h, model.error]];
  const { low, high } = surgeryRange(cut, series);
  const x = scale(0.9, model.m_h * 1.12, box.x, box.x + box.w, true);
  const y = scale(low, high, box.y + box.h, box.y, true);
  view.surgeryPlan = { box, x };
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (2 * theme.size)));
  const ranks = Array.from({ length: model.m_h }, (_, k) => k + 1);
  axisX(ctx, theme, box, x, spacedTicks(theme, x, ranks), "k");
  within(ctx, box, 7, () => drawCurves(ctx, theme, { x, y }, cut, series, i));
  drawCut(ctx, theme, box, x, view);
  if (!roomy) keyInside(ctx, theme, box, key);
  return surgeryText(view);
}

const surgeryKey = (theme, i) => [
  {
    text: "cut to rank k",
    mark: (ctx, x, y) => symbol(ctx, "square", x, y, 4, { fill: theme.accent }),
  },
  {
    text: "trained at m_h = k",
    mark: (ctx, x, y) => symbol(ctx, symbolOf(i), x, y, 4, { fill: colourOf(theme, i) }),
  },
  lineKey("floor", theme.grey, LINES.floor, 1.8),
];

// What was measured, and of the floor what does not fall far below it.
function surgeryRange(cut, { line, floor }) {
  const least = Math.min(...[...cut, ...line].map(([, e]) => e));
  const seen = [...cut, ...line, ...floor].map(([, e]) => e).filter((e) => e > least / 10);
  return { low: Math.min(...seen) / 2, high: Math.max(...seen) * 2 };
}

function drawCurves(ctx, theme, { x, y }, cut, { line, floor }, i) {
  const along = (pairs) => pairs.map(([m, e]) => [x(m), y(e)]);
  stroke(ctx, theme.grey, 1.6, along(floor), LINES.floor);
  stroke(ctx, colourOf(theme, i), 1.6, along(line));
  for (const [px, py] of along(line))
    symbol(ctx, symbolOf(i), px, py, 4.2, { fill: colourOf(theme, i) });
  stroke(ctx, theme.accent, 1.6, along(cut));
  const paint = { fill: theme.accent, line: theme.paper, width: 1 };
  for (const [px, py] of along(cut)) symbol(ctx, "square", px, py, 4.2, paint);
}

// The rank to which the model is cut, to be moved.
function drawCut(ctx, theme, box, x, view) {
  const px = crisp(x(view.k));
  vertical(ctx, box, x(view.k), theme.ink, 1.6);
  dot(ctx, px, box.y, 7, { fill: theme.paper, line: theme.ink, width: 2 });
  const text = surgeryText(view);
  const style = { weight: 600, halo: true };
  const most = box.x + box.w - measure(ctx, theme, text, style);
  write(ctx, theme, text, clamp(px + 12, box.x + 4, most), box.y + 1.3 * theme.size, style);
}

function surgeryText(view) {
  const { cut, trained, floor } = atRank(view.chosen.series, view.surgeryModel(), view.k);
  return `k = ${view.k}: cut ${fmt(cut)}, trained ${fmt(trained)}, floor ${floor === null ? "0" : fmt(floor)}`;
}
