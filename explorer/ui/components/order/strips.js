// Where there is room the choices of a list stand beside each other: one press instead of two.

/** @import { Order } from "./order.js" */

/** Strips of the lists beside them. @param {Order} view */
export function listenToStrips(view) {
  for (const strip of view.root.querySelectorAll("[data-strip]"))
    for (const { value, textContent } of listOf(view, strip).options) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", value, textContent });
      button.addEventListener("click", () =>
        view.edit(() => view.preset(strip.dataset.strip, value)),
      );
      strip.append(button);
    }
}

/** What is chosen; what was made by hand has a name, but nothing to press. @param {Order} view */
export function syncStrips(view) {
  for (const strip of view.root.querySelectorAll("[data-strip]"))
    for (const button of strip.children) {
      const chosen = button.value === listOf(view, strip).value;
      button.setAttribute("aria-pressed", String(chosen));
      button.hidden = button.value === "own" && !chosen;
    }
}

/** @param {Order} view @param {HTMLElement} strip @returns {HTMLSelectElement} */
const listOf = (view, strip) => view.root.querySelector(`[data-${strip.dataset.strip}]`);
