// The spectrum on log-log axes: where everything is, what is drawn, and what a pointer would take hold of.

import { TITLE, heading, keyRow, keyWidth, plotBox } from "../core/axes.js";
import {
  crisp,
  dot,
  horizontal,
  paintPath,
  polyline,
  stroke,
  upright,
  within,
} from "../core/canvas.js";
import { meets, writeLabels } from "../core/labels.js";
import { clamp, fmt } from "../core/numbers.js";
import { shadeFrom, spectrumAxes, spectrumScales, spectrumValues } from "../core/spectrum.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { cliffOf } from "../core/ticks.js";
import { drawBar, drawFacts } from "./facts.js";
import { leftOut, rateTexts } from "./model.js";

/** @import { Design } from "./design.js" */
/** @import { Line, SigmaRange } from "./model.js" */
/** @import { Draw } from "./panels.js" */
/** @typedef {{x: number, y: number}} Spot */
/** @typedef {Spot & {k: number}} Handle of the law */
/** @typedef {SpectrumPlan & {at: (i: number) => number, mx: number, handle: Handle | null}} Plan */
/** @typedef {Pick<Plan, "y" | "box" | "low">} Heights */
/** @typedef {{what: "dot" | "slope", k: number} | {what: "m" | "tolerance"}} Under the pointer */

export const REACH = 14; // pixels from a dot at which it can be grabbed
const LOWEST = 13.5; // text sizes, below which what is said above takes one line
const ASIDE = 24; // pixels between two handles

/** Where everything is: term i `at` its place by size. `axis` is how far it reaches at least: the boundary after m has its place on it. */
/** @type {(theme: Theme, w: number, h: number, design: Pick<Design["design"], "sigma" | "m" | "order">, range: Pick<SigmaRange, "low" | "high">, line: Line | null, axis?: number) => Plan} */
export function spectrumPlan(theme, w, h, { sigma, m, order }, range, line, axis = m + 1) {
  const box = plotBox(theme, w, h, { left: 3.6, top: isLow(theme, h) ? 4.1 : 5.6, right: 1 });
  const count = Math.max(sigma.length, axis);
  const scales = spectrumScales(box, { count, low: range.low, high: range.high, log: true });
  const { x, y } = scales;
  const mx = Math.min(x(Math.sqrt(m * (m + 1))), box.x + box.w);
  const terms = Math.max(sigma.length, 1);
  const at = (/** @type {number} */ i) => x(1 + (order ? order.indexOf(i) : i));
  return { ...scales, at, mx, handle: line?.grab ? handleOf(box, x, y, terms, line, mx) : null };
}

// The law is held at its right end, or where it leaves the axes; aside of the boundary, which is held too.
/** @type {(box: Box, x: Scale, y: Scale, count: number, line: Line, mx: number) => Handle} */
function handleOf(box, x, y, count, line, mx) {
  const bottom = box.y + box.h - 8;
  const end = Math.max(count, 2) * 1.14;
  const last = Math.abs(x(end) - mx) < ASIDE ? x.invert(mx + ASIDE) : end;
  let low = 1.2;
  let high = last;
  if (y(line.at(last)) <= bottom)
    return { x: x(last), y: Math.max(box.y, y(line.at(last))), k: last };
  for (let i = 0; i < 40; i++) {
    const k = Math.sqrt(low * high);
    if (y(line.at(k)) <= bottom) low = k;
    else high = k;
  }
  return { x: x(low), y: y(line.at(low)), k: low };
}

/** @type {(plan: Heights, s: number) => number} */
export const heightOf = ({ y, box, low }, s) => (s > low ? y(s) : box.y + box.h);

// What lies under the pointer.
/** @type {(plan: Plan, design: Pick<Design["design"], "sigma">, line: Line | null, tolerance: number, px: number, py: number, reach?: number) => Under | null} */
export function hit(plan, design, line, tolerance, px, py, reach = REACH) {
  const { box, x, y, mx, handle } = plan;
  const inside = py >= box.y && py <= box.y + box.h + 12;
  if (Math.abs(px - mx) <= 40 && py < box.y && py > box.y - 30) return { what: "m" };
  if (handle && Math.hypot(px - handle.x, py - handle.y) <= reach)
    return { what: "slope", k: handle.k };
  const held = tolerancePlace(plan, tolerance);
  if (Math.hypot(px - held.x, py - held.y) <= reach) return { what: "tolerance" };
  const k = nearestDot(plan, design.sigma, px, py, reach);
  if (k) return { what: "dot", k };
  if (!inside || px < box.x || px > box.x + box.w) return null;
  if (Math.abs(px - mx) <= 6) return { what: "m" };
  if (Math.abs(py - tolerancePlace(plan, tolerance).y) <= 7 && tolerance > plan.low)
    return { what: "tolerance" };
  const at = x.invert(px);
  if (line?.grab && at > 1.5 && Math.abs(py - y(line.at(at))) <= 9) return { what: "slope", k: at };
  return null;
}

