// A deck on a listener's phone: it goes where the speaker's is, until its reader turns a step, and again when asked to.

import { PREDICTED } from "../core/predictions.js";
import { toSocket } from "./place.js";
import { Socket } from "./training.js";

/** @import { Drawn } from "../core/predictions.js" */
/** @import { Place } from "./place.js" */
/** @import { Talk } from "./store.js" */

const SETTLES = 500; // milliseconds after a stroke until it is sent
const RETRIES = [1000, 15000]; // until a speaker who is not heard is looked for again: first, at most

const button = () => /** @type {HTMLElement} */ (document.querySelector("[data-follow]"));
const words = () => /** @type {HTMLElement} */ (document.querySelector("[data-text=room]"));

export class Follower {
  follows = true;
  /** Where the speaker is. @type {Place | null} */
  at = null;
  problem = "";
  wait = RETRIES[0];
  /** @type {WebSocket | null} */
  socket = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  sending;
  /** The last curve, while no line is there that takes it. @type {Drawn & {scene: number} | null} */
  unsent = null;

  /** @param {{at: Place, talk: Talk, go: (place: Place) => void}} deck @param {string} code */
  constructor(deck, code) {
    this.deck = deck;
    this.code = code;
    button().addEventListener("click", () => this.join());
    document.addEventListener(PREDICTED, (event) =>
      this.drew(/** @type {CustomEvent<Drawn>} */ (event).detail),
    );
    this.connect();
  }

  connect() {
    this.socket = new Socket(toSocket("stage/follow", { code: this.code }));
    this.socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    this.socket.onclose = () => {
      if (this.problem) return;
      this.say("The speaker is not heard.");
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(2 * this.wait, RETRIES[1]);
    };
  }

  /** @param {{kind: string, scene: number, step: number, problem?: string}} said */
  hear({ kind, scene, step, problem }) {
    if (kind === "at") {
      this.wait = RETRIES[0];
      this.at = { scene, step };
      if (this.unsent?.scene === scene) this.send();
      if (this.follows) this.join();
    } else {
      this.problem = problem ?? "The speaker has ended this; the talk stays here.";
      this.say(this.problem);
      this.socket?.close();
    }
  }

  /** To where the speaker is. */
  join() {
    const { at, deck } = this;
    this.follows = true;
    this.say("You follow the speaker.");
    if (!at || !deck.talk.scenes[at.scene]?.steps[at.step]) return;
    if (at.scene !== deck.at.scene || at.step !== deck.at.step) deck.go(at);
  }

  /** The reader goes on alone. */
  leave() {
    this.follows = false;
    this.say(this.problem);
  }

  /** @param {string} text */
  say(text) {
    words().textContent = text;
    button().hidden = this.follows || Boolean(this.problem);
  }

  /** Once the hand rests. @param {Drawn} drawn */
  drew({ line, pairs }) {
    const { scene } = this.deck.at;
    clearTimeout(this.sending);
    this.unsent = null;
    if (!pairs.length) return;
    this.sending = setTimeout(() => {
      this.unsent = { scene, line, pairs };
      this.send();
    }, SETTLES);
  }

  send() {
    if (!this.unsent || this.socket?.readyState !== 1) return;
    this.socket.send(JSON.stringify(this.unsent));
    this.unsent = null;
  }
}
