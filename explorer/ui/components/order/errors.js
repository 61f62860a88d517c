// Errors of trained models, over the floors of what no model can do better; of a run at work on its way there.

import { axisX, headingRows, plotBox } from "../core/axes.js";
import { crisp, fillBox, horizontal, polyline, scale, upright, vertical } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { clamp, fmt } from "../core/numbers.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks } from "../core/ticks.js";
import { drawWay, wayOf } from "./way.js";

/** @import { OrderTrained } from "../payloads.js" */
/** @import { Order } from "./order.js" */
/** @import { Floors, Matrix } from "./model.js" */
/** @import { At, Way } from "./way.js" */
/** @typedef {Order & {kernel: number[], matrix: Matrix, floors: Floors}} OfKernel what follows from it is known */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: Order) => string} Draw what a screen reader hears */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: OfKernel) => string} DrawKernel */
/** @typedef {{run: OrderTrained, error: number}} Trained */
/** @typedef {{model: string, runs: Trained[], ghosts: number[], way: Way | null}} Row of the picture */
/** @typedef {{name: string, count: number, dash: number[], error: number}} Line of a floor, through so many rows */
/** @typedef {{px: number, text: string}} Placed a label of a line at px */

const LEAST_ERROR = 1e-8; // what is smaller stands at the left end of the axis
const NOTHING = 1e-12; // a floor that is rounding
const LEFT = 7.6; // text sizes: of the names of the rows
const RIGHT = 4; // and beside the axis, for the label of a constant
const LINE = 1.4; // of a line of labels
const CONSTANT = "a constant"; // what answers without looking: no floor of any model
/**
 * Floors: their names, in how many of the rows they stand, and their dashes.
 * @type {["constant" | "time_invariant" | "causal", string, number, number[]][]}
 */
const FLOORS = [
  ["constant", CONSTANT, 2, [2, 3]],
  ["time_invariant", "time-invariant", 1, [7, 4]],
  ["causal", "any causal model", 1, [7, 4]],
];
/** @type {Record<string, string>} */
export const MODELS = { rnn: "linear RNN", transformer: "Transformer" };
/** @type {(theme: Theme, model: string) => string} */
export const modelColour = (theme, model) => (model === "rnn" ? theme.second : theme.accent);

/**
 * The ends of an axis that holds these errors: whole decades below, 1, 2 or 5 times one above.
 * @param {number[]} errors
 */
export function errorRange(errors) {
  const seen = errors.map((error) => Math.max(error, LEAST_ERROR));
  const shown = seen.filter((error) => error > LEAST_ERROR);
  const [least, most] = [Math.min(...seen.filter(Boolean)), Math.max(...shown, 10 * LEAST_ERROR)];
  const unit = 10 ** Math.floor(Math.log10(most));
  const high = unit * ([1, 2, 5, 10].find((m) => m * unit >= 1.15 * most) ?? 20);
  const low = shown.length < seen.length ? LEAST_ERROR : 10 ** Math.floor(Math.log10(least / 1.3));
  return { low: Math.min(low, high / 10), high };
}

/** @type {DrawKernel} */
export function drawErrors(ctx, theme, w, h, view) {
  const { floors, comparable } = view;
  const rows = Object.keys(MODELS).map((model) => rowOf(view, model, "mse", floors.constant));
  view.ways = waysOf(rows);
  const lines = FLOORS.map(([floor, name, count, dash]) => {
    return { name, count, dash, error: floors[floor] };
  });
  const known = lines.map(({ error }) => error).filter((error) => error > NOTHING);
  const key = [...errorKey(theme, rows), ...ghostKey(theme, view)];
  const below = headingRows(ctx, theme, "MSE: floors without training, trained runs", w - 4, key);
  known.push(...(view.header?.extents?.errors ?? []));
  drawRows(ctx, theme, w, h, { rows, lines, known, below, unit: "MSE" });
  const trained = comparable.map((run) => `${MODELS[run.model]} ${run.source} ${fmt(run.mse)}`);
  return `Errors on a log axis. Best causal model ${floorText(floors.causal, floors.constant)}, best time-invariant model ${floorText(floors.time_invariant, floors.constant)}, a constant ${fmt(floors.constant)}; ${trained.join(", ") || "nothing trained"}${wayWords(rows)}`;
}

/** Of an altered coupling, in units of Var(y): what its content does has no floor that is known. @type {Draw} */
export function drawCouplingErrors(ctx, theme, w, h, view) {
  const rows = [rowOf(view, "transformer", "nmse", 1)];
  view.ways = waysOf(rows);
  const key = [...errorKey(theme, rows), ...ghostKey(theme, view)];
  const below = headingRows(ctx, theme, "MSE / Var(y) of trained runs", w - 4, key);
  const lines = [{ name: CONSTANT, count: 1, dash: [2, 3], error: 1 }];
  drawRows(ctx, theme, w, h, { rows, lines, known: [1], below, unit: "1 − R²" });
  const errors = rows[0].runs.map(({ error }) => fmt(error)).join(", ");
  return `Errors of trained Transformers in units of Var(y): ${errors || "none yet"}${wayWords(rows)}`;
}

