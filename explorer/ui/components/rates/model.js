// What is drawn of a sweep: ranges, places, the reader's own curve and how far it was off. Nothing here draws.

import { clamp, fmt, leastSquares, minus } from "../core/numbers.js";

export const MOST_PANELS = 4;
const LEAST = 1e-20;
const DEEP = 1e-8; // truncation down to there is never cut

// All heights that are drawn: [low, high] for all panels alike; floors that fall far below what was trained are cut.
export function heightRange(panels, training) {
  const series = panels.flatMap((p) => p.series);
  const of = (pick) => series.flatMap(pick).filter((e) => e > LEAST);
  const trained = [
    ...of((s) => s.points.map((p) => p.error)),
    ...(training?.points ?? []).map((p) => p.error),
  ];
  const floors = of((s) => [...s.floor, ...s.optimum, ...s.tail].map(([, e]) => e));
  const least = trained.length ? Math.min(...trained) : Math.min(...floors, 1);
  const seen = [...trained, ...floors.filter((e) => e > Math.min(least / 30, DEEP))];
  if (!seen.length) return [1e-4, 1];
  return [Math.min(...seen) / 2.2, Math.max(...seen) * 2];
}

// Theory's line through the first trained error, or the first of the floor: its ends, and the part above `low`.
export function lawOf({ theory, line, floor }, widths, low) {
  const anchor = line[0] ?? floor[0];
  if (theory === null || !anchor) return null;
  const last = widths.at(-1);
  const at = (m) => anchor[1] * (m / anchor[0]) ** theory;
  const end = at(last) >= low ? last : anchor[0] * (low / anchor[1]) ** (1 / theory);
  return [
    [anchor[0], anchor[1]],
    [end, at(end)],
  ];
}

// The points of a series at a width, one for each seed, in the order of seeds.
export const seedsAt = (series, m_h) =>
  series.points.filter((p) => p.m_h === m_h).sort((a, b) => a.seed - b.seed);

export const trainedWidths = (series) =>
  [...new Set(series.points.map((p) => p.m_h))].sort((a, b) => a - b);

// The model whose surgery belongs to a chosen one: of its seed if there is one, else of any.
export function surgeryOf(series, seed) {
  const cut = series.points.filter((p) => p.surgery);
  return cut.find((p) => p.seed === seed) ?? cut[0] ?? null;
}

// Errors at rank k: the widest model cut, the model trained at that width, the floor; null where there is none.
export function atRank(series, model, k) {
  const find = (pairs) => pairs.find(([m]) => m === k)?.[1] ?? null;
  const cut = model ? (k === model.m_h ? model.error : (model.surgery[k - 1] ?? null)) : null;
  return { cut, trained: find(series.line), floor: find(series.floor) };
}

// A stroke from one point to another sets the prediction at the widths it passes, straight on log axes.
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
 * How a drawn curve, {m: error}, compares with the measured one: before the rank and from it on, each by the median factor
 * between them and by whether the drawn one is above it; slopes are of what is before. Null where both have no width.
 */
export function compared(drawn, { line, rank }) {
  const both = line.filter(([m]) => drawn[m] !== undefined);
  if (!both.length) return null;
  const before = both.filter(([m]) => !rank || m < rank);
  const after = both.filter(([m]) => rank && m >= rank);
  const slope = (of) =>
    before.length > 1
      ? leastSquares(before.map(([m, e]) => [Math.log(m), Math.log(of(m, e))])).slope
      : null;
  return {
    rank: fallsAt(line, rank) ? rank : null,
    before: factorBetween(drawn, before),
    after: factorBetween(drawn, after),
    drawn: slope((m) => drawn[m]),
    measured: slope((_, e) => e),
  };
}

// Whether training found a cliff: the error at the rank is far below that of the width before it.
function fallsAt(line, rank) {
  const last = line.findLast(([m]) => m < rank);
  const first = line.find(([m]) => m >= rank);
  return Boolean(rank && last && first && last[1] >= CLIFF * first[1]);
}

// The median factor between a drawn and a measured curve, at least 1, and which is higher.
function factorBetween(drawn, pairs) {
  if (!pairs.length) return null;
  const logs = pairs.map(([m, e]) => Math.log(drawn[m] / e)).sort((a, b) => a - b);
  const middle = (logs[(logs.length - 1) >> 1] + logs[logs.length >> 1]) / 2;
  const off = logs.map(Math.abs).sort((a, b) => a - b);
  const far = (off[(off.length - 1) >> 1] + off[off.length >> 1]) / 2;
  return { factor: Math.exp(far), above: middle > 0 };
}

export function comparedText(name, comparison) {
  if (!comparison) return `${name}: nothing was trained where you drew`;
  const { rank, before, after, drawn, measured } = comparison;
  const slopes =
    drawn === null
      ? ""
      : `you drew a slope of ${minus(drawn.toFixed(2))}, training found ${minus(measured.toFixed(2))}; `;
  if (!rank) return `${name}: ${slopes}off by a factor of ${fmt((before ?? after).factor)}`;
  const start = before ? `before the cliff × ${fmt(before.factor)}; ` : "";
  return `${name}: ${slopes}${start}${cliffText(rank, after)}`;
}

// What was made of the cliff. No praise for a missed one.
function cliffText(rank, after) {
  const at = `mₕ ≥ ${rank}`;
  const why = `${termsText(rank)}: look at mₕ = ${rank > 1 ? `${rank - 1} and ` : ""}${rank} below.`;
  if (!after) return `you drew nothing at ${at}, where it falls. ${why}`;
  const factor = `× ${fmt(after.factor)} at ${at}`;
  if (after.factor < CLIFF) return `you saw the cliff: ${factor}.`;
  return after.above ? `you drew no cliff: ${factor}. ${why}` : `you fell too far: ${factor}.`;
}

const COUNTS = ["", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"];

function termsText(rank) {
  const count = COUNTS[rank] ?? String(rank);
  if (rank === 1) return "One term needs one direction";
  return `${count} terms need ${count.toLowerCase()} directions`;
}