// Where the tolerance is held: at the left end of its line, beside the numbers of the axis and the first
// stem; at the foot of the axis where that is below.
/** @type {(plan: Pick<Plan, "box" | "x" | "y" | "low">, tolerance: number) => Spot} */
export const tolerancePlace = ({ box, x, y, low }, tolerance) => ({
  x: box.x + Math.min(13, (x(1) - box.x) / 2),
  y: tolerance > low ? Math.max(box.y, y(tolerance)) : box.y + box.h,
});

// A dot, or the part of its stem where no other stem is as near.
/** @type {(plan: Plan, sigma: number[], px: number, py: number, reach: number) => number | null} */
function nearestDot(plan, sigma, px, py, reach) {
  /** @type {number | null} */
  let best = null;
  let least = reach;
  sigma.forEach((s, i) => {
    const dx = Math.abs(px - plan.at(i));
    const dy = py - heightOf(plan, s);
    const below = dy > 0 && py <= plan.box.y + plan.box.h;
    const distance = below ? Math.min(Math.hypot(dx, dy), dx + reach - 5) : Math.hypot(dx, dy);
    if (distance < least) {
      least = distance;
      best = i + 1;
    }
  });
  return best;
}

// Values of the dots between two points of a stroke of the brush: [[place from 0 on, σ], …].
/** @type {(plan: Pick<Plan, "count" | "x" | "y">, from: Place, to: Place) => [number, number][]} */
export function painted(plan, from, to) {
  const [a, b] = from.px <= to.px ? [from, to] : [to, from];
  /** @type {[number, number][]} */
  const result = [];
  for (let k = 1; k <= plan.count; k++) {
    const px = plan.x(k);
    const half = Math.min(4, (plan.x(k + 1) - px) / 2);
    if (px < a.px - half || px > b.px + half) continue;
    const t = b.px > a.px ? clamp((px - a.px) / (b.px - a.px), 0, 1) : 1;
    result.push([k - 1, plan.y.invert(a.py + t * (b.py - a.py))]);
  }
  return result;
}

// ---- drawing

/** @type {Draw} */
export function drawSpectrum(ctx, theme, w, h, view) {
  const { design, line, tolerance } = view;
  const { sigma, order } = design;
  const least = Math.max(design.m + 1, view.extents.terms?.[1] ?? 0);
  const axis = view.drag?.what === "m" ? view.plan?.count : least; // at rest under the hand
  const plan = (view.plan = spectrumPlan(theme, w, h, design, view.range, line, axis));
  const { box } = plan;
  drawHead(ctx, theme, w, h, view);
  if (inOrder(design)) shadeFrom(ctx, theme, box, plan.mx);
  spectrumAxes(ctx, theme, plan, box, cliffOf(view.exact));
  if (!sigma.length)
    write(ctx, theme, "every σ_k is 0", box.x + 12, box.y + 2 * theme.size, { colour: theme.grey });
  drawTolerance(ctx, theme, plan, tolerance, view.over === "tolerance");
  drawLine(ctx, theme, plan, line, sigma.length, view.over === "slope");
  order.forEach((i, place) => drawDot(ctx, theme, plan, sigma[i], i, view, place + 1));
  const held = view.drag?.what === "slope" ? view.drag : null;
  const grip = held && line ? gripAt(plan, line, held.k) : plan.handle;
  if (line?.grab && grip) drawGrip(ctx, theme, grip, view.over === "slope");
  drawGrip(ctx, theme, tolerancePlace(plan, tolerance), view.over === "tolerance", 6.5);
  drawBoundary(ctx, theme, plan, view);
  spectrumValues(ctx, plan, view.learned.sigma, theme.second, (x, y) =>
    learnedMark(ctx, theme, x, y),
  );
  const taken = labelSpectrum(ctx, theme, plan, view);
  drawTriangle(ctx, theme, plan, line, taken);
  return spectrumSentence(view);
}