// What a row shows of a model: errors of trained ones, and those at work on this very target.
/** @type {(view: Order, model: string, name: "mse" | "nmse", variance: number) => Row} */
function rowOf(view, model, name, variance) {
  const runs = view.comparable
    .filter((run) => run.model === model)
    .map((run) => ({ run, error: run[name] }));
  const done = runs.some(({ run }) => run.source === "this run");
  const others = (view.ghosts?.trained ?? []).filter((run) => run.model === model);
  const ghosts = others.map((run) => run[name]);
  return { model, runs, ghosts, way: wayOf(view, model, variance, done) };
}

const wayWords = (/** @type {Row[]} */ rows) =>
  rows
    .map(({ model, way }) => way && `; ${MODELS[model]} on its way ${fmt(way.errors.at(-1))}`)
    .join("");

// Rows of models under the labels of their floors, and under so many lines of a key.
/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, shown: {rows: Row[], lines: Line[], known: number[], below: number, unit: string}) => void} */
function drawRows(ctx, theme, w, h, { rows, lines, known, below, unit }) {
  const errors = rows.flatMap(({ runs, ghosts, way }) => [
    ...ghosts,
    ...runs.map(({ error }) => error),
    ...(way?.errors ?? []),
  ]);
  const { low, high } = errorRange([...known, ...errors]);
  const side = plotBox(theme, w, h, { left: LEFT, right: RIGHT });
  const x = scale(low, high, side.x, side.x + side.w, true);
  /** @type {At} */
  const at = (error) => x(clamp(error, low, high));
  const labels = floorLabels(ctx, theme, w, at, lines);
  const levels = 1 + Math.max(...labels.map(({ level }) => level));
  const margins = { left: LEFT, right: RIGHT, top: 2.2 + 1.5 * below + LINE * levels, bottom: 3 };
  const box = plotBox(theme, w, h, margins);
  axisX(ctx, theme, box, x, logTicks(low, high, box.w / (5 * theme.size)), unit);
  const rowHigh = box.h / rows.length;
  const middle = (/** @type {number} */ i) => box.y + (i + 0.5) * rowHigh;
  rows.forEach(({ model }, i) => nameRow(ctx, theme, box, middle(i), model));
  drawBars(ctx, theme, box, at, rows, lines);
  for (const { error, count, dash } of lines)
    vertical(ctx, { y: box.y, h: (count - 0.1) * rowHigh }, at(error), theme.ink, 2, dash);
  drawLabels(ctx, theme, box, labels);
  if (rows.every(isEmpty)) untrained(ctx, theme, box, middle(0), rows.length > 1);
  rows.forEach((row, i) => {
    if (isEmpty(row) && !rows.every(isEmpty)) untrained(ctx, theme, box, middle(i), false);
    drawRow(ctx, theme, at, middle(i), row);
  });
  writeNumbers(ctx, theme, box, at, rows, lines);
}

// Grey: below the floor of the first row is no model of its kind. In colour: from there to the error of the run shown, which is what training leaves; of the other row no floor but 0 is known.
/** @type {(ctx: Ctx, theme: Theme, box: Box, at: At, rows: Row[], lines: Line[]) => void} */
function drawBars(ctx, theme, box, at, rows, lines) {
  const high = box.h / rows.length;
  const floors = lines.filter(({ name }) => name !== CONSTANT).map(({ error }) => error);
  rows.forEach(({ model, runs }, i) => {
    const from = i || !floors.length ? box.x : at(Math.min(...floors));
    fillBox(ctx, theme.grid, [box.x, box.y + i * high, from - box.x, 0.9 * high]);
    const shown = runs.find(({ run }) => run.source === "this run") ?? runs[0];
    if (!shown) return;
    fillBox(
      ctx,
      modelColour(theme, model),
      [from, box.y + (i + 0.3) * high, Math.max(0, at(shown.error) - from), 0.4 * high],
      0.3,
    );
  });
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, y: number, model: string) => void} */
function nameRow(ctx, theme, box, y, model) {
  /** @type {Style} */
  const style = { baseline: "middle", weight: 600, colour: modelColour(theme, model) };
  write(ctx, theme, MODELS[model], 0, y, style);
  horizontal(ctx, box, y, theme.grid);
}

