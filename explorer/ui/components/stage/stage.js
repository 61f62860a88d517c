// A talk by clicker: one step at a time, drawn by the components of the pages and live under the hand.
// What is shown depends on scene and step alone; what is tried by hand goes with Esc or the next step.

import { recall, remember } from "../core/remember.js";
import { Ahead } from "./ahead.js";
import { Card } from "./card.js";
import { Clock } from "./clock.js";
import { writeFormula } from "./formula.js";
import { Handout, openHandout } from "./handout.js";
import { Follower } from "./follower.js";
import { hideWhileStill, listenToFingers } from "./fingers.js";
import { listenToKeys, toggleFullScreen, widgetHasFocus } from "./keys.js";
import { Listeners } from "./listeners.js";
import { LiveRun } from "./live.js";
import { followNumbers, followsNumbers } from "./numbers.js";
import { Overlays } from "./overlays.js";
import { Picture } from "./picture.js";
import { beside, followedRoom, isHandout, isSpeaker, readPlace, writePlace } from "./place.js";
import { Room } from "./room.js";
import { openSpeaker } from "./speaker.js";
import { Pieces, readTalk } from "./store.js";
import { Training } from "./training.js";
import { turner } from "./turner.js";
import { Yours } from "./yours.js";

/** @import { Shown } from "./card.js" */
/** @import { Place } from "./place.js" */
/** @import { Step } from "./store.js" */

const TEXT = 24; // pixels on a screen of 1280 × 720
const SMALLEST_UNIT = 0.75; // of those pixels: a phone is held in the hand
const SOON = 200; // milliseconds after which the next step is drawn though nothing was idle
const THEME = "explorer talk theme"; // for this tab
const SIZES = [0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5];

const html = document.documentElement;
const part = (/** @type {string} */ selector) =>
  /** @type {HTMLElement} */ (document.querySelector(selector));

/** A window that nobody sees draws nothing. @param {() => void} then */
const onceDrawn = (then) =>
  document.hidden ? setTimeout(then) : requestAnimationFrame(() => setTimeout(then));

class Deck {
  talk = readTalk();
  pieces = new Pieces();
  overlays = new Overlays(this.talk, this.pieces, (scene) => this.enter(scene));
  /** @type {Place} */
  at = readPlace(this.talk.scenes);
  /** @type {Shown | null} */
  picture = null;
  ahead = new Ahead((place, data) => this.pictureOf(place, data));
  touched = false;
  clock = new Clock();
  listeners = new Listeners(this);
  yours = new Yours(() => this.tried());
  room = new Room(this);
  /** Where this deck follows another. @type {Follower | null} */
  follower = null;
  handout = new Handout(this.talk, this.pieces, () => Boolean(this.step.live));
  size = SIZES.indexOf(1);
  /** Of the last step that was asked for: an earlier one that comes later is not shown. */
  asked = 0;
  /** Likewise of what is held ready. */
  turned = 0;
  /** What tests and measurements read. */
  probe = { shown: 0, at: 0 };

  get scene() {
    return this.talk.scenes[this.at.scene];
  }

  get step() {
    return this.stepAt(this.at);
  }

  stepAt(/** @type {Place} */ { scene, step }) {
    return this.talk.scenes[scene].steps[step];
  }

  unpacked(/** @type {Place} */ place) {
    return this.pieces.frame(this.stepAt(place));
  }

  /** @param {Place} place */
  async go(place) {
    const asked = ++this.asked;
    const data = await this.unpacked(place);
    if (asked !== this.asked) return;
    this.at = place;
    this.touched = false;
    this.write();
    this.draw(data);
    this.probe.at = performance.now();
    this.probe.shown += 1;
    onceDrawn(() => this.tellPlace());
    this.phonesChanged();
    this.lookAhead();
    this.handout.drawLater();
  }

  /** The phones go where a reload of the deck comes back to. */
  tellPlace() {
    writePlace(this.at);
    this.listeners.tell();
  }

  draw(/** @type {Uint8Array} */ data) {
    const old = this.picture;
    this.picture = this.ahead.take(this.at) ?? this.pictureOf(this.at, data);
    this.picture.show();
    this.yours.lay(this.at.scene, this.picture);
    if (old) this.picture.enter(old);
    old?.leave();
  }

  /** The step in a picture of its own, so that nothing of what was before is in it. @param {Place} place @param {Uint8Array} data */
  pictureOf(place, data) {
    const scene = this.talk.scenes[place.scene];
    const step = this.stepAt(place);
    if (!scene.component) return new Card(part(".picture"), this.talk, place);
    const tried = () => this.picture === picture && this.tried();
    const picture = new Picture(part(".picture"), scene, step, data, tried);
    if (scene.ready.length) this.offerReady(picture, step);
    return picture;
  }

