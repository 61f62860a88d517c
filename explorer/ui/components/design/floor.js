// The truncation floor under the spectrum, on the same axis: both norms, the trained runs, and the width that an error needs.

import { axisX, axisY, heading } from "../core/axes.js";
import {
  across,
  areaUnder,
  crisp,
  dot,
  horizontal,
  polyline,
  scale,
  stroke,
  upright,
  vertical,
  within,
} from "../core/canvas.js";
import { keyLabel, writeLabels } from "../core/labels.js";
import { clamp, fmt, minus, partInWords } from "../core/numbers.js";
import { kTicks } from "../core/spectrum.js";
import { measure } from "../core/text.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { cliffOf, logTicks } from "../core/ticks.js";
import { drawFall, drawLane, withLane } from "../core/zero-lane.js";
import { errorRate } from "./model.js";
import { REACH, drawGrip } from "./spectrum.js";

/** @import { Design } from "./design.js" */
/** @import { Plan } from "./spectrum.js" */
/** @typedef {[number, number, number]} Triple m, error and half its width */
/** @typedef {[number | null, number | null, number | null]} Width that an error needs, and the ends of its interval */
/** @typedef {{box: Box, foot: Box, lane: Lane | null, x: Scale, y: Scale, mx: number, lists: Triple[][], low: number, high: number}} FloorPlan */
/** @typedef {{ends: Points, text: string}} Rate */
/** @typedef {{what: "run", run: string} | {what: "width", m: number} | {what: "error" | "m"}} UnderFloor what is under the pointer */
/** @typedef {{text: string | string[], width: Width, at: number, x: number}} Wanted */

const NMSE = 0;
const MAE = 1;
const NAMES = ["nMSE", "MAE"];
/** @type {(view: {norm: string}) => number} */
const normOf = (view) => (view.norm === "mae" ? MAE : NMSE);
export const normName = (/** @type {{norm: string}} */ view) => NAMES[normOf(view)];

// Values of one norm at m ≥ 1 as [m, error, half-width], without the zeros that have no place on a log axis.
/** @type {(floor: Packed, norm: number) => Triple[]} */
export function floorPoints({ shape: [, count], values }, norm) {
  /** @type {Triple[]} */
  const points = [];
  for (let m = 1; m < count; m++) {
    const error = values[norm * count + m];
    if (error > 0) points.push([m, error, values[(norm + 2) * count + m]]);
  }
  return points;
}

// The least m whose floor is at most `error`, and what the ends of its 95% interval say; the rank, or null, where the widths that were computed are not enough.
/** @type {(floor: Packed, error: number, norm?: string, exact?: number | null) => Width} */
export function widthFor({ shape: [, count], values }, error, norm = "mse", exact = null) {
  const row = normOf({ norm });
  const end = (/** @type {number} */ m, /** @type {number} */ side) =>
    values[row * count + m] + side * values[(row + 2) * count + m];
  const first = (/** @type {number} */ side) => {
    for (let m = 0; m < count; m++) if (end(m, side) <= error) return m;
    return exact;
  };
  return [first(0), first(-1), first(1)];
}

/** @type {(width: Width, count: number) => string} */
export function widthText([m, low, high], count) {
  const text = (/** @type {number | null} */ width) =>
    width === null ? `> ${count - 1}` : `${width}`;
  return low === high ? text(m) : `${text(m)} (95%: ${text(low)}–${text(high)})`;
}

// The same as an equation, or an inequality where the widths that were computed are not enough.
/** @type {(width: Width, count: number) => string} */
export function widthIs(width, count) {
  return `${width[0] === null ? "m" : "m ="} ${widthText(width, count)}`;
}

/** @type {(lists: Triple[][], view: Design) => [number, number]} */
function floorRange(lists, { trained, error, extents }) {
  const drawn = [...lists.flat().map(([, e]) => e), ...trained.map(([, e]) => e)];
  const all = [...drawn, error, ...(extents.floor ?? [])];
  return [
    10 ** (Math.floor(2 * Math.log10(Math.min(...all) / 1.3)) / 2),
    10 ** (Math.ceil(2 * Math.log10(Math.max(...all) * 1.1)) / 2),
  ];
}

