// Labels of a picture: each beside its place, where it is free of the others, of curves and of marks.

import { dot, fillBox, stroke } from "./canvas.js";
import { clamp } from "./numbers.js";
import { measure, write } from "./text.js";

/** @typedef {[number, number]} Point */
/** @typedef {{under: (box: Box) => number}} Ink */
/** @typedef {(box: Box, cost: number) => void} Consider */

/**
 * @typedef {object} Wanted a text of w × h at a place
 * @property {number} x
 * @property {number} y
 * @property {number} w
 * @property {number} h
 * @property {string[]} [sides] on which it may stand, the best first: points of the compass
 * @property {number} [gap] between the place and the text
 * @property {number} [priority] who chooses first; equals in their order
 * @property {Box} [bounds] its own, in place of those of all
 * @property {boolean} [leads] whether a line leads back from afar, as usual
 * @property {boolean} [optional] left out where there is no spot clear of what is drawn, or none so near that a
 *   text without a line is still read as its
 *
 * @typedef {object} Room
 * @property {Box} bounds
 * @property {number[][][]} [curves] lists of points, not to be written over unless there is nothing else
 * @property {number[][]} [marks] x, y and radius, likewise
 * @property {Box[]} [taken] never to be written over
 *
 * @typedef {{box: Box, leader: [Point, Point] | null}} Spot with a line back to the place if it is far
 */

const CELL = 4; // pixels of the map of what is drawn
const RINGS = [0, 7, 16, 28, 44, 64, 90]; // pixels farther out
const FAR = 18; // from here on a line leads back to the place
const MARGIN = 2;
const ROUNDS = 12;
const OVER = 6; // cells of what is drawn that a text may touch and still be called clear of it
/** @type {Record<string, Point>} */
const COMPASS = {
  ne: [1, -1],
  e: [1, 0],
  se: [1, 1],
  n: [0, -1],
  s: [0, 1],
  nw: [-1, -1],
  w: [-1, 0],
  sw: [-1, 1],
};
const SIDES = Object.keys(COMPASS);

/**
 * Where each label goes, in their order; null where there is no spot clear of the others. The same labels get the same spots.
 * @param {Wanted[]} labels @param {Room} room @returns {(Spot | null)[]}
 */
export function placeLabels(labels, room) {
  const map = inkMap(room);
  let order = labels.map((_, i) => i);
  order.sort((a, b) => (labels[b].priority ?? 0) - (labels[a].priority ?? 0) || a - b);
  /** @type {{spots: (Spot | null)[], lost: number} | null} */
  let best = null;
  for (let round = 0; round < ROUNDS; round++) {
    const spots = placeInOrder(labels, order, room, map);
    const lost = order.filter((i) => !spots[i] && !labels[i].optional);
    if (!best || lost.length < best.lost) best = { spots, lost: lost.length };
    if (!lost.length) break;
    order = [...lost, ...order.filter((i) => spots[i])]; // who was left out chooses first
  }
  return best?.spots ?? [];
}

/** @type {(labels: Wanted[], order: number[], room: Room, map: Ink) => (Spot | null)[]} */
function placeInOrder(labels, order, room, map) {
  /** @type {(Spot | null)[]} */
  const spots = labels.map(() => null);
  const taken = [...(room.taken ?? [])];
  for (const i of order) {
    const spot = bestSpot(labels[i], labels[i].bounds ?? room.bounds, taken, map);
    if (!spot) continue;
    spots[i] = spot;
    taken.push(spot.box);
  }
  return spots;
}

/**
 * The cheapest spot around the place; anywhere, where all of these are over other labels or on curves.
 * @type {(label: Wanted, bounds: Box, taken: Box[], map: Ink) => Spot | null}
 */
function bestSpot(label, bounds, taken, map) {
  if (label.w > bounds.w || label.h > bounds.h) return null;
  const apart = Math.max(MARGIN, 0.2 * label.h); // large letters stand farther apart
  const clear = (/** @type {Box} */ box) => !taken.some((other) => meets(box, other, apart));
  /** @type {{box: Box, cost: number, ink: number}[]} the best so far, if any */
  const spots = [];
  /** @type {Consider} */
  const consider = (box, cost) => {
    const best = spots[0]?.cost ?? Infinity;
    if (cost >= best) return;
    const ink = map.under(box);
    const whole = cost + 4 * ink;
    if (whole < best && clear(box)) spots[0] = { box, cost: whole, ink };
  };
  around(label, bounds, consider);
  if (!spots.length || spots[0].ink > 2) anywhere(label, bounds, consider);
  const [best] = spots;
  if (label.optional && best && (best.ink > OVER || isStray(label, best.box))) return null;
  return best ? { box: best.box, leader: leaderTo(label, best.box) } : null;
}

