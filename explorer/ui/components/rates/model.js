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

// How a drawn curve, {m: error}, compares with the measured one: slopes over its widths, and the median factor between them.
export function compared(drawn, series) {
  const both = series.line.filter(([m]) => drawn[m] !== undefined);
  const inside = both.filter(([m]) => !series.rank || m < series.rank);
  const used = inside.length > 1 ? inside : both;
  if (!used.length) return null;
  const factors = used.map(([m, e]) => Math.abs(Math.log(drawn[m] / e))).sort((a, b) => a - b);
  const middle = (factors[(factors.length - 1) >> 1] + factors[factors.length >> 1]) / 2;
  const slope = (of) =>
    used.length > 1
      ? leastSquares(used.map(([m, e]) => [Math.log(m), Math.log(of(m, e))])).slope
      : null;
  return { factor: Math.exp(middle), drawn: slope((m) => drawn[m]), measured: slope((_, e) => e) };
}

export function comparedText(name, comparison) {
  if (!comparison) return `${name}: nothing was trained where you drew`;
  const slopes =
    comparison.drawn === null
      ? ""
      : `you drew a slope of ${minus(comparison.drawn.toFixed(2))}, training found ${minus(comparison.measured.toFixed(2))}; `;
  return `${name}: ${slopes}off by a factor of ${fmt(comparison.factor)} in the median`;
}
