// A task of App. B.1 under the reader's hand, and what a head answers to it. A board holds what can be
// moved, such as points, masses and lengths of segments, or indices. There is one file for each task
// in tasks/, which is a `TaskDrawing` of types.d.ts.

import { identity } from "../core/reorder.js";
import { respond } from "./model.js";
import { gravityTask } from "./tasks/gravity.js";
import { nearestTask } from "./tasks/nearest.js";
import { selectionTask } from "./tasks/selection.js";

/** @import { Board, Network, Settings, Task, TaskDrawing } from "./types.js" */

/** @type {Record<string, TaskDrawing>} */
export const TASKS = { nearest: nearestTask, cog: gravityTask, qsa: selectionTask };

const PIECES = (
  "range positions tokens board ideal values answer query key place token ofToken lane keyLane mark " +
  "pointed answersArePoints overPlane sites valueRange fields lists drawn drawable"
).split(" ");

/** Throws where a task leaves out a piece, with its name. */
export function checkTasks(/** @type {Record<string, object>} */ tasks) {
  for (const [name, task] of Object.entries(tasks)) {
    const left = PIECES.filter((piece) => !(piece in task));
    if (left.length) throw new Error(`task "${name}" lacks ${left.join(", ")}`);
  }
}

checkTasks(TASKS);

// What is known of the kind of a task; a name that nobody has drawn is an error that says where.
export function kindOf(/** @type {{target: string}} */ { target }) {
  if (!(target in TASKS)) throw new Error(`task "${target}": it is missing in attention/task.js`);
  return TASKS[target];
}

// The tokens as the head gets them, order[t] at place t: in their order, with their positions ("move"), with those of their places ("stay")
// or without any ("off").
/** @type {(tokens: number[][], span: [number, number] | null, order: number[] | null, positions: string) => number[][]} */
function arranged(tokens, span, order, positions) {
  return (order ?? identity(tokens.length)).map((from, t) => {
    const token = [...tokens[from]];
    if (span)
      for (let i = span[0]; i < span[1]; i++) {
        token[i] = positions === "off" ? 0 : positions === "stay" ? tokens[t][i] : token[i];
      }
    return token;
  });
}

// Rows back under the names of the tokens: what answered at t answered for order[t].
/** @type {<Row>(rows: Row[], order: number[] | null) => Row[]} */
function named(rows, order) {
  const byToken = [...rows];
  (order ?? identity(rows.length)).forEach((at, t) => (byToken[at] = rows[t]));
  return byToken;
}

/**
 * Rows of a board: the truth, and what the head answers where there is a network.
 * @typedef {object} Solution
 * @property {number[][]} tokens
 * @property {number[][]} looked those whose weights these are
 * @property {number[][]} ideal
 * @property {number[][]} answer
 * @property {number[][]} [attention]
 * @property {number[][]} [predicted]
 */

/**
 * All that is known of a board, by its own weights or those of another that are held.
 * @type {(task: Task, board: Board, network: Network | null, settings: Settings, held?: Board | null) => Solution}
 */
export function solve(task, board, network, settings, held = null) {
  const kind = kindOf(task);
  const tokens = kind.tokens(task, board);
  const looked = held ? kind.tokens(task, held) : tokens;
  const ideal = kind.ideal(task, held ?? board);
  const truth = { tokens, looked, ideal, answer: kind.answer(task, board, ideal) };
  if (!network) return truth;
  const { order, positions } = settings;
  const span = kind.positions(task);
  const seen = arranged(tokens, span, order, positions);
  const by = held ? arranged(looked, span, order, positions) : seen;
  const { attention, predicted } = respond(network, seen, settings, by);
  return {
    ...truth,
    attention: named(attention, order).map((row) => named(row, order)),
    predicted: named(predicted, order),
  };
}

// How far shuffling the tokens changes the answers, max |Ĥ(x∘p) − Ĥ(x)∘p|, for each way to treat positions.
/** @type {(task: Task, board: Board, network: Network | null, settings: Settings) => Record<string, number>} */
export function equivariance(task, board, network, settings) {
  const ways = kindOf(task).positions(task) ? ["move", "stay", "off"] : ["move"];
  return Object.fromEntries(
    ways.map((positions) => {
      const [before, after] = [null, settings.order].map(
        (order) => solve(task, board, network, { ...settings, order, positions }).predicted ?? [],
      );
      return [positions, farthest(before, after)];
    }),
  );
}

/** @type {(a: number[][], b: ArrayLike<number>[]) => number} */
export const farthest = (a, b) =>
  Math.max(...a.flatMap((row, t) => row.map((x, j) => Math.abs(x - b[t][j]))));

// Beside the truth: mean |Â − A|, rows whose largest weight is where an ideal one is, largest |ŷ − y|.
export function compared(/** @type {Solution} */ { ideal, attention, answer, predicted }) {
  if (!attention || !predicted) return null;
  const gaps = ideal.flatMap((row, t) => row.map((a, s) => Math.abs(attention[t][s] - a)));
  const hits = ideal.filter(
    (row, t) => row[attention[t].indexOf(Math.max(...attention[t]))] === Math.max(...row),
  );
  const misses = answer.map((y, t) => Math.hypot(...y.map((x, j) => predicted[t][j] - x)));
  return {
    gap: gaps.reduce((a, b) => a + b, 0) / gaps.length,
    hits: hits.length,
    misses,
    worst: Math.max(...misses),
  };
}
