// What lies in the documents of components, too.

/**
 * The first part that a selector finds, in the document or in whichever shadow of it.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement | null}
 */
export function within(selector, root = document) {
  const found = root.querySelector(selector);
  if (found) return /** @type {HTMLElement} */ (found);
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const inside = shadowRoot && within(selector, shadowRoot);
    if (inside) return inside;
  }
  return null;
}
