// Between the deck and the speaker's window: what each says, and whether the other is there.

import { followedRoom } from "./place.js";

const BEAT = 500; // milliseconds between two signs of life
const LOST = 3000; // after which the other is gone

/** One end: `hear` gets what the other says. */
export class Line {
  heardAt = -Infinity;

  /** @param {(message: any) => void} hear @param {(line: Line) => any} sign what is said at every beat */
  constructor(hear, sign) {
    const talk = `${location.pathname}${followedRoom() ?? ""}`; // a listener's here is another talk
    this.channel = new BroadcastChannel(`explorer talk ${talk}`);
    this.channel.onmessage = ({ data }) => {
      this.heardAt = performance.now();
      hear(data);
    };
    this.sign = sign;
    setInterval(() => this.beat(), BEAT);
    this.beat();
  }

  beat() {
    this.say(this.sign(this));
  }

  say(/** @type {any} */ what) {
    this.channel.postMessage(what);
  }

  get connected() {
    return performance.now() - this.heardAt < LOST;
  }
}