// The name, what the dots are and what is known of them: in one line where there is no height for more.
/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Design) => void} */
function drawHead(ctx, theme, w, h, view) {
  const [title, key] = ["Spectrum σ_k", spectrumKey(theme, view)];
  const low = isLow(theme, h);
  const beside = heading(ctx, theme, title, 0, low ? w : w - 116, key);
  const rest = w - keyWidth(ctx, theme, key) - 16;
  if (low) return drawBar(ctx, theme, view, measure(ctx, theme, title, TITLE), beside ? rest : w);
  if (!beside) keyRow(ctx, theme, key, w, 2.95 * theme.size);
  drawFacts(ctx, theme, view, beside ? w : rest);
}

/** @type {(theme: Theme, h: number) => boolean} */
const isLow = (theme, h) => h < LOWEST * theme.size;

// Beside the dots, which they may lie upon.
/** @type {(ctx: Ctx, theme: Theme, x: number, y: number) => void} */
const learnedMark = (ctx, theme, x, y) =>
  symbol(ctx, "diamond", x, y, 4.4, { fill: theme.second, line: theme.paper });

/** @type {(theme: Theme, view: Design) => KeyEntry[]} */
function spectrumKey(theme, { design, isKept, tolerance, learned }) {
  /** @type {Record<string, KeyEntry["mark"]>} */
  const marks = {
    kept: (c, x, y) => dot(c, x, y, 4.5, { fill: theme.ink }),
    "left out": (c, x, y) => dot(c, x, y, 4, { fill: theme.paper, line: theme.ink }),
    "below the tolerance": (c, x, y) => cross(c, x, y, 4, theme.ink),
    learned: (c, x, y) => learnedMark(c, theme, x, y),
  };
  const parts = new Set(design.sigma.map((s, i) => partOf(s, isKept[i], tolerance)));
  if (learned.sigma.length) parts.add("learned");
  return Object.keys(marks)
    .filter((text) => parts.has(text))
    .map((text) => ({ text, mark: marks[text] }));
}

// Always so, but while one is dragged past another.
const inOrder = (/** @type {Design["design"]} */ { sigma, order }) =>
  order.every((i, place) => place === 0 || sigma[i] <= sigma[order[place - 1]]);

/** @type {(s: number, isKept: boolean, tolerance: number) => string} */
export const partOf = (s, isKept, tolerance) =>
  s <= tolerance ? "below the tolerance" : isKept ? "kept" : "left out";

/** @type {(ctx: Ctx, x: number, y: number, r: number, colour: string) => void} */
function cross(ctx, x, y, r, colour) {
  polyline(ctx, colour, 1.5, [x - r, y - r], [x + r, y + r]);
  polyline(ctx, colour, 1.5, [x - r, y + r], [x + r, y - r]);
}

/** Dots shrink where they stand close. @type {(plan: Plan, k: number) => number} */
function radius({ x }, k) {
  return clamp(0.42 * (x(k + 1) - x(k)), 2.2, 6);
}

/** @type {(ctx: Ctx, theme: Theme, plan: Plan, s: number, i: number, view: Design, place: number) => void} */
function drawDot(ctx, theme, plan, s, i, view, place) {
  const px = plan.x(place);
  const py = heightOf(plan, s);
  const bottom = plan.box.y + plan.box.h;
  const part = partOf(s, view.isKept[i], view.tolerance);
  const chosen = i + 1 === view.k;
  const highlighted = chosen || view.over === i + 1;
  const r = radius(plan, place) + (highlighted ? 1.5 : 0);
  const colour = chosen ? theme.accent : theme.ink;
  polyline(
    ctx,
    part === "kept" || chosen ? colour : theme.line,
    chosen ? 1.6 : 1,
    [px, bottom],
    [px, py],
  );
  if (part === "below the tolerance" && s > 0)
    return cross(ctx, px, Math.min(py, bottom - 5), Math.max(3, r - 1), colour);
  const width = clamp(0.3 * r, 0.9, 1.6);
  if (part === "kept") return dot(ctx, px, py, r, { fill: colour });
  dot(ctx, px, py, r - width / 2, { fill: theme.paper, line: colour, width });
}

/** @type {(ctx: Ctx, theme: Theme, plan: Plan, tolerance: number, highlighted: boolean) => void} */
function drawTolerance(ctx, theme, plan, tolerance, highlighted) {
  const colour = highlighted ? theme.accent : theme.grey;
  if (tolerance > plan.low) {
    const { y } = tolerancePlace(plan, tolerance);
    horizontal(ctx, plan.box, y, colour, highlighted ? 2 : 1.2, [2, 4]);
  }
}

