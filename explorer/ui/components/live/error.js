// The error of a run against the step, beside pinned ones, with its ratios to them under it.

import { heading, lineKey, plotBox } from "../core/axes.js";
import { across, dot, horizontal } from "../core/canvas.js";
import { errorAxes, errorCurves, stepLine } from "../core/error-curve.js";
import { keyLabel, writeLabels } from "../core/labels.js";
import { fmt, fmtInteger } from "../core/numbers.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { drawDrop, drawLane, withLane } from "../core/zero-lane.js";
import { isDrawn, sorted } from "../run/stream.js";
import { drawRatio, nearest, ratioOf, withStrip } from "./compare.js";

/** @import { Room } from "../core/labels.js" */
/** @import { Drawn, RunStream } from "../run/stream.js" */
/** @typedef {{m_h: number, rank: number | null, steps: number, seed: number, floor: number | null, floor_label: string}} Over what the error is drawn over */
/** @typedef {Pick<RunStream<Over>, "run" | "pin" | "pins"> & {atStep: number | null, errorAxes: ErrorAxes | null}} View */
/** @import { Ratios, Row } from "./compare.js" */
/** @typedef {{label: string, evals: Row[], floor: number}} Ghost a pinned run */
/** @typedef {{loss: Row[], evals: Row[], own: Row[], ghosts: Ghost[]}} Rows own: the error on a training set */

/** @type {(run: Drawn<Over>, ...rows: Row[][]) => {low: number, high: number}} */
export function errorDomain(run, ...rows) {
  const values = rows.flat().map((row) => row[1]);
  const floor = run.drawing.floor ?? 0;
  const low = Math.min(1e-2, floor > 1e-12 ? floor / 1.5 : Infinity, ...values);
  const high = Math.max(1, ...values);
  return {
    low: 10 ** Math.floor(Math.log10(low)),
    high: Math.max(2, Math.min(1e6, 10 ** Math.ceil(Math.log10(high) - 0.3))),
  };
}

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: View) => string} */
export function drawError(ctx, theme, w, h, view) {
  const { run } = view;
  const key = errorKey(theme, ownOf(run));
  const inHeading = heading(ctx, theme, "Error (nMSE) against step", 0, w - 4, key);
  if (!isDrawn(run)) return "Error against step: nothing yet";
  const ghosts = (view.pins ?? []).map(ghostOf);
  const rows = { loss: sorted(run.loss), evals: sorted(run.evals), own: ownOf(run), ghosts };
  const ghostRows = ghosts.map(({ evals }) => evals);
  const whole = plotBox(theme, w, h, { right: 4.6 }); // for the labels at the ends of the curves
  const { main: above, strip } = withStrip(theme, whole, view.pin);
  const { main, lane } = withLane(theme, above, run.drawing.rank !== null);
  const steps = Math.max(10, run.drawing.steps, ...ghostRows.map((rows) => rows.at(-1)?.[0] ?? 1));
  const domain = errorDomain(run, rows.loss, rows.evals, rows.own, ...ghostRows);
  const axes = (view.errorAxes = errorAxes(ctx, theme, main, { steps, ...domain }, whole));
  if (lane) drawLane(ctx, theme, lane);
  ghosts.forEach(({ floor }, i) => drawGhostFloor(ctx, theme, axes, floor, i));
  const floorAt = drawErrorFloor(ctx, theme, axes, lane, run.drawing);
  errorCurves(ctx, axes, curvesOf(ctx, theme, rows));
  const step = view.atStep ?? run.scrub;
  if (step !== null) drawStep(ctx, theme, axes, rows, step);
  const labels = [
    ...(run.drawing.floor === null ? [] : [floorName(theme, axes, lane, floorAt, run.drawing)]),
    ...curveNames(theme, axes, rows, step),
    ...(inHeading ? [] : [keyLabel(theme, main, key)]),
  ];
  writeLabels(ctx, theme, labels, inkOf(theme, axes, above, rows, floorAt));
  const over = ratiosOf(theme, rows);
  if (strip) drawRatio(ctx, theme, strip, axes.x, over, step);
  return errorSentence(run.drawing, rows, over);
}

/** The error on the training set, where there is one. @type {(run: Run) => Row[]} */
const ownOf = (run) => sorted(run.metrics.train_nmse ?? new Map());

