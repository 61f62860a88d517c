// Has the part of the page that it stands in drawn anew once the work that is waited for moves on (ui/awaited.py).

import { Line } from "../core/line.js";
import { mounted } from "../core/mount.js";

/**
 * What Python drew, which wish of this page it has heard last, and how many milliseconds it rests then.
 * @typedef {{push: string, drawn: string, heard: number, rest: number}} Wanted
 */

const UNHEARD = 5000; // milliseconds after which Python is told once more

export class Awaited {
  /** What the work is at. @type {string | null} */
  now = null;
  /** What Python has drawn. @type {Wanted | null} */
  wanted = null;
  /** Nobody has asked for a drawing of that. Once it was drawn, Python knows as much, and perhaps more. */
  isNew = false;
  /** A drawing was asked for, and has not come. */
  isAsked = false;
  /** The last drawing was asked for a moment ago. */
  isResting = false;
  asks = 0;
  setStateValue = (/** @type {string} */ _name, /** @type {unknown} */ _value) => {};
  /** @type {ReturnType<typeof setTimeout>[]} */
  timers = [];
  /** @type {Line | null} */
  line = null;

  constructor() {
    this.ask = this.ask.bind(this);
    document.addEventListener("visibilitychange", this.ask);
  }

  /** Python has drawn. @param {Wanted} wanted */
  take(wanted) {
    const isOther = this.wanted?.push !== wanted.push;
    this.wanted = wanted;
    if (isOther || wanted.heard === this.asks) this.isAsked = false;
    if (isOther) this.listen(wanted.push);
    this.ask();
  }

  /** @param {string} push */
  listen(push) {
    this.line?.close();
    this.now = null;
    this.line = new Line(push, (state) => {
      Object.assign(this, { now: state, isNew: true });
      this.ask();
    });
  }

  /** Ask for a drawing, unless it is here, comes, came a moment ago, or nobody sees it. */
  ask() {
    if (this.now === null || this.now === this.wanted?.drawn || document.hidden) return;
    if (this.isAsked || this.isResting || !this.isNew) return;
    Object.assign(this, { isNew: false, isAsked: true, isResting: true });
    this.setStateValue("state", { state: this.now, asks: ++this.asks });
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [
      setTimeout(() => this.askAgain({ isResting: false }), this.wanted?.rest),
      setTimeout(() => this.askAgain({ isAsked: false, isNew: true }), UNHEARD),
    ];
  }

  /** @param {{isResting: false} | {isAsked: false, isNew: true}} change */
  askAgain(change) {
    Object.assign(this, change);
    this.ask();
  }

  close() {
    for (const timer of this.timers) clearTimeout(timer);
    document.removeEventListener("visibilitychange", this.ask);
    this.line?.close();
  }
}

export default mounted(Awaited);
