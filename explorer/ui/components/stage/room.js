// The deck's end of the line to the speaker's window, and the spotlight that both may move.

import { Line } from "./link.js";
import { ForwardedPointer, asBytes, letForwardedPointersBe, painted } from "./mirror.js";

/** @import { Picture } from "./picture.js" */

const FRAME = 30; // milliseconds between two pictures for the speaker
const STAYS = 3000; // milliseconds that the spotlight stays without a move

const place = () => /** @type {HTMLElement} */ (document.querySelector(".picture"));

/** @typedef {{picture: Picture | null, state: () => any, perform: (act: string, look: boolean) => void}} Deck */

export class Room {
  pointer = new ForwardedPointer();
  lit = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  fading;

  /** @param {Deck} deck */
  constructor(deck) {
    this.deck = deck;
    letForwardedPointersBe();
    this.line = new Line(
      (said) => this.hear(said),
      () => ({ kind: "state", ...deck.state() }),
    );
    window.addEventListener("pointermove", (event) => this.light(event.clientX, event.clientY));
    this.send();
  }

  /** Pictures, as long as somebody looks at them. */
  async send() {
    const { picture } = this.deck;
    if (picture && this.line.connected) {
      const bytes = await asBytes(painted(picture, place()));
      if (bytes) this.line.say({ kind: "picture", bytes });
    }
    setTimeout(() => this.send(), FRAME);
  }

  hear(/** @type {any} */ said) {
    if (said.kind === "act") this.deck.perform(said.act, true);
    if (said.kind !== "pointer" || !this.deck.picture) return;
    const box = place().getBoundingClientRect();
    this.light(box.x + said.x * box.width, box.y + said.y * box.height);
    this.pointer.act(said, this.deck.picture, place());
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
    const at = `circle at ${x}px ${y}px`;
    spot().style.background = `radial-gradient(${at}, transparent 0 5rem, #000a 6.5rem)`;
    spot().hidden = false;
    clearTimeout(this.fading);
    this.fading = setTimeout(() => (spot().hidden = true), STAYS);
  }
}

const spot = () => /** @type {HTMLElement} */ (document.querySelector("[data-over=spot]"));
