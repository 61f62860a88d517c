// What is drawn of a sweep: ranges, places, the reader's own curve and how far it was off. Nothing here draws.

import { clamp, fmt, leastSquares, minus } from "../core/numbers.js";

/** @import { Pair, RatesDrawing, RatesPanel, RatesPoint, RatesSeries } from "../payloads.js" */
/** @typedef {Record<number, number>} Prediction the reader's own curve: errors by width */
/** @typedef {{m: number, error: number}} Spot of the figure, in the values of its axes */
/** @typedef {{factor: number, above: boolean}} Missed by which factor, and whether the drawn curve is higher */
/** @typedef {RatesPoint & {surgery: number[]}} Cut a model whose surgery was measured */

export const MOST_PANELS = 4;
const LEAST = 1e-20;
const DEEP = 1e-8; // truncation down to there is never cut

// All heights that are drawn, or those of `extent`: [low, high] for all panels alike; floors that fall far below what was trained are cut.
/** @type {(panels: RatesPanel[], training: RatesDrawing["training"], extent?: Pair) => [number, number]} */
export function heightRange(panels, training, extent) {
  if (extent) return [extent[0] / 2.2, extent[1] * 2];
  const series = panels.flatMap((p) => p.series);
  const heights = (/** @type {(one: RatesSeries) => number[]} */ pick) =>
    series.flatMap(pick).filter((e) => e > LEAST);
  const trained = [
    ...heights((s) => s.points.map((p) => p.error)),
    ...(training?.points ?? []).map((p) => p.error),
  ];
  const floors = heights((s) =>
    [...s.floor, ...s.on_own, ...s.optimum, ...s.tail].map(([, e]) => e),
  );
  const least = trained.length ? Math.min(...trained) : Math.min(...floors, 1);
  const seen = [...trained, ...floors.filter((e) => e > Math.min(least / 30, DEEP))];
  if (!seen.length) return [1e-4, 1];
  return [Math.min(...seen) / 2.2, Math.max(...seen) * 2];
}

// Theory's line through the first trained error, or the first of the floor: its ends, and the part above `low`.
/** @type {(series: RatesSeries, widths: number[], low: number) => Pair[] | null} */
export function lawOf({ theory, line, floor }, widths, low) {
  const anchor = line[0] ?? floor[0];
  if (theory === null || !anchor) return null;
  const last = widths[widths.length - 1];
  const at = (/** @type {number} */ m) => anchor[1] * (m / anchor[0]) ** theory;
  const end = at(last) >= low ? last : anchor[0] * (low / anchor[1]) ** (1 / theory);
  return [
    [anchor[0], anchor[1]],
    [end, at(end)],
  ];
}

/**
 * Pairs of width and error in pixels; what is below `low` at that height.
 * @type {(axes: {x: Scale, y: Scale}, pairs: Pair[], low?: number) => Points}
 */
export const along = ({ x, y }, pairs, low = 0) =>
  pairs.map(([m, error]) => [x(m), y(Math.max(error, low))]);

// The points of a series at a width, one for each seed, in the order of seeds.
/** @type {(series: RatesSeries, m_h: number) => RatesPoint[]} */
export const seedsAt = (series, m_h) =>
  series.points.filter((p) => p.m_h === m_h).sort((a, b) => a.seed - b.seed);

export const trainedWidths = (/** @type {RatesSeries} */ series) =>
  [...new Set(series.points.map((p) => p.m_h))].sort((a, b) => a - b);

// The model whose surgery belongs to a chosen one: of its seed if there is one, else of any.
/** @type {(series: RatesSeries, seed: number) => Cut | null} */
export function surgeryOf(series, seed) {
  const cut = /** @type {Cut[]} */ (series.points.filter((p) => p.surgery));
  return cut.find((p) => p.seed === seed) ?? cut[0] ?? null;
}

// Errors at rank k: the widest model cut, the model trained at that width, the floor; null where there is none.
/** @type {(series: RatesSeries, model: Cut | null, k: number) => {cut: number | null, trained: number | null, floor: number | null}} */
export function atRank(series, model, k) {
  const find = (/** @type {Pair[]} */ pairs) => pairs.find(([m]) => m === k)?.[1] ?? null;
  const cut = model ? (k === model.m_h ? model.error : (model.surgery[k - 1] ?? null)) : null;
  return { cut, trained: find(series.line), floor: find(series.floor) };
}

