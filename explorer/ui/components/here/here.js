// The buttons of a picture by which its reader trains it in this browser, and which run of it is shown.

import { heard, hearButtons, writeButtons } from "./buttons.js";
import { begunBy, foundHere, handOver, prepare, runOf } from "./run.js";
import { whenIdle } from "./thread.js";

/** @import { Arrays, Command, Offer } from "./types.js" */
/** @import { RunStream } from "../run/stream.js" */

export const ADDRESS = "here:";

export class Here {
  /** @type {Offer | null} */
  offer = null;
  /** @type {Arrays} */
  arrays = {};
  /** The run that is shown. @type {import("./run.js").RunHere | null} */
  run = null;
  asked = "";

  /** @param {RunStream} view @param {HTMLElement} row of buttons */
  constructor(view, row) {
    this.view = view;
    this.row = row;
    hearButtons(row, (act) => this.press(act));
  }

  /**
   * What Python offers to train here, and the run of it that is to be shown.
   * @param {Offer | null} offer
   * @param {Arrays} arrays
   * @param {string | null} push another run that is to be shown until one is begun here
   */
  take(offer, arrays, push) {
    if (offer?.id !== this.offer?.id) this.run = null;
    Object.assign(this, { offer, arrays });
    if (!offer) return this.write();
    this.run ??= push ? null : runOf(offer.id);
    if ((offer.start ?? 0) > heard.last) {
      heard.last = offer.start ?? 0;
      this.press("train");
    } else if (!this.run && !push) this.find(offer.id);
    if (this.isInFile) whenIdle(() => this.prepare());
    this.write();
  }

  /** A page has a button of its own. */
  get isInFile() {
    return this.offer && this.offer.start === undefined;
  }

  /** Who presses Train is not to wait for a thread. */
  async prepare() {
    const { offer, arrays, run } = this;
    if (offer && !run && !(await foundHere(offer.id))) prepare(offer, arrays);
  }

  /** The address of the run that is shown, as `Followed` has it. */
  get push() {
    return this.run ? ADDRESS + this.run.begin.local.id : null;
  }

  /** @param {string} id */
  async find(id) {
    if (this.asked === id) return;
    this.asked = id;
    const run = await foundHere(id);
    if (!run || this.offer?.id !== id) return;
    this.run = run;
    this.show();
  }

  show() {
    this.write();
    this.view.turnTo(this.push, null);
    this.view.run.followed = true;
    this.view.invalidate();
  }

  /** @param {string} act */
  async press(act) {
    if (act === "train") await this.train();
    else if (act === "zip") await this.zip();
    else this.run?.order(/** @type {Command} */ (act));
    this.write();
  }

  async train() {
    const { offer, arrays } = this;
    if (!offer) return;
    const run = this.run ?? (await foundHere(offer.id)) ?? (await begunBy(offer, arrays));
    run.order("resume");
    if (this.offer?.id !== offer.id) return; // it trains unseen: other settings are shown now
    this.run = run;
    if (this.view.push !== this.push) this.show();
  }

  async zip() {
    const { run } = this;
    if (!run) return;
    try {
      await handOver(run);
    } catch (error) {
      run.note = `No zip was made: ${/** @type {Error} */ (error).message}.`;
    }
  }

  write() {
    const status = this.run ? this.run.progress.status : null;
    if (this.run) this.run.changed = () => this.write();
    writeButtons(this.row, status, this.run ?? this.isInFile);
    this.view.say("here", this.run ? this.run.note || "in this browser" : "");
  }
}
