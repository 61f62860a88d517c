// A run that this browser trains, in a thread of its own. It goes on while its page is elsewhere, and is kept on the shelf.

import { element } from "../core/element.js";
import { onShelf, putOnShelf } from "./shelf.js";
import { Thread, beginOf, isResting, mostThreads } from "./thread.js";

/** @import { Arrays, Begin, Command, Kept, Offer } from "./types.js" */

const ELSEWHERE = "Another tab trains this run: look there, or load this page anew once it rests.";

const shared = /** @type {any} */ (globalThis);

/** The runs of this document, by id: they outlive the pictures that show them. @type {Map<string, RunHere>} */
const known = (shared.__explorerRunsHere ??= new Map());

export class RunHere extends Thread {
  /** Whether it outlives its document. */
  isShelved = true;
  /** Whether it does what a hand has asked for, until it rests again. */
  isBusy = false;
  /** What was asked for meanwhile, the last of it. @type {Command | null} */
  next = null;
  /** Whether it was deleted. */
  isOver = false;

  /** @param {Begin} begin @param {Kept} [stored] it goes on from there */
  constructor(begin, stored) {
    super(begin, stored?.progress);
    this.created = stored?.created ?? Date.now();
  }

  async keep() {
    if (!this.isShelved) return;
    const { id } = this.begin.local;
    const { begin, progress, created } = this;
    this.note = await putOnShelf({ id, begin, progress, created, changed: Date.now() });
    if (this.note) this.changed?.();
  }

  /** @param {Command} command */
  order(command) {
    const isOfWatching = command === "drawn" || command === "watch";
    if (isOfWatching || !isResting(this.progress.status)) super.order(command);
    else this.goOn(command);
  }

  /** Do it, unless another tab of this browser trains the run, which a page without https, or without locks, cannot know. */
  /** @param {Command} command */
  async goOn(command) {
    if (!this.isShelved) return void this.train(command);
    this.next = command;
    if (this.isBusy) return;
    this.isBusy = true;
    const act = async () => {
      await this.catchUp();
      while (this.next && !this.isOver && isResting(this.progress.status)) await this.train();
    };
    try {
      await navigator.locks.request(
        `explorer ${this.begin.local.id}`,
        { ifAvailable: true },
        (lock) => {
          if (lock) return act();
          this.note = ELSEWHERE;
          this.changed?.();
        },
      );
    } catch {
      await act();
    } finally {
      Object.assign(this, { isBusy: false, next: null });
    }
  }

  /** To where another tab, which trains it no more, has left it. */
  async catchUp() {
    const stored = await onShelf(this.begin.local.id);
    if (!stored || stored.progress.step <= this.progress.step) return;
    this.worker?.terminate();
    const { begin, progress, created } = stored;
    Object.assign(this, { begin, progress, created });
    this.open();
    super.order("watch");
    this.changed?.();
  }

  end() {
    this.isOver = true;
    super.end();
  }

  /** Do what was asked for last, until it rests again. @returns {Promise<void>} */
  train(command = this.next ?? "resume") {
    this.next = null;
    if (this.note === ELSEWHERE) this.note = "";
    if (command === "resume") {
      makeRoom(this);
      this.progress.status = "running"; // at once: who presses twice asks for nothing more
    }
    super.order(command);
    return new Promise((resolve) => (this.rests = resolve));
  }

  // As core/line.js's Line, to whom follows it.
  isOpen = true;

  /** @param {string} text */
  send(text) {
    if (text === "ack") this.order("drawn");
    else if (text.startsWith("at ")) this.worker?.postMessage({ look: Number(text.slice(3)) });
  }

  /** The run as a file of its own, once it is made. @returns {Promise<Blob>} */
  zip() {
    if (this.progress.status === "failed") return Promise.reject(new Error(this.note));
    this.worker?.postMessage({ export: this.created });
    return new Promise((resolve, reject) => {
      this.zipped = (/** @type {Blob | undefined} */ zip, /** @type {string} */ why) =>
        zip ? resolve(zip) : reject(new Error(why));
    });
  }

  /** @param {RunHere["receive"]} receive */
  follow(receive) {
    this.receive = receive;
    this.order("watch");
    return this;
  }

  close() {
    this.receive = null;
    this.changed = null;
  }
}

/** Of the threads that this machine has room for, each at work on one run, the one that began first rests. */
/** @param {RunHere} next */
function makeRoom(next) {
  const others = [...known.values()].filter((run) => run !== next && run.isAtWork);
  for (const run of others.slice(0, Math.max(0, others.length + 1 - mostThreads())))
    run.order("pause");
}

/** Runs that nobody has asked for yet, by id: their threads wait. @type {Map<string, Promise<RunHere>>} */
const waiting = new Map();

/** See to it that the run of an offer begins at once. @param {Offer} offer @param {Arrays} arrays */
export function prepare(offer, arrays) {
  const made = waiting.get(offer.id) ?? beginOf(offer, arrays).then((begin) => new RunHere(begin));
  waiting.set(offer.id, made);
  return made;
}

/** @param {RunHere} run */
function entered(run) {
  known.set(run.begin.local.id, run);
  return run;
}

/** The run that an offer begins, which rests. @param {Offer} offer @param {Arrays} arrays */
export async function begunBy(offer, arrays) {
  const run = await prepare(offer, arrays);
  waiting.delete(offer.id);
  return entered(run);
}

/** The same, of which nothing is shared with another one that is begun. @param {Offer} offer @param {Arrays} arrays */
export const restarted = async (offer, arrays) =>
  entered(new RunHere(await beginOf(offer, arrays)));

/** The run of a specification in this document. @param {string} id */
export const runOf = (id) => known.get(id) ?? null;

/** The same, from the shelf where it has to be. @param {string} id */
export async function foundHere(id) {
  const stored = known.has(id) ? undefined : await onShelf(id);
  return known.get(id) ?? (stored ? entered(new RunHere(stored.begin, stored)) : null);
}

/** Hand a run over as a file of its own. @param {RunHere} run */
export async function handOver(run) {
  const href = URL.createObjectURL(await run.zip());
  element("a", { href, download: `${run.begin.local.id}-here.zip` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Forget a run: its thread ends. @param {string} id @param {RunHere} [run] the newest, unless another is meant */
export function forget(id, run = known.get(id)) {
  run?.end();
  if (known.get(id) === run) known.delete(id);
}