/** @type {(ctx: Ctx, theme: Theme, plan: Plan, line: Line | null, terms: number, highlighted: boolean) => void} */
function drawLine(ctx, theme, plan, line, terms, highlighted) {
  if (!line) return;
  const { box, x, y } = plan;
  const last = Math.max(Math.max(terms, 2) * 1.14, plan.handle?.k ?? 0);
  const places = Array.from({ length: 81 }, (_, i) => 0.95 * (last / 0.95) ** (i / 80));
  const points = places.map((k) => [x(k), y(line.at(k))]);
  const colour = highlighted ? theme.accent : line.grab ? theme.grey : theme.line;
  within(ctx, box, 0, () => stroke(ctx, colour, highlighted ? 2.2 : 1.6, points, [1.5, 4]));
}

/** @type {(plan: Plan, line: Line, k: number) => Spot} */
const gripAt = (plan, line, k) => ({
  x: plan.x(k),
  y: clamp(plan.y(line.at(k)), plan.box.y, plan.box.y + plan.box.h),
});

// A round handle that moves up and down.
/** @type {(ctx: Ctx, theme: Theme, at: Spot, highlighted: boolean, r?: number) => void} */
export function drawGrip(ctx, theme, at, highlighted, r = 8) {
  const paint = { fill: theme.paper, line: theme.accent, width: highlighted ? 2.6 : 2 };
  dot(ctx, at.x, at.y, highlighted ? r + 1 : r, paint);
  for (const way of [-1, 1]) {
    const [back, tip] = [1.6, 4.6].map((far) => at.y + way * far);
    polyline(ctx, theme.accent, 1.6, [at.x - 3, back], [at.x, tip], [at.x + 3, back]);
  }
}

// The edge between what is kept and what is left out, with the number m above it to take hold of.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, view: Design) => void} */
function drawBoundary(ctx, theme, { box, mx }, { design: { m }, exact, over }) {
  const highlighted = over === "m";
  const text = widthWords(m, exact);
  const wide = measure(ctx, theme, text, { weight: 600 }) + 30;
  const high = 1.7 * theme.size;
  const left = clamp(mx - wide / 2, 0, box.x + box.w - wide);
  const top = box.y - high - 4;
  const middle = top + high / 2;
  polyline(
    ctx,
    theme.accent,
    highlighted ? 2.4 : 1.6,
    [crisp(mx), top + high],
    [crisp(mx), box.y + box.h],
  );
  ctx.beginPath();
  ctx.roundRect(left, top, wide, high, high / 2);
  paintPath(ctx, { fill: theme.paper, line: theme.accent, width: highlighted ? 2.4 : 1.6 });
  /** @type {Style} */
  const style = { align: "center", baseline: "middle", weight: 600, colour: theme.accent };
  write(ctx, theme, text, left + wide / 2, middle + 0.5, style);
  for (const way of [-1, 1]) {
    const [edge, tip] = [wide / 2 - 12, wide / 2 - 8.4].map((far) => left + wide / 2 + way * far);
    const ends = [middle - 3, middle + 3].map((y) => [edge, y]);
    polyline(ctx, theme.accent, 1.6, ends[0], [tip, middle], ends[1]);
  }
}

/** @type {(m: number, exact: number | null) => string} */
function widthWords(m, exact) {
  if (!exact || m < exact) return `m = ${m}`;
  return `m = ${m}${m > exact ? ` ≥ ${exact}` : ""}: all kept`;
}

// The dot under the pointer, or the chosen one, by its value, and the tolerance; returns the room that they take.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, view: Design) => Box[]} */
function labelSpectrum(ctx, theme, plan, view) {
  const { box } = plan;
  const { tolerance, over, design } = view;
  const { sigma, order } = design;
  const k = typeof over === "number" ? over : view.k;
  const held = tolerancePlace(plan, tolerance);
  const text = toleranceName(ctx, theme, plan, tolerance);
  const colour = over === "tolerance" ? theme.accent : theme.grey;
  const name = { text, ...held, gap: 10, sides: ["ne", "se", "e"], colour };
  /** @type {Label[]} */
  const labels = [{ ...name, ...quietly(theme, plan, held, view) }];
  if (sigma[k - 1] !== undefined)
    labels.push({
      text: `σ_{${k}} = ${fmt(sigma[k - 1], 3)}`,
      x: plan.at(k - 1),
      y: heightOf(plan, sigma[k - 1]),
      gap: radius(plan, order.indexOf(k - 1) + 1) + 6,
      priority: 1,
      weight: 600,
      colour: k === view.k ? theme.accent : theme.ink,
    });
  const spots = writeLabels(ctx, theme, labels, {
    bounds: { ...box, x: box.x + 2, w: box.w - 4 },
    ...inkOfSpectrum(plan, design, held),
  });
  return spots.flatMap((spot) => (spot ? [spot.box] : []));
}

