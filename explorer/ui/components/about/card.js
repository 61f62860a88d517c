// A card that explains the word under the mouse, with the focus, or that was tapped.

const LINK = "#term-";
const WAIT = 200; // milliseconds before it comes, and before it goes
const GAP = 8; // pixels between word and card

/** How dotted words look, where the page makes links of them; formulas are as large as the text. */
const LOOK = `
  a[href^="${LINK}"] {
    color: inherit !important;
    text-decoration: underline dotted 1.5px !important;
    text-underline-offset: 0.2em;
    cursor: help;
  }
  a[href^="${LINK}"]:has(.katex) { border-bottom: 1.5px dotted; }
  [data-testid="stMarkdownContainer"] p > .katex,
  [data-testid="stMarkdownContainer"] a > .katex { font-size: max(1.08em, 17.2px); }`;

/**
 * The word that an event is about: the innermost element that names one, shadow roots included.
 * @param {EventTarget[]} path of the event
 * @returns {{key: string, element: HTMLElement, text: boolean} | null}
 */
export function termOf(path) {
  for (const element of /** @type {HTMLElement[]} */ (path)) {
    const href = element.getAttribute?.("href");
    if (href?.startsWith(LINK)) return { key: href.slice(LINK.length), element, text: true };
    if (element.dataset?.term) return { key: element.dataset.term, element, text: false };
  }
  return null;
}

/**
 * Where a card goes: below the word, above it where there is no room, never over the edge.
 * @param {{left: number, top: number, bottom: number}} word
 * @param {{width: number, height: number}} card
 * @param {{width: number, height: number}} view
 */
export function placed(word, card, view) {
  const left = Math.max(GAP, Math.min(word.left, view.width - card.width - GAP));
  const below = word.bottom + GAP;
  const top = below + card.height <= view.height ? below : word.top - GAP - card.height;
  return { left, top: Math.max(GAP, top) };
}

export class Card {
  /** @type {Record<string, {plain: string, where: string}>} */
  terms = {};
  setTriggerValue = (/** @type {string} */ _name, /** @type {string} */ _key) => {};
  shown = "";
  wanted = "";
  timer = 0;

  /** @param {any} root of the component's markup */
  constructor(root) {
    this.box = root.querySelector("[data-card]");
    this.plain = root.querySelector("[data-text=plain]");
    this.where = root.querySelector("[data-text=where]");
    root.querySelector("[data-formula]").onclick = () => {
      const key = this.shown;
      this.hide();
      this.ask(key);
    };
    root.querySelector("[data-all]").onclick = () => this.ask("all");
    this.sheet = new CSSStyleSheet();
    this.sheet.replaceSync(LOOK);
    document.adoptedStyleSheets.push(this.sheet);
    this.ended = new AbortController();
    /** @type {<K extends keyof DocumentEventMap>(name: K, hear: (event: DocumentEventMap[K]) => void) => void} */
    const on = (name, hear) =>
      document.addEventListener(name, hear, { capture: true, signal: this.ended.signal });
    on("pointermove", (event) => this.moved(event));
    on("click", (event) => this.clicked(event));
    on("focusin", (event) => this.focused(event));
    on("keydown", (event) => event.key === "Escape" && this.hide());
    on("scroll", () => this.hide());
  }

  /** What Python knows of each word. @param {[key: string, plain: string, where: string][]} terms */
  take(terms) {
    this.terms = Object.fromEntries(terms.map(([key, plain, where]) => [key, { plain, where }]));
  }

  /** For the dialog, at a word or "all". @param {string} key */
  ask(key) {
    this.setTriggerValue("asked", key);
  }

  moved(/** @type {PointerEvent} */ event) {
    if (event.buttons || event.pointerType === "touch") return;
    const path = event.composedPath();
    if (path.includes(this.box)) return this.plan(this.shown, () => {});
    const term = this.known(path);
    if (term) this.plan(term.key, () => this.show(term, event));
    else this.plan("", () => this.hide());
  }

  clicked(/** @type {MouseEvent} */ event) {
    const path = event.composedPath();
    if (path.includes(this.box)) return;
    const term = this.known(path);
    if (term?.text) event.preventDefault(); // the link is only a mark
    if (term) this.show(term, event);
    else this.hide();
  }

  focused(/** @type {FocusEvent} */ event) {
    const path = event.composedPath();
    if (path.includes(this.box)) return;
    const term = this.known(path);
    if (term?.text) this.show(term, event);
    else if (!term) this.hide();
  }

  known(/** @type {EventTarget[]} */ path) {
    const term = termOf(path);
    return term && this.terms[term.key] ? term : null;
  }

  /**
   * Do it soon, unless the mouse is over another word by then.
   * @param {string} key
   * @param {() => void} act
   */
  plan(key, act) {
    if (key === this.wanted) return;
    this.wanted = key;
    clearTimeout(this.timer);
    this.timer = setTimeout(act, WAIT);
  }

  /** @param {NonNullable<ReturnType<typeof termOf>>} term @param {Partial<MouseEvent>} event */
  show({ key, element, text }, { clientX = 0, clientY = 0 }) {
    this.wanted = this.shown = key;
    this.plain.textContent = this.terms[key].plain;
    this.where.textContent = this.terms[key].where;
    this.box.showPopover();
    const at = { left: clientX, top: clientY - 12, bottom: clientY + 12 };
    const { left, top } = placed(
      text ? element.getBoundingClientRect() : at,
      this.box.getBoundingClientRect(),
      { width: document.documentElement.clientWidth, height: window.innerHeight },
    );
    Object.assign(this.box.style, { left: `${left}px`, top: `${top}px` });
  }

  hide() {
    clearTimeout(this.timer);
    this.wanted = this.shown = "";
    if (this.box.matches(":popover-open")) this.box.hidePopover();
  }

  close() {
    this.hide();
    this.ended.abort();
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((s) => s !== this.sheet);
  }
}
