// The button of the About dialog, and the card that explains a dotted word wherever it stands: in a
// text of the page, where it is a link to #term-…, or in a component, as data-term of an element.

import { Card } from "./card.js";

/** @type {WeakMap<object, Card>} */
const cards = new WeakMap();

/** @param {Omit<import("../core/canvas-view.js").Triggering, "data"> & {data: [string, string, string][]}} mount */
export default function ({ data, parentElement: root, setTriggerValue }) {
  const card = cards.get(root) ?? new Card(root);
  cards.set(root, card);
  card.terms = Object.fromEntries(data.map(([key, plain, where]) => [key, { plain, where }]));
  card.ask = (/** @type {string} */ key) => setTriggerValue("asked", key);
  const all = /** @type {HTMLElement} */ (root.querySelector("[data-all]"));
  all.onclick = () => card.ask("all");
  return () => {
    card.close();
    cards.delete(root);
  };
}