// The errors that are told, clear of the marks and of the floors' lines.
/** @type {(ctx: Ctx, theme: Theme, box: Box, at: At, rows: Row[], lines: Line[]) => void} */
function writeNumbers(ctx, theme, box, at, rows, lines) {
  const high = box.h / rows.length;
  const bounds = rows.map((_, i) => ({ ...box, y: box.y + i * high, h: high }));
  const labels = rows.flatMap((row, i) => numbersOf(at, bounds[i], row));
  const curves = lines.flatMap(({ error, count }) =>
    beside(at(error), box.y, box.y + (count - 0.1) * high),
  );
  const marks = rows.flatMap(({ runs }, i) =>
    runs.map(({ error }) => [at(error), box.y + (i + 0.5) * high, 8]),
  );
  writeLabels(ctx, theme, labels, { bounds: box, curves, marks });
}

// The line of a floor is as broad as a number's distance from it.
/** @type {(x: number, top: number, bottom: number) => Points[]} */
const beside = (x, top, bottom) =>
  [-5, 0, 5].map((by) => upright({ y: top, h: bottom - top }, x + by));

const waysOf = (/** @type {Row[]} */ rows) =>
  Object.fromEntries(rows.map(({ model, way }) => [model, way?.errors]));

const isEmpty = (/** @type {Row} */ { runs, way }) => !runs.length && !way;

// Said once: where neither is trained, of both.
/** @type {(ctx: Ctx, theme: Theme, box: Box, y: number, neither: boolean) => void} */
function untrained(ctx, theme, box, y, neither) {
  const words = `${neither ? "neither is" : "not"} trained on this target yet`;
  /** @type {Style} */
  const style = { baseline: "middle", colour: theme.grey, halo: true };
  write(ctx, theme, words, box.x + 0.5 * theme.size, y - 1.1 * theme.size, style);
}

/** @type {(ctx: Ctx, theme: Theme, at: At, y: number, row: Row) => void} */
function drawRow(ctx, theme, at, y, { model, runs, ghosts, way }) {
  for (const error of ghosts) symbol(ctx, "circle", at(error), y, 4.5, { fill: theme.line });
  for (const { error, run } of runs) trainedMark(ctx, theme, at(error), y, run);
  if (way) drawWay(ctx, theme, modelColour(theme, model), way, at, y);
}

// The first ones are told in any case; none stands beside another row's marks.
/** @type {(at: At, bounds: Box, row: Row) => import("../core/labels.js").Label[]} */
function numbersOf(at, bounds, { runs, way }) {
  const y = bounds.y + bounds.h / 2;
  const errors = [...(way?.errors.slice(-1) ?? []), ...telling(runs)];
  const told = errors.filter((error, i) => errors.findIndex((e) => fmt(e) === fmt(error)) === i);
  const sides = ["n", "s", "e", "w", "ne", "nw", "se", "sw"];
  return told.map((error, i) => ({
    ...{ text: fmt(error), x: at(error), y, sides, gap: 11, leads: false },
    ...{ priority: -i, optional: i > 0, bounds },
  }));
}

// The errors whose numbers stand at their marks: of the run shown, the printed one, the least of others.
function telling(/** @type {Row["runs"]} */ runs) {
  const runsFrom = (/** @type {string} */ source) =>
    runs.filter(({ run }) => run.source === source);
  const others = runs.filter(({ run }) => !["this run", "printed"].includes(run.source));
  const least = others.length ? [Math.min(...others.map(({ error }) => error))] : [];
  return [...[...runsFrom("this run"), ...runsFrom("printed")].map(({ error }) => error), ...least];
}

// Grey: what was trained on another target, by its name.
/** @type {(theme: Theme, view: Order) => KeyEntry[]} */
const ghostKey = (theme, { ghosts }) =>
  ghosts ? [symbolKey(ghosts.name, "circle", 4.5, { fill: theme.line })] : [];

/** Of the marks that some row has. @type {(theme: Theme, rows: Row[]) => KeyEntry[]} */
function errorKey(theme, rows) {
  const runs = rows.flatMap((row) => row.runs.map(({ run }) => run));
  const runsFrom = (/** @type {string} */ name) => runs.filter(({ source }) => source === name);
  const others = runs.filter(({ source }) => !["this run", "printed"].includes(source));
  const entries = [
    others.some(({ conv }) => !conv) && symbolKey("trained", "circle", 4.5, { fill: theme.ink }),
    others.some(({ conv }) => conv) &&
      symbolKey("with convolution", "up", 4.5, { fill: theme.ink }),
    runsFrom("this run").length > 0 &&
      symbolKey("this run", "circle", 6, { fill: theme.paper, line: theme.ink, width: 2 }),
    runsFrom("printed").length > 0 && symbolKey("printed", "diamond", 5, { line: theme.ink }),
  ];
  return entries.filter((entry) => entry !== false);
}

