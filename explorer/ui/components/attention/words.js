// What a board says in words and numbers: the readout under the pictures.

import { fmt, fmtInteger, minus } from "../core/numbers.js";
import { focusOf } from "./focus.js";
import { compared, equivariance, farthest } from "./task.js";

/** @import { Solution } from "./task.js" */
/** @import { View } from "./types.js" */

const AGREE = 1e-5;

const vector = (/** @type {number[]} */ y) =>
  y.length === 1 ? decimal(y[0]) : `(${y.map(decimal).join(", ")})`;
const decimal = (/** @type {number} */ x) => minus(x.toFixed(3));

// How far Python's answer is from the browser's, or null while it has given none.
export function agreement(
  /** @type {Pick<View, "confirmed" | "solution">} */ { confirmed, solution },
) {
  if (!confirmed || !solution.attention) return null;
  return Math.max(
    farthest(solution.attention, confirmed.attention),
    farthest(solution.predicted ?? [], confirmed.predicted),
  );
}

export function readout(/** @type {View} */ view) {
  const { solution, settings, task } = view;
  const focus = focusOf(view);
  const t = focus?.t ?? null;
  const whole = compared(solution);
  const temperature = view.backwards() ? 1 : settings.temperature; // a kept picture is of the head as it was trained
  const held = view.held ? "weights kept from before. " : "";
  const back = view.backwards()
    ? `kept at step ${fmtInteger(view.run.scrub ?? 0)}: the example. `
    : held;
  return {
    row: rowText(solution, t, focus?.s ?? null),
    whole:
      back +
      (whole
        ? `all rows: mean |Â − A| = ${fmt(whole.gap)}, largest weight right in ${whole.hits} of ${task.tau}, |ŷ − y| ≤ ${fmt(whole.worst)}`
        : "nothing learned yet: the ideal attention is drawn"),
    order: orderText(view),
    python: pythonText(view),
    temperature: temperature === 0 ? "T → 0" : `T = ${temperature}`,
  };
}

/** @type {(solution: Solution, t: number | null, s: number | null) => string} */
function rowText({ answer, predicted, attention, ideal }, t, s) {
  if (t === null) return s === null ? "" : `key s = ${s}: the rows that look at it`;
  const own = predicted ? `ŷ = ${vector(predicted[t])}, ` : "";
  const miss = predicted
    ? `, |ŷ − y| = ${fmt(Math.hypot(...answer[t].map((y, j) => y - predicted[t][j])))}`
    : "";
  const cell =
    s === null
      ? ""
      : ` · A(${t}, ${s}) = ${attention ? attention[t][s].toFixed(3) : "–"}, ideal ${ideal[t][s].toFixed(3)}`;
  return `row t = ${t}: ${own}y = ${vector(answer[t])}${miss}${cell}`;
}

/** @type {Record<string, string>} */
const WAYS = { move: "positions moving along", stay: "positions staying", off: "no positions" };

function orderText(/** @type {View} */ view) {
  const { settings, network, task, board } = view;
  if (!settings.order || !network || view.backwards()) return "";
  const gaps = equivariance(task, board, network, settings);
  const one = Object.keys(gaps).length === 1;
  const parts = Object.entries(gaps).map(
    ([way, gap]) => `${one ? "" : `${WAYS[way]}: `}${fmt(gap)}`,
  );
  return `shuffled, p = (${settings.order.join(" ")}): max |Ĥ(x∘p) − Ĥ(x)∘p| = ${parts.join(" · ")}`;
}

function pythonText(/** @type {View} */ view) {
  if (view.refused) return "not taken: see below";
  if (view.backwards() || !view.network || view.run.frame?.status === "running") return "";
  if (view.moving) return "let go: Python checks";
  const gap = agreement(view);
  if (gap === null) return "Python is computing…";
  return gap <= AGREE
    ? `✓ Python computes the same (${gap < 1e-12 ? "to the last digit" : `to ${fmt(gap)}`})`
    : `✕ Python differs by ${fmt(gap)}`;
}
