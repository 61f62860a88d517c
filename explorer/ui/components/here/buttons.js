// The buttons by which a reader trains in this browser (here.html).

import { isResting } from "./thread.js";

const page = /** @type {any} */ (globalThis);

/** The last press of Train that was heard in this document. @type {{last: number}} */
export const heard = (page.__explorerPresses ??= { last: 0 });

/** What each button does, where it can, and what it says. @type {Record<string, (status: string | null) => string>} */
const LABELS = {
  train: (status) => (status === null ? "▶ Train in this browser" : ""),
  pause: (status) => (status === "running" ? "❚❚ Pause" : ""),
  resume: (status) => (status && isResting(status) ? "▶ Resume" : ""),
  step: (status) => (status && isResting(status) ? "One step" : ""),
  zip: (status) => (status && (status === "finished" || isResting(status)) ? "Zip" : ""),
  stop: (status) => (status === "running" || status === "paused" ? "■ Stop" : ""),
};

/** @param {HTMLElement} row of buttons @param {(act: string) => void} press */
export const hearButtons = (row, press) =>
  row.addEventListener("click", ({ target }) => {
    const act = /** @type {HTMLElement} */ (target).closest("button")?.dataset.act;
    if (act) press(act);
  });

/**
 * Those that can do something.
 * @param {HTMLElement} row
 * @param {string | null} status of what is trained; null where nothing is
 * @param {unknown} can whether there is something to train
 */
export function writeButtons(row, status, can) {
  row.hidden = !can;
  for (const button of row.querySelectorAll("button")) {
    const text = LABELS[button.dataset.act ?? ""](status);
    button.hidden = !text;
    if (text && button.textContent !== text) button.textContent = text;
  }
}
