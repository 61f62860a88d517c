// One row of attention, built up: what a token asks, what each offers, how the two meet, what softmax
// makes of that, and the answer.

import { heading } from "../core/axes.js";
import { fillBox } from "../core/canvas.js";
import { fmt, largest } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { besideAxis, write } from "../core/text.js";
import { css } from "../core/theme.js";
import { focusOf } from "./focus.js";
import { logitsOf, meeting } from "./model.js";
import { kindOf } from "./task.js";

/** @import { Draw, View } from "./types.js" */

/** @typedef {{ctx: Ctx, theme: Theme, row: number, top: number, left: number, cell: number, column: Record<string, number>, most: number}} Plan where the parts of a row stand */
/** @typedef {{query: number[], keys: number[][], logits: number[], weights: number[]}} Row */

const STAGES = ["query", "key", "product", "weights", "answer"];
const BELOW = 1.9; // rows from the query to the first key
const AT_FOOT = 3; // letters, for the answer
const FILLED = 0.84; // of a cell

/** Panels, by the name of what comes last in each. @type {Record<string, Draw>} */
export const ROWS = Object.fromEntries(
  STAGES.map((name, stage) => [
    name,
    (ctx, theme, w, h, view) => drawRowUpTo(stage, ctx, theme, w, h, view),
  ]),
);

/** @type {(stage: number, ...on: Parameters<Draw>) => string} */
function drawRowUpTo(stage, ctx, theme, w, h, view) {
  const t = focusOf(view)?.t ?? 0;
  const row = rowOf(view, t);
  heading(ctx, theme, `What u_${t} looks at`, 0, w);
  if (!row) return "Row of attention: nothing learned yet";
  const plan = planOf(ctx, theme, w, h, row);
  drawNumbers(plan, row.query, 0, `u_${t}`);
  titles(plan, stage);
  row.keys.forEach((key, s) => {
    const offered = stage >= 1 ? key : key.map(() => 0);
    drawNumbers(plan, offered, BELOW + s, `v_${s}`, stage < 1);
    if (stage >= 2) drawProduct(plan, row.logits, s);
    if (stage >= 3) drawWeight(plan, row.weights[s], s);
  });
  if (stage >= 4) drawAnswer(plan, view, t);
  return `Row ${t} of attention, ${STAGES[stage]}: ${row.query.length} numbers of each token; products ${listed(row.logits)}; weights ${listed(row.weights)}`;
}

const listed = (/** @type {number[]} */ values) => values.map((x) => fmt(x)).join(", ");

/** @type {(view: View, t: number) => Row | null} */
function rowOf({ network, solution, settings }, t) {
  if (!network || !solution.attention) return null;
  const sides = meeting(network, solution.looked, settings.k);
  const keys = sides.key.map((row) => Array.from(row));
  const logits = logitsOf(sides)[t];
  return { query: Array.from(sides.query[t]), keys, logits, weights: solution.attention[t] };
}

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, row: Row) => Plan} */
function planOf(ctx, theme, w, h, { query, keys }) {
  const [top, left] = [3 * theme.size, 2.4 * theme.size];
  const rest = w - left;
  const room = h - top - AT_FOOT * theme.size;
  const row = Math.min(room / (keys.length + BELOW), 3 * theme.size);
  return {
    ctx,
    theme,
    row,
    top,
    left,
    cell: Math.min((0.36 * rest) / query.length, 1.4 * row),
    column: { product: left + 0.4 * rest, weights: left + 0.71 * rest, end: w },
    most: largest([...query, ...keys.flat()].map(Math.abs)),
  };
}

/** The middle of a row. @type {(plan: Plan, place: number) => number} */
const middle = ({ top, row }, place) => top + (place + 0.5) * row;

/** Warm where positive. @type {(theme: Theme, x: number) => string} */
const coloured = ({ diverging }, x) => css(diverging[x < 0 ? 1 : diverging.length - 2]);

/** A token's numbers as bars up and down, by its name; grey where they are still to come. @type {(plan: Plan, numbers: number[], place: number, name: string, toCome?: boolean) => void} */
function drawNumbers(plan, numbers, place, name, toCome = false) {
  const { ctx, theme, left, cell, row, most } = plan;
  const y = middle(plan, place);
  const colour = toCome ? theme.line : theme.ink;
  write(ctx, theme, name, left - 10, y, { ...besideAxis(theme), weight: 600, colour });
  numbers.forEach((x, i) => {
    const tall = (FILLED * row * Math.abs(x)) / most / 2;
    fillBox(ctx, theme.grid, [left + i * cell, y - 0.5, FILLED * cell, 1]);
    if (toCome) return;
    fillBox(ctx, coloured(theme, x), [
      left + i * cell,
      x < 0 ? y : y - tall,
      FILLED * cell,
      Math.max(tall, 1),
    ]);
  });
}

/** @type {(plan: Plan, stage: number) => void} */
function titles(plan, stage) {
  const { ctx, theme, left, column } = plan;
  const style = { colour: theme.grey, baseline: /** @type {const} */ ("bottom") };
  const y = middle(plan, BELOW) - 0.55 * plan.row;
  if (stage >= 1) write(ctx, theme, "offers", left, y, style);
  if (stage >= 2) write(ctx, theme, "score", column.product, y, style);
  if (stage >= 3) write(ctx, theme, "weight", column.weights, y, style);
}

/** What asked and offered numbers give, from the least of the row on. @type {(plan: Plan, logits: number[], s: number) => void} */
function drawProduct(plan, logits, s) {
  const { ctx, theme, column, row } = plan;
  const [least, most] = [Math.min(0, ...logits), Math.max(0, ...logits)];
  const room = column.weights - column.product - 3.2 * theme.size;
  const per = room / (most - least || 1);
  const zero = column.product - least * per;
  const y = middle(plan, BELOW + s);
  const length = logits[s] * per;
  fillBox(ctx, coloured(theme, logits[s]), [
    Math.min(zero, zero + length),
    y - 0.25 * row,
    Math.abs(length),
    0.5 * row,
  ]);
  const end = column.product + room + 0.3 * theme.size;
  write(ctx, theme, fmt(logits[s]), end, y, { baseline: "middle", colour: theme.grey });
}

/** @type {(plan: Plan, weight: number, s: number) => void} */
function drawWeight(plan, weight, s) {
  const { ctx, theme, column, row } = plan;
  const y = middle(plan, BELOW + s);
  const room = column.end - column.weights - 2.6 * theme.size;
  fillBox(ctx, theme.grid, [column.weights, y - 0.25 * row, room, 0.5 * row]);
  fillBox(ctx, theme.accent, [column.weights, y - 0.25 * row, room * weight, 0.5 * row]);
  write(ctx, theme, weight.toFixed(2), column.end, y, besideAxis(theme));
}

/** The weighted sum, and what it should be. @type {(plan: Plan, view: View, t: number) => void} */
function drawAnswer(plan, { task, solution }, t) {
  const { ctx, theme, left } = plan;
  if (!solution.predicted || !kindOf(task).answersArePoints) return;
  const point = (/** @type {number[]} */ xs) => `(${xs.map((x) => x.toFixed(2)).join(", ")})`;
  const y = plan.top + (BELOW + task.tau) * plan.row + theme.size;
  symbol(ctx, "diamond", left - 0.9 * theme.size, y, 8, { fill: theme.accent });
  const style = { baseline: /** @type {const} */ ("middle"), weight: 600 };
  write(ctx, theme, `answer ${point(solution.predicted[t])}`, left, y, style);
  write(ctx, theme, `wanted ${point(solution.answer[t])}`, left, y + 1.3 * theme.size, style);
}