// In full where it fits before the second stem.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, tolerance: number) => string} */
function toleranceName(ctx, theme, { x, low }, tolerance) {
  const value = fmt(tolerance).replace("1.0·", "");
  if (tolerance > low) return `tolerance ${value}`;
  const name = `tolerance ${value} ↓`;
  return measure(ctx, theme, name) < x(2) - x(1) - 8 ? name : `tol. ${value} ↓`;
}

// What the labels keep clear of: dots on their stems, the boundary, the handle of the tolerance.
/** @type {(plan: Plan, design: Pick<Design["design"], "sigma" | "order">, held: Spot) => {curves: Points[], marks: Points}} */
function inkOfSpectrum(plan, { sigma, order }, held) {
  const { box, x, mx } = plan;
  const bottom = box.y + box.h;
  const tops = order.map((i, place) => [x(place + 1), heightOf(plan, sigma[i])]);
  const stems = tops.map(([px, py]) => upright({ y: py, h: bottom - py }, px));
  return {
    curves: [...stems, upright(box, mx), tops],
    marks: [...tops.map(([px, py]) => [px, py, 5]), [held.x, held.y, 8]],
  };
}

// Where letters are large for the picture, the tolerance is named along its line alone and over nothing, or when it is looked at.
/** @type {(theme: Theme, plan: Plan, held: Spot, view: Design) => Partial<Label>} */
function quietly(theme, { box }, held, { over, drag }) {
  if (over === "tolerance" || drag?.what === "tolerance" || box.w > 25 * theme.size) return {};
  const high = Math.min(2 * theme.size, held.y - box.y);
  const bounds = { x: box.x + 2, y: held.y - high, w: box.w - 4, h: high };
  return { optional: true, leads: false, bounds };
}

// Above the decay line, in the first place where it is clear of the label and the axes.
/** @type {(ctx: Ctx, theme: Theme, plan: Plan, line: Line | null, taken: Box[]) => void} */
function drawTriangle(ctx, theme, plan, line, taken) {
  const texts = rateTexts(line);
  if (!line || !texts) return;
  const { box, x, y } = plan;
  const wide = measure(ctx, theme, texts.slope, { weight: 600 });
  for (const from of [0.56, 0.4, 0.7, 0.22]) {
    const left = box.x + from * box.w;
    const right = left + 0.13 * box.w;
    const [top, bottom] = [left, right].map((at) => y(line.at(x.invert(at))) - 18);
    const high = Math.max(1.4 * theme.size, bottom - top);
    const label = { x: right + 8, y: top - 0.3 * theme.size, w: wide, h: high };
    const clear =
      top > box.y + 0.6 * theme.size &&
      bottom < box.y + box.h - 6 &&
      label.x + wide < box.x + box.w &&
      !taken.some((room) => meets(label, room)) &&
      (plan.mx <= left - 6 || plan.mx >= label.x + wide);
    if (!clear) continue;
    /** @type {Style} */
    const style = { baseline: "middle", weight: 600, colour: theme.grey, halo: true };
    write(ctx, theme, texts.slope, label.x, (top + Math.max(bottom, top)) / 2, style);
    const corners = [
      [left, top],
      [right, top],
      [right, bottom],
      [left, top],
    ];
    if (bottom - top > 6) stroke(ctx, theme.grey, 1.5, corners);
    return;
  }
}

function spectrumSentence(/** @type {Design} */ { design, k, isKept, tolerance, line, beyond }) {
  const s = design.sigma[k - 1];
  const { tail } = leftOut(design.sigma, isKept, beyond);
  const rate = rateTexts(line);
  if (s === undefined) return "Spectrum: every σ is 0";
  return (
    `σ ${k} of ${design.sigma.length} is ${fmt(s, 3)}, ${partOf(s, isKept[k - 1], tolerance)}; m ${design.m} leaves ${fmt(tail)} of the squares` +
    (rate ? `; slope ${rate.slope}` : "")
  );
}
