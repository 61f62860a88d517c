// A run that this tab trains, told as a WebSocket of the server would.

import { pack } from "../core/messages.js";
import { restarted } from "../here/run.js";

/** @import { RunHere } from "../here/run.js" */

/** As a server sends it. @param {Message} message @returns {ArrayBuffer} */
const packed = ({ header, arrays, picture }) =>
  pack(header, arrays, picture ? new Uint8Array(packed(picture)) : undefined);

/** The run of an offer: what the deck begins anew each time is kept nowhere. @param {Message} offer */
export async function begunInTab({ header, arrays }) {
  const run = await restarted(header, arrays);
  run.isShelved = false;
  run.order("resume");
  return run;
}

export class TabSocket {
  readyState = 1;
  binaryType = "";
  /** @type {((event: {data: ArrayBuffer}) => void) | null} */
  onmessage = null;
  /** @type {((event: {code: number}) => void) | null} */
  onclose = null;

  /** @param {RunHere} run */
  constructor(run) {
    this.run = run;
    queueMicrotask(() => run.follow((message) => this.hear(message)));
  }

  /** @param {Message} message */
  hear(message) {
    if (this.readyState !== 1) return;
    if (message.header.status === "failed") return this.onclose?.({ code: 1006 });
    this.onmessage?.({ data: packed(message) });
  }

  /** @param {string} text */
  send(text) {
    this.run.send(text);
  }

  close() {
    this.readyState = 3;
  }
}