// A stroke from one point to another sets the prediction at the widths it passes, straight on log axes.
/** @type {(widths: number[], from: Spot, to: Spot) => Pair[]} */
export function strokeWidths(widths, from, to) {
  const [a, b] = from.m <= to.m ? [from, to] : [to, from];
  return widths
    .filter((m) => m >= a.m / 1.09 && m <= b.m * 1.09)
    .map((m) => {
      const t = b.m > a.m * 1.001 ? clamp(Math.log(m / a.m) / Math.log(b.m / a.m), 0, 1) : 1;
      return [m, a.error * (b.error / a.error) ** t];
    });
}

const CLIFF = 10; // a factor from which an error fell, or a curve is missed

/**
 * How a drawn curve, {m: error}, compares with the measured one: before the rank and from it on, or where training found no cliff at all widths, by the median factor
 * between them and by whether the drawn one is above it; slopes are of what is before. Null where both have no width.
 * @param {Prediction} drawn
 * @param {RatesSeries} series
 */
export function compared(drawn, { line, rank }) {
  const both = line.filter(([m]) => drawn[m] !== undefined);
  if (!both.length) return null;
  const before = both.filter(([m]) => !rank || m < rank);
  const after = both.filter(([m]) => rank && m >= rank);
  const slope = (/** @type {(m: number, error: number) => number} */ pick) =>
    before.length > 1
      ? leastSquares(before.map(([m, e]) => [Math.log(m), Math.log(pick(m, e))])).slope
      : null;
  const isCliff = fallsAt(line, rank);
  return {
    rank: isCliff ? rank : null,
    before: factorBetween(drawn, isCliff ? before : both),
    after: isCliff ? factorBetween(drawn, after) : null,
    drawn: slope((m) => drawn[m]),
    measured: slope((_, e) => e),
  };
}

// Whether training found a cliff: the error at the rank is far below that of the width before it.
/** @type {(line: Pair[], rank: number | null) => boolean} */
function fallsAt(line, rank) {
  if (rank === null) return false;
  const last = line.findLast(([m]) => m < rank);
  const first = line.find(([m]) => m >= rank);
  return Boolean(last && first && last[1] >= CLIFF * first[1]);
}

// The median factor between a drawn and a measured curve, at least 1, and which is higher.
/** @type {(drawn: Prediction, pairs: Pair[]) => Missed | null} */
function factorBetween(drawn, pairs) {
  if (!pairs.length) return null;
  const logs = pairs.map(([m, e]) => Math.log(drawn[m] / e)).sort((a, b) => a - b);
  const middle = (logs[(logs.length - 1) >> 1] + logs[logs.length >> 1]) / 2;
  const off = logs.map(Math.abs).sort((a, b) => a - b);
  const far = (off[(off.length - 1) >> 1] + off[off.length >> 1]) / 2;
  return { factor: Math.exp(far), above: middle > 0 };
}

/** @type {(name: string, comparison: ReturnType<typeof compared>) => string} */
export function comparedText(name, comparison) {
  if (!comparison) return `${name}: nothing was trained where you drew`;
  const { rank, before, after, drawn, measured } = comparison;
  const slopes =
    drawn === null || measured === null
      ? ""
      : `you drew a slope of ${minus(drawn.toFixed(2))}, training found ${minus(measured.toFixed(2))}; `;
  if (!rank) return `${name}: ${slopes}off by a factor of ${fmt(before?.factor)}`;
  const start = before ? `before the cliff × ${fmt(before.factor)}; ` : "";
  return `${name}: ${slopes}${start}${cliffText(rank, after)}`;
}

// What was made of the cliff. No praise for a missed one.
/** @type {(rank: number, after: Missed | null) => string} */
function cliffText(rank, after) {
  const at = `mₕ ≥ ${rank}`;
  const why = `${termsText(rank)}: look at mₕ = ${rank > 1 ? `${rank - 1} and ` : ""}${rank} below.`;
  if (!after) return `you drew nothing at ${at}, where it falls. ${why}`;
  const factor = `× ${fmt(after.factor)} at ${at}`;
  if (after.factor < CLIFF) return `you saw the cliff: ${factor}.`;
  return after.above ? `you drew no cliff: ${factor}. ${why}` : `you fell too far: ${factor}.`;
}

const COUNTS = ["", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

function termsText(/** @type {number} */ rank) {
  const count = COUNTS[rank] ?? String(rank);
  if (rank === 1) return "One term needs one direction";
  return `${count} terms need ${count.toLowerCase()} directions`;
}
