// What a board says in words and numbers: the readout under the pictures, and the chosen token to be typed.

import { fmt, fmtInteger, minus } from "../core/numbers.js";
import { focusOf, tokenAt } from "./panels.js";
import { compared, equivariance, farthest, kindOf } from "./task.js";

const AGREE = 1e-5;

const vector = (y) => (y.length === 1 ? decimal(y[0]) : `(${y.map(decimal).join(", ")})`);
const decimal = (x) => minus(x.toFixed(3));

// How far Python's answer is from the browser's, or null while it has given none.
export function agreement({ confirmed, found }) {
  if (!confirmed || !found?.attention) return null;
  return Math.max(
    farthest(found.attention, confirmed.attention),
    farthest(found.predicted, confirmed.predicted),
  );
}

export function readout(view) {
  const { found, settings, task } = view;
  const focus = focusOf(view);
  const t = focus?.t ?? null;
  const whole = compared(found);
  const temperature = view.backwards() ? 1 : settings.temperature; // a kept picture is of the head as it was trained
  const back = view.backwards() ? `kept at step ${fmtInteger(view.run.scrub)}: the example. ` : "";
  return {
    row: rowText(found, t, focus?.s ?? null),
    whole:
      back +
      (whole
        ? `all rows: mean |Â − A| = ${fmt(whole.gap)}, largest weight right in ${whole.hits} of ${task.tau}, |ŷ − y| ≤ ${fmt(whole.worst)}`
        : "nothing learned yet: the ideal attention is drawn"),
    order: orderText(view),
    python: pythonText(view),
    temperature: temperature === 0 ? "hard-max, T → 0" : `T = ${temperature}`,
  };
}

function rowText({ answer, predicted, attention, ideal }, t, s) {
  if (t === null)
    return s === null
      ? "hover a row: it is lit in all three pictures"
      : `key s = ${s}: the rows that look at it`;
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

const WAYS = { move: "positions moving along", stay: "positions staying", off: "no positions" };

function orderText(view) {
  const { settings, network, task, board } = view;
  if (!settings.order || !network || view.backwards()) return "";
  const found = equivariance(task, board, network, settings);
  const one = Object.keys(found).length === 1;
  const parts = Object.entries(found).map(
    ([way, gap]) => `${one ? "" : `${WAYS[way]}: `}${fmt(gap)}`,
  );
  return `shuffled, p = (${settings.order.join(" ")}): max |Ĥ(x∘p) − Ĥ(x)∘p| = ${parts.join(" · ")}`;
}

function pythonText(view) {
  if (view.refused) return "not taken: see below";
  if (view.backwards() || !view.network || view.run.frame?.status === "running") return "";
  const gap = agreement(view);
  if (gap === null) return "Python is computing…";
  return gap <= AGREE
    ? `✓ Python computes the same (${gap < 1e-12 ? "to the last digit" : `to ${fmt(gap)}`})`
    : `✕ Python differs by ${fmt(gap)}`;
}

// ---- the chosen token in numbers

// What can be typed of a token: [label, field, place of its number].
const fieldsOf = ({ task, board }, t) => kindOf(task).fields(task, board, t);

const textOf = (board, field, place) => {
  const value = place.reduce((part, i) => part[i], board[field]);
  return Array.isArray(value) ? value.join(", ") : String(value);
};

// The inputs of the token that the locked row or the chosen point names, made anew only for another one.
export function fillToken(view) {
  const holder = view.root.querySelector(".token");
  const t = view.locked ?? tokenAt(view, view.chosen);
  const back = view.backwards();
  const fields = back ? [] : fieldsOf(view, t);
  const mark = JSON.stringify([back, view.subject, t, fields.map((f) => f[0])]);
  if (holder.dataset.mark !== mark) {
    holder.dataset.mark = mark;
    const title = document.createElement("span");
    title.textContent = back ? "" : `token ${t}`;
    holder.replaceChildren(title, ...fields.map(inputOf));
  }
  [...holder.querySelectorAll("input")].forEach((input, i) => {
    const [, field, place] = fields[i];
    const text = textOf(view.board, field, place);
    if (
      document.activeElement !== input &&
      input.getRootNode().activeElement !== input &&
      input.value !== text
    )
      input.value = text;
  });
}

function inputOf([label, field, place]) {
  const holder = document.createElement("label");
  const input = document.createElement("input");
  input.type = "text";
  input.inputMode = "decimal";
  input.size = field === "indices" || field === "lengths" ? 9 : 6;
  Object.assign(input.dataset, { field, place: JSON.stringify(place) });
  holder.append(label, " ", input);
  return holder;
}

const numbersIn = (text) =>
  text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number);

// The board with a text typed into one of its numbers or lists; what is no number is NaN.
export function typed(board, { field, place }, text) {
  const at = JSON.parse(place);
  const list = field === "indices" || field === "lengths";
  const value = list
    ? numbersIn(text)
    : text.trim() === ""
      ? NaN
      : Number(text.replace("−", "-").replace(",", "."));
  if (!at.length) board[field] = value;
  else at.slice(0, -1).reduce((part, i) => part[i], board[field])[at.at(-1)] = value;
  return board;
}

// Whether a board can be drawn and answered here.
export function drawable({ tau, k, segments }, { points, masses, lengths, indices }) {
  const whole = (list, most) => list.every((i) => Number.isInteger(i) && i >= 0 && i < most);
  if (
    !points.flat().every(Number.isFinite) ||
    !(masses ?? []).every((m) => m > 0 && Number.isFinite(m))
  )
    return false;
  if (indices && !indices.every((own) => own.length === k && whole(own, tau))) return false;
  const fits = (l) =>
    l.length <= segments &&
    l.every((n) => n >= 2) &&
    l.reduce((a, b) => a + b, 0) === points.length &&
    l.length + points.length === tau;
  return !lengths || (whole(lengths, tau) && fits(lengths));
}
