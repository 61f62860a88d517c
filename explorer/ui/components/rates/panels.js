// The panels beside the figure of a sweep: the chosen model's spectrum, and the widest model cut to rank k.

import { axisX, heading, keyRows, lineKey, logAxisY, plotBox } from "../core/axes.js";
import { crisp, dot, scale, stroke, upright, vertical, within } from "../core/canvas.js";
import { keyLabel, writeLabels } from "../core/labels.js";
import { fmt } from "../core/numbers.js";
import { spectrumAxes, spectrumScales } from "../core/spectrum.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { write } from "../core/text.js";
import { cliffOf, spacedTicks } from "../core/ticks.js";
import { drawFall, drawLane, withLane } from "../core/zero-lane.js";
import { LINES, colourOf, symbolOf } from "./looks.js";
import { along, atRank } from "./model.js";

/** @import { Pair, RatesSeries } from "../payloads.js" */
/** @import { Cut } from "./model.js" */
/** @import { Draw, Rates } from "./rates.js" */
/** @typedef {{designed: number[], learned: number[], m_h?: number, key: KeyEntry[]}} Named */

const MARGINS = { left: 4.4, top: 3.6, right: 1.2, bottom: 3.4 };
const HANDLE = 4.4; // text sizes above that of the surgery: a title, a row, half the handle

// ---- the spectrum of the chosen model

/** @type {Draw} */
export function drawModel(ctx, theme, w, h, view) {
  const { series } = view.chosen;
  const point = view.point();
  const learned = point?.sigma ?? [];
  const title = `Spectrum: ${series.name}${point ? `, m_h = ${point.m_h}, seed ${point.seed}` : ""}`;
  const key = [
    symbolKey("designed σ_k", "circle", 4.2, { line: theme.ink }),
    symbolKey("learned", "circle", 3.6, { fill: theme.accent }),
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
    if (point) vertical(ctx, box, edgeOf(x, point.m_h), theme.accent, 1.4, [4, 3]);
    designed.forEach((v, i) => v > 0 && dot(ctx, x(i + 1), y(v), 4.6, { line: theme.ink }));
    learned.forEach((v, i) => v > 0 && dot(ctx, x(i + 1), y(v), 3.4, { fill: theme.accent }));
  });
  const named = { designed, learned, m_h: point?.m_h, key: roomy ? [] : key };
  nameModel(ctx, theme, plan, named);
  return point
    ? `${title}: ${learned.length} learned singular values, the first ${fmt(learned[0])}`
    : `${title}: not trained yet`;
}

// Five decades at most, and no more than there is.
function modelRange(/** @type {number[]} */ sigma) {
  const seen = sigma.filter((v) => v > 0);
  const high = Math.max(...seen, 1e-3) * 1.8;
  return {
    low: Math.max(high * 1e-5, Math.min(...seen.filter((v) => v > high * 1e-5)) / 2.5),
    high,
  };
}

/** A head of width m_h has no term beyond it. @type {(x: Scale, m_h: number) => number} */
const edgeOf = (x, m_h) => x(Math.sqrt(m_h * (m_h + 1)));

// The edge by its width, or that there is no model yet; and the key where the heading has no room.
/** @type {(ctx: Ctx, theme: Theme, plan: Pick<SpectrumPlan, "box" | "x" | "y">, model: Named) => void} */
function nameModel(ctx, theme, { box, x, y }, { designed, learned, m_h, key }) {
  const at = m_h ? crisp(edgeOf(x, m_h)) : box.x + box.w;
  const place = { y: box.y, gap: 4, sides: ["se", "sw"], leads: false };
  const edge = m_h
    ? { text: `m_h = ${m_h}`, x: at, colour: theme.accent, ...place }
    : { text: "not trained yet", x: at, colour: theme.grey, ...place };
  writeLabels(ctx, theme, [edge, ...(key.length ? [keyLabel(theme, box, key)] : [])], {
    bounds: box,
    curves: [upright(box, at)],
    marks: [designed, learned].flatMap((list) => list.map((v, i) => [x(i + 1), y(v), 5])),
  });
}

// ---- surgery: the widest model cut to rank k, beside the model trained at m_h = k and the floor

