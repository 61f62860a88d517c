// What every component on canvases does: which panels are to be drawn, in one animation frame; what a
// screen reader hears of each; how it is mounted and closed.

import { fit, fits } from "./canvas.js";
import { gridBetween } from "./grids.js";
import { noteTexts } from "./text.js";
import { readTheme } from "./theme.js";

/** @import { Grids } from "./grids.js" */

/** @typedef {[ctx: Ctx, theme: Theme, w: number, h: number]} Canvas to draw on */

const PAPER = 680; // CSS pixels across a sheet of A4 or Letter within its margins

export class CanvasView {
  /** The newest one that Streamlit gave: what Python is told, by name. */
  setStateValue = (/** @type {string} */ _name, /** @type {any} */ _value) => {};
  /** What tells Python of the changes of the reader, where they can make any. @type {{settle(): void, forget(): void} | undefined} */
  exchange = undefined;
  /** Panels to be drawn in the next frame. */
  due = new Set();
  frameRequest = 0;
  /** Where grids are on their way from those of another picture. @type {{from: Grids, t: number} | null} */
  way = null;
  /** What draws each panel. @type {Record<string, (...args: [...Canvas, view: never]) => string>} */
  drawings = {};
  /** Where a finger takes hold of what, by panel: a function that gives [x, y] of each. */
  /** @type {Record<string, () => number[][]>} */
  handles = {};

  /**
   * @param {any} root of the component's markup
   * @param {string} name of the component, for `probe`
   * @param {string[]} panels the markup has a canvas with data-panel for each
   */
  constructor(root, name, panels) {
    this.root = root;
    /** @type {Record<string, HTMLCanvasElement>} */
    this.canvas = Object.fromEntries(
      panels.map((panel) => {
        const canvas = root.querySelector(`canvas[data-panel=${panel}]`);
        if (!canvas) throw new Error(`${name}: its markup has no <canvas data-panel="${panel}">`);
        return [panel, canvas];
      }),
    );
    this.sizes = new ResizeObserver(() => this.fitAll());
    for (const canvas of Object.values(this.canvas)) this.sizes.observe(canvas);
    /** What tests and measurements read, as window.__explorerName where the reader sees it. */
    this.probe = {
      name,
      draws: 0,
      /** What each panel wrote, in its size. @type {Record<string, {w: number, h: number, boxes: import("./text.js").Written[]}>} */
      texts: {},
      places: () => this.places(),
      numbers: () => this.numbers(),
      grids: () => this.grids(),
      come: (/** @type {CanvasView["way"]} */ way) => {
        this.way = way;
        this.invalidate();
      },
      handles: (/** @type {string} */ panel) => this.handles[panel]?.() ?? [],
    };
    root.probe = this.probe;
    document.fonts?.addEventListener("loadingdone", this.inOtherLetters);
    window.addEventListener("beforeprint", this.toPaper);
    window.addEventListener("afterprint", this.fromPaper);
  }

  inOtherLetters = () => this.invalidate();

  /** The observer tells of every canvas at first, when it was just drawn. */
  fitAll() {
    if (!Object.values(this.canvas).every(fits)) this.invalidate();
  }

  // Paper is narrower than the window: the pictures are drawn anew, not squeezed.
  toPaper = () => {
    this.resize(`${PAPER}px`);
    for (const panel of Object.keys(this.canvas)) this.due.add(panel);
    this.draw(performance.now());
  };

  fromPaper = () => this.resize("");

  resize(/** @type {string} */ width) {
    const part = /** @type {HTMLElement} */ (this.root.querySelector("div"));
    part.style.width = width;
    this.invalidate();
  }

  /** Whether there is something to draw. */
  ready() {
    return true;
  }

  /** Draws a panel; returns the sentence that a screen reader hears. @type {(panel: string, ...on: Canvas) => string} */
  paint(panel, ...on) {
    return this.drawings[panel](...on, /** @type {never} */ (this));
  }

  /** Before the panels are drawn, at a time in ms: what moves by itself. */
  animate(/** @type {number} */ _now) {}

  /** After the panels were drawn: the markup beside them. */
  afterDraw() {}

  /** Of panels that are sliders the value, the most that it may be, and whether the sentence is their name, too. */
  /** @returns {Record<string, [now: number | string, most?: number, isNamed?: boolean]>} */
  sliders() {
    return {};
  }

  /** Attributes of a panel's canvas: the sentence, and of a slider its value. @param {string} panel @param {string} sentence */
  attributes(panel, sentence) {
    const [now, most, isNamed] = this.sliders()[panel] ?? [];
    return {
      ...(now === undefined
        ? { "aria-label": sentence }
        : { "aria-valuetext": sentence, "aria-valuenow": now }),
      ...(isNamed && { "aria-label": sentence }),
      ...(most !== undefined && { "aria-valuemax": most }),
    };
  }

  /** Where the things to take hold of are, for tests and measurements. */
  places() {
    return {};
  }

  /** What the words of a talk may say of the picture, as texts by name (stage/numbers.js). @returns {Record<string, string>} */
  numbers() {
    return {};
  }

  /** What moves from step to step of a talk and follows from what Python says. @returns {Grids} */
  grids() {
    return {};
  }

  /** A grid as it is drawn now. @type {(name: string, grid: Packed) => Packed} */
  onItsWay(name, grid) {
    const from = this.way?.from[name];
    return this.way && from ? gridBetween(from, grid, this.way.t) : grid;
  }

  /** @param {string} act @returns {HTMLButtonElement} */
  button(act) {
    return this.root.querySelector(`[data-act=${act}]`);
  }

  /** Writes a text in its place, unless it stands there. @type {(name: string, text: string) => void} */
  say(name, text) {
    const place = this.root.querySelector(`[data-text=${name}]`);
    if (place.textContent !== text) place.textContent = text;
  }

  /** Draw these panels in the next frame; all without any. */
  invalidate(/** @type {string[]} */ ...panels) {
    for (const panel of panels.length ? panels : Object.keys(this.canvas)) this.due.add(panel);
    this.frameRequest ||= requestAnimationFrame((now) => this.draw(now));
  }

  draw(/** @type {number} */ now) {
    this.frameRequest = 0;
    if (!this.ready()) return;
    const theme = readTheme(this.root);
    const due = this.due;
    this.due = new Set();
    this.animate(now);
    for (const panel of due) {
      const { ctx, w, h } = fit(this.canvas[panel], theme.unit);
      if (!w || !h) continue;
      this.probe.texts[panel] = { w, h, boxes: noteTexts() };
      this.describe(panel, this.paint(panel, ctx, theme, w, h));
    }
    this.probe.draws += 1;
    this.afterDraw();
    if (this.root.host?.inert) return;
    Object.assign(window, { [`__explorer${this.probe.name}`]: this.probe });
    window.dispatchEvent(new CustomEvent("explorer-drawn", { detail: this.probe }));
  }

  describe(/** @type {string} */ panel, /** @type {string} */ sentence) {
    const canvas = this.canvas[panel];
    for (const [name, value] of Object.entries(this.attributes(panel, sentence)))
      if (canvas.getAttribute(name) !== String(value)) canvas.setAttribute(name, String(value));
  }

  close() {
    document.fonts?.removeEventListener("loadingdone", this.inOtherLetters);
    window.removeEventListener("beforeprint", this.toPaper);
    window.removeEventListener("afterprint", this.fromPaper);
    this.sizes.disconnect();
    this.exchange?.forget();
    if (this.frameRequest) cancelAnimationFrame(this.frameRequest);
  }
}
