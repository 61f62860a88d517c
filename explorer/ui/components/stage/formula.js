// The formula of a scene, with the parts that a step lights.

/** @import { Scene, Step } from "./store.js" */

/** @param {HTMLElement} place @param {Scene} scene @param {Step} step */
export function writeFormula(place, { formula }, { lit }) {
  const isLit = (/** @type {number} */ i) => !lit.length || lit.includes(i);
  place.hidden = !formula.length;
  place.classList.toggle("some", lit.length > 0);
  place.innerHTML = formula
    .map((text, i) => `<span class="${isLit(i) ? "lit" : ""}">${text}</span>`)
    .join("");
}