/** @type {(label: Wanted, bounds: Box, consider: Consider) => void} */
function around({ x, y, w, h, gap = 6, sides = SIDES }, bounds, consider) {
  for (const ring of RINGS)
    sides.forEach((side, i) => {
      const [dx, dy] = COMPASS[side];
      const far = gap + ring;
      const aslant = dx && dy ? 0.75 * far : far;
      const left = x + dx * aslant - (dx > 0 ? 0 : dx < 0 ? w : w / 2);
      const top = y + dy * aslant - (dy > 0 ? 0 : dy < 0 ? h : h / 2);
      const box = inside({ x: left, y: top, w, h }, bounds);
      const pushed = Math.abs(box.x - left) + Math.abs(box.y - top);
      if (!holds(box, x, y)) consider(box, 0.2 * ring + 0.6 * i + 0.1 * pushed);
    });
}

/** @type {(label: Wanted, bounds: Box, consider: Consider) => void} */
function anywhere({ x, y, w, h }, bounds, consider) {
  const [across, down] = [bounds.w - w, bounds.h - h];
  const [columns, rows] = [Math.ceil(across / (0.3 * w + 8)), Math.ceil(down / (0.6 * h))];
  for (let i = 0; i <= columns; i++)
    for (let j = 0; j <= rows; j++) {
      const left = bounds.x + (columns ? (i / columns) * across : 0);
      const top = bounds.y + (rows ? (j / rows) * down : 0);
      const far = Math.hypot(left + w / 2 - x, top + h / 2 - y);
      const box = { x: left, y: top, w, h };
      if (!holds(box, x, y)) consider(box, 8 + 0.2 * far);
    }
}

/** @type {(box: Box, bounds: Box) => Box} */
const inside = ({ x, y, w, h }, bounds) => ({
  x: clamp(x, bounds.x, bounds.x + bounds.w - w),
  y: clamp(y, bounds.y, bounds.y + bounds.h - h),
  w,
  h,
});

/** @type {(box: Box, x: number, y: number) => boolean} */
const holds = (box, x, y) =>
  x > box.x - 1 && x < box.x + box.w + 1 && y > box.y - 1 && y < box.y + box.h + 1;

/**
 * Whether two boxes come nearer than a margin.
 * @type {(a: Box, b: Box, margin?: number) => boolean}
 */
export const meets = (a, b, margin = MARGIN) =>
  a.x < b.x + b.w + margin &&
  b.x < a.x + a.w + margin &&
  a.y < b.y + b.h + margin &&
  b.y < a.y + a.h + margin;

/** @type {(label: Wanted, box: Box) => [Point, Point] | null} */
function leaderTo({ x, y, gap = 6, leads = true }, box) {
  if (!leads) return null;
  /** @type {Point} */
  const near = [clamp(x, box.x, box.x + box.w), clamp(y, box.y, box.y + box.h)];
  return Math.hypot(near[0] - x, near[1] - y) > gap + FAR ? [[x, y], near] : null;
}

/** Far from its place, and no line would lead back. @type {(label: Wanted, box: Box) => boolean} */
const isStray = (label, box) =>
  label.leads === false && leaderTo({ ...label, leads: true }, box) !== null;

/**
 * What is drawn, in cells; `under` counts those below a box from sums over rectangles.
 * @type {(room: Room) => Ink}
 */
function inkMap({ bounds, curves = [], marks = [] }) {
  const [columns, rows] = [bounds.w, bounds.h].map(
    (long) => Math.ceil(Math.max(long, 0) / CELL) + 1,
  );
  const cells = new Uint8Array(columns * rows);
  const column = (/** @type {number} */ x) => Math.floor((x - bounds.x) / CELL);
  const row = (/** @type {number} */ y) => Math.floor((y - bounds.y) / CELL);
  /** @type {(i: number, j: number, much: number) => void} */
  const ink = (i, j, much) => {
    if (i >= 0 && j >= 0 && i < columns && j < rows)
      cells[j * columns + i] = Math.max(cells[j * columns + i], much);
  };
  for (const points of curves)
    for (let n = 1; n < points.length; n++) trace(points[n - 1], points[n], column, row, ink);
  for (const [x, y, r] of marks)
    for (let i = column(x - r); i <= column(x + r); i++)
      for (let j = row(y - r); j <= row(y + r); j++) ink(i, j, 3);
  return sumsOver(cells, columns, rows, column, row);
}

