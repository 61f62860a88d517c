// On paper: each scene with a picture for every step that shows another than the one before, beside it what is said; no
// notes. The words are there as soon as something prints; the pictures are drawn where the deck rests, or before Ctrl+P
// prints. Alone, as `/stage?handout=1`, it is a file once it is drawn.

import { element } from "../core/element.js";
import { drawnOutOfSight } from "./desk.js";
import { Pieces } from "./store.js";
import { keepPictures, shrunk } from "./thumbnails.js";

/** @import { Scene, Step, Talk } from "./store.js" */
/** @typedef {{image: HTMLImageElement, scene: Scene, step: Step}} Drawn */

const RESTS = 4000; // milliseconds without another step, after which it begins
const AT_LATEST = 1000; // after which the next is drawn though nothing was idle
const OF_A_STEP = 232; // pixels across its small picture
const FILE = "hand-out.html";

/**
 * The steps that share a picture, each after the other; all that are words alone.
 * @type {(scene: Pick<Scene, "component"> & {steps: Pick<Step, "id">[]}) => number[][]}
 */
export function sharing({ component, steps }) {
  /** @type {number[][]} */
  const shared = [];
  steps.forEach(({ id }, i) => {
    const isOther = !i || (component && id !== steps[i - 1].id);
    if (isOther) shared.push([]);
    shared[shared.length - 1].push(i);
  });
  return shared;
}

/** What is said of a picture. @param {Scene} scene @param {number[]} places of its steps */
function partOf({ steps, component }, places) {
  const innerHTML = places.map((i) => `<li>${steps[i].words}</li>`).join(""); // of Python's making
  const words = element("ol", { innerHTML, start: places[0] + 1 });
  const image = element("img", { alt: `Picture of step ${places[0] + 1}` });
  return element("section", {}, ...(component ? [image] : []), words);
}

/** @param {Scene} scene @param {number} index */
function pageOf(scene, index) {
  const title = element("h2", {}, `${index + 1}  ${scene.title}`);
  const formula = element("p", { innerHTML: scene.formula.join(" ") });
  const parts = sharing(scene).map((places) => partOf(scene, places));
  const address = element("small", {}, scene.steps.at(-1)?.address ?? "");
  return element("article", {}, title, formula, ...parts, address);
}

export class Handout {
  /** @type {Promise<void> | null} */
  begun = null;
  isDrawn = false;
  /** Whether somebody waits for it. */
  hurries = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  later;

  /**
   * @param {Talk} talk
   * @param {Pieces} pieces
   * @param {() => boolean} isBusy whether the deck trains
   */
  constructor(talk, pieces, isBusy = () => false) {
    this.pieces = pieces;
    this.isBusy = isBusy;
    this.pages = talk.scenes.map(pageOf);
    /** @type {Drawn[]} */
    this.pictures = talk.scenes.flatMap((scene, i) => {
      const images = [...this.pages[i].querySelectorAll("img")];
      const shared = sharing(scene);
      return images.map((image, j) => ({ image, scene, step: scene.steps[shared[j].at(-1) ?? 0] }));
    });
  }

  /** What there is of it, on the paper. */
  put() {
    document.querySelector("[data-over=paper]")?.replaceChildren(...this.pages);
  }

  /** Draw it once the deck has rested. */
  drawLater() {
    clearTimeout(this.later);
    if (!this.begun) this.later = setTimeout(() => (this.begun ??= this.drawAll()), RESTS);
  }

  /** Draw it at once. @param {(done: number) => void} [tell] how many pictures there are */
  draw(tell) {
    clearTimeout(this.later);
    this.hurries = true;
    return (this.begun ??= this.drawAll(tell));
  }

  /** Until nothing else is to be done, unless somebody waits. */
  async pause() {
    while (!this.hurries) {
      await new Promise((done) => requestIdleCallback(done, { timeout: AT_LATEST }));
      if (!this.isBusy()) return;
    }
  }

  /** @param {(done: number) => void} tell */
  async drawAll(tell = () => {}) {
    /** @type {Record<string, string>} */
    const small = {};
    for (const [done, { image, scene, step }] of this.pictures.entries()) {
      await this.pause();
      tell(done);
      const drawn = await drawnOutOfSight(scene, step, this.pieces, "paperlike");
      image.src = drawn.toDataURL("image/webp", 0.9);
      small[step.id] = shrunk(drawn, OF_A_STEP);
      if (step === scene.steps.at(-1)) small[scene.id] = shrunk(drawn);
      await image.decode();
    }
    keepPictures(small);
    this.isDrawn = true;
  }
}

/** Nothing but the hand-out, on the screen as on paper; saved once it is drawn. @param {Talk} talk */
export async function openHandout(talk) {
  const handout = new Handout(talk, new Pieces());
  const style = /** @type {HTMLStyleElement} */ (document.querySelector("style"));
  style.textContent = (style.textContent ?? "").replace("@media print", "@media all");
  const count = element("p", { role: "status" });
  handout.put();
  handout.pages[0].before(count);
  await handout.draw((done) => {
    count.textContent = `${done} of ${handout.pictures.length} pictures are drawn.`;
  });
  count.remove();
  document.title = talk.title;
  save(style);
}

/** @param {HTMLStyleElement} style */
function save(style) {
  const paper = document.querySelector("[data-over=paper]")?.outerHTML ?? "";
  const title = document.querySelector("title")?.outerHTML ?? "";
  const head = `<meta charset="utf-8">${title}${style.outerHTML}`;
  const file = new Blob([
    `<!doctype html><html lang="en" data-theme="light"><head>${head}</head><body>${paper}</body></html>`,
  ]);
  element("a", { href: URL.createObjectURL(file), download: FILE }).click();
}
