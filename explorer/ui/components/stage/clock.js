// How long the talk has gone on: it begins with the first step, and a question may stop it.

import { recall, remember } from "../core/remember.js";

const KEPT = "explorer talk clock";

/** The seconds of a plan up to the end of a scene. @type {(scenes: {seconds: number}[], scene: number) => number} */
export const plannedUntil = (scenes, scene) =>
  scenes.slice(0, scene + 1).reduce((sum, { seconds }) => sum + seconds, 0);

/** Minutes and seconds. */
export function clockText(/** @type {number} */ seconds) {
  const whole = Math.floor(Math.abs(seconds));
  return `${seconds < 0 ? "−" : ""}${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Milliseconds before now, and since when it runs; both survive a reload. */
export class Clock {
  before = 0;
  /** @type {number | null} */
  since = null;

  constructor() {
    const stored = recall("sessionStorage", KEPT);
    if (stored) Object.assign(this, JSON.parse(stored));
  }

  /** Seconds. */
  get elapsed() {
    return (this.before + (this.since === null ? 0 : Date.now() - this.since)) / 1000;
  }

  get runs() {
    return this.since !== null;
  }

  begin() {
    if (!this.runs && !this.before) this.toggle();
  }

  toggle() {
    if (this.since === null) this.since = Date.now();
    else [this.before, this.since] = [this.elapsed * 1000, null];
    remember("sessionStorage", KEPT, JSON.stringify({ before: this.before, since: this.since }));
  }
}
