// A thread of this browser that trains one model (work.js), and how far it is.

import { unpacked } from "../core/unpacked.js";

/** @import { Arrays, Begin, Command, Offer, Progress } from "./types.js" */

const UNABLE =
  "This browser cannot train here (it lacks WebAssembly with SIMD, or may start no thread): train on the server.";

/** That may be at work at once: the page keeps a core. */
export const mostThreads = () => Math.max(1, (navigator.hardwareConcurrency || 2) - 1);

/** Kernel and script of what is offered, which a file says once (ui/here.py). */
/** @param {{thread: string, wasm?: string, script?: string}} offer */
export async function engineOf({ thread, wasm, script }) {
  const engine = /** @type {any} */ (globalThis).__explorerEngine;
  return {
    wasm: new Uint8Array(await unpacked(wasm ?? engine.wasm)),
    script: new TextDecoder().decode(await unpacked(script ?? engine[thread])),
  };
}

/** What a thread begins with that trains what is offered. @param {Offer} offer @param {Arrays} arrays @returns {Promise<Begin>} */
export const beginOf = async ({ thread, wasm, script, settings, ...local }, arrays) => ({
  ...(await engineOf({ thread, wasm, script })),
  arrays,
  local: { ...local, settings: Uint8Array.from(atob(settings), (each) => each.charCodeAt(0)) },
});

/** How far a run is that has not begun. @returns {Progress} */
const nothingDone = () => ({
  step: 0,
  status: "paused",
  message: "",
  sum: 0,
  count: 0,
  loss: null,
  losses: [],
  pictures: [],
  seconds: 0,
  state: null,
});

/** Whether it can go on, and does not. */
export const isResting = (/** @type {string} */ status) =>
  ["paused", "stopped", "interrupted"].includes(status);

// Safari has no such callback.
export const whenIdle = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 200));

export class Thread {
  /** @type {((message: Message) => void) | null} */
  receive = null;
  /** @type {(() => void) | null} */
  changed = null;
  /** Hears that it is at work no more. */
  rests = () => {};
  /** What could not be done. */
  note = "";
  /** @type {(zip: Blob | undefined, why: string) => void} */
  zipped = () => {};

  /** @param {Begin} begin @param {Progress} [progress] it goes on from there */
  constructor(begin, progress) {
    this.begin = begin;
    /** @type {Progress} */
    this.progress = progress ?? nothingDone();
    this.open();
  }

  open() {
    if (this.progress.status === "running") this.progress.status = "interrupted";
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
    this.zipped(undefined, note);
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

  /** Sees to it that what was done is not lost. */
  keep() {}

  get isAtWork() {
    return this.progress.status === "running";
  }

  /** @param {Command} command */
  order(command) {
    this.worker?.postMessage({ command });
  }

  end() {
    this.worker?.terminate();
    this.rests();
  }
}