// Every picture under the spectrum shares its k axis: an m stands below its σ_m.
/** @type {(theme: Theme, h: number, view: Design, above: Plan) => FloorPlan} */
function floorPlan(theme, h, view, { box: above, x, mx }) {
  const s = theme.size;
  const lists = [NMSE, MAE].map((norm) => floorPoints(view.floor, norm));
  const foot = { x: above.x, y: 2.6 * s, w: above.w, h: h - 5.9 * s };
  const { main: box, lane } = withLane(theme, foot, view.exact !== null || "exact" in view.extents);
  const [low, high] = view.drag?.what === "error" ? view.drag.range : floorRange(lists, view);
  const y = scale(low, high, box.y + box.h, box.y, true);
  return { box, foot, lane, x, mx, lists, low, high, y };
}

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Design) => string} */
export function drawFloor(ctx, theme, w, h, view) {
  if (!view.plan) return ""; // the spectrum is drawn before
  const plan = (view.floorPlan = floorPlan(theme, h, view, view.plan));
  const { box, foot, lane, x, y, mx, lists } = plan;
  const colours = [theme.ink, theme.second];
  const title = w < 37 * theme.size ? "Truncation" : "Truncation · first m terms alone";
  const key = floorKey(theme, colours, view);
  const inHeading = heading(ctx, theme, title, 0, w - 4, key);
  axisY(ctx, theme, box, y, logTicks(plan.low, plan.high, box.h / (2 * theme.size)));
  axisX(ctx, theme, foot, x, kTicks(theme, view.plan, cliffOf(view.exact)), "m");
  if (lane) drawLane(ctx, theme, lane);
  ctx.globalAlpha = stale(view) ? 0.35 : 1;
  drawCliff(ctx, theme, plan, view, colours);
  const rate = rateLine(plan, view);
  within(ctx, box, 6, () => {
    const bound = normOf(view); // the best head is below it
    areaUnder(ctx, colours[bound], pointsOf(plan, lists[bound]), box.y + box.h);
    if (view.ghost) stroke(ctx, theme.line, 3, pointsOf(plan, floorPoints(view.ghost, NMSE)));
    if (rate) stroke(ctx, theme.grey, 1.6, rate.ends, [1.5, 4]);
    lists.forEach((points, norm) => drawNorm(ctx, theme, plan, points, norm, colours[norm]));
    for (const [m, nmse] of view.trained)
      symbol(ctx, "diamond", x(m), y(nmse), 5.5, { fill: theme.accent });
  });
  ctx.globalAlpha = 1;
  vertical(ctx, foot, mx, theme.accent, 1.6);
  const wanted = drawWanted(ctx, theme, plan, view);
  labelFloor(ctx, theme, plan, view, rate, wanted, inHeading ? [] : [keyLabel(theme, box, key)]);
  return floorSentence(view, wanted.width);
}

/** @type {(theme: Theme, colours: string[], view: Design) => KeyEntry[]} */
function floorKey(theme, colours, { trained }) {
  /** @type {KeyEntry[]} */
  const norms = NAMES.map((text, norm) => ({
    text,
    mark: (ctx, x, y) => floorMark(ctx, theme, norm, x, y, colours[norm]),
  }));
  const diamond = symbolKey("trained", "diamond", 4.6, { fill: theme.accent });
  return trained.length ? [...norms, diamond] : norms;
}

function noteOf(/** @type {Design} */ view) {
  if (stale(view)) return "follows on release";
  const { exact, floor } = view;
  const last = floor.shape[1] - 1;
  if (exact === null) return "an upper bound: training may go below";
  return `0 from m = ${exact} on${exact > last + 1 ? `; computed to ${last}` : ""}`;
}

// What is drawn is of another spectrum while this one is being changed.
export const stale = (/** @type {Pick<Design, "design" | "floorOf">} */ view) =>
  JSON.stringify(view.design.sigma) !== view.floorOf;

// The mark of a norm at a place.
/** @type {(ctx: Ctx, theme: Theme, norm: number, x: number, y: number, colour: string, r?: number) => void} */
function floorMark(ctx, theme, norm, x, y, colour, r = 3.4) {
  if (norm === NMSE) return dot(ctx, x, y, r, { fill: colour });
  symbol(ctx, "square", x, y, r, { fill: theme.paper, line: colour, width: 1.4 });
}

/** @type {(plan: Pick<FloorPlan, "x" | "y">, points: Triple[]) => Points} */
const pointsOf = ({ x, y }, points) => points.map(([m, e]) => [x(m), y(e)]);

/** @type {(ctx: Ctx, theme: Theme, plan: FloorPlan, points: Triple[], norm: number, colour: string) => void} */
function drawNorm(ctx, theme, { x, y, low }, points, norm, colour) {
  stroke(ctx, colour, 1.3, pointsOf({ x, y }, points), [5, 3]);
  for (const [m, e, half] of points) {
    polyline(ctx, colour, 1.6, [x(m), y(e + half)], [x(m), y(Math.max(e - half, low, e / 10))]);
    floorMark(ctx, theme, norm, x(m), y(e), colour);
  }
}

// Where the error is 0 from: at the left border, where softmax sees nothing at all.
/** @type {(x: Scale, foot: Box, exact: number) => number} */
const exactAt = (x, foot, exact) => (exact > 0 ? x(exact) : foot.x);

