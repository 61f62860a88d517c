// Errors of trained models, over the floors of what no model can do better; of a run at work on its way there.

import { axisX, heading } from "../core/axes.js";
import { crisp, horizontal, scale, stroke, vertical } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { clamp, fmt } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { logTicks } from "../core/ticks.js";
import { drawWay, wayOf } from "./way.js";

/** @import { Style } from "../core/text.js" */

const LEAST_ERROR = 1e-8; // what is smaller stands at the left end of the axis
const NOTHING = 1e-12; // a floor that is rounding
const LEFT = 7.6; // text sizes: of the names of the rows
const RIGHT = 4; // and beside the axis, for the label of a constant
const LINE = 1.4; // of a line of labels
/**
 * Floors: their names, in how many of the rows they stand, and their dashes.
 * @type {[string, string, number, number[]][]}
 */
const FLOORS = [
  ["constant", "a constant", 2, [2, 3]],
  ["time_invariant", "time-invariant", 1, [7, 4]],
  ["causal", "any causal model", 1, [7, 4]],
];
export const MODELS = { rnn: "linear RNN", transformer: "Transformer" };
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

export function drawErrors(ctx, theme, w, h, view) {
  const { floors, comparable } = view;
  const rows = Object.keys(MODELS).map((model) => rowOf(view, model, "mse", floors.constant));
  view.ways = waysOf(rows);
  const lines = FLOORS.map(([floor, name, count, dash]) => ({
    ...{ name, count, dash, error: floors[floor] },
  }));
  const known = lines.map(({ error }) => error).filter((error) => error > NOTHING);
  heading(ctx, theme, "MSE: floors without training, trained runs", 0, w - 4, [
    ...errorKey(theme),
    ...ghostKey(theme, view),
  ]);
  drawRows(ctx, theme, w, h, { rows, lines, known, unit: "MSE" });
  const trained = comparable.map((run) => `${MODELS[run.model]} ${run.source} ${fmt(run.mse)}`);
  return `Errors on a log axis. Best causal model ${fmt(floors.causal)}, best time-invariant model ${fmt(floors.time_invariant)}, a constant ${fmt(floors.constant)}; ${trained.join(", ") || "nothing trained"}${wayWords(rows)}`;
}

/** Of an altered coupling, in units of Var(y): what its content does has no floor that is known. */
export function drawCouplingErrors(ctx, theme, w, h, view) {
  const rows = [rowOf(view, "transformer", "nmse", 1)];
  view.ways = waysOf(rows);
  const [trained, , now] = errorKey(theme);
  heading(ctx, theme, "MSE / Var(y) of trained runs", 0, w - 4, [
    trained,
    now,
    ...ghostKey(theme, view),
  ]);
  const lines = [{ name: "a constant", count: 1, dash: [2, 3], error: 1 }];
  drawRows(ctx, theme, w, h, { rows, lines, known: [1], unit: "1 − R²" });
  const errors = rows[0].runs.map(({ error }) => fmt(error)).join(", ");
  return `Errors of trained Transformers in units of Var(y): ${errors || "none yet"}${wayWords(rows)}`;
}

// What a row shows of a model: errors of trained ones, and those at work on this very target.
function rowOf(view, model, name, variance) {
  const runs = view.comparable
    .filter((run) => run.model === model)
    .map((run) => ({ run, error: run[name] }));
  const done = runs.some(({ run }) => run.source === "this run");
  const others = (view.ghosts?.trained ?? []).filter((run) => run.model === model);
  const ghosts = others.map((run) => run[name]);
  return { model, runs, ghosts, way: wayOf(view, model, variance, done) };
}

const wayWords = (rows) =>
  rows
    .filter(({ way }) => way)
    .map(({ model, way }) => `; ${MODELS[model]} on its way ${fmt(way.errors.at(-1))}`)
    .join("");