/** @type {(from: number[], to: number[], column: (x: number) => number, row: (y: number) => number, ink: (i: number, j: number, much: number) => void) => void} */
function trace([x0, y0], [x1, y1], column, row, ink) {
  const far = Math.hypot(x1 - x0, y1 - y0);
  if (!Number.isFinite(far)) return;
  const steps = Math.max(1, Math.ceil(far / CELL));
  for (let s = 0; s <= steps; s++)
    ink(column(x0 + ((x1 - x0) * s) / steps), row(y0 + ((y1 - y0) * s) / steps), 1);
}

/** @type {(cells: Uint8Array, columns: number, rows: number, column: (x: number) => number, row: (y: number) => number) => Ink} */
function sumsOver(cells, columns, rows, column, row) {
  const wide = columns + 1;
  const sums = new Uint32Array(wide * (rows + 1));
  for (let j = 0; j < rows; j++)
    for (let i = 0, along = 0; i < columns; i++) {
      along += cells[j * columns + i];
      sums[(j + 1) * wide + i + 1] = sums[j * wide + i + 1] + along;
    }
  /** @type {(i: number, j: number) => number} */
  const at = (i, j) => sums[clamp(j, 0, rows) * wide + clamp(i, 0, columns)];
  /** @type {Ink["under"]} */
  const under = ({ x, y, w, h }) => {
    const [left, right] = [column(x), column(x + w) + 1];
    const [top, bottom] = [row(y), row(y + h) + 1];
    return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
  };
  return { under };
}

// ---- drawing

/**
 * @typedef {object} Look of a text at a place: a line or several
 * @property {string | string[]} [text]
 * @property {KeyEntry[]} [key] in its stead: lines with a mark before each
 * @property {string} [colour]
 * @property {number} [weight]
 * @property {boolean} [plate] on paper, where it stands on a line
 * @typedef {Look & Omit<Wanted, "w" | "h">} Label
 */

const MARK = 28; // pixels before the text of a key

/**
 * The key of a picture that has no room for it in its heading: in the freest corner.
 * @type {(theme: Theme, box: Box, key: KeyEntry[]) => Label}
 */
export const keyLabel = (theme, box, key) => ({
  key,
  x: box.x + box.w,
  y: box.y,
  sides: ["sw"],
  colour: theme.grey,
  priority: -1,
  leads: false,
});

/**
 * Writes labels where there is room for them, with a halo; returns their spots.
 * @type {(ctx: Ctx, theme: Theme, labels: Label[], room: Room) => (Spot | null)[]}
 */
export function writeLabels(ctx, theme, labels, room) {
  const high = 1.3 * theme.size;
  const wanted = labels.map((label) => {
    const lines = label.key ? label.key.map(({ text }) => text) : [label.text ?? []].flat();
    const w = Math.max(...lines.map((line) => measure(ctx, theme, line, label)));
    return { ...label, lines, w: w + (label.key ? MARK : 0), h: high * lines.length };
  });
  const spots = placeLabels(wanted, room);
  spots.forEach((spot, i) => {
    if (spot) writeAt(ctx, theme, wanted[i], spot, high);
  });
  return spots;
}

/** @type {(ctx: Ctx, theme: Theme, label: Label & {lines: string[]}, spot: Spot, high: number) => void} */
function writeAt(ctx, theme, label, { box, leader }, high) {
  const { lines, colour = theme.ink, weight = 400 } = label;
  if (leader) {
    stroke(ctx, theme.grey, 1, leader);
    dot(ctx, leader[0][0], leader[0][1], 1.5, { fill: theme.grey });
  }
  /** @type {Style} */
  const style = { baseline: "middle", colour, weight, halo: true };
  if (label.plate) {
    fillBox(ctx, theme.paper, [box.x - 3, box.y, box.w + 6, box.h]);
  }
  lines.forEach((line, i) => {
    const y = box.y + (i + 0.5) * high;
    label.key?.[i].mark(ctx, box.x + 12, y);
    write(ctx, theme, line, box.x + (label.key ? MARK : 0), y, style);
  });
}
