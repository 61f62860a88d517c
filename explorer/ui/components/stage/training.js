// The trainings that a talk has begun: one for each kept run whose specification is trained live, by this tab where it
// can, else by a server. They go on when their scene is left, and a reload finds again what a server trains.

import { unpack } from "../core/messages.js";
import { recall, remember } from "../core/remember.js";
import { KeptRun } from "../file/kept.js";
import { forget } from "../here/run.js";
import { Lasting } from "./lasting.js";
import { followedRoom, toSocket } from "./place.js";
import { TabSocket, begunInTab } from "./tab.js";

/** @import { RunHere } from "../here/run.js" */

/** As the browser has it, whatever pictures are given. */
export const Socket = globalThis.WebSocket;
const BEGUN = "explorer talk trainings";

/** Whether there is a server that trains for this deck: for those of listeners it does not. */
export const isServed = () =>
  location.protocol !== "file:" && location.pathname.endsWith("/stage") && followedRoom() === null;

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
  /** @type {Promise<RunHere> | null} */
  begun = null;

  /** @param {string} keptRun the run whose specification is trained */
  constructor(keptRun) {
    this.keptRun = keptRun;
    /** Its own run. @type {string | null} */
    this.run = isServed() ? (begun()[keptRun] ?? null) : null;
  }

  static ofRun(/** @type {string} */ keptRun) {
    const training = this.all.get(keptRun) ?? new Training(keptRun);
    this.all.set(keptRun, training);
    return training;
  }

  /** What this tab needs to train it. */
  get offer() {
    return KeptRun.parts.get(`${this.keptRun} offer`);
  }

  get isTrained() {
    return Boolean(this.offer) || isServed();
  }

  /** What tells of the run that trains, which begins where none has; null where nobody trains. */
  async socket() {
    const here = await this.begin();
    if (here && here.progress.status !== "failed") return new TabSocket(here);
    const run = isServed() ? (this.run ?? (await (this.asked ??= this.ask()))) : null;
    if (!run) return null;
    return new Socket(toSocket(`api/runs/${run}/live`, {}));
  }

  begin() {
    if (this.offer) this.begun ??= begunInTab(unpack(this.offer));
    return this.begun;
  }

  async ask() {
    try {
      const answer = await ask("train", this.keptRun);
      if (answer.ok) this.note((await answer.json()).run);
    } catch {
      // no server is heard
    }
    this.asked = null; // without a run the kept pictures play, and the next picture asks once more
    return this.run;
  }

  note(/** @type {string | null} */ run) {
    this.run = run;
    remember("sessionStorage", BEGUN, JSON.stringify({ ...begun(), [this.keptRun]: run }));
  }

  /** The next picture begins anew; what still trains ends. */
  forget() {
    this.begun?.then((run) => forget(run.begin.local.id, run)); // and not the next one
    if (this.run) ask("stop", this.run).catch(() => null); // nobody is there who could go on with it
    this.note(null);
    Training.all.delete(this.keptRun);
  }
}
