// The thread that trains a run in this browser: steps while it is not told otherwise, pictures for who watches, and what
// to keep every few seconds.

import { Pace } from "./journal.js";
import { Diverged, Training } from "./training.js";

/** @import { Begin, Command, Progress } from "./types.js" */

const SLICE = 12; // milliseconds between looks at what is said
const FRAME = 40; // between pictures, at least
const SPECTRUM = 160; // between their spectra, whose POD costs more than the rest
const KEEP = 2000; // between what is kept

class Work {
  pace = new Pace();
  ticks = new MessageChannel();
  /** The last picture was drawn, or somebody has come to watch. */
  drawn = true;
  shown = -FRAME;
  spectrumAt = -SPECTRUM;
  keptAt = performance.now();
  /** The last row of either curve that was told. */
  told = { loss: 0, error: 0 };

  /** @param {Begin} begin @param {Progress} progress */
  constructor(begin, progress) {
    this.training = new Training(begin, progress);
    if (!begin.local.single) this.training.rehearse();
    this.ticks.port1.onmessage = () => this.trainSlice();
  }

  get done() {
    return this.training.done;
  }

  /** @param {Command} command */
  hear(command) {
    if (command === "drawn") {
      this.drawn = true;
      return; // of a run that rests there is nothing new
    }
    if (command === "watch") Object.assign(this, { drawn: true, told: { loss: 0, error: 0 } });
    else if (command === "pause" || command === "stop")
      this.rest(command === "pause" ? "paused" : "stopped");
    else if (command === "step") this.step();
    else this.run();
    if (this.done.status !== "running") this.show();
  }

  get mayGoOn() {
    return !["running", "finished", "diverged"].includes(this.done.status);
  }

  run() {
    if (!this.mayGoOn) return;
    this.done.status = "running";
    this.drawn = true; // the first step is told at once
    this.trainSlice();
    if (this.done.status === "running") this.keep();
  }

  step() {
    if (!this.mayGoOn) return;
    this.advance();
    if (this.done.status !== "finished" && this.done.status !== "diverged") this.rest("paused");
  }

  /** @param {Progress["status"]} status */
  rest(status, message = "") {
    if (this.done.status === "finished" || this.done.status === "diverged") return;
    Object.assign(this.done, { status, message });
    this.pace.rest();
    this.drawn = true;
    this.keep();
  }

  advance() {
    const { training, done } = this;
    this.do(() => training.advance());
    if (training.keepsPicture) {
      if (done.status === "running") this.show(); // before what takes longer
      this.do(() => training.keepPicture());
    }
    if (done.step >= training.local.steps) this.rest("finished");
  }

  /** @param {() => void} work that counts as the run's time, and may find that it diverges */
  do(work) {
    const { done, training } = this;
    if (done.status === "diverged") return;
    const began = performance.now();
    try {
      work();
    } catch (error) {
      if (!(error instanceof Diverged)) throw error;
      const message = `the loss is not finite at step ${done.step}: lower ${training.local.remedies}`;
      this.rest("diverged", message);
    } finally {
      done.seconds += (performance.now() - began) / 1000;
    }
  }

  trainSlice() {
    if (this.done.status !== "running") return;
    const end = performance.now() + SLICE;
    while (this.done.status === "running" && performance.now() < end) this.advance();
    this.show();
    if (this.done.status !== "running") return;
    if (performance.now() - this.keptAt > KEEP) this.keep();
    this.ticks.port2.postMessage(0);
  }

  show() {
    this.pace.update(this.done.step);
    const now = performance.now();
    if (!this.drawn || (this.done.status === "running" && now - this.shown < FRAME)) return;
    Object.assign(this, { drawn: false, shown: now });
    const { step, status, message, loss } = this.done;
    const { steps, single } = this.training.local;
    const header = { kind: "frame", step, steps, status, message, turn: null, loss };
    const measures = { ...this.pace.left(steps), loss, nmse: this.newest()?.header.nmse ?? null };
    const picture = step && !single ? { header: measures, arrays: this.picture() } : null;
    postMessage({ said: "frame", message: { header, arrays: this.rows(), picture } });
    this.told = { loss: step, error: this.newest()?.header.step ?? 0 };
  }

  picture() {
    const anew = this.done.status !== "running" || this.shown - this.spectrumAt >= SPECTRUM;
    if (anew) this.spectrumAt = this.shown;
    return this.training.picture(anew);
  }

  newest() {
    return this.done.pictures.at(-1);
  }

  /** Rows of the curves that nobody was told. */
  rows() {
    const losses = this.done.losses.filter(([step]) => step > this.told.loss);
    const errors = this.done.pictures.filter(({ header }) => header.step > this.told.error);
    const row = (/** @type {number[]} */ values) => ({
      shape: [values.length],
      values: Float32Array.from(values),
    });
    return {
      loss_step: row(losses.map(([step]) => step)),
      loss: row(losses.map(([, loss]) => loss)),
      eval_step: row(errors.map(({ header }) => header.step)),
      eval_nmse: row(errors.map(({ header }) => header.nmse)),
    };
  }

  /** @param {number} step */
  sendPicture(step) {
    const picture = this.done.pictures.find(({ header }) => header.step === step) ?? null;
    postMessage({
      said: "frame",
      message: { header: { kind: "kept", step }, arrays: {}, picture },
    });
  }

  keep() {
    this.keptAt = performance.now();
    const state = this.done.status === "diverged" ? this.done.state : this.training.state();
    postMessage({ said: "keep", progress: { ...this.done, state } });
  }
}

/** @type {Work | undefined} */
let atWork;

/** Hears what a page says; `exported` makes a zip of the run, where there is one to be made. */
/** @param {(training: Training, created: number) => void} [exported] */
export function listen(exported) {
  onmessage = ({ data }) => {
    try {
      if (data.begin) atWork = new Work(data.begin, data.progress);
      else if (data.look) atWork?.sendPicture(data.look);
      else if (data.export && atWork) exported?.(atWork.training, data.export);
      else atWork?.hear(data.command);
    } catch (error) {
      postMessage({ said: "failed", why: String(error) });
    }
  };
}
