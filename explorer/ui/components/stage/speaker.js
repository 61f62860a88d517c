// The speaker's window: the deck's picture, which can be dragged there, notes, clock and what comes next.

import { clockText, plannedUntil } from "./clock.js";
import { drawnOutOfSight } from "./desk.js";
import { writeFormula } from "./formula.js";
import { listenToKeys, toggleFullScreen } from "./keys.js";
import { Line } from "./link.js";
import { Overlays } from "./overlays.js";
import { beside } from "./place.js";
import { Pieces } from "./store.js";

/** @import { Place } from "./place.js" */
/** @import { Talk } from "./store.js" */
/** @typedef {Place & {black: boolean, typed: string | null, elapsed: number, runs: boolean, phones: string | null, theme: string}} State of the deck */

const own = (/** @type {string} */ name) =>
  /** @type {HTMLElement} */ (document.querySelector(`[data-speaker=${name}]`));

const clock = new Intl.DateTimeFormat([], { hour: "2-digit", minute: "2-digit" });

/** Acts of this window alone; the others are the deck's. @type {Record<string, (speaker: Speaker) => void>} */
const OWN_ACTS = {
  ask: ({ overlays }) => overlays.jump.digit(""),
  overview: (speaker) => speaker.overlays.toggle("overview", speaker.at.scene),
  help: ({ overlays }) => overlays.toggle("help"),
  full: toggleFullScreen,
  speaker: () => {},
};

class Speaker {
  pieces = new Pieces();
  mirror = /** @type {HTMLCanvasElement} */ (own("mirror"));
  /** @type {Place} */
  at = { scene: -1, step: -1 };
  /** How many pictures and states were heard. @type {Record<string, number>} */
  probe = {};

  /** @param {Talk} talk */
  constructor(talk) {
    this.talk = talk;
    this.overlays = new Overlays(talk, this.pieces, (scene) => this.ask(`scene ${scene + 1}`));
    this.line = new Line(
      (message) => this.hear(message),
      ({ connected }) => {
        own("lost").hidden = connected;
        own("time").textContent = clock.format();
        return { kind: "speaker" };
      },
    );
  }

  hear(/** @type {any} */ message) {
    if (message.kind === "state") this.show(message);
    if (message.kind === "picture") paint(this.mirror, message.bytes);
    if (message.kind === "overview") this.perform("overview");
    this.probe[message.kind] = (this.probe[message.kind] ?? 0) + 1;
  }

  /** Of the deck. @param {string} act */
  ask(act) {
    this.line.say({ kind: "act", act });
  }

  /** The number of a scene is typed here: the room sees where it leads. @param {string} act */
  perform(act) {
    const { jump } = this.overlays;
    const [name, number] = act.split(" ");
    if (name === "digit") return jump.digit(number);
    if (act === "enter") {
      const scene = jump.take();
      return scene === null ? undefined : this.ask(`scene ${scene + 1}`);
    }
    const wasTyping = jump.forget();
    if (act === "escape" && (wasTyping || this.overlays.close())) return;
    if (OWN_ACTS[act]) OWN_ACTS[act](this);
    else this.ask(act);
  }

  /** @param {State} state */
  show({ scene, step, black, typed, elapsed, runs, phones, theme }) {
    const { dataset } = document.documentElement;
    const isOther = theme !== dataset.theme || scene !== this.at.scene || step !== this.at.step;
    dataset.theme = theme;
    if (isOther) this.go({ scene, step });
    const ahead = plannedUntil(this.talk.scenes, scene) - elapsed;
    own("clock").textContent = clockText(elapsed) + (runs ? "" : " (stopped)");
    own("pace").textContent = `${clockText(ahead)} to the end of this scene`;
    own("pace").classList.toggle("late", ahead < 0);
    own("black").hidden = !black;
    own("phones").hidden = phones === null;
    own("phones-text").textContent = phones;
    this.overlays.jump.echo(typed);
  }

  /** To another step. @param {Place} at */
  go(at) {
    this.at = at;
    this.overlays.close();
    const now = this.talk.scenes[at.scene];
    const step = now.steps[at.step];
    own("title").textContent = `${at.scene + 1} · ${at.step + 1}/${now.steps.length}  ${now.title}`;
    own("words").innerHTML = step.words;
    own("notes").textContent = step.notes || "No notes.";
    writeFormula(own("formula"), now, step);
    this.showNext(beside(at, 1, this.talk.scenes));
  }

  /** What comes next, by its words and its picture. @param {Place} next */
  async showNext(next) {
    const { at } = this;
    const scene = this.talk.scenes[next.scene];
    const step = scene.steps[next.step];
    const isLast = next.scene === at.scene && next.step === at.step;
    const picture = /** @type {HTMLCanvasElement} */ (own("next-picture"));
    own("next").innerHTML = isLast ? "the end" : step.words;
    own("next-title").textContent = next.scene === at.scene ? "" : `scene: ${scene.title}`;
    picture.hidden = true;
    if (isLast || !scene.component) return;
    const drawn = await drawnOutOfSight(scene, step, this.pieces);
    if (at !== this.at) return;
    draw(picture, drawn);
    picture.hidden = false;
  }
}

/** @param {Talk} talk */
export function openSpeaker(talk) {
  document.querySelector("[data-stage]")?.remove();
  own("window").hidden = false;
  const speaker = new Speaker(talk);
  Object.assign(window, { __explorerSpeaker: speaker.probe });
  listenToKeys(
    (act) => speaker.perform(act),
    () => speaker.overlays.jump.typed !== null || !speaker.overlays.isOpen,
  );
  forward(speaker.mirror, speaker.line);
  for (const button of document.querySelectorAll("[data-say]"))
    button.addEventListener("click", () => speaker.ask(button.getAttribute("data-say") ?? ""));
}

/** @param {HTMLCanvasElement} canvas @param {ImageBitmap | HTMLCanvasElement} image */
function draw(canvas, image) {
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.style.setProperty("--ratio", String(image.width / image.height));
  canvas.getContext("2d")?.drawImage(image, 0, 0);
}

/** @param {HTMLCanvasElement} mirror @param {ArrayBuffer} bytes */
async function paint(mirror, bytes) {
  draw(mirror, await createImageBitmap(new Blob([bytes])));
}

/** What the pointer does on the mirror happens on the deck. @param {HTMLCanvasElement} mirror @param {Line} line */
function forward(mirror, line) {
  for (const type of ["pointerdown", "pointermove", "pointerup", "pointerleave"])
    mirror.addEventListener(type, (event) => {
      const { offsetX, offsetY, shiftKey, pointerId } = /** @type {PointerEvent} */ (event);
      if (type === "pointerdown") mirror.setPointerCapture(pointerId);
      const [x, y] = [offsetX / mirror.clientWidth, offsetY / mirror.clientHeight];
      line.say({ kind: "pointer", type, x, y, shift: shiftKey });
    });
}
