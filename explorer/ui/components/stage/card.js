// A step without a picture: words alone, each below those of the steps before. What is still to come has its place: nothing
// moves.

import { still } from "../core/canvas.js";
import { element } from "../core/element.js";
import { writeFormula } from "./formula.js";
import { FADE, insideStyle } from "./picture.js";

/** @import { Picture } from "./picture.js" */
/** @import { Place } from "./place.js" */
/** @import { Talk } from "./store.js" */
/** @typedef {Card | Picture} Shown what stands in the place of pictures */

/** What a deck does with a picture. */
export class Card {
  /** @param {Element} place @param {Talk} talk @param {Place} at */
  constructor(place, talk, { scene, step }) {
    this.place = place;
    this.scene = talk.scenes[scene];
    this.host = element("div", { className: `card ${this.scene.kind}` });
    this.root = this.host.attachShadow({ mode: "open" });
    this.root.append(insideStyle(), this.written(talk, step));
    place.prepend(this.host);
  }

  /** @param {Talk} talk @param {number} step */
  written(talk, step) {
    const { kind, title, formula, steps } = this.scene;
    const head = element("h2", {}, kind === "title" ? talk.title : title);
    const line = element("div", { className: "formula" });
    if (formula.length) writeFormula(line, this.scene, steps[step]);
    const texts = steps.map(({ words }, i) =>
      element("div", { className: i > step ? "said later" : "said", innerHTML: words }),
    );
    const inside = formula.length ? [head, line, ...texts] : [head, ...texts];
    return element("div", { className: `sheet ${kind}` }, ...inside);
  }

  /** It has no canvases. */
  probe = null;

  draw() {}

  show() {
    this.place.append(this.host);
  }

  leave() {
    setTimeout(() => this.remove(), FADE);
  }

  enter() {
    const last = [...this.root.querySelectorAll(".said:not(.later)")].at(-1);
    if (still()) return;
    last?.animate([{ opacity: 0 }, { opacity: 1 }], { duration: FADE, easing: "ease-out" });
  }

  remove() {
    this.host.remove();
  }

  replace() {}

  /** @returns {HTMLCanvasElement[]} */
  canvases() {
    return [];
  }
}
