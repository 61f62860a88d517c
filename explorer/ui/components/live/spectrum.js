// The designed and learned singular values, and the angles between their leading subspaces.

import { TITLE, axisX, axisY, heading, headingRows, plotBox } from "../core/axes.js";
import { crisp, dot, fillBox, scale, upright, vertical } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { fmt, largest } from "../core/numbers.js";
import {
  below,
  shadeFrom,
  spectrumAxes,
  spectrumScales,
  spectrumValues,
} from "../core/spectrum.js";
import { symbol } from "../core/symbol.js";
import { writeTerm } from "../core/terms.js";
import { measure, write } from "../core/text.js";
import { cliffOf, integerTicks } from "../core/ticks.js";
import { drawFall, drawLane, withLane } from "../core/zero-lane.js";
import { isDrawn, shownIn } from "../run/stream.js";
import { drawGap, gapOf, withStrip } from "./compare.js";

/** @import { Draw, Over } from "./live.js" */
/** @import { Values } from "./compare.js" */
/** @typedef {(x: number, y: number) => void} Mark */

// With terms to spare the learned values beyond the rank fall far: room for two decades more. Learned values far above
// the designed ones move the upper end, by half decades, so that it rests while they change a little.
/** @type {(sigma: Values, m: number, ...learned: Values[]) => {count: number, low: number, high: number}} */
export function spectrumDomain(sigma, m, ...learned) {
  const count = Math.min(64, Math.max(12, 2 * m, m + 4));
  const top = largest(sigma) || 1;
  const most = 1.1 * Math.max(...learned.map(largest), 0);
  const shown = [...sigma].slice(0, count).filter((s) => s > 1e-7 * top);
  const deepest = shown.length < m ? 2e-4 : 2e-2;
  const high = most > 2 * top ? 10 ** (Math.ceil(2 * Math.log10(most)) / 2) : 2 * top;
  return { count, low: 0.5 * Math.min(top * deepest, ...shown), high };
}

/** @type {Draw} */
export function drawSpectrum(ctx, theme, w, h, view) {
  const { run, pin } = view;
  if (!isDrawn(run)) heading(ctx, theme, "Singular values σ_k", 0, w - 4);
  if (!isDrawn(run)) return "Singular values: nothing yet";
  const rows = headingRows(ctx, theme, "Singular values σ_k", w - 4, spectrumKey(theme, pin));
  const top = rows ? 2.1 + 1.5 * rows : 2.6;
  const whole = plotBox(theme, w, h, { right: 0.45, top });
  const sigma = run.drawing.sigma.values;
  const { m_h: m, rank } = run.drawing;
  const { main: above, strip } = withStrip(theme, whole, pin);
  const { main: box, lane } = withLane(theme, above, rank !== null);
  const learned = shownIn(run)?.sigma_hat?.values ?? [];
  const pinned = pin?.frame?.sigma_hat?.values ?? [];
  const plan = spectrumScales(box, spectrumDomain(sigma, m, learned, pinned));
  const cut = plan.x(m + 0.5);
  shadeFrom(ctx, theme, box, cut);
  spectrumAxes(ctx, theme, plan, whole, cliffOf(rank));
  if (lane) drawLane(ctx, theme, lane);
  vertical(ctx, above, cut, theme.ink);
  const marks = spectrumMarks(ctx, theme);
  spectrumValues(ctx, plan, sigma.slice(0, plan.count), theme.ink, marks.designed);
  spectrumValues(ctx, plan, pinned.slice(0, plan.count), theme.second, marks.pinned);
  spectrumValues(ctx, plan, learned, theme.accent, marks.learned);
  if (lane) drawEnd(ctx, theme, plan, lane, sigma);
  const edge = { text: widthWords(run.drawing, learned), x: crisp(cut) };
  nameEdge(ctx, theme, plan, { above, edge, lists: [sigma, learned, pinned] });
  if (strip) drawGap(ctx, theme, strip, plan.x, pinned.length ? gapOf(learned, pinned) : []);
  return `Singular values: ${Math.min(plan.count, sigma.length)} designed, ${learned.length} learned; first ${fmt(sigma[0])} designed, ${fmt(learned[0])} learned`;
}

// A head start: what is drawn is wider than what the run will end with.
/** @type {(drawing: Over, learned: Values) => string} */
const widthWords = ({ m_h, started_until }, learned) =>
  learned.length > m_h
    ? `m_h = ${learned.length}, cut to ${m_h} at step ${started_until}`
    : `m_h = ${m_h}`;

