// Elements of markup.

/** An element with these properties, and what is in it. @type {<Tag extends keyof HTMLElementTagNameMap>(tag: Tag, properties?: Partial<HTMLElementTagNameMap[Tag]>, ...inside: (Node | string)[]) => HTMLElementTagNameMap[Tag]} */
export function element(tag, properties = {}, ...inside) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...inside);
  return made;
}
