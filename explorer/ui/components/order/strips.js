// Where there is room the choices of a list stand beside each other: one press instead of two.

import { element } from "../core/element.js";

/** @import { Order } from "./order.js" */

/** Strips of the lists beside them. @param {Order} view */
export function listenToStrips(view) {
  for (const strip of view.root.querySelectorAll("[data-strip]"))
    for (const { value, textContent } of listOf(view, strip).options) {
      const onclick = () => view.edit(() => view.preset(strip.dataset.strip, value));
      strip.append(element("button", { type: "button", value, textContent, onclick }));
    }
}

/** What is chosen; what was made by hand has a name, but nothing to press, and a filter that the target refuses is left out. @param {Order} view */
export function syncStrips(view) {
  for (const strip of view.root.querySelectorAll("[data-strip]")) {
    const list = listOf(view, strip);
    for (const [i, button] of [...strip.children].entries()) {
      const chosen = button.value === list.value;
      const refused = strip.dataset.strip === "filter" && isRefused(view.header, button.value);
      button.setAttribute("aria-pressed", String(chosen));
      button.hidden = (button.value === "own" && !chosen) || refused;
      list.options[i].disabled = refused;
    }
  }
}

/** Whether Python has no taps of this name: a coupling takes none that leave [0, 1]. */
/** @type {(header: Order["header"], filter: string) => boolean} */
export const isRefused = (header, filter) =>
  !["none", "own"].includes(filter) && header !== null && !(filter in header.presets.filters);

/** @param {Order} view @param {HTMLElement} strip @returns {HTMLSelectElement} */
const listOf = (view, strip) => view.root.querySelector(`[data-${strip.dataset.strip}]`);
