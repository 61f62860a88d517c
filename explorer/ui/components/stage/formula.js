// The formula of a scene, with the parts that a step lights; where the deck has its server, parts open its pages.

import { element } from "../core/element.js";
import { isServed } from "./training.js";

/** @import { Scene, Step } from "./store.js" */

/** @param {HTMLElement} place @param {Scene} scene @param {Step} step */
export function writeFormula(place, { formula, opens }, { lit }) {
  const isLit = (/** @type {number} */ i) => !lit.length || lit.includes(i);
  place.hidden = !formula.length;
  place.classList.toggle("some", lit.length > 0);
  const parts = formula.map((text, i) => {
    const part = pieceOf(opens[i] ?? "");
    part.classList.toggle("lit", isLit(i));
    part.innerHTML = text;
    if (part.localName === "a") part.ariaLabel = part.textContent; // MathML is no name to all
    return part;
  });
  place.replaceChildren(...parts);
}

/** @param {string} page */
function pieceOf(page) {
  if (!page) return element("span");
  const className = "box";
  if (!isServed()) return element("span", { className });
  return element("a", { href: page, target: "_blank", rel: "noopener", className });
}
