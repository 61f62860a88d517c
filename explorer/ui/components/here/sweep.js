// A sweep that this browser trains: as many of its models at once as there is room for, each in a thread of its own. It
// goes on while its page is elsewhere; its models are kept on the shelf one by one.

import { modelsOnShelf, putModelOnShelf } from "./shelf.js";
import { Thread, engineOf, mostThreads } from "./thread.js";

/** @import { Begin, KeptModel, Member, Progress, Row, SweepOffer } from "./types.js" */
/** @typedef {{offer: SweepOffer, arrays: Record<string, Packed>, wasm: Uint8Array, script: string}} Work to do */

const common = /** @type {any} */ (globalThis);

/** The sweeps of this document, by id: they outlive the pictures that show them. @type {Map<string, Promise<SweepHere>>} */
const sweeps = (common.__explorerSweepsHere ??= new Map());

const TOLD = 100; // milliseconds between two looks at the losses
const FEW_CORES = 4;
const isPhone = () =>
  matchMedia("(pointer: coarse)").matches && (navigator.hardwareConcurrency || 2) <= FEW_CORES;

/** One model at work. */
class Model extends Thread {
  /** @param {SweepHere} sweep @param {Member} member @param {Begin} begin @param {Progress} [progress] */
  constructor(sweep, member, begin, progress) {
    super(begin, progress);
    this.member = member;
    /** @type {number | null} */
    this.loss = this.progress.loss;
    this.step = this.progress.step;
    this.receive = (/** @type {Message} */ { header }) => {
      Object.assign(this, { loss: header.loss, step: header.step });
      this.order("drawn");
      sweep.tell();
    };
    this.changed = () => this.progress.status === "failed" && sweep.fail(this.note);
    this.keep = () => sweep.keep(this);
  }
}

export class SweepHere {
  /** @type {(() => void) | null} */
  changed = null;
  note = "";
  /** @type {Progress["status"] | null} */
  status = null;
  /** The models that are done, by id. @type {Map<string, Row>} */
  rows = new Map();
  /** How far those are that have begun and have no thread. @type {Map<string, Progress>} */
  begun = new Map();
  /** @type {Map<string, Model>} */
  models = new Map();
  told = 0;

  /** @param {Work} work @param {KeptModel[]} models */
  constructor(work, models) {
    this.work = work;
    this.members = work.offer.members;
    for (const { id, row, progress } of models) {
      if (row) this.rows.set(id, row);
      else if (progress) this.begun.set(id, progress);
    }
    const seeds = new Set(this.members.map((member) => member.seed));
    /** A phone trains one seed first. @type {number | null} */
    this.seed = isPhone() && seeds.size > 1 ? this.members[0].seed : null;
    if (models.length) this.status = this.left().length ? "interrupted" : "finished";
  }

  get isAtWork() {
    return this.status === "running";
  }

  left() {
    const { rows, models, seed } = this;
    return this.members.filter(
      ({ id, seed: own }) => !rows.has(id) && !models.has(id) && (seed ?? own) === own,
    );
  }

  /** @param {string} act */
  order(act) {
    if (act === "train" || act === "resume") this.run();
    else if (act === "step") this.takeStep();
    else this.rest(act === "pause" ? "paused" : "stopped");
    this.changed?.();
  }

  run() {
    if (this.isAtWork || this.rows.size === this.members.length) return;
    this.status = "running";
    this.note = "";
    for (const model of this.models.values()) model.order("resume");
    this.fill();
  }

  /** One step of each model at work. */
  takeStep() {
    this.status = "paused";
    if (!this.models.size) this.fill();
    for (const model of this.models.values()) model.order("step");
  }

  /** @param {"paused" | "stopped" | "failed"} status */
  rest(status) {
    if (this.status === "finished") return;
    this.status = status;
    for (const model of this.models.values()) model.order(status === "paused" ? "pause" : "stop");
  }

  /** Threads for the next models. */
  fill() {
    for (const member of this.left().slice(0, Math.max(0, mostThreads() - this.models.size))) {
      const model = new Model(this, member, this.beginOf(member), this.begun.get(member.id));
      this.begun.delete(member.id);
      this.models.set(member.id, model);
      if (model.progress.status === "failed") return this.fail(model.note);
      if (this.isAtWork) model.order("resume");
    }
    if (!this.models.size) this.end();
  }