// Rows of models under the labels of their floors.
function drawRows(ctx, theme, w, h, { rows, lines, known, unit }) {
  const errors = rows.flatMap(({ runs, ghosts, way }) => [
    ...ghosts,
    ...runs.map(({ error }) => error),
    ...(way?.errors ?? []),
  ]);
  const { low, high } = errorRange([...known, ...errors]);
  const side = plotBox(theme, w, h, { left: LEFT, right: RIGHT });
  const x = scale(low, high, side.x, side.x + side.w, true);
  const at = (error) => x(clamp(error, low, high));
  const labels = floorLabels(ctx, theme, w, at, lines);
  const levels = 1 + Math.max(...labels.map(({ level }) => level));
  const box = plotBox(theme, w, h, {
    ...{ left: LEFT, right: RIGHT, top: 2.2 + LINE * levels, bottom: 3 },
  });
  axisX(ctx, theme, box, x, logTicks(low, high, box.w / (5 * theme.size)), unit);
  const rowHigh = box.h / rows.length;
  const middle = (i) => box.y + (i + 0.5) * rowHigh;
  rows.forEach(({ model }, i) => {
    /** @type {Style} */
    const style = { baseline: "middle", weight: 600, colour: modelColour(theme, model) };
    write(ctx, theme, MODELS[model], 0, middle(i), style);
    horizontal(ctx, box, middle(i), theme.grid);
  });
  for (const { error, count, dash } of lines)
    vertical(ctx, { y: box.y, h: (count - 0.1) * rowHigh }, at(error), theme.ink, 2, dash);
  drawLabels(ctx, theme, box, labels);
  if (rows.every(isEmpty)) untrained(ctx, theme, box, middle(0), rows.length > 1);
  rows.forEach((row, i) => {
    if (isEmpty(row) && !rows.every(isEmpty)) untrained(ctx, theme, box, middle(i), false);
    drawRow(ctx, theme, at, middle(i), row);
  });
  const said = rows.flatMap((row, i) =>
    numbersOf(at, { ...box, y: box.y + i * rowHigh, h: rowHigh }, row),
  );
  const curves = lines.flatMap(({ error, count }) =>
    beside(at(error), box.y, box.y + (count - 0.1) * rowHigh),
  );
  const marks = rows.flatMap(({ runs }, i) => runs.map(({ error }) => [at(error), middle(i), 8]));
  writeLabels(ctx, theme, said, { bounds: box, curves, marks });
}

// The line of a floor is as broad as a number's distance from it.
const beside = (x, top, bottom) =>
  [-5, 0, 5].map((by) => [
    [x + by, top],
    [x + by, bottom],
  ]);

const waysOf = (rows) => Object.fromEntries(rows.map(({ model, way }) => [model, way?.errors]));

const isEmpty = ({ runs, way }) => !runs.length && !way;

// Said once: where neither is trained, of both.
function untrained(ctx, theme, box, y, neither) {
  const words = `${neither ? "neither is" : "not"} trained on this target yet`;
  /** @type {Style} */
  const style = { baseline: "middle", colour: theme.grey, halo: true };
  write(ctx, theme, words, box.x + 0.5 * theme.size, y - 1.1 * theme.size, style);
}

function drawRow(ctx, theme, at, y, { model, runs, ghosts, way }) {
  for (const error of ghosts) symbol(ctx, "circle", at(error), y, 4.5, { fill: theme.line });
  for (const { error, run } of runs) trainedMark(ctx, theme, at(error), y, run);
  if (way) drawWay(ctx, theme, modelColour(theme, model), way, at, y);
}

// The first ones are told in any case; none stands beside another row's marks.
function numbersOf(at, bounds, { runs, way }) {
  const y = bounds.y + bounds.h / 2;
  const errors = [...(way ? [way.errors.at(-1)] : []), ...telling(runs)];
  const said = [...new Set(errors.map((error) => fmt(error)))];
  const sides = ["n", "s", "e", "w", "ne", "nw", "se", "sw"];
  return said.map((text, i) => ({
    ...{
      text,
      x: at(errors.find((error) => fmt(error) === text)),
      y,
      sides,
      gap: 11,
      leads: false,
    },
    ...{ priority: -i, optional: i > 0, bounds },
  }));
}

