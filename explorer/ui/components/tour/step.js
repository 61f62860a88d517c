// A step of the guided tour on the page: the thing to touch, marked and in view; and that it was touched.

const LOOK = 200; // ms between two looks at a page whose parts come when they are ready
const ROOM = 150; // pixels that no picture is made smaller than
const HEADER = 76; // pixels of the page's own at the top, and a margin
const TOOLS = 60; // pixels of a row of buttons
const TAKEN = ["wheel", "pointerdown", "keydown"];

/** @param {string} name of a picture, or a class of a control */
const selectorOf = (name) => `canvas[data-panel="${name}"], label.${name}, div.${name}`;

const root = () => document.documentElement;

/**
 * The first part that a selector finds, in the document or in whichever shadow of it.
 * @type {(selector: string, root?: ParentNode) => HTMLElement | null}
 */
function within(selector, root = document) {
  const part = root.querySelector(selector);
  if (part) return /** @type {HTMLElement} */ (part);
  for (const { shadowRoot } of root.querySelectorAll("*")) {
    const inside = shadowRoot && within(selector, shadowRoot);
    if (inside) return inside;
  }
  return null;
}

/** Who goes on by the keyboard finds the way on under it again, on the next page too: its button comes when it is ready, and
 * the one before goes when it likes. */
function keepFocus() {
  if (document.activeElement !== document.body) return;
  /** @type {HTMLElement | null} */ (document.querySelector(".st-key-tour-next button"))?.focus({
    preventScroll: true,
  });
}

export class Step {
  /** @type {HTMLElement | null} */
  part = null;
  held = false;
  taken = false;
  pressed = false;

  /**
   * @param {{mark: string, press: string | null}} step what is marked, and pressed at first
   * @param {boolean} goesOn the reader has come here from another step
   */
  constructor({ mark, press }, goesOn) {
    this.mark = mark;
    this.press = press;
    this.goesOn = goesOn;
    this.timer = setInterval(() => this.update(), LOOK);
    for (const name of TAKEN) window.addEventListener(name, this.take, true);
    window.addEventListener("pointerup", this.release, true);
    window.addEventListener("click", this.click, true);
    this.update();
  }

  update() {
    if (this.goesOn && !this.taken) keepFocus();
    const part = within(selectorOf(this.mark));
    if (!part) return;
    this.part = part;
    this.makeRoom(part);
    part.dataset.tour = "touch";
    if (this.press) this.pressOnce(part);
    if (!this.taken) part.scrollIntoView({ block: "nearest" });
  }

  /** What a picture has left beside the card; tools that are not of this step go. @param {HTMLElement} part */
  makeRoom(part) {
    const card = document.querySelector(".st-key-tour")?.getBoundingClientRect();
    const beside = this.press ? TOOLS : 0; // what is pressed stands beside the picture
    const foot = beside + (card && card.top > HEADER ? innerHeight - card.top : 0); // else it is at the side
    root().style.setProperty("--tour-card", `${foot}px`);
    root().style.setProperty(
      "--tour-room",
      `${Math.max(ROOM, innerHeight - HEADER - foot - 20)}px`,
    );
    if (this.press) return;
    const document_ = /** @type {ParentNode} */ (part.getRootNode());
    for (const tools of document_.querySelectorAll(".tools")) {
      const own = tools.contains(part);
      for (const each of own ? tools.children : [tools])
        if (!each.contains(part)) /** @type {HTMLElement} */ (each).dataset.tour = "away";
    }
  }

  /** Once its picture is drawn. @param {HTMLElement} part */
  pressOnce(part) {
    const inside = /** @type {ParentNode & {probe?: {draws: number}}} */ (part.getRootNode());
    if (this.pressed || !inside.probe?.draws) return;
    this.pressed = true;
    /** @type {HTMLElement | null} */ (
      inside.querySelector(`[data-act="${this.press}"][aria-pressed="false"]`)
    )?.click();
  }

  take = (/** @type {Event} */ event) => {
    if (!event.isTrusted) return;
    this.taken = true;
    this.held = this.part !== null && event.composedPath().includes(this.part);
    if (this.held && event.type === "keydown") this.see();
  };

  release = () => {
    if (this.held) this.see();
    this.held = false;
  };

  /** A curve is drawn before it is compared. */
  click = (/** @type {Event} */ event) => {
    const [target] = event.composedPath();
    if (/** @type {Element} */ (target).matches?.("[data-act=reveal]")) this.see(true);
  };

  see(compared = false) {
    if (!this.press || compared) root().classList.add("tour-seen");
  }

  close() {
    clearInterval(this.timer);
    for (const name of TAKEN) window.removeEventListener(name, this.take, true);
    window.removeEventListener("pointerup", this.release, true);
    window.removeEventListener("click", this.click, true);
    root().classList.remove("tour-seen");
    const document_ = /** @type {ParentNode | undefined} */ (this.part?.getRootNode());
    for (const each of document_?.querySelectorAll("[data-tour]") ?? [])
      each.removeAttribute("data-tour");
  }
}
