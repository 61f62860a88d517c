// The chosen token in numbers, each to be typed.

import { element } from "../core/element.js";
import { partOf } from "./board.js";
import { tokenAt } from "./focus.js";
import { kindOf } from "./task.js";

/** @import { Board, Field, View } from "./types.js" */

/** @type {(board: Board, field: string, place: number[]) => string} */
const textOf = (board, field, place) => {
  const value = partOf(board, [field, ...place]);
  return Array.isArray(value) ? value.join(", ") : String(value);
};

// The inputs of the token that the locked row or the chosen point names, made anew only for another one.
export function fillToken(/** @type {View} */ view) {
  const holder = view.root.querySelector(".token");
  const t = view.locked ?? tokenAt(view, view.chosen);
  const back = view.backwards();
  const fields = back ? [] : kindOf(view.task).fields(view.task, view.board, t);
  const mark = JSON.stringify([back, view.subject, t, fields.map((f) => f[0])]);
  if (holder.dataset.mark !== mark) {
    holder.dataset.mark = mark;
    const title = element("span", {}, back ? "" : `token ${t}`);
    const { lists } = kindOf(view.task);
    holder.replaceChildren(title, ...fields.map((field) => inputOf(lists, field)));
  }
  [...holder.querySelectorAll("input")].forEach((input, i) => {
    const [, field, place] = fields[i];
    const text = textOf(view.board, field, place);
    const root = /** @type {Document | ShadowRoot} */ (input.getRootNode());
    const focused = document.activeElement === input || root.activeElement === input;
    if (!focused && input.value !== text) input.value = text;
  });
}

/** @type {(lists: string[], field: Field) => HTMLElement} */
function inputOf(lists, [label, field, place, after = ""]) {
  const size = lists.includes(field) ? 9 : 6;
  const input = element("input", { type: "text", inputMode: "decimal", size });
  Object.assign(input.dataset, { field, place: JSON.stringify(place) });
  if (field === "points") input.ariaLabel = `${label} coordinate ${(place.at(-1) ?? 0) + 1}`;
  return element("label", {}, label, " ", input, after);
}
