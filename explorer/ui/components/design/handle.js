// The large handle of m below the two maps: a slider, with m written on its thumb.

import { clamp } from "../core/numbers.js";
import { errorText, normName } from "./floor.js";

/** @import { Design } from "./design.js" */

/** Moved by a hand or by keys, it is an edit once it is let go. */
export function listenToHandle(/** @type {Design} */ view) {
  const input = view.root.querySelector("[data-act=m]");
  input.addEventListener("input", () => {
    view.typed = true;
    view.setM(input.valueAsNumber);
  });
  for (const end of ["change", "blur"]) input.addEventListener(end, () => view.endTyping());
}

/** Where m stands, of as many widths as say something: past the rank twice as far. */
export function showHandle(/** @type {Design} */ view) {
  const { root, limits, exact } = view;
  const { m } = view.design;
  const [least, most] = limits.m;
  const end = Math.max(m, exact === null ? most : clamp(2 * exact, 8, most));
  const input = root.querySelector("[data-act=m]");
  Object.assign(input, { min: least, max: end, value: m });
  input.setAttribute("aria-valuetext", `m = ${m}, ${normName(view)} ${errorText(view)}`);
  const label = input.nextElementSibling;
  label.textContent = `‹ m = ${m} ›`;
  label.style.setProperty("--part", (m - least) / (end - least));
}
