// A step without a picture: words alone, each below those of the steps before. What is still to come has its place: nothing
// moves.

import { still } from "../core/canvas.js";
import { writeFormula } from "./formula.js";
import { FADE } from "./picture.js";

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
    this.host = document.createElement("div");
    this.host.className = `card ${this.scene.kind}`;
    this.root = this.host.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = document.querySelector("[data-inside]")?.textContent ?? "";
    this.root.append(style, this.written(talk, step));
    place.prepend(this.host);
  }

  /** @param {Talk} talk @param {number} step */
  written(talk, step) {
    const { kind, title, formula, steps } = this.scene;
    const sheet = document.createElement("div");
    sheet.className = `sheet ${kind}`;
    const head = document.createElement("h2");
    head.textContent = kind === "title" ? talk.title : title;
    sheet.append(head);
    if (formula.length) {
      const line = block("formula", "");
      writeFormula(line, this.scene, steps[step]);
      sheet.append(line);
    }
    for (const [index, { words }] of steps.entries())
      sheet.append(block(index > step ? "said later" : "said", words));
    return sheet;
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

  turn() {}

  /** @returns {HTMLCanvasElement[]} */
  canvases() {
    return [];
  }
}

/** @param {string} name @param {string} html of Python's making */
function block(name, html) {
  const element = document.createElement("div");
  element.className = name;
  element.innerHTML = html;
  return element;
}