// From the rank on the error is 0: both norms fall into the lane, from m = 0 at the left border where the rank is 1.
/** @type {(ctx: Ctx, theme: Theme, plan: FloorPlan, view: Design, colours: string[]) => void} */
function drawCliff(ctx, theme, { box, foot, lane, x, y, lists, high }, { exact, floor }, colours) {
  const end = foot.x + foot.w;
  if (!lane || exact === null || exactAt(x, foot, exact) > end) return;
  within(ctx, { ...foot, y: box.y, h: foot.y + foot.h - box.y }, 6, () =>
    [MAE, NMSE].forEach((norm) => {
      const last = lists[norm].at(-1) ?? [0, floor.values[norm * floor.shape[1]]];
      const known = last[0] === exact - 1 && last[1] > 0;
      const from = [last[0] ? x(last[0]) : box.x, y(Math.min(last[1], high))];
      const dash = [5, 3];
      drawFall(ctx, lane, colours[norm], {
        from: known ? from : null,
        at: exactAt(x, foot, exact),
        end,
        dash,
      });
      floorMark(ctx, theme, norm, exactAt(x, foot, exact), lane.y, colours[norm], 4.6);
    }),
  );
}

// Theory: m^−(2α−1) of the law as it stands now, through the floor at m = 4.
/** @type {(plan: FloorPlan, view: Design) => Rate | null} */
function rateLine({ x, y, lists }, { line, floor, exact }) {
  const points = lists[NMSE];
  const anchor = points[Math.min(3, points.length - 1)];
  const exponent = errorRate(line, exact);
  if (exponent === null || points.length < 6) return null;
  const rate = (/** @type {number} */ m) => anchor[1] * (m / anchor[0]) ** exponent;
  const ends = [1, floor.shape[1] - 1].map((m) => [x(m), y(rate(m))]);
  return { ends, text: `predicted slope ${minus(exponent.toFixed(2))}` };
}

// The error that is wanted, to be moved, and the width it needs; returns what it is called and where.
/** @type {(ctx: Ctx, theme: Theme, plan: FloorPlan, view: Design) => Wanted} */
function drawWanted(ctx, theme, plan, view) {
  const { box, foot, y, x, low, high } = plan;
  const { error } = view;
  const highlighted = view.over === "error" || view.drag?.what === "error";
  const at = crisp(y(clamp(error, low, high)));
  const width = widthFor(view.floor, error, view.norm, view.exact);
  const [m] = width;
  horizontal(ctx, box, y(clamp(error, low, high)), theme.accent, highlighted ? 2 : 1.2, [2, 3]);
  const down = { ...foot, y: at, h: foot.y + foot.h - at };
  const reached = m && x(m) <= box.x + box.w ? x(m) : null;
  if (reached !== null) vertical(ctx, down, reached, theme.accent, 1.2, [2, 3]);
  drawGrip(ctx, theme, { x: box.x + box.w, y: at }, highlighted, 7);
  const wanted = `${normName(view)} ≤ ${fmt(error)}:`;
  const text = inLines(ctx, theme, wanted, widthIs(width, view.floor.shape[1]), box.w);
  return { text, width, at, x: reached ?? box.x + 0.6 * box.w };
}

