// A talk by clicker: one step at a time, drawn by the components of the pages and live under the hand.
// What is shown depends on scene and step alone; what is tried by hand goes with Esc or the next step.

import { KeptRun } from "../file/kept.js";
import { listenToKeys, widgetHasFocus } from "./keys.js";
import { Overlays } from "./overlays.js";
import { Picture } from "./picture.js";
import { beside, readPlace, writePlace } from "./place.js";
import { Pieces, readTalk } from "./store.js";

/** @import { Place } from "./place.js" */

const TEXT = 24; // pixels on a screen of 1280 × 720
const SIZES = [0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5];

const html = document.documentElement;
const part = (/** @type {string} */ selector) =>
  /** @type {HTMLElement} */ (document.querySelector(selector));

class Deck {
  talk = readTalk();
  pieces = new Pieces();
  overlays = new Overlays(this.talk, (scene) => this.go({ scene, step: 0 }));
  /** @type {Place} */
  at = readPlace(this.talk.scenes);
  /** @type {Picture | null} */
  picture = null;
  touched = false;
  size = SIZES.indexOf(1);
  /** Of the last step that was asked for: an earlier one that comes later is not shown. */
  asked = 0;
  /** What tests and measurements read. */
  probe = { shown: 0, took: 0 };

  get scene() {
    return this.talk.scenes[this.at.scene];
  }

  get step() {
    return this.scene.steps[this.at.step];
  }

  /** @param {Place} place */
  async go(place) {
    const began = performance.now();
    const asked = ++this.asked;
    const scene = this.talk.scenes[place.scene];
    const data = await this.pieces.frame(scene.steps[place.step]);
    if (asked !== this.asked) return;
    this.at = place;
    this.touched = false;
    this.write();
    this.draw(data);
    writePlace(place);
    this.probe.took = performance.now() - began;
    this.probe.shown += 1;
    requestIdleCallback(() => this.unpackNext());
  }

  /** The step in a picture of its own, so that nothing of what was before is in it. */
  draw(/** @type {Uint8Array} */ data) {
    const old = this.picture;
    const tried = () => this.tried();
    this.picture = new Picture(part(".picture"), this.scene, this.step, data, tried);
    if (old) this.picture.enter();
    old?.leave();
  }

  /** The texts around the picture. */
  write() {
    const { scene, step } = this;
    const places = `${this.at.scene + 1} · ${this.at.step + 1}/${scene.steps.length}`;
    part("[data-text=title]").textContent = scene.title;
    part("[data-text=place]").textContent = places;
    part("[data-text=badge]").textContent = step.badge;
    part("[data-text=words]").innerHTML = step.words;
    part("[data-text=if]").innerHTML = this.offer();
    const formula = part(".formula");
    formula.hidden = !scene.formula.length;
    formula.classList.toggle("some", step.lit.length > 0);
    const isLit = (/** @type {number} */ i) => !step.lit.length || step.lit.includes(i);
    formula.innerHTML = scene.formula
      .map((text, i) => `<span class="${isLit(i) ? "lit" : ""}">${text}</span>`)
      .join("");
    document.title = `${this.at.scene + 1} ${scene.title}`;
  }

  offer() {
    if (this.touched) return "tried by hand; Esc: as it was";
    return this.scene.whatIf ? `What if? ${this.scene.whatIf}` : "";
  }

  tried() {
    if (this.touched) return;
    this.touched = true;
    part("[data-text=if]").innerHTML = this.offer();
  }

  /** What the speaker will want next is there before it is wanted. */
  unpackNext() {
    for (const by of [1, -1]) {
      const { scene, step } = beside(this.at, by, this.talk.scenes);
      this.pieces.frame(this.talk.scenes[scene].steps[step]);
    }
  }

  restyle(/** @type {() => void} */ change) {
    change();
    const unit = Math.min(innerWidth / 1280, innerHeight / 720);
    html.style.setProperty("--k", String(SIZES[this.size]));
    html.style.setProperty("--st-text-size", `${TEXT * unit * SIZES[this.size]}px`);
    this.picture?.draw();
  }

  perform(/** @type {string} */ act) {
    const { overlays } = this;
    if (overlays.black && !["black", "escape"].includes(act)) return;
    if (act !== "enter" && !act.startsWith("digit")) overlays.forgetNumber();
    if (act.startsWith("digit")) overlays.digit(act.slice(6));
    else ACTS[act]?.(this);
  }

  /** Out of what was opened, out of the widget, out of what was tried; else all scenes. */
  escape() {
    if (this.overlays.close()) return;
    if (widgetHasFocus()) {
      const within = this.picture?.root.activeElement ?? document.activeElement;
      return void (/** @type {HTMLElement} */ (within).blur());
    }
    if (this.touched) return void this.go(this.at);
    this.overlays.toggle("overview", this.at.scene, this.picture);
  }

  enter() {
    const scene = this.overlays.number();
    if (scene !== null && this.talk.scenes[scene]) this.go({ scene, step: 0 });
  }
}

const move = (/** @type {Deck} */ deck, /** @type {Place} */ place) => {
  deck.overlays.close();
  deck.go(place);
};

/** @type {Record<string, (deck: Deck) => void>} */
const ACTS = {
  next: (deck) => move(deck, beside(deck.at, 1, deck.talk.scenes)),
  back: (deck) => move(deck, beside(deck.at, -1, deck.talk.scenes)),
  first: (deck) => move(deck, { scene: 0, step: 0 }),
  last: (deck) => move(deck, { scene: deck.talk.scenes.length - 1, step: 0 }),
  again: (deck) => move(deck, { scene: deck.at.scene, step: 0 }),
  enter: (deck) => deck.enter(),
  ask: (deck) => deck.overlays.digit(""),
  escape: (deck) => deck.escape(),
  overview: (deck) => deck.overlays.toggle("overview", deck.at.scene, deck.picture),
  help: (deck) => deck.overlays.toggle("help"),
  black: (deck) => deck.overlays.toggleBlack(),
  theme: (deck) =>
    deck.restyle(() => (html.dataset.theme = html.dataset.theme === "dark" ? "light" : "dark")),
  larger: (deck) => deck.restyle(() => (deck.size = Math.min(deck.size + 1, SIZES.length - 1))),
  smaller: (deck) => deck.restyle(() => (deck.size = Math.max(deck.size - 1, 0))),
  full: () => (document.fullscreenElement ? document.exitFullscreen() : html.requestFullscreen?.()),
};

/** The screen stays awake while the talk is looked at. */
async function stayAwake() {
  if (document.visibilityState === "visible")
    await navigator.wakeLock?.request("screen").catch(() => null);
}

function open() {
  // @ts-expect-error it has of a WebSocket what a picture asks for
  window.WebSocket = KeptRun;
  html.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const deck = new Deck();
  Object.assign(window, { __explorerStage: deck });
  deck.restyle(() => {});
  window.addEventListener("resize", () => deck.restyle(() => {}));
  document.addEventListener("visibilitychange", stayAwake);
  listenToKeys(
    (act) => deck.perform(act),
    () => deck.overlays.typed !== null,
  );
  part(".picture").addEventListener("input", () => deck.tried(), true);
  deck.go(deck.at);
  stayAwake();
}

open();
