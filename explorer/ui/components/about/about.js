// The button of the About dialog, and the card that explains a dotted word wherever it stands: in a
// text of the page, where it is a link to #term-…, or in a component, as data-term of an element.

import { Card } from "./card.js";

/** @type {WeakMap<object, Card>} */
const cards = new WeakMap();

export default function ({ data, parentElement: root, setTriggerValue }) {
  if (!cards.has(root)) cards.set(root, new Card(root));
  const card = cards.get(root);
  card.terms = data.terms;
  card.ask = (/** @type {string} */ key) => setTriggerValue("asked", key);
  root.querySelector("[data-all]").onclick = () => card.ask("all");
  return () => {
    card.close();
    cards.delete(root);
  };
}