  /** Nothing is left of what was to be trained: on a phone, of one seed. */
  end() {
    this.status = this.rows.size === this.members.length ? "finished" : "paused";
    if (this.status === "paused")
      this.note = `A phone trains seed ${this.seed} of each first: Resume trains the others.`;
    this.seed = null;
  }

  /** @param {Member} member @returns {Begin} */
  beginOf(member) {
    const { offer, arrays, wasm, script } = this.work;
    const { steps, sequences, evaluated, remedies } = offer;
    const { id, m_h, wide, started_until, target } = member;
    const settings = Uint8Array.from(atob(member.settings), (letter) => letter.charCodeAt(0));
    const own = ["numbers", "u", "v", "w_u", "w_v"].map((name) => [
      name,
      arrays[`${name} ${target}`],
    ]);
    return {
      wasm,
      script,
      arrays: { ...Object.fromEntries(own), tokens: arrays.tokens },
      local: {
        ...{ id, m_h, wide, started_until, steps, sequences, evaluated, remedies, settings },
        ...{ spec: "", address: "", label: "", layers: [], tied: [], single: true },
      },
    };
  }

  /** @param {Model} model */
  async keep(model) {
    const { progress, member } = model;
    const { id } = member;
    const isDone = ["finished", "diverged"].includes(progress.status);
    const isOff = progress.status === "stopped" && !this.isAtWork;
    const row = rowOf(progress);
    if (isDone) this.rows.set(id, row);
    else if (isOff) this.begun.set(id, progress);
    if (isDone || isOff) {
      model.end();
      this.models.delete(id);
    }
    if (isDone && this.isAtWork) this.fill();
    else if (isDone && this.rows.size === this.members.length) this.end();
    this.changed?.();
    const note = await putModelOnShelf(isDone ? { id, row } : { id, progress });
    if (note) this.note = note;
  }

  /** @param {string} note */
  fail(note) {
    for (const model of this.models.values()) model.end();
    this.models.clear();
    Object.assign(this, { status: "failed", note });
    this.changed?.();
  }

  /** That a loss is another one. */
  tell() {
    if (performance.now() - this.told < TOLD) return;
    this.told = performance.now();
    this.changed?.();
  }

  /** The losses of the models at work. @returns {import("../payloads.js").RatesDrawing["training"]} */
  get training() {
    const points = [...this.models.values()].flatMap(({ member: { cell, m_h }, loss }) =>
      loss ? [{ ...cell, m_h, error: loss }] : [],
    );
    const step = Math.max(0, ...[...this.models.values()].map((model) => model.step));
    return points.length ? { step, steps: this.work.offer.steps, points } : null;
  }

  words() {
    const { rows, members, models } = this;
    const atWork = models.size ? `, ${models.size} at work` : "";
    return this.note || `in this browser: ${rows.size} of ${members.length} models${atWork}`;
  }
}

/** @param {Progress} progress of a model that has finished or diverged @returns {Row} */
function rowOf({ status, pictures, seconds }) {
  const last = status === "finished" ? pictures.at(-1) : null;
  if (!last) return { errors: null, sigma: [], seconds };
  const { mse, nmse, mae, r2, train_nmse } = last.header; // the last one of a training set
  return {
    errors: { mse, nmse, mae, r2, train_nmse },
    sigma: [...last.arrays.sigma_hat.values],
    seconds,
  };
}

/** The sweep of an offer, with what is on the shelf of it. @param {SweepOffer} offer @param {Record<string, Packed>} arrays */
export function sweepOf(offer, arrays) {
  const sweep = sweeps.get(offer.id) ?? madeOf(offer, arrays);
  sweeps.set(offer.id, sweep);
  return sweep;
}

/** Forget all sweeps: their threads end. */
export async function forgetSweeps() {
  for (const sweep of sweeps.values()) (await sweep).fail("");
  sweeps.clear();
}

/** @param {SweepOffer} offer @param {Record<string, Packed>} arrays */
async function madeOf(offer, arrays) {
  const engine = await engineOf(offer);
  const models = await modelsOnShelf(offer.members.map(({ id }) => id));
  return new SweepHere({ offer, arrays, ...engine }, models);
}