  /** @param {Picture} picture @param {Step} step */
  offerReady(picture, step) {
    const { scene } = picture;
    const turned = (/** @type {number} */ place) => this.showReady(picture, scene.ready[place]);
    const now = scene.ready.findIndex(({ runs }) => runs[0] === step.runs[0]);
    picture.root.querySelector(".controls")?.append(turner(scene, now, turned));
  }

  /** To what is held ready. @param {Picture} picture @param {import("./store.js").Pictured} choice */
  async showReady(picture, choice) {
    const asked = ++this.turned;
    const data = await this.pieces.frame(choice);
    if (asked !== this.turned || picture !== this.picture) return;
    const { live } = this.step;
    this.say(choice.badge);
    picture.replace(data, live === choice.runs[0] ? live : null);
  }

  /** The texts around the picture. */
  write() {
    const { scene, step } = this;
    const places = `${this.at.scene + 1} · ${this.at.step + 1}/${scene.steps.length}`;
    part("[data-stage]").dataset.kind = scene.kind;
    part("[data-text=title]").textContent = scene.title;
    part("[data-text=place]").textContent = places;
    this.say(step.live ? "" : step.badge);
    part("[data-text=words]").innerHTML = step.words;
    part("[data-text=words]").classList.remove("aside");
    part("[data-text=if]").innerHTML = this.offer();
    writeFormula(part(".formula"), scene, step);
    document.title = `${this.at.scene + 1} ${scene.title}`;
  }

  /** Where a picture came from that is trained while it is shown; one that has been left may still tell. @param {Training} training */
  source({ keptRun, source, named, ended }) {
    if (keptRun !== this.step.live) return;
    const isTrained = ended && source === "live";
    const now = isTrained ? "● live: trained in this talk" : "● live: it trains now";
    const text = named === "kept" ? `kept: ${this.step.badge}` : now;
    this.say(named && text, named);
  }

  /** Where the picture comes from. @param {string} text @param {string} [source] of one that trains */
  say(text, source = "") {
    const badge = part("[data-text=badge]");
    if (badge.textContent === text) return;
    badge.dataset.source = source;
    badge.textContent = text;
  }

  offer() {
    if (this.touched) return "tried by hand; Esc: as it was";
    return this.step.whatIf ? `What if? ${this.step.whatIf}` : "";
  }

  tried() {
    if (this.touched) return;
    this.touched = true;
    part("[data-text=if]").innerHTML = this.offer();
    const words = part("[data-text=words]");
    words.classList.toggle("aside", !followsNumbers(words)); // they are of the step as it was
  }

  /** What the speaker will want next is there before it is wanted. */
  lookAhead() {
    const { asked } = this;
    const draw = async () => {
      const [next, before] = [1, -1].map((by) => beside(this.at, by, this.talk.scenes));
      const [data] = await Promise.all([next, before].map((place) => this.unpacked(place)));
      const { live } = this.stepAt(next);
      if (asked !== this.asked) return;
      if (!live) this.ahead.prepare(next, data);
    };
    requestIdleCallback(draw, { timeout: SOON });
  }

  restyle(/** @type {() => void} */ change) {
    change();
    const unit = Math.max(Math.min(innerWidth / 1280, innerHeight / 720), SMALLEST_UNIT);
    html.style.setProperty("--k", String(SIZES[this.size]));
    html.style.setProperty("--st-unit", String(unit));
    html.style.setProperty("--st-text-size", `${TEXT * SIZES[this.size]}px`);
    this.picture?.draw();
    if (this.picture) this.yours.lay(this.at.scene, this.picture);
    this.listeners.lay();
    this.ahead.drop();
    this.lookAhead();
  }

  /** What is known of phones, where it is seen. */
  phonesChanged() {
    const { listeners, overlays, at } = this;
    if (this.follower) return;
    part("[data-text=room]").textContent = listeners.text;
    listeners.lay();
    overlays.showCode(at.scene);
    this.room.line.beat();
  }

  /** What the speaker's window is told. */
  state() {
    const { overlays, clock, listeners, at } = this;
    const { elapsed, runs } = clock;
    const { black, jump } = overlays;
    const phones = listeners.canOpen ? listeners.text : null;
    const { theme } = html.dataset;
    return { ...at, black, typed: jump.typed, elapsed, runs, phones, theme };
  }

  /** @param {string} act @param {boolean} [bySpeaker] by the speaker, who looks ahead while it is black */
  perform(act, bySpeaker = false) {
    const { black, jump } = this.overlays;
    if (black && !bySpeaker && !["black", "escape"].includes(act)) return;
    const [name, number] = act.split(" ");
    if (name === "digit") jump.digit(number);
    else if (name === "scene") this.enter(Number(number) - 1, bySpeaker);
    else if (act === "enter") this.enter(jump.take());
    else if (!jump.forget() || act !== "escape") ACTS[act]?.(this, bySpeaker);
    if (this.room.line.connected) jump.box.hidden = true; // it is at the speaker's
    this.room.line.beat();
  }

