// In the place of a WebSocket where a step trains live: the pictures of who trains (this tab, or the server) as long as
// they come, else those that were kept of the same specification, from the step on that is shown. Nobody waits, and
// nobody is told.

import { unpack } from "../core/messages.js";
import { KeptRun, runIn } from "../file/kept.js";
import { Replay } from "./replay.js";
import { Training } from "./training.js";

const SILENCE = [250, 1000]; // milliseconds without a picture, after which kept ones play: at least, at most
const GAPS = 3; // between pictures as they came so far that are a silence
const TICK = 50; // milliseconds between two kept ones
const WHOLE = 10; // seconds in which a kept run plays where the pace of a live one is not known
const STEADY = 1000; // milliseconds in which the server has to be heard before its pictures come back
const AGAIN = [500, 8000]; // milliseconds until the socket is opened once more: first, at most

export class LiveRun {
  /** Hears of every picture. @type {(training: Training) => void} */
  static tell = () => {};
  readyState = 1;
  binaryType = "";
  /** @type {((event: {data: ArrayBuffer}) => void) | null} */
  onmessage = null;
  onclose = null;
  /** @type {WebSocket | import("./tab.js").TabSocket | null} */
  socket = null;
  wait = AGAIN[0];
  /** Whether the server waits for the acknowledgement of a frame. */
  owes = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  retry;

  constructor(/** @type {URL | string} */ url) {
    this.training = Training.ofRun(runIn(url));
    this.training.shownBy = this;
    this.replay = new Replay(this.training.keptRun, KeptRun.parts);
    this.tickedAt = performance.now();
    /** When who trains sent a picture, and since when it did so without a gap. */
    this.heardAt = this.training.isTrained ? this.tickedAt : -Infinity;
    this.steadyFrom = this.tickedAt;
    this.say(this.replay.drawing);
    this.showAgain();
    LiveRun.tell(this.training);
    this.timer = setInterval(() => this.tick(), TICK);
    this.connect();
  }

  get isShown() {
    return this.training.shownBy === this && this.readyState === 1;
  }

  /** Where the training was when it was shown last. */
  showAgain() {
    const { source, last, step } = this.training;
    if (source === "live" && last) this.say(last);
    else if (step) this.say(this.replay.message(Math.max(1, Math.floor(step))));
  }

  // -- to the component

  say(/** @type {ArrayBuffer} */ data) {
    queueMicrotask(() => this.onmessage?.({ data }));
  }

  send(/** @type {string} */ text) {
    if (text === "ack") return this.acknowledge();
    if (this.training.source === "live" && this.socket?.readyState === 1)
      return this.socket.send(text);
    const part = KeptRun.parts.get(`${this.training.keptRun} ${text}`);
    if (part) this.say(part);
  }

  close() {
    this.readyState = 3;
    clearInterval(this.timer);
    clearTimeout(this.retry);
    this.socket?.close();
  }

  // -- from who trains

  async connect() {
    const socket = await this.training.socket();
    if (this.readyState !== 1) return socket?.close();
    if (!socket) return;
    this.socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onmessage = (/** @type {{data: ArrayBuffer}} */ { data }) =>
      this.isShown && this.hear(data, unpack(data));
    socket.onclose = (/** @type {{code: number}} */ { code }) => this.dropped(code);
  }

  /** @param {ArrayBuffer} data @param {Message} message the same, unpacked */
  hear(data, { header, picture }) {
    this.wait = AGAIN[0];
    if (header.kind === "frame") this.frame(data, header, picture?.header);
    else if (header.kind !== "drawing") this.say(data);
  }

  /** @param {ArrayBuffer} data @param {any} header @param {any} pictured the header of its picture */
  frame(data, { step, status }, pictured) {
    const { training } = this;
    const isWell = ["running", "finished"].includes(status);
    this.owes = true;
    training.rate = pictured?.rate ?? training.rate;
    if (pictured && isWell) this.heard();
    else if (status !== "queued" && !isWell) this.heardAt = -Infinity;
    if (!isWell || !this.isWanted(status, Boolean(pictured))) return this.acknowledge();
    if (pictured) training.last = data;
    this.say(data);
    this.shown(step, "live");
  }

  /** Of kept pictures the way leads back to live ones that come steadily, and never from the end of the run. */
  isWanted(/** @type {string} */ status, /** @type {boolean} */ hasPicture) {
    const { source, ended, last } = this.training;
    if (source !== "kept") return hasPicture || Boolean(last);
    const isSteady = !ended && this.heardAt - this.steadyFrom > STEADY;
    return hasPicture && (isSteady || status === "finished");
  }

  /** How long who trains may be silent: a busy machine sends few pictures. */
  get patience() {
    return Math.max(SILENCE[0], GAPS * this.training.gap);
  }

  heard() {
    const now = performance.now();
    const { training } = this;
    if (now - this.heardAt > this.patience) this.steadyFrom = now;
    training.gap += 0.2 * (Math.min(now - this.heardAt, SILENCE[1] / GAPS) - training.gap);
    this.heardAt = now;
  }

  acknowledge() {
    if (this.owes && this.socket?.readyState === 1) this.socket.send("ack");
    this.owes = false;
  }

  dropped(/** @type {number} */ code) {
    this.owes = false;
    this.heardAt = -Infinity;
    if (!this.isShown) return;
    if (code >= 4400 && code < 4500) return this.training.note(null); // the run is not there any more
    this.retry = setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(AGAIN[1], 2 * this.wait);
  }

  // -- kept pictures

  /** Whether who trains is silent: then what was kept goes on. */
  tick() {
    const now = performance.now();
    const passed = now - this.tickedAt;
    this.tickedAt = now;
    if (this.isShown) this.name();
    if (passed > 4 * TICK) this.heardAt += passed; // it was this window that rested
    const { training, replay } = this;
    const isSilent = training.source === "kept" || now - this.heardAt > this.patience;
    if (!this.isShown || !isSilent || training.step >= replay.end) return;
    const pace = (training.rate ?? replay.end / WHOLE) / 1000;
    const step = training.step + pace * Math.min(passed, 4 * TICK);
    this.shown(Math.min(step, replay.end), "kept");
    this.say(replay.message(Math.max(1, Math.floor(training.step))));
  }

  /** @param {number} step @param {"live" | "kept"} source */
  shown(step, source) {
    Object.assign(this.training, { step, source, ended: step >= this.replay.end });
    this.name();
    LiveRun.tell(this.training);
  }

  /** A gap of a moment, which kept pictures bridge, is not worth a word. */
  name() {
    const { training } = this;
    const named = training.lasting.textAt(training.source, performance.now());
    const isNew = named !== training.named;
    training.named = named;
    if (isNew) LiveRun.tell(training);
  }
}