const errorKey = (/** @type {Theme} */ theme, /** @type {Row[]} */ own) => [
  lineKey("training loss", theme.pale, [], 1.5),
  symbolKey(own.length ? "fresh sequences" : "evaluation", "circle", 4, { fill: theme.accent }),
  ...(own.length ? [symbolKey("its own", "square", 4, { fill: theme.grey })] : []),
];

/** @type {(theme: Theme, rows: Rows) => Ratios[]} */
const ratiosOf = (theme, { evals, ghosts }) =>
  ghosts.map((ghost, i) => ({
    label: ghost.label,
    ratios: ratioOf(evals, ghost.evals),
    colour: ghostColour(theme, i),
  }));

/** @type {(drawing: Over, rows: Rows, over: Ratios[]) => string} */
function errorSentence({ floor, floor_label }, { evals, loss, own }, over) {
  const [step, error] = evals.at(-1) ?? loss.at(-1) ?? [0, undefined];
  const floorText = floor === null ? "" : `, ${floor_label}${floor > 0 ? " " + fmt(floor) : ""}`;
  const last = over.map(({ label, ratios }) => ({ label, end: ratios.at(-1) }));
  const beside = last
    .filter(({ end }) => end)
    .map(({ label, end }) => {
      const where = end?.[0] === step ? "" : `at step ${end?.[0]} `; // the last of both
      return `; ${where}divided by that of ${label || "the pinned run"} ${fmt(end?.[1])}`;
    })
    .join("");
  const trained = own.length ? `, on its own sequences ${fmt(own.at(-1)?.[1])}` : "";
  return `Error against step, log-log: nMSE ${fmt(error)} at step ${step}${trained}${floorText}${beside}`;
}

/** @type {(ctx: Ctx, theme: Theme, rows: Rows) => Curve[]} */
function curvesOf(ctx, theme, { loss, evals, own, ghosts }) {
  const evaluated = { fill: theme.accent, line: theme.paper };
  return [
    { rows: loss, colour: theme.pale, width: 1.2 },
    ...ghosts.map((ghost, i) => ({
      rows: ghost.evals,
      colour: ghostColour(theme, i),
      dash: [2, 3],
      mark: (/** @type {number} */ x, /** @type {number} */ y) =>
        symbol(ctx, "diamond", x, y, 4.5, { fill: ghostColour(theme, i) }),
    })),
    {
      ...{ rows: own, colour: theme.grey, width: 0 },
      mark: (x, y) => symbol(ctx, "square", x, y, 3.5, { fill: theme.grey }),
    },
    { rows: evals, colour: theme.accent, width: 0, mark: (x, y) => dot(ctx, x, y, 4, evaluated) },
  ];
}

// A pinned run: what it is called, its errors, and what truncation leaves at its width.
/** @type {(pin: {label: string, run: Run}) => Ghost} */
const ghostOf = ({ label, run }) => ({
  label,
  evals: sorted(run.evals),
  floor: run.drawing?.floor ?? 0,
});

/** @type {(theme: Theme, i: number) => string} */
const ghostColour = (theme, i) =>
  i ? theme.categories[(i + 2) % theme.categories.length] : theme.second;

/** @type {(ctx: Ctx, theme: Theme, axes: ErrorAxes, floor: number, i: number) => void} */
function drawGhostFloor(ctx, theme, { box, y }, floor, i) {
  if (floor > 1e-12) horizontal(ctx, box, y(floor), ghostColour(theme, i), 1, [3, 6]);
}

// What the first m_h terms alone leave: a line, in the lane where it is 0; returns its height.
/** @type {(ctx: Ctx, theme: Theme, axes: ErrorAxes, lane: Lane | null, drawing: Over) => number} */
function drawErrorFloor(ctx, theme, { box, y }, lane, { floor, m_h, rank }) {
  const isSeen = floor !== null && floor > 1e-12;
  const at = isSeen ? y(floor) : (lane?.y ?? box.y + box.h);
  if (isSeen || lane) horizontal(ctx, box, at, theme.grey, 1.5, [7, 5]);
  if (lane && rank !== null && m_h < rank)
    drawDrop(ctx, theme.grey, box.x + 1.1 * theme.size, at, lane.y);
  return at;
}

