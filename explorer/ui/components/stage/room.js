// The deck's end of the line to the speaker's window, and the spotlight that both may move.

import { Line } from "./link.js";
import { ForwardedPointer, asBytes, letForwardedPointersBe, painted, shade } from "./mirror.js";

/** @import { Shown } from "./card.js" */

const FRAME = 30; // milliseconds between two pictures for the speaker
const STAYS = 3000; // milliseconds that the spotlight stays without a move
const SPOT = [5, 6.5]; // of its radius, in rem: up to where it is light, from where all is dark

const place = () => /** @type {HTMLElement} */ (document.querySelector(".picture"));

/** @typedef {{picture: Shown | null, state: () => any, perform: (act: string, bySpeaker: boolean) => void}} Deck */

export class Room {
  pointer = new ForwardedPointer();
  lit = false;
  /** Where it is lit, in pixels of the window. */
  spot = { x: 0, y: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  fading;

  /** @param {Deck} deck */
  constructor(deck) {
    this.deck = deck;
    letForwardedPointersBe();
    this.line = new Line(
      (message) => this.hear(message),
      () => ({ kind: "state", ...deck.state() }),
    );
    window.addEventListener("pointermove", (event) => this.light(event.clientX, event.clientY));
    this.send();
  }

  /** Pictures, as long as somebody looks at them. */
  async send() {
    const { picture } = this.deck;
    if (picture && this.line.connected) {
      const image = painted(picture, place());
      if (!spot().hidden) shade(image, this.spotWithin(place().getBoundingClientRect()));
      const bytes = await asBytes(image);
      if (bytes) this.line.say({ kind: "picture", bytes });
    }
    setTimeout(() => this.send(), FRAME);
  }

  hear(/** @type {any} */ message) {
    if (message.kind === "act") this.deck.perform(message.act, true);
    if (message.kind !== "pointer" || !this.deck.picture) return;
    const box = place().getBoundingClientRect();
    this.light(box.x + message.x * box.width, box.y + message.y * box.height);
    this.pointer.act(message, this.deck.picture, place());
  }

  /** The speaker's window, one for all times it is asked for. */
  open() {
    const address = new URL(location.href);
    if (address.protocol === "file:") address.hash = "speaker=1";
    else address.searchParams.set("speaker", "1");
    window.open(address, "explorer-speaker", "popup,width=1180,height=760");
  }

  toggleSpot() {
    this.lit = !this.lit;
    if (!this.lit) spot().hidden = true;
  }

  light(/** @type {number} */ x, /** @type {number} */ y) {
    if (!this.lit) return;
    this.spot = { x, y };
    const [inner, outer] = SPOT;
    const at = `circle at ${x}px ${y}px`;
    spot().style.background = `radial-gradient(${at}, transparent 0 ${inner}rem, #000a ${outer}rem)`;
    spot().hidden = false;
    clearTimeout(this.fading);
    this.fading = setTimeout(() => (spot().hidden = true), STAYS);
  }

  /** In parts of a place's width, from its corner. */
  spotWithin(/** @type {DOMRect} */ { x, y, width }) {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const [inner, outer] = SPOT.map((radius) => (radius * rem) / width);
    return { x: (this.spot.x - x) / width, y: (this.spot.y - y) / width, inner, outer };
  }
}

const spot = () => /** @type {HTMLElement} */ (document.querySelector("[data-over=spot]"));