  /** All scenes: in the speaker's window, where there is one. */
  showAll() {
    if (this.room.line.connected) this.room.line.say({ kind: "overview" });
    else this.overlays.toggle("overview", this.at.scene);
  }

  /** Out of what was opened, out of the widget, out of what was tried; else all scenes. */
  escape() {
    if (this.overlays.close()) return;
    if (widgetHasFocus()) {
      const within = this.picture?.root.activeElement ?? document.activeElement;
      return void (/** @type {HTMLElement} */ (within).blur());
    }
    if (this.touched) {
      this.yours.forget();
      return void this.go(this.at);
    }
    this.showAll();
  }

  /** @param {number | null} scene @param {boolean} [bySpeaker] */
  enter(scene, bySpeaker = false) {
    if (scene !== null && this.talk.scenes[scene]) move(this, { scene, step: 0 }, bySpeaker);
  }
}

/** @param {Deck} deck @param {Place} place @param {boolean} [bySpeaker] the speaker's: black stays */
function move(deck, place, bySpeaker = false) {
  if (!bySpeaker || !deck.overlays.black) deck.overlays.close();
  deck.follower?.leave();
  deck.clock.begin();
  deck.go(place);
}

/** @type {Record<string, (deck: Deck, bySpeaker: boolean) => void>} */
const ACTS = {
  next: (deck, bySpeaker) => move(deck, beside(deck.at, 1, deck.talk.scenes), bySpeaker),
  back: (deck, bySpeaker) => move(deck, beside(deck.at, -1, deck.talk.scenes), bySpeaker),
  first: (deck) => move(deck, { scene: 0, step: 0 }),
  last: (deck) => move(deck, { scene: deck.talk.scenes.length - 1, step: 0 }),
  again: (deck) => {
    const { scene, yours } = deck;
    yours.forget();
    for (const { live } of scene.steps) if (live) Training.ofRun(live).forget();
    move(deck, { scene: deck.at.scene, step: 0 });
  },
  ask: (deck) => deck.overlays.jump.digit(""),
  escape: (deck) => deck.escape(),
  overview: (deck) => deck.showAll(),
  help: (deck) => deck.overlays.toggle("help"),
  code: (deck) => deck.overlays.toggle("code", deck.at.scene),
  curves: (deck) => deck.listeners.toggleCurves(),
  phones: (deck) => {
    if (!deck.listeners.room) deck.listeners.open();
    deck.overlays.toggle("code", deck.at.scene);
  },
  speaker: (deck) => deck.room.open(),
  spotlight: (deck) => deck.room.toggleSpot(),
  clock: (deck) => deck.clock.toggle(),
  black: (deck) => deck.overlays.toggleBlack(),
  theme: (deck) => {
    const theme = html.dataset.theme === "dark" ? "light" : "dark";
    remember("sessionStorage", THEME, theme);
    deck.restyle(() => (html.dataset.theme = theme));
  },
  larger: (deck) => deck.restyle(() => (deck.size = Math.min(deck.size + 1, SIZES.length - 1))),
  smaller: (deck) => deck.restyle(() => (deck.size = Math.max(deck.size - 1, 0))),
  full: toggleFullScreen,
};

/** The screen stays awake while the talk is looked at. */
async function stayAwake() {
  if (document.visibilityState === "visible")
    await navigator.wakeLock?.request("screen").catch(() => null);
}

/**
 * A handout takes a moment to be drawn: by Ctrl+P the browser prints once it is there, by its menu at once.
 * @param {Deck} deck
 */
function listenToPrint({ handout }) {
  window.addEventListener("beforeprint", () => handout.put());
  window.addEventListener(
    "keydown",
    async (event) => {
      if (event.key !== "p" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      await handout.draw();
      handout.put();
      window.print();
    },
    true,
  );
}

function open() {
  const usual = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  html.dataset.theme = recall("sessionStorage", THEME) ?? usual;
  if (isSpeaker()) return openSpeaker(readTalk());
  if (isHandout()) return openHandout(readTalk());
  const deck = new Deck();
  const code = followedRoom();
  deck.overlays.listeners = deck.listeners;
  if (code !== null) deck.follower = new Follower(deck, code);
  Object.assign(window, { __explorerStage: deck });
  followNumbers(part("[data-text=words]"), () => deck.picture?.probe);
  LiveRun.tell = (training) => deck.source(training);
  deck.restyle(() => {});
  window.addEventListener("resize", () => deck.restyle(() => {}));
  document.addEventListener("visibilitychange", stayAwake);
  listenToFingers(part("main"), (act) => deck.perform(act));
  hideWhileStill(part("main"));
  listenToKeys(
    (act) => deck.perform(act),
    () => deck.overlays.jump.typed !== null,
  );
  part(".picture").addEventListener("input", () => deck.tried(), true);
  listenToPrint(deck);
  deck.go(deck.at);
  stayAwake();
}

open();