/** @type {Draw} */
export function drawSurgery(ctx, theme, w, h, view) {
  const { series, panel } = view.chosen;
  const model = view.surgeryModel();
  const i = panel.series.indexOf(series);
  if (!model) return drawNoSurgery(ctx, theme, w, h, view);
  const cut = cutsOf(model);
  const { low, high } = surgeryRange(cut, series);
  const seen = series.floor.some(([m, e]) => m <= model.m_h && e >= low && e <= high);
  const rank = series.rank ?? Infinity;
  const ends = rank <= model.m_h;
  const title = `Rank surgery to k = ${view.k}: ${series.name}, m_h = ${model.m_h}, seed ${model.seed}`;
  heading(ctx, theme, title, 0, w - 4);
  const words = surgeryWords(view);
  const key = surgeryKey(theme, i, words);
  const rows = keyRows(ctx, theme, w - 4, seen || ends ? key : key.slice(0, 2));
  const top = HANDLE + 1.5 * (rows - 1);
  const whole = plotBox(theme, w, h, { ...MARGINS, top });
  const { main: box, lane } = withLane(theme, whole, ends);
  const x = scale(0.9, model.m_h * 1.12, box.x, box.x + box.w, true);
  view.surgeryPlan = { box: whole, x };
  const y = logAxisY(ctx, theme, box, low, high, 2);
  const ranks = Array.from({ length: model.m_h }, (_, k) => k + 1);
  const ticks = spacedTicks(theme, x, ranks, [...cliffOf(series.rank), ...ranks]);
  axisX(ctx, theme, whole, x, ticks, "k");
  if (lane) drawEnd(ctx, theme, { box, x, y, lane }, series.floor, [rank, model.m_h]);
  within(ctx, box, 7, () => drawCurves(ctx, theme, { x, y }, cut, series, i));
  vertical(ctx, whole, x(view.k), theme.ink, 1.6);
  dot(ctx, crisp(x(view.k)), box.y, 7, { fill: theme.paper, line: theme.ink, width: 2 });
  return `k = ${view.k}: ${Object.values(words).join(", ")}`;
}

/** @type {Draw} */
function drawNoSurgery(ctx, theme, w, h, view) {
  heading(ctx, theme, "Rank surgery", 0, w - 4);
  view.surgeryPlan = null;
  const text = "follows once the widest model of this target is trained";
  const { x, y } = plotBox(theme, w, h, MARGINS);
  write(ctx, theme, text, x, y + 2 * theme.size, { colour: theme.grey });
  return "Rank surgery: nothing trained yet";
}

/** Rank and error: cut to each rank, and whole. @type {(model: Cut) => Pair[]} */
const cutsOf = ({ surgery, m_h, error }) => [
  ...surgery.map((e, k) => /** @type {Pair} */ ([k + 1, e])),
  [m_h, error],
];

// The curves and what they are at k, in a row of their own: beside the handle it would lie on them.
/** @type {(theme: Theme, i: number, words: ReturnType<typeof surgeryWords>) => KeyEntry[]} */
const surgeryKey = (theme, i, { cut, trained, truncation }) => [
  symbolKey(cut, "square", 4, { fill: theme.accent }),
  symbolKey(trained, symbolOf(i), 4, { fill: colourOf(theme, i) }),
  lineKey(truncation, theme.grey, LINES.floor, 1.8),
];

// What was measured, and of the floor what does not fall far below it.
/** @type {(cut: Pair[], series: RatesSeries) => {low: number, high: number}} */
function surgeryRange(cut, { line, floor }) {
  const least = Math.min(...[...cut, ...line].map(([, e]) => e));
  const seen = [...cut, ...line, ...floor].map(([, e]) => e).filter((e) => e > least / 10);
  return { low: Math.min(...seen) / 2, high: Math.max(...seen) * 2 };
}

/** @type {(ctx: Ctx, theme: Theme, plan: {x: Scale, y: Scale}, cut: Pair[], series: RatesSeries, i: number) => void} */
function drawCurves(ctx, theme, axes, cut, { line, floor }, i) {
  stroke(ctx, theme.grey, 1.6, along(axes, floor), LINES.floor);
  stroke(ctx, colourOf(theme, i), 1.6, along(axes, line));
  for (const [px, py] of along(axes, line))
    symbol(ctx, symbolOf(i), px, py, 4.2, { fill: colourOf(theme, i) });
  stroke(ctx, theme.accent, 1.6, along(axes, cut));
  const paint = { fill: theme.accent, line: theme.paper, width: 1 };
  for (const [px, py] of along(axes, cut)) symbol(ctx, "square", px, py, 4.2, paint);
}

// From the rank on truncation leaves nothing: its line falls into the lane.
/** @type {(ctx: Ctx, theme: Theme, plan: {box: Box, x: Scale, y: Scale, lane: Lane}, floor: Pair[], ends: Pair) => void} */
function drawEnd(ctx, theme, { box, x, y, lane }, floor, [rank, last]) {
  drawLane(ctx, theme, lane);
  const above = floor.at(-1);
  const from = above ? [x(above[0]), Math.min(y(above[1]), box.y + box.h)] : null;
  const fall = { from, at: x(rank), end: x(last), width: 1.6, dash: LINES.floor };
  drawFall(ctx, lane, theme.grey, fall);
}

function surgeryWords(/** @type {Rates} */ view) {
  const { cut, trained, floor } = atRank(view.chosen.series, view.surgeryModel(), view.k);
  const { rank } = view.chosen.series;
  const isKept = rank !== null && view.k >= rank;
  return {
    cut: `cut ${fmt(cut)}`,
    trained: `trained ${fmt(trained)}`,
    truncation: `truncation ${isKept ? "0" : fmt(floor)}`,
  };
}
