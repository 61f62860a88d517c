// A run that this browser trains, in a thread of its own. It goes on while its page is elsewhere, and is kept on the shelf.

import { unpacked } from "../core/unpacked.js";
import { onShelf, putOnShelf } from "./shelf.js";
import { nothingDone } from "./progress.js";

/** @import { Message } from "../core/messages.js" */
/** @import { Arrays, Begin, Command, Kept, Offer, Progress } from "./types.js" */

const UNABLE =
  "This browser cannot train here (it lacks WebAssembly with SIMD, or may start no thread): train on the server.";

const ELSEWHERE = "Another tab trains this run: look there, or load this page anew once it rests.";

const shared = /** @type {any} */ (globalThis);

/** The runs of this document, by id: they outlive the pictures that show them. @type {Map<string, RunHere>} */
const known = (shared.__explorerRunsHere ??= new Map());

export class RunHere {
  /** @type {((message: Message) => void) | null} */
  receive = null;
  /** @type {(() => void) | null} */
  changed = null;
  /** What could not be done. */
  note = "";
  /** Whether it outlives its document. */
  isShelved = true;

  /** @param {Begin} begin @param {Kept} [kept] it goes on from there */
  constructor(begin, kept) {
    this.begin = begin;
    this.created = kept?.created ?? Date.now();
    /** @type {Progress} */
    this.progress = kept?.progress ?? nothingDone();
    if (this.progress.status === "running") this.progress.status = "interrupted";
    known.set(begin.local.id, this);
    this.open();
  }

  open() {
    try {
      const address = URL.createObjectURL(
        new Blob([this.begin.script], { type: "text/javascript" }),
      );
      this.worker = new Worker(address);
      URL.revokeObjectURL(address);
    } catch {
      return this.fail(UNABLE);
    }
    this.worker.onmessage = ({ data }) => this.hear(data);
    this.worker.onerror = () => this.fail(UNABLE);
    const { script: _, ...begin } = this.begin;
    this.worker.postMessage({ begin, progress: this.progress });
  }

  /** @param {string} note */
  fail(note) {
    this.progress.status = "failed";
    this.note = note;
    this.worker?.terminate();
    this.rests();
    const { step } = this.progress;
    const header = {
      kind: "frame",
      step,
      steps: this.begin.local.steps,
      status: "failed",
      message: note,
    };
    this.receive?.({ header, arrays: {} });
    this.changed?.();
  }

  /** @param {any} data what the worker says */
  hear(data) {
    if (data.said === "failed")
      return this.fail(/CompileError|WebAssembly/.test(data.why) ? UNABLE : data.why);
    if (data.said === "zip") return this.zipped(data.zip, data.why);
    if (data.said === "keep") {
      this.progress = data.progress;
      this.keep();
      if (!this.isAtWork) this.rests();
    }
    if (data.said === "frame") {
      if (data.message.header.kind === "frame") this.progress.status = data.message.header.status;
      this.receive?.(data.message);
    }
    this.changed?.();
  }

  async keep() {
    if (!this.isShelved) return;
    const { id } = this.begin.local;
    const { begin, progress, created } = this;
    this.note = await putOnShelf({ id, begin, progress, created, changed: Date.now() });
    if (this.note) this.changed?.();
  }

  get isAtWork() {
    return this.progress.status === "running";
  }

  /** @param {Command} command */
  order(command) {
    if (command === "resume") this.resume();
    else this.worker?.postMessage({ command });
  }

  /** Train, unless another tab of this browser does. A page without https cannot know. */
  async resume() {
    if (this.progress.status === "failed") return;
    if (!navigator.locks || !this.isShelved) return void this.train();
    const mine = { ifAvailable: true };
    await navigator.locks.request(`explorer ${this.begin.local.id}`, mine, async (lock) => {
      if (lock) return this.train();
      this.note = ELSEWHERE;
      this.changed?.();
    });
  }

  /** Until it rests. @returns {Promise<void>} */
  train() {
    if (this.note === ELSEWHERE) this.note = "";
    makeRoom(this);
    this.worker?.postMessage({ command: "resume" });
    return new Promise((resolve) => (this.rests = resolve));
  }

  rests = () => {};

  // -- as core/line.js's Line, to whom follows it

  isOpen = true;

  /** @param {string} text */
  send(text) {
    if (text === "ack") this.order("drawn");
    else if (text.startsWith("at ")) this.worker?.postMessage({ look: Number(text.slice(3)) });
  }

  /** The run as a file of its own, once it is made. @returns {Promise<Blob>} */
  zip() {
    this.worker?.postMessage({ export: this.created });
    return new Promise((resolve, reject) => {
      this.zipped = (/** @type {Blob | undefined} */ zip, /** @type {string} */ why) =>
        zip ? resolve(zip) : reject(new Error(why));
    });
  }

  /** @type {(zip: Blob | undefined, why: string) => void} */
  zipped = () => {};

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

/** Of as many threads as this machine has cores less one, each at work on one run, the one that began first rests. */
/** @param {RunHere} next */
function makeRoom(next) {
  const most = Math.max(1, (navigator.hardwareConcurrency || 2) - 1);
  const others = [...known.values()].filter((run) => run !== next && run.isAtWork);
  for (const run of others.slice(0, Math.max(0, others.length + 1 - most))) run.order("pause");
}

/** The run that an offer begins, which rests. @param {Offer} offer @param {Arrays} arrays */
export async function begunBy({ wasm, script, settings, ...local }, arrays) {
  const begin = {
    wasm: new Uint8Array(await unpacked(wasm)),
    script: new TextDecoder().decode(await unpacked(script)),
    arrays,
    local: { ...local, settings: Uint8Array.from(atob(settings), (each) => each.charCodeAt(0)) },
  };
  return new RunHere(/** @type {any} */ (begin));
}

/** The run of a specification in this document. @param {string} id */
export const runOf = (id) => known.get(id) ?? null;

/** The same, from the shelf where it has to be. @param {string} id */
export async function foundHere(id) {
  const kept = known.has(id) ? undefined : await onShelf(id);
  return known.get(id) ?? (kept ? new RunHere(kept.begin, kept) : null);
}

/** Hand a run over as a file of its own. @param {RunHere} run */
export async function handOver(run) {
  const link = document.createElement("a");
  const href = URL.createObjectURL(await run.zip());
  Object.assign(link, { href, download: `${run.begin.local.id}-here.zip` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

/** Forget a run: its thread ends. @param {string} id */
export function forget(id) {
  known.get(id)?.worker?.terminate();
  known.delete(id);
}
