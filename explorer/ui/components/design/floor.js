// The truncation floor under the spectrum, on the same axis: both norms, the trained runs, and the width that an error needs.

import { axisX, axisY, heading } from "../core/axes.js";
import { crisp, dot, horizontal, scale, stroke, vertical, within } from "../core/canvas.js";
import { clamp, fmt, minus } from "../core/numbers.js";
import { kTicks } from "../core/spectrum.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks } from "../core/ticks.js";
import { errorRate } from "./model.js";
import { REACH, drawGrip } from "./spectrum.js";

const NMSE = 0;
const MAE = 1;
const NAMES = ["nMSE", "MAE"];
const normOf = (view) => (view.norm === "mae" ? MAE : NMSE);

// Values of one norm at m ≥ 1 as [m, error, half-width], without the zeros that have no place on a log axis.
export function floorPoints({ shape: [, count], values }, norm) {
  const points = [];
  for (let m = 1; m < count; m++) {
    const error = values[norm * count + m];
    if (error > 0) points.push([m, error, values[(norm + 2) * count + m]]);
  }
  return points;
}

// The least m whose floor is at most `error`, and what the ends of its 95% interval say; null where the widths that were computed are not enough.
/** @returns {[number, number, number]} */
export function widthFor({ shape: [, count], values }, error, norm = "mse") {
  const row = normOf({ norm });
  const end = (m, side) => values[row * count + m] + side * values[(row + 2) * count + m];
  const first = (side) => {
    for (let m = 0; m < count; m++) if (end(m, side) <= error) return m;
    return null;
  };
  return [first(0), first(-1), first(1)];
}

export function widthText([m, low, high], count) {
  const text = (width) => (width === null ? `> ${count - 1}` : `${width}`);
  return low === high ? text(m) : `${text(m)} (95%: ${text(low)}–${text(high)})`;
}

function floorRange(lists, trained, error) {
  const all = [...lists.flat().map(([, e]) => e), ...trained.map(([, e]) => e), error];
  return [
    10 ** (Math.floor(2 * Math.log10(Math.min(...all) / 1.3)) / 2),
    10 ** (Math.ceil(2 * Math.log10(Math.max(...all) * 1.1)) / 2),
  ];
}

// Every picture under the spectrum shares its k axis: an m stands below its σ_m.
function floorPlan(theme, w, h, view) {
  const s = theme.size;
  const { box: above, x, mx } = view.plan;
  const lists = [NMSE, MAE].map((norm) => floorPoints(view.floor, norm));
  const box = { x: above.x, y: 2.6 * s, w: above.w, h: h - 5.9 * s };
  const [low, high] =
    view.drag?.what === "error" ? view.drag.range : floorRange(lists, view.trained, view.error);
  return { box, x, mx, lists, low, high, y: scale(low, high, box.y + box.h, box.y, true) };
}

export function drawFloor(ctx, theme, w, h, view) {
  const plan = (view.floorPlan = floorPlan(theme, w, h, view));
  const { box, x, y, mx, lists } = plan;
  const colours = [theme.ink, theme.second];
  heading(ctx, theme, "Truncation: first m terms alone", 0, w - 4, floorKey(theme, colours, view));
  axisY(ctx, theme, box, y, logTicks(plan.low, plan.high, box.h / (2 * theme.size)));
  axisX(ctx, theme, box, x, kTicks(theme, view.plan), "m");
  ctx.globalAlpha = stale(view) ? 0.35 : 1;
  within(ctx, box, 6, () => {
    drawRate(ctx, theme, plan, view);
    lists.forEach((points, norm) => drawNorm(ctx, theme, plan, points, norm, colours[norm]));
    for (const [m, nmse] of view.trained)
      symbol(ctx, "diamond", x(m), y(nmse), 5.5, { fill: theme.accent });
  });
  ctx.globalAlpha = 1;
  vertical(ctx, box, mx, theme.accent, 1.6);
  const width = drawWanted(ctx, theme, plan, view);
  /** @type {import("../core/text.js").Style} */
  const style = { align: "right", colour: theme.grey, halo: true };
  write(ctx, theme, noteOf(view), box.x + box.w - 4, box.y + theme.size, style);
  labelWidth(ctx, theme, plan, view);
  return floorSentence(view, width);
}

function floorKey(theme, colours, { trained }) {
  const norms = NAMES.map((text, norm) => ({
    text,
    mark: (ctx, x, y) => floorMark(ctx, theme, norm, x, y, colours[norm]),
  }));
  const diamond = (ctx, x, y) => symbol(ctx, "diamond", x, y, 4.6, { fill: theme.accent });
  return trained.length ? [...norms, { text: "trained", mark: diamond }] : norms;
}

function noteOf(view) {
  if (stale(view)) return "follows on release";
  return view.exact === null
    ? "an upper bound: training may go below"
    : `0 from m = ${view.exact} on`;
}

// What is drawn is of another spectrum while this one is being changed.
export const stale = (view) => JSON.stringify(view.design.sigma) !== view.floorOf;

// The mark of a norm at a place.
function floorMark(ctx, theme, norm, x, y, colour) {
  if (norm === NMSE) return dot(ctx, x, y, 3.4, { fill: colour });
  symbol(ctx, "square", x, y, 3.4, { fill: theme.paper, line: colour, width: 1.4 });
}

function drawNorm(ctx, theme, { x, y, low }, points, norm, colour) {
  const line = points.map(([m, e]) => [x(m), y(e)]);
  stroke(ctx, colour, 1.3, line, [5, 3]);
  for (const [m, e, half] of points) {
    stroke(ctx, colour, 1.6, [
      [x(m), y(e + half)],
      [x(m), y(Math.max(e - half, low, e / 10))],
    ]);
    floorMark(ctx, theme, norm, x(m), y(e), colour);
  }
}

