// The phones that follow the talk: the speaker's deck opens a room for them on the server that it came from, says where it
// is, and hears how many there are and what they have drawn.

import { LAID_OVER } from "../core/predictions.js";
import { recall, remember, unremember } from "../core/remember.js";
import { toSocket } from "./place.js";
import { Socket, isServed } from "./training.js";

/** @import { Drawn } from "../core/predictions.js" */
/** @import { Shown } from "./card.js" */
/** @import { Place } from "./place.js" */
/** @typedef {{code: string, address: string, image: string}} Opened how phones find the room */

const ROOM = "explorer talk room"; // its key, for this tab
const RETRY = 2000; // milliseconds until a room that is not heard is looked for again

/** @param {number} count @param {string} one @param {string} many */
const counted = (count, one, many) => `${count} ${count === 1 ? one : many}`;

export class Listeners {
  /** @type {WebSocket | null} */
  socket = null;
  /** @type {Opened | null} */
  room = null;
  problem = "";
  phones = 0;
  /** @type {Drawn[]} */
  curves = [];
  /** The scene in which they were drawn. */
  scene = -1;
  isLaid = false;

  /** @param {{at: Place, picture: Shown | null, phonesChanged: () => void}} deck */
  constructor(deck) {
    this.deck = deck;
    if (this.canOpen && recall("sessionStorage", ROOM)) this.open();
  }

  get canOpen() {
    return isServed();
  }

  /** What is said of them, "" without a room. */
  get text() {
    if (!this.room) return this.problem;
    const drawn = this.scene === this.deck.at.scene ? this.curves.length : 0;
    const follow = counted(this.phones, "phone follows", "phones follow");
    return drawn ? `${follow}, ${counted(drawn, "has", "have")} drawn` : follow;
  }

  toggle() {
    if (this.room) this.close();
    else this.open();
  }

  open() {
    if (!this.socket) this.connect();
  }

  connect() {
    const talk = new URLSearchParams(location.search).get("talk") ?? "mine";
    const key = recall("sessionStorage", ROOM) ?? "";
    const socket = new Socket(toSocket("stage/room", { talk, key }));
    this.problem = "";
    this.socket = socket;
    socket.onmessage = ({ data }) => this.hear(JSON.parse(data));
    socket.onclose = () => {
      setTimeout(() => this.socket === socket && this.connect(), RETRY); // if it is open still
    };
  }

  close() {
    if (this.socket?.readyState === 1) this.socket.send("end");
    this.leave();
    Object.assign(this, { room: null, phones: 0, curves: [] });
    this.deck.phonesChanged();
  }

  leave() {
    const { socket } = this;
    this.socket = null;
    unremember("sessionStorage", ROOM);
    socket?.close();
  }

  /** @param {any} message */
  hear(message) {
    if (message.kind === "room") {
      this.room = message;
      remember("sessionStorage", ROOM, message.key);
      this.tell();
    }
    if (message.kind === "problem") {
      this.problem = message.problem;
      this.leave();
    }
    if (message.kind === "here") this.phones = message.phones;
    if (message.kind === "curves")
      Object.assign(this, { curves: message.curves, scene: message.scene });
    this.deck.phonesChanged();
  }

  /** The phones go where the deck is. */
  tell() {
    const { scene, step } = this.deck.at;
    if (scene !== this.scene) this.isLaid = false;
    if (this.socket?.readyState === 1) this.socket.send(JSON.stringify({ scene, step }));
  }

  /** What was drawn lies on the picture, or no longer. */
  lay() {
    const { at, picture } = this.deck;
    const detail = this.isLaid && this.scene === at.scene ? this.curves : [];
    picture?.root.dispatchEvent(new CustomEvent(LAID_OVER, { detail }));
  }

  toggleCurves() {
    this.isLaid = !this.isLaid;
    this.lay();
  }
}
