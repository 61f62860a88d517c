// On paper: a page for each scene, with its last picture and the words of its steps; no notes. The words are there as
// soon as something prints; the pictures are drawn where the deck rests, or before Ctrl+P prints.

import { painted } from "./mirror.js";
import { Picture } from "./picture.js";
import { keepPictures, shrunk } from "./thumbnails.js";

/** @import { Pieces, Scene, Talk } from "./store.js" */

const DRAWN = 250; // milliseconds in which a picture is drawn
const RESTS = 4000; // without another step, after which it begins
const AT_LATEST = 1000; // after which the next is drawn though nothing was idle

const rest = () => new Promise((done) => setTimeout(done, DRAWN));
const idle = () => new Promise((done) => requestIdleCallback(done, { timeout: AT_LATEST }));

/** @param {string} tag @param {string} html of Python's making */
function made(tag, html) {
  const element = document.createElement(tag);
  element.innerHTML = html;
  return element;
}

/** @param {Scene} scene @param {number} index */
function pageOf(scene, index) {
  const title = document.createElement("h2");
  title.textContent = `${index + 1}  ${scene.title}`;
  const words = made("ol", scene.steps.map((step) => `<li>${step.words}</li>`).join(""));
  const address = document.createElement("small");
  address.textContent = scene.steps[scene.steps.length - 1].address;
  const page = document.createElement("article");
  const image = scene.component ? [new Image()] : [];
  page.append(title, made("p", scene.formula.join(" ")), ...image, words, address);
  return page;
}

export class Handout {
  /** @type {Promise<void> | null} */
  begun = null;
  isDrawn = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  later;

  /** @param {Talk} talk @param {Pieces} pieces */
  constructor(talk, pieces) {
    this.talk = talk;
    this.pieces = pieces;
    this.pages = talk.scenes.map(pageOf);
  }

  /** What there is of it, on the paper. */
  put() {
    document.querySelector("[data-over=paper]")?.replaceChildren(...this.pages);
  }

  /** Draw it once the deck has rested. */
  drawLater() {
    clearTimeout(this.later);
    if (!this.begun) this.later = setTimeout(() => this.draw(idle), RESTS);
  }

  /** @param {() => Promise<unknown>} [turn] what each picture waits for */
  draw(turn = async () => {}) {
    clearTimeout(this.later);
    return (this.begun ??= this.drawAll(turn));
  }

  /** @param {() => Promise<unknown>} turn */
  async drawAll(turn) {
    const desk = document.createElement("div");
    desk.className = "picture desk";
    desk.dataset.theme = "light"; // as paper is
    document.body.append(desk);
    /** @type {Record<string, string>} */
    const small = {};
    for (const [index, scene] of this.talk.scenes.entries()) {
      if (!scene.component) continue;
      await turn();
      const image = /** @type {HTMLImageElement} */ (this.pages[index].querySelector("img"));
      const drawn = await this.pictureOf(scene, desk);
      image.src = drawn.toDataURL("image/png");
      small[scene.id] = shrunk(drawn);
      await image.decode();
    }
    keepPictures(small);
    desk.remove();
    this.isDrawn = true;
  }

  /** The last picture of a scene, drawn out of sight. @param {Scene} scene @param {HTMLElement} desk */
  async pictureOf(scene, desk) {
    const last = { ...scene.steps[scene.steps.length - 1], live: null };
    const picture = new Picture(desk, scene, last, await this.pieces.frame(last), () => {});
    await rest();
    const drawn = painted(picture, desk);
    picture.remove();
    return drawn;
  }
}