// Theory: m^−(2α−1) of the law as it stands now, through the floor at m = 4.
function drawRate(ctx, theme, { x, y, lists, box }, { line, floor }) {
  const points = lists[NMSE];
  const anchor = points[Math.min(3, points.length - 1)];
  const exponent = errorRate(line);
  if (exponent === null || points.length < 6) return;
  const rate = (m) => anchor[1] * (m / anchor[0]) ** exponent;
  const last = floor.shape[1] - 1;
  const ends = [1, last].map((m) => [x(m), y(rate(m))]);
  stroke(ctx, theme.grey, 1.6, ends, [1.5, 4]);
  const text = `−(2α−1) = ${minus(exponent.toFixed(2))}`;
  if (x(last) + 10 + measure(ctx, theme, text) < box.x + box.w)
    write(ctx, theme, text, x(last) + 10, y(rate(last)), {
      baseline: "middle",
      colour: theme.grey,
      halo: true,
    });
}

// Points of a curve, and those half way between them on log axes.
const along = (points) =>
  points.flatMap(([m, e], i) =>
    i
      ? [
          [Math.sqrt(m * points[i - 1][0]), Math.sqrt(e * points[i - 1][1])],
          [m, e],
        ]
      : [[m, e]],
  );

// Where the words of the wanted error stand: above or below its line, as near and as far left as no mark is under them.
function wantedAt(theme, { box, x, y, lists }, at, wide) {
  const s = theme.size;
  const points = lists.flatMap(along).map(([m, e]) => [x(m), y(e)]);
  const free = box.y + 1.4 * s; // above it is the note
  const bases = [at - 7, at + 1.25 * s, at + 2.5 * s].filter(
    (base) => base - s > box.y && base + 4 < box.y + box.h,
  );
  const lefts = Array.from({ length: 9 }, (_, i) => box.x + 8 + (i / 8) * (box.w - wide - 24));
  const places = lefts.flatMap((left, i) =>
    bases.filter((base) => !i || base - s > free).map((base) => ({ left, base })),
  );
  const met = ({ left, base }) =>
    points.filter(
      ([px, py]) => px > left - 6 && px < left + wide + 6 && py > base - s - 3 && py < base + 8,
    ).length;
  return places.sort((a, b) => met(a) - met(b))[0] ?? { left: box.x + 8, base: at - 7 };
}

// The error that is wanted, to be moved, and the width it needs, which is returned.
function drawWanted(ctx, theme, plan, view) {
  const { box, y, x, low, high } = plan;
  const { error } = view;
  const highlighted = view.over === "error" || view.drag?.what === "error";
  const at = crisp(y(clamp(error, low, high)));
  const width = widthFor(view.floor, error, view.norm);
  const [m] = width;
  horizontal(ctx, box, y(clamp(error, low, high)), theme.accent, highlighted ? 2 : 1.2, [2, 3]);
  const down = { ...box, y: at, h: box.y + box.h - at };
  if (m > 0 && m <= view.plan.count) vertical(ctx, down, x(m), theme.accent, 1.2, [2, 3]);
  const text = `${NAMES[normOf(view)]} ≤ ${fmt(error)}: m = ${widthText(width, view.floor.shape[1])}`;
  const style = { colour: theme.accent, weight: 600, halo: true };
  const place = wantedAt(theme, plan, at, measure(ctx, theme, text, style));
  write(ctx, theme, text, place.left, place.base, style);
  drawGrip(ctx, theme, { x: box.x + box.w, y: at }, highlighted, 7);
  return width;
}

const floorAt = (view, m) => view.floor.values[normOf(view) * view.floor.shape[1] + m];

// The floor at the chosen m, beside the boundary.
function labelWidth(ctx, theme, { x, y }, view) {
  const {
    design: { m },
    floor,
  } = view;
  const error = floorAt(view, m);
  if (!(error > 0) || m >= floor.shape[1] || stale(view)) return;
  dot(ctx, x(m), y(error), 5, { fill: theme.accent, line: theme.paper });
  write(ctx, theme, fmt(error), x(m) + 14, y(error) - 0.7 * theme.size, {
    colour: theme.accent,
    weight: 600,
    halo: true,
  });
}

// What lies under the pointer: the wanted error, the boundary, or a width to choose.
export function hitFloor({ box, x, y, mx, low, high }, { error, floor }, px, py, reach = REACH) {
  const at = y(clamp(error, low, high));
  if (
    Math.hypot(px - box.x - box.w, py - at) <= reach ||
    (px > box.x && px < box.x + box.w && Math.abs(py - at) <= 7)
  )
    return { what: "error" };
  if (py < box.y || py > box.y + box.h + 12 || px < box.x) return null;
  if (Math.abs(px - mx) <= 7) return { what: "m" };
  const m = Math.round(x.invert(px));
  return m >= 1 && m < floor.shape[1] && Math.abs(px - x(m)) <= reach ? { what: "width", m } : null;
}

function floorSentence(view, width) {
  const { m } = view.design;
  const { floor, error, exact } = view;
  const name = NAMES[normOf(view)];
  const there = m < floor.shape[1] ? fmt(floorAt(view, m)) : "not computed";
  return (
    `m ${m} leaves ${name} ${there}; ${name} ${fmt(error)} needs m ${widthText(width, floor.shape[1])}` +
    (exact === null ? "" : `; 0 from m ${exact} on`)
  );
}