/** @type {(ctx: Ctx, theme: Theme, x: number, y: number, run: OrderTrained) => void} */
function trainedMark(ctx, theme, x, y, { source, model, conv }) {
  const colour = modelColour(theme, model);
  if (source === "printed") return symbol(ctx, "diamond", x, y, 6, { line: theme.ink });
  if (source === "this run") return symbol(ctx, "circle", x, y, 8, { line: colour, width: 2.5 });
  symbol(ctx, conv ? "up" : "circle", x, y, 4.5, { fill: colour, line: theme.paper });
}

// ---- the labels of the floors: each beside or over the head of its line, with a leader to it

/**
 * @typedef {object} Label
 * @property {string} text
 * @property {number} px of its line
 * @property {number} level 0 is the lowest line of labels
 * @property {number} x its left end
 * @property {number} width
 */

/** On as few levels as there is room for, the ones at the right first. @type {(ctx: Ctx, theme: Theme, w: number, at: At, lines: Line[]) => Label[]} */
function floorLabels(ctx, theme, w, at, lines) {
  const wanted = byPlace(lines, at).map((label) =>
    candidates(label, measure(ctx, theme, label.text), w, theme.size),
  );
  for (let levels = 1; levels <= FLOORS.length; levels++) {
    const labels = allClear(wanted, levels, theme.size);
    if (labels) return labels;
  }
  return wanted.map((places, level) => ({ ...places[0], level }));
}

// One place for each label, so that all are clear of each other; null where there is none.
/** @type {(wanted: Label[][], levels: number, size: number, placed?: Label[]) => Label[] | null} */
function allClear(wanted, levels, size, placed = []) {
  if (placed.length === wanted.length) return placed;
  for (const place of wanted[placed.length]) {
    if (place.level >= levels || !placed.every((other) => clear(place, other, size))) continue;
    const labels = allClear(wanted, levels, size, [...placed, place]);
    if (labels) return labels;
  }
  return null;
}

// Over the line, to its left, to its right, from the lowest level on.
/** @type {(place: Placed, width: number, w: number, size: number) => Label[]} */
function candidates({ px, text }, width, w, size) {
  /** @type {Label[]} */
  const places = [];
  for (let level = 0; level < FLOORS.length; level++)
    for (const x of [px - width / 2, px + 0.3 * size, px - width - 0.3 * size])
      places.push({ px, text, width, level, x: clamp(x, 0, w - width) });
  return places;
}

// Neither texts overlap, nor does a leader cross the other's text.
/** @type {(a: Label, b: Label, size: number) => boolean} */
function clear(a, b, size) {
  const apart = a.x > b.x + b.width + 0.8 * size || b.x > a.x + a.width + 0.8 * size;
  const [low, high] = a.level < b.level ? [a, b] : [b, a];
  if (a.level === b.level) return apart;
  return high.px < low.x - 3 || high.px > low.x + low.width + 3;
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, labels: Label[]) => void} */
function drawLabels(ctx, theme, box, labels) {
  const foot = (/** @type {Label} */ { level }) => box.y - (0.45 + LINE * level) * theme.size;
  for (const label of labels)
    polyline(ctx, theme.grey, 1, [crisp(label.px), box.y], [crisp(label.px), foot(label) + 2]);
  for (const label of labels)
    write(ctx, theme, label.text, label.x, foot(label), { colour: theme.grey, halo: true });
}

/** A floor as it is written: what is rounding beside what a constant leaves is 0. @type {(error: number, constant: number) => string} */
export const floorText = (error, constant) => (error < NOTHING * constant ? "0" : fmt(error));

// Lines in one place have one label; from the right.
/** @type {(lines: Line[], at: At) => Placed[]} */
function byPlace(lines, at) {
  /** @type {Map<number, Placed>} */
  const places = new Map();
  const constant = lines.find(({ name }) => name === CONSTANT)?.error ?? 1;
  for (const { name, error } of lines) {
    const px = at(error);
    const text = `${name} ${floorText(error, constant)}`;
    const [near] = [...places.keys()].filter((other) => Math.abs(other - px) < 2);
    const key = near ?? px;
    const before = places.get(key);
    places.set(key, before ? { px: key, text: joined(before.text, name, text) } : { px, text });
  }
  return [...places.values()].sort((a, b) => b.px - a.px);
}

// "time-invariant, any causal model 0.030" where both numbers are written alike.
/** @type {(before: string, name: string, text: string) => string} */
function joined(before, name, text) {
  const number = text.slice(name.length);
  return before.endsWith(number)
    ? `${before.slice(0, -number.length)}, ${text}`
    : `${before}, ${text}`;
}