// The errors whose numbers stand at their marks: of the run shown, the printed one, the least of others.
function telling(runs) {
  const of = (source) => runs.filter(({ run }) => run.source === source);
  const others = runs.filter(({ run }) => !["this run", "printed"].includes(run.source));
  const least = others.length ? [Math.min(...others.map(({ error }) => error))] : [];
  return [...[...of("this run"), ...of("printed")].map(({ error }) => error), ...least];
}

// Grey: what was trained on another target, by its name.
const ghostKey = (theme, { ghosts }) =>
  ghosts ? [symbolKey(ghosts.name, "circle", 4.5, { fill: theme.line })] : [];

const errorKey = (theme) => [
  symbolKey("trained", "circle", 4.5, { fill: theme.ink }),
  symbolKey("with convolution", "up", 4.5, { fill: theme.ink }),
  symbolKey("this run", "circle", 6, { fill: theme.paper, line: theme.ink, width: 2 }),
  symbolKey("printed", "diamond", 5, { line: theme.ink }),
];

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

/** On as few levels as there is room for, the ones at the right first. @returns {Label[]} */
function floorLabels(ctx, theme, w, at, lines) {
  const wanted = byPlace(lines, at).map(({ px, text }) => {
    const width = measure(ctx, theme, text);
    return candidates(px, width, w, theme.size).map((place) => ({ text, ...place }));
  });
  for (let levels = 1; levels <= FLOORS.length; levels++) {
    const found = allClear(wanted, levels, theme.size);
    if (found) return found;
  }
  return wanted.map((places, level) => ({ ...places[0], level }));
}

// One place for each label, so that all are clear of each other; null where there is none.
function allClear(wanted, levels, size, /** @type {Label[]} */ placed = []) {
  if (placed.length === wanted.length) return placed;
  for (const place of wanted[placed.length]) {
    if (place.level >= levels || !placed.every((other) => clear(place, other, size))) continue;
    const found = allClear(wanted, levels, size, [...placed, place]);
    if (found) return found;
  }
  return null;
}

// Over the line, to its left, to its right, from the lowest level on.
function candidates(px, width, w, size) {
  const found = [];
  for (let level = 0; level < FLOORS.length; level++)
    for (const x of [px - width / 2, px + 0.3 * size, px - width - 0.3 * size])
      found.push({ px, width, level, x: clamp(x, 0, w - width) });
  return found;
}

// Neither texts overlap, nor does a leader cross the other's text.
function clear(a, b, size) {
  const apart = a.x > b.x + b.width + 0.8 * size || b.x > a.x + a.width + 0.8 * size;
  const [low, high] = a.level < b.level ? [a, b] : [b, a];
  if (a.level === b.level) return apart;
  return high.px < low.x - 3 || high.px > low.x + low.width + 3;
}

function drawLabels(ctx, theme, box, labels) {
  const foot = ({ level }) => box.y - (0.45 + LINE * level) * theme.size;
  for (const label of labels)
    stroke(ctx, theme.grey, 1, [
      [crisp(label.px), box.y],
      [crisp(label.px), foot(label) + 2],
    ]);
  for (const label of labels)
    write(ctx, theme, label.text, label.x, foot(label), { colour: theme.grey, halo: true });
}

// Lines in one place have one label; from the right.
function byPlace(lines, at) {
  const places = new Map();
  for (const { name, error } of lines) {
    const px = at(error);
    const text = `${name} ${error < NOTHING ? "0" : fmt(error)}`;
    const [found] = [...places.keys()].filter((other) => Math.abs(other - px) < 2);
    const key = found ?? px;
    const before = places.get(key);
    places.set(key, before ? { px: key, text: joined(before.text, name, text) } : { px, text });
  }
  return [...places.values()].sort((a, b) => b.px - a.px);
}

// "time-invariant, any causal model 0.030" where both numbers are written alike.
function joined(before, name, text) {
  const number = text.slice(name.length);
  return before.endsWith(number)
    ? `${before.slice(0, -number.length)}, ${text}`
    : `${before}, ${text}`;
}
