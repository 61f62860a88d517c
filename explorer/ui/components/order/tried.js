// The orders that were tried, the hardest for an RNN first, and the search for a harder one.

import { fmt } from "../core/numbers.js";

/** @typedef {{name: string, order: number[], floor: number, best: boolean}} Tried */

const sameOrder = (a, b) => a.every((p, t) => p === b[t]);

/** What the buttons do: a click on a tried order returns to it, one searches. */
export function listenToTried(view) {
  view.root.querySelector("[data-act=hunt]").addEventListener("click", () => view.hunt());
  view.root.querySelector("[data-list=tried]").addEventListener("click", ({ target }) => {
    const button = target.closest("[data-at]");
    const chosen = button && view.header.tried[Number(button.dataset.at)];
    if (chosen) view.edit(() => view.takeOrder(chosen));
  });
}

/** The buttons of the tried orders as Python lists them; of a coupling there are none. */
export function syncTried(view) {
  const { header, order, kernel, settled, hunting } = view;
  const hunt = view.root.querySelector("[data-act=hunt]");
  hunt.hidden = !kernel;
  hunt.disabled = hunting;
  hunt.textContent = hunting ? "searching…" : "find the hardest for an RNN";
  const row = view.root.querySelector("[data-list=tried]");
  row.hidden = !kernel || header.tried.length < 2; // one alone is the order that is there
  const markup = JSON.stringify([header.tried, settled]);
  if (row.dataset.drawn !== markup) {
    row.dataset.drawn = markup;
    row.replaceChildren(...header.tried.map(buttonOf));
  }
  for (const button of row.querySelectorAll("[data-at]"))
    button.setAttribute(
      "aria-pressed",
      String(sameOrder(header.tried[Number(button.dataset.at)].order, order)),
    );
}

function buttonOf(/** @type {Tried} */ { name, floor, best }, i) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.at = String(i);
  button.textContent = `${best ? "★ " : ""}${name} ${floor < 1e-12 ? "0" : fmt(floor)}`;
  button.title = `Back to this order: the best linear RNN leaves ${fmt(floor)}${best ? ", the most of those tried" : ""}`;
  return button;
}