// In one line, in two or in three: as few as leave room beside them.
/** @type {(ctx: Ctx, theme: Theme, error: string, width: string, room: number) => string | string[]} */
function inLines(ctx, theme, error, width, room) {
  const wide = (/** @type {string} */ text) => measure(ctx, theme, text, { weight: 600 });
  const text = `${error} ${width}`;
  if (wide(text) <= 0.6 * room) return text;
  return [error, ...(wide(width) > 0.45 * room ? width.split(/ (?=\()/) : [width])];
}

/** @type {(view: Design, m: number) => number} */
const floorAt = (view, m) => view.floor.values[normOf(view) * view.floor.shape[1] + m];

// What m terms leave; none is known of another spectrum, nor beyond the widths that were computed.
export function errorText(/** @type {Design} */ view) {
  const { m } = view.design;
  if (stale(view)) return "…";
  return m < view.floor.shape[1] ? fmt(floorAt(view, m)) : "–";
}

/** What m terms leave of what one leaves. */
export function partOfOne(/** @type {Design} */ view) {
  const { m } = view.design;
  const isKnown = !stale(view) && m < view.floor.shape[1];
  return isKnown ? partInWords(floorAt(view, m) / floorAt(view, 1)) : "…";
}

// All words of the picture, each beside what it is about, clear of the curves.
/** @type {(ctx: Ctx, theme: Theme, plan: FloorPlan, view: Design, rate: Rate | null, wanted: Wanted, key: Label[]) => void} */
function labelFloor(ctx, theme, plan, view, rate, wanted, key) {
  const { foot, x, y } = plan;
  const { m } = view.design;
  const strong = { colour: theme.accent, weight: 600 };
  const grey = { colour: theme.grey };
  /** @type {Label[]} */
  const labels = [
    { text: wanted.text, x: wanted.x, y: wanted.at, priority: 2, ...strong },
    { text: noteOf(view), ...grey, ...noteAt(ctx, theme, plan, view) },
    ...key,
  ];
  const error = floorAt(view, m);
  if (error > 0 && m < view.floor.shape[1] && !stale(view)) {
    dot(ctx, x(m), y(error), 5, { fill: theme.accent, line: theme.paper });
    labels.push({ text: fmt(error), x: x(m), y: y(error), gap: 7, priority: 3, ...strong });
  }
  if (rate) labels.push({ text: rate.text, x: rate.ends[1][0], y: rate.ends[1][1], ...grey });
  const bounds = { ...foot, x: foot.x + 4, w: foot.w - 14 };
  writeLabels(ctx, theme, labels, { bounds, ...inkOf(plan, view, rate, wanted) });
}

// What the words have to keep clear of.
/** @type {(plan: FloorPlan, view: Design, rate: Rate | null, wanted: Wanted) => {curves: Points[], marks: Points}} */
function inkOf({ box, foot, lane, x, y, mx, lists }, { exact, trained }, rate, wanted) {
  const points = lists.map((list) => pointsOf({ x, y }, list));
  const fall = lane && exact !== null ? [exactAt(x, foot, exact), lane.y] : null;
  return {
    curves: [
      ...points,
      ...(fall ? points.map((list) => [...list.slice(-1), fall]) : []),
      ...(rate ? [rate.ends] : []),
      upright(foot, mx),
      across(box, wanted.at),
      upright({ y: wanted.at, h: foot.y + foot.h - wanted.at }, wanted.x),
    ],
    marks: [
      ...points.flat().map(([px, py]) => [px, py, 4]),
      ...trained.map(([k, e]) => [x(k), y(e), 6]),
      [box.x + box.w, wanted.at, 8],
    ],
  };
}

// From the rank on the error is 0: beside the fall, in the lane. Else at the end of the curve, up on the right.
/** @type {(ctx: Ctx, theme: Theme, plan: FloorPlan, view: Design) => Label} */
function noteAt(ctx, theme, { box, foot, lane, x, mx }, view) {
  const { exact } = view;
  if (!lane || exact === null) {
    const right = box.x + box.w;
    const wide = measure(ctx, theme, noteOf(view)) + 20;
    const left = mx > right - wide && mx - wide > box.x; // the width would go through it
    return { x: left ? mx - 6 : right, y: box.y, sides: ["sw"], gap: 4, leads: false };
  }
  const bounds = { ...lane.box, x: lane.box.x + 4, w: lane.box.w - 8 };
  const at = Math.min(exactAt(x, foot, exact), box.x + box.w);
  return { x: at, y: lane.y, gap: 10, sides: ["e", "w"], bounds, leads: false, plate: true };
}

// What lies under the pointer: a trained run, the wanted error, the boundary, or a width to choose.
/** @type {(plan: FloorPlan, view: Pick<Design, "trained" | "error" | "floor">, px: number, py: number, reach?: number) => UnderFloor | null} */
export function hitFloor(plan, view, px, py, reach = REACH) {
  const { box, foot, x, y, mx, low, high } = plan;
  const { error, floor } = view;
  const marked = view.trained?.find(([m, nmse]) => Math.hypot(px - x(m), py - y(nmse)) <= 8);
  if (marked?.[2]) return { what: "run", run: marked[2] };
  const at = y(clamp(error, low, high));
  if (
    Math.hypot(px - box.x - box.w, py - at) <= reach ||
    (px > box.x && px < box.x + box.w && Math.abs(py - at) <= 7)
  )
    return { what: "error" };
  if (py < box.y || py > foot.y + foot.h + 12 || px < box.x) return null;
  if (Math.abs(px - mx) <= 7) return { what: "m" };
  const m = Math.round(x.invert(px));
  return m >= 1 && m < floor.shape[1] && Math.abs(px - x(m)) <= reach ? { what: "width", m } : null;
}

/** @type {(view: Design, width: Width) => string} */
function floorSentence(view, width) {
  const { floor, error, exact } = view;
  const name = normName(view);
  return (
    `m ${view.design.m} leaves ${name} ${errorText(view)}; ${name} ${fmt(error)} needs m ${widthText(width, floor.shape[1])}` +
    (exact === null ? "" : `; 0 from m ${exact} on`)
  );
}