// The edge of the width by its name, clear of the values.
/** @type {(ctx: Ctx, theme: Theme, plan: SpectrumPlan, shown: {above: Box, edge: {text: string, x: number}, lists: Values[]}) => void} */
function nameEdge(ctx, theme, { box, x, y, low }, { above, edge, lists }) {
  const width = { ...edge, y: above.y, sides: ["se", "sw"], leads: false };
  const foot = box.y + box.h - 4;
  writeLabels(ctx, theme, [width], {
    bounds: above,
    curves: [upright(above, edge.x)],
    marks: lists.flatMap((values) =>
      Array.from(values, (s, i) => [x(i + 1), s >= low ? y(s) : foot, 5]),
    ),
  });
}

/** @type {(ctx: Ctx, theme: Theme) => Record<string, Mark>} */
const spectrumMarks = (ctx, theme) => ({
  designed: (x, y) => dot(ctx, x, y, 5, { line: theme.ink }),
  learned: (x, y) => dot(ctx, x, y, 3.2, { fill: theme.accent }),
  pinned: (x, y) => symbol(ctx, "diamond", x + 5, y, 3.4, { fill: theme.second }),
});

// All that there may be from the first step on, so that nothing moves.
/** @type {(theme: Theme, pinned: unknown) => KeyEntry[]} */
function spectrumKey(theme, pinned) {
  const key = ["designed", "learned", ...(pinned ? ["pinned"] : [])].map((text) => ({
    text,
    mark: (/** @type {Ctx} */ ctx, /** @type {number} */ x, /** @type {number} */ y) =>
      spectrumMarks(ctx, theme)[text](text === "pinned" ? x - 5 : x, y),
  }));
  /** @type {KeyEntry["mark"]} */
  const arrow = (ctx, x, y) => below(ctx, theme.accent, x, y + 3);
  return [...key, { text: "below the axis", mark: arrow }];
}

// Beyond the rank σ_k = 0: from its last place the spectrum falls into the lane.
/** @type {(ctx: Ctx, theme: Theme, plan: SpectrumPlan, lane: Lane, sigma: Values) => void} */
function drawEnd(ctx, theme, { x, y, count, low }, lane, sigma) {
  const last = sigma.length;
  const from = last && sigma[last - 1] >= low ? [x(last), y(sigma[last - 1])] : null;
  if (last >= count) return;
  drawFall(ctx, lane, theme.grey, { from, at: x(last + 1), end: x(count), dash: [3, 4] });
  for (let k = last + 1; k <= count; k++)
    dot(ctx, x(k), lane.y, 3.6, { fill: theme.paper, line: theme.ink, width: 1.2 });
}

/** Bars from 0 to 90 degrees; no bar where σ_k are tied. @type {Draw} */
export function drawAngles(ctx, theme, w, h, { run }) {
  const angles = [...(shownIn(run)?.angles?.values ?? [])];
  writeTerm(ctx, theme, "angles", "Angles to φ, ψ", 0, 1.35 * theme.size, TITLE);
  if (!isDrawn(run) || !angles.length) return "Principal angles: nothing yet";
  const worst = Math.max(...angles);
  const text = `≤ ${worst < 0.1 ? fmt(worst) : worst.toFixed(1)}°`;
  const room = w - 4 - measure(ctx, theme, "Angles to φ, ψ", TITLE) - theme.size;
  if (worst >= 0 && measure(ctx, theme, text) < room)
    write(ctx, theme, text, w - 4, 1.35 * theme.size, { align: "right", colour: theme.grey });
  const box = plotBox(theme, w, h, { right: 0.45 });
  const x = scale(0.4, angles.length + 0.6, box.x, box.x + box.w);
  const y = scale(0, 90, box.y + box.h, box.y);
  const degrees = [0, 30, 60, 90].map((value) => ({ value, label: `${value}°` }));
  axisY(ctx, theme, box, y, degrees);
  axisX(ctx, theme, box, x, integerTicks(1, angles.length, box.w / (2 * theme.size)), "k");
  angleBars(ctx, theme, { box, x, y }, angles);
  const list = angles.map((a) => (a < 0 ? "tied" : a.toFixed(1))).join(", ");
  return `Principal angles between the leading ${angles.length} learned and designed subspaces, degrees: ${list}`;
}

/** @type {(ctx: Ctx, theme: Theme, axes: {box: Box, x: Scale, y: Scale}, angles: number[]) => void} */
function angleBars(ctx, theme, { box, x, y }, angles) {
  const half = Math.min(9, (0.3 * box.w) / angles.length);
  const bottom = box.y + box.h;
  angles.forEach((angle, i) => {
    const middle = x(i + 1);
    if (angle < 0)
      return write(ctx, theme, "=", middle, bottom - 4, { align: "center", colour: theme.grey });
    const height = Math.max(2, bottom - y(angle));
    fillBox(ctx, theme.accent, [middle - half, bottom - height, 2 * half, height]);
  });
}
