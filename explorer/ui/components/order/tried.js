// The orders that were tried, the hardest for an RNN first, and the search for a harder one.

import { element } from "../core/element.js";
import { fmt } from "../core/numbers.js";

/** @import { Order } from "./order.js" */
/** @typedef {{name: string, called: string, order: number[], floor: number, best: boolean}} Tried */

/** A click on a tried order returns to it. */
export function listenToTried(/** @type {Order} */ view) {
  view.root
    .querySelector("[data-list=tried]")
    .addEventListener("click", (/** @type {Event} */ { target }) => {
      /** @type {HTMLElement | null} */
      const button = /** @type {HTMLElement} */ (target).closest("[data-at]");
      const chosen = button && view.tried[Number(button.dataset.at)];
      if (chosen) view.edit(() => view.takeOrder(chosen));
    });
}

/** The buttons of the tried orders as Python lists them; of a coupling there are none. */
export function syncTried(/** @type {Order} */ view) {
  const { tried, order, kernel, settled, hunting } = view;
  const hunt = view.button("hunt");
  hunt.hidden = !kernel;
  hunt.disabled = hunting;
  hunt.textContent = hunting ? "searching…" : "find the hardest for an RNN";
  const row = view.root.querySelector("[data-list=tried]");
  row.hidden = !kernel || tried.length < 2; // one alone is the order that is there
  const markup = JSON.stringify([tried, settled]);
  if (row.dataset.drawn !== markup) {
    row.dataset.drawn = markup;
    row.replaceChildren(...tried.map(buttonOf));
  }
  for (const button of row.querySelectorAll("[data-at]")) {
    const isSame = tried[Number(button.dataset.at)].order.every((p, t) => p === order[t]);
    button.setAttribute("aria-pressed", String(isSame));
  }
}

/** @type {(tried: Tried, i: number) => HTMLButtonElement} */
function buttonOf({ name, floor, best }, i) {
  const text = `${best ? "★ " : ""}${name} ${floor < 1e-12 ? "0" : fmt(floor)}`;
  const title = `Back to this order: the best linear RNN leaves ${fmt(floor)}${best ? ", the most of those tried" : ""}`;
  const button = element("button", { type: "button", title }, text);
  button.dataset.at = String(i);
  return button;
}
