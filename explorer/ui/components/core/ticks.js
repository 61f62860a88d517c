// Ticks of an axis: [{value, label}], label "" for the small ones.

import { minus, oneDigit, powerOfTen } from "./numbers.js";

/** @typedef {{value: number, label: string}} Tick */
/** @typedef {(lo: number, hi: number, room: number) => Tick[]} Ticks for so many labels at most */

/** @type {Ticks} */
export function logTicks(lo, hi, room) {
  const first = Math.ceil(Math.log10(lo) - 1e-9);
  const last = Math.floor(Math.log10(hi) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, room)));
  const between = last - first < 2 && Math.log10(hi / lo) * 3 <= room ? [2, 5] : [];
  const ticks = [];
  for (let e = first - 1; e <= last; e++) {
    const decade = between.length ? oneDigit(1, e) : powerOfTen(e);
    ticks.push({ value: 10 ** e, label: (last - e) % every === 0 ? decade : "" });
    if (every > 1) continue;
    for (let m = 2; m < 10; m++)
      ticks.push({ value: m * 10 ** e, label: between.includes(m) ? oneDigit(m, e) : "" });
  }
  return ticks.filter((t) => t.value >= lo * 0.999 && t.value <= hi * 1.001);
}

/** @type {Ticks} */
export function linearTicks(lo, hi, room) {
  const raw = (hi - lo) / Math.max(1, room);
  const unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * ([1, 2, 5].find((m) => m * unit >= raw * 0.999) ?? 10);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; i++) {
    ticks.push({ value: i * step, label: minus((i * step).toFixed(i === 0 ? 0 : digits)) });
  }
  return ticks;
}

/** @type {Ticks} */
export function integerTicks(lo, hi, room) {
  const every = [1, 2, 4, 8, 16, 32].find((m) => (hi - lo + 1) / m <= room) ?? 64;
  const ticks = [];
  for (let k = lo; k <= hi; k++)
    ticks.push({ value: k, label: every === 1 || k % every === 0 || k === lo ? String(k) : "" });
  return ticks;
}

export function niceCeiling(/** @type {number} */ x) {
  const unit = 10 ** Math.floor(Math.log10(x));
  return unit * ([1, 1.5, 2, 3, 4, 5, 7].find((m) => m * unit >= x * 0.999) ?? 10);
}

/**
 * Labels at these values, the first ones first, as far as each is clear of the others; ticks at all.
 * @type {(theme: {size: number}, x: Scale, values: number[], wanted?: number[]) => Tick[]}
 */
export function spacedTicks(theme, x, values, wanted = values) {
  /** @type {number[]} */
  const labelled = [];
  const isClear = (/** @type {number} */ value) =>
    labelled.every((other) => Math.abs(x(value) - x(other)) >= 1.9 * theme.size);
  for (const value of wanted) if (values.includes(value) && isClear(value)) labelled.push(value);
  return values.map((value) => ({ value, label: labelled.includes(value) ? String(value) : "" }));
}

/**
 * The widths between which a coupling of this rank falls to 0: the rank, and the one before.
 * @type {(rank: number | null) => number[]}
 */
export const cliffOf = (rank) => (rank ? [rank, rank - 1].filter((m) => m > 0) : []);
