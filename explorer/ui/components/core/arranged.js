// An order under the reader's hand in markup of its own: a place is chosen, what is in it carried to another, undone
// and done again; Python is told of each change.

import { syncUndo } from "./buttons.js";
import { CanvasView } from "./canvas-view.js";
import { Exchange } from "./exchange.js";
import { History } from "./history.js";
import { clamp } from "./numbers.js";

/** @typedef {{left: number, top: number, right: number, bottom: number}} Rect */

/**
 * @template Drawing what Python says
 * @template {Record<string, unknown>} State what the reader changes
 */
export class Arranged extends CanvasView {
  /** What is arranged: another has a history of its own. */
  subject = "";
  /** @type {Exchange<Drawing>} */
  exchange = new Exchange(this);
  /** The place that is chosen. */
  chosen = 0;
  /** What is held: where all were when it was taken. @type {{rects: Rect[]} | null} */
  drag = null;
  /** @type {History<State>} */
  history = new History();

  /** @param {any} root of the markup @param {string} name @param {State} now */
  constructor(root, name, now) {
    super(root, name, []);
    this.now = now;
  }

  /** What stands in the markup. */
  write() {}

  /** How many places there are now. */
  get count() {
    return 0;
  }

  /** Of a drawing what the reader can change. @param {Drawing} _drawing @returns {State} */
  stateIn(_drawing) {
    return this.now;
  }

  /** @param {string} name @returns {HTMLElement} */
  part(name) {
    return this.root.querySelector(`[data-part=${name}]`);
  }

  /** @param {string} subject */
  about(subject) {
    if (subject === this.subject) return;
    Object.assign(this, { subject, history: new History(), drag: null });
    this.exchange.forget();
  }

  holding() {
    return Boolean(this.drag);
  }

  /** The chosen place is one of what is here, not of a drawing that knows nothing of the last change. @param {Drawing} drawing */
  adopt(drawing) {
    this.now = this.stateIn(drawing);
    this.chosen = clamp(this.chosen, 0, this.count - 1);
    this.history.note(this.now);
    this.write();
  }

  choose(/** @type {number} */ t) {
    this.chosen = t;
    this.write();
  }

  /** Otherwise, with another place chosen. @param {State} now @param {number} chosen */
  arrange(now, chosen) {
    Object.assign(this, { now, chosen });
    this.write();
  }

  edit(/** @type {() => void} */ act) {
    act();
    this.commit();
  }

  /** An edit is done. */
  commit() {
    if (this.history.note(this.now)) this.exchange.report(this.told());
    this.write();
  }

  /** Back (−1) or forth (1). @param {number} by */
  step(by) {
    const state = this.drag ? null : this.history.go(by);
    if (!state) return;
    this.now = state;
    this.exchange.report(this.told());
    this.write();
  }

  /** What Python is told. @returns {Record<string, unknown>} */
  told() {
    return this.now;
  }

  /** Where the children of a part are, in it. @param {string} name @returns {Rect[]} */
  rectsIn(name) {
    const part = this.part(name).getBoundingClientRect();
    return [...this.part(name).children].map((child) => {
      const { left, top, right, bottom } = child.getBoundingClientRect();
      const [x, y] = [part.left, part.top];
      return { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
    });
  }

  /** Which place is chosen, as a screen reader hears it of the part. @param {string} name @param {number} count @param {string} sentence */
  sayPlace(name, count, sentence) {
    const part = this.part(name);
    part.setAttribute("aria-valuemax", String(count));
    part.setAttribute("aria-valuenow", String(this.chosen + 1));
    part.setAttribute("aria-valuetext", sentence);
    syncUndo(this);
  }
}

/** How far a number is outside of what lies between two. */
const beyond = (/** @type {number} */ at, /** @type {number} */ low, /** @type {number} */ high) =>
  Math.max(low - at, at - high, 0);

/**
 * The place that a pointer means: the token under it, else the nearest in the line that is nearest.
 * @param {Rect[]} rects
 * @param {Place} at
 */
export function nearest(rects, { px, py }) {
  const lines = rects.map(({ top, bottom }) => beyond(py, top, bottom));
  const line = Math.min(...lines);
  const away = rects.map(({ left, right }, t) =>
    lines[t] === line ? beyond(px, left, right) : Infinity,
  );
  return away.indexOf(Math.min(...away));
}