// Its name on it. Below the rank the lane says where it would be.
/** @type {(theme: Theme, axes: ErrorAxes, lane: Lane | null, at: number, drawing: Over) => Label} */
function floorName(theme, { box }, lane, at, { floor, floor_label, m_h, rank }) {
  const name = floor_label || "truncation";
  const falls = lane && rank !== null && m_h < rank ? `; 0 from m_h = ${rank} on` : "";
  const x = box.x + (falls ? 1.9 : 0.6) * theme.size;
  const isSeen = floor !== null && floor > 1e-12;
  const own = isSeen ? {} : { bounds: lane?.box ?? box, plate: true };
  const sides = isSeen ? ["ne", "se"] : ["e"];
  return { text: name + falls, x, y: at, gap: 4, colour: theme.grey, sides, leads: false, ...own };
}

// At the ends of the curves, for which there is room at the right; or at the step that is read.
/** @type {(theme: Theme, axes: ErrorAxes, rows: Rows, step: number | null) => Label[]} */
function curveNames(theme, axes, rows, step) {
  const { evals, loss, ghosts } = rows;
  const { x, y } = axes;
  const place = (/** @type {Row} */ [at, error]) => ({
    x: x(Math.max(1, at)),
    y: y(error),
    gap: 9,
    leads: false,
  });
  const ends = ["e", "se", "ne"];
  /** @type {(Label | null)[]} */
  const names = [];
  const last = evals.at(-1) ?? loss.at(-1);
  if (last && step === null) {
    const end = Math.max(loss.at(-1)?.[0] ?? 1, evals.at(-1)?.[0] ?? 1);
    const style = { colour: theme.accent, weight: 600, priority: 3, sides: ends };
    names.push({ text: fmt(last[1]), ...place([end, last[1]]), ...style });
  }
  ghosts.forEach(({ label, evals: own }, i) => {
    const style = { colour: ghostColour(theme, i), sides: [...ends, "nw", "sw"] };
    if (own.length) names.push({ text: label, ...place(own[own.length - 1]), ...style });
  });
  if (step !== null) names.push(readAt(theme, axes, rows, step));
  return names.filter((name) => name !== null);
}

// What the curves say at a step.
/** @type {(theme: Theme, axes: ErrorAxes, rows: Rows, wanted: number) => Label | null} */
function readAt(theme, { box, x }, { loss, evals, ghosts }, wanted) {
  const read = nearest(loss.length ? loss : evals, wanted);
  if (!read) return null;
  const [step, error] = read;
  const lines = [`step ${fmtInteger(step)}`, `loss ${fmt(error)}`];
  const check = nearest(evals, step);
  if (check)
    lines.push(`nMSE ${fmt(check[1])}${check[0] === step ? "" : ` at ${fmtInteger(check[0])}`}`);
  for (const ghost of ghosts) {
    const other = check && ghost.evals.length ? nearest(ghost.evals, check[0]) : null;
    if (other) lines.push(`${ghost.label} ${fmt(other[1])} at ${fmtInteger(other[0])}`);
  }
  const sides = ["se", "sw"]; // the curve falls: right of it is room
  const bounds = { ...box, x: box.x + 6, w: box.w - 6 + 4.4 * theme.size };
  return { text: lines, x: x(step), y: box.y, gap: 10, sides, bounds, priority: 4, leads: false };
}

/** @type {(ctx: Ctx, theme: Theme, axes: ErrorAxes, rows: Rows, wanted: number) => void} */
function drawStep(ctx, theme, { box, x, y }, { loss, evals }, wanted) {
  const read = nearest(loss.length ? loss : evals, wanted);
  if (!read) return;
  stepLine(ctx, theme, box, x, read[0]);
  dot(ctx, x(read[0]), y(read[1]), 4, { fill: theme.paper, line: theme.accent });
}

// Where words may stand, and what they keep clear of.
/** @type {(theme: Theme, axes: ErrorAxes, above: Box, rows: Rows, floorAt: number) => Room} */
function inkOf(theme, { box, x, y }, above, rows, floorAt) {
  const along = (/** @type {Row[]} */ list) =>
    list.map(([step, error]) => [x(Math.max(1, step)), y(error)]);
  const ghosts = rows.ghosts.map(({ evals }) => along(evals));
  return {
    bounds: { ...above, w: above.w + 4.4 * theme.size },
    curves: [across(box, floorAt), along(rows.loss), along(rows.evals), ...ghosts],
    marks: [...along(rows.evals), ...ghosts.flat()].map(([px, py]) => [px, py, 4]),
  };
}
