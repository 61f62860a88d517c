// The trainings that a talk has begun: one for each kept run whose specification is trained live. They go on when
// their scene is left, and a reload finds them again.

import { Lasting } from "./lasting.js";
import { recall, remember } from "../core/remember.js";

const BEGUN = "explorer talk trainings";

/** Whether there is a server that trains. */
export const isServed = () => location.protocol !== "file:" && location.pathname.endsWith("/stage");

/** @type {() => Record<string, string>} */
const begun = () => JSON.parse(recall("sessionStorage", BEGUN) ?? "{}");

/** @param {"train" | "stop"} act @param {string} run */
const ask = (act, run) => fetch(`stage/${act}?run=${run}`, { method: "POST" });

export class Training {
  /** @type {Map<string, Training>} */
  static all = new Map();
  /** The step that was shown last, and whether it is the last of all. */
  step = 0;
  ended = false;
  /** Where its picture came from. @type {"" | "live" | "kept"} */
  source = "";
  /** What its badge says of that. */
  named = "";
  lasting = new Lasting();
  /** Milliseconds between two pictures. */
  gap = 0;
  /** Steps in a second. @type {number | null} */
  rate = null;
  /** The last message that the server sent with a picture. @type {ArrayBuffer | null} */
  last = null;
  /** Who shows it: the newest of those that have begun to. @type {unknown} */
  shownBy = null;
  /** @type {Promise<string | null> | null} */
  asked = null;

  /** @param {string} kept the run whose specification is trained */
  constructor(kept) {
    this.kept = kept;
    /** Its own run. @type {string | null} */
    this.run = isServed() ? (begun()[kept] ?? null) : null;
  }

  static of(/** @type {string} */ kept) {
    const training = this.all.get(kept) ?? new Training(kept);
    this.all.set(kept, training);
    return training;
  }

  /** The run that trains, which begins where none has; null without a server. */
  begin() {
    if (this.run || !isServed()) return this.run;
    return (this.asked ??= this.ask());
  }

  async ask() {
    try {
      const answer = await ask("train", this.kept);
      if (answer.ok) this.note((await answer.json()).run);
    } catch {
      this.asked = null; // no server is heard: the kept pictures play, and the next picture asks once more
    }
    return this.run;
  }

  note(/** @type {string | null} */ run) {
    this.run = run;
    remember("sessionStorage", BEGUN, JSON.stringify({ ...begun(), [this.kept]: run }));
  }

  /** The next picture begins anew; what still trains ends. */
  forget() {
    if (this.run) ask("stop", this.run).catch(() => null); // nobody is there who could go on with it
    this.note(null);
    Training.all.delete(this.kept);
  }
}
