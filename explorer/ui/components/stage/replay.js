// A kept run as its worker would have told it: pictures and curves up to any of its steps.

import { pack, unpack } from "../core/messages.js";

/** Of the curves what was known at a step. @type {(curves: Record<string, Packed>, step: number) => Record<string, ArrayLike<number>>} */
function rowsUntil(curves, step) {
  const rows = Object.entries(curves).map(([name, { values }]) => {
    const steps = curves[name.startsWith("loss") ? "loss_step" : "eval_step"].values;
    const later = steps.findIndex((each) => each > step);
    return [name, values.subarray(0, later < 0 ? steps.length : later)];
  });
  return Object.fromEntries(rows);
}

export class Replay {
  /** @param {string} run @param {Map<string, ArrayBuffer>} parts of the file */
  constructor(run, parts) {
    const part = (/** @type {string} */ name) =>
      /** @type {ArrayBuffer} */ (parts.get(`${run} ${name}`));
    this.drawing = part("drawing");
    /** @type {Record<string, any>} */
    this.header = unpack(part("frame")).header;
    this.curves = unpack(part("history")).arrays;
    const begin = `${run} at `;
    const names = [...parts.keys()].filter((name) => name.startsWith(begin));
    /** What is kept, by step. */
    this.messages = new Map(
      names.map((name) => [Number(name.slice(begin.length)), parts.get(name)]),
    );
  }

  /** The last step. @returns {number} */
  get end() {
    return this.header.step;
  }

  /** The message that the server would send at a step. */
  message(/** @type {number} */ step) {
    const status = step < this.end ? "running" : this.header.status;
    const header = { ...this.header, step, status };
    return pack(header, rowsUntil(this.curves, step), this.picture(step));
  }

  /** The last one kept up to a step, as it was packed. */
  picture(/** @type {number} */ step) {
    const before = [...this.messages.keys()].filter((each) => each <= step);
    const message = before.length ? this.messages.get(Math.max(...before)) : null;
    if (!message) return undefined;
    const size = unpack(message).header.picture_bytes ?? 0;
    return new Uint8Array(message, message.byteLength - size);
  }
}
