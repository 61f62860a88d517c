// Theorem 4.1 under the hand: m_FF is turned, by its slider or by the networks' curve itself, and the least of the sum goes along.
// Below it the representation of H is moved, and with it all that the theorem makes of that.

import { CanvasView, mounted } from "../core/canvas-view.js";
import { draggable } from "../core/drag.js";
import { Exchange } from "../core/exchange.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt, inWords, round } from "../core/numbers.js";
import { drawTerms, widthText } from "./bound.js";
import { curvesOf, ffThrough, leastAlong, leastOf, networksTerm, sumOf, termsAt } from "./model.js";
import { drawSame } from "./same.js";

/** @import { TheoremDrawing } from "../payloads.js" */
/** @import { Plan } from "./bound.js" */
/** @import { Along } from "./same.js" */

export class Theorem extends CanvasView {
  drawings = { terms: drawTerms, same: drawSame };
  /** What the two terms are, as Python says. @type {TheoremDrawing} */
  terms = {
    ...{ subject: "", m: 1, ff: 2, own: 2, limits: [1, 12], beta: 0.5, trivial: 1, answer: "" },
    ...{ first: [], second: [], same: null },
  };
  /** log₁₀ of the m_FF that is drawn. */
  ff = 2;
  /** The one that Python knows, or was told. */
  known = 2;
  /** Where the axes are, once they were drawn. @type {Plan | null} */
  plan = null;
  /** The representation that is drawn, by its index, and the one that Python knows. */
  at = 0;
  knownAt = 0;
  /** Where the representations are. @type {Along | null} */
  along = null;
  /** The m_h at which the curve is held; 0 while the representation is. @type {{m: number} | null} */
  drag = null;
  /** @type {Exchange<TheoremDrawing>} */
  exchange = new Exchange(this);

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Theorem", ["terms", "same"]);
    this.slider = this.listen(".ff input", (value) => this.turn(value));
    this.mover = this.listen(".along input", (value) => this.move(value));
    draggable(this, this.canvas.terms, {
      grab: (at) => this.grab(at),
      pull: ({ py }) => this.pull(py),
      release: () => this.commit(),
      handles: () => this.curve(),
    });
    draggable(this, this.canvas.same, {
      grab: ({ px }) => {
        this.drag = { m: 0 };
        this.moveTo(px);
        return this.drag;
      },
      pull: ({ px }) => this.moveTo(px),
      release: () => this.commit(),
      handles: () => this.held(),
    });
  }

  /** A slider of the markup, and what follows it. @type {(place: string, follow: (value: number) => void) => HTMLInputElement} */
  listen(place, follow) {
    const slider = /** @type {HTMLInputElement} */ (this.root.querySelector(place));
    slider.addEventListener("input", () => follow(slider.valueAsNumber));
    slider.addEventListener("change", () => this.commit());
    return slider;
  }

  /** @param {Uint8Array} bytes a drawing of pages/design/view_terms.py */
  take(bytes) {
    const { header } = unpackBytes(bytes);
    if (header.subject !== this.terms.subject) {
      this.known = this.ff;
      this.knownAt = this.at;
      this.exchange.forget();
    }
    this.exchange.answer(header, header.answers);
  }

  holding() {
    return Boolean(this.drag) || this.ff !== this.known || this.at !== this.knownAt;
  }

  /** @param {TheoremDrawing} drawing */
  adopt(drawing) {
    this.terms = drawing;
    [this.slider.min, this.slider.max] = drawing.limits.map(String);
    this.turn(drawing.ff);
    this.known = this.ff;
    const { same, first } = drawing;
    this.root.querySelector(".theorem").toggleAttribute("data-bare", first.length === 0);
    this.root.querySelector(".same").hidden = !same;
    this.mover.max = String((same?.positions.length ?? 1) - 1);
    this.offer();
    this.move(same?.at ?? 0);
    this.knownAt = this.at;
  }

  /** A button for each measure, which finds its least. */
  offer() {
    const names = curvesOf(this.terms, this.ff).map(({ name }) => name);
    const row = this.root.querySelector(".tools");
    if (row.textContent === names.map(leastText).join("")) return;
    const buttons = names.map((name) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = leastText(name);
      button.addEventListener("click", () => this.findLeast(name));
      return button;
    });
    row.replaceChildren(...buttons);
  }

  turn(/** @type {number} */ ff) {
    const [least, most] = this.terms.limits;
    this.ff = round(clamp(ff, least, most), 4);
    this.slider.value = String(this.ff);
    const text = widthText(this.ff);
    this.slider.setAttribute("aria-valuetext", text);
    this.say("ff", text);
    this.invalidate();
  }

  move(/** @type {number} */ at) {
    const { same } = this.terms;
    this.at = same ? clamp(at, 0, same.positions.length - 1) : 0;
    this.mover.value = String(this.at);
    if (same) {
      const text = `${same.letter} = ${fmt(same.positions[this.at], 3)}`;
      this.mover.setAttribute("aria-valuetext", text);
      this.say("along", text);
      this.say("off", `H moves by ${fmt(same.off[this.at])}.`);
    }
    this.invalidate();
  }

  /** To the position that is drawn nearest. */
  moveTo(/** @type {number} */ px) {
    const { along, terms } = this;
    if (!along || !terms.same) return;
    const away = terms.same.positions.map((position) => Math.abs(along.x(position) - px));
    this.move(away.indexOf(Math.min(...away)));
  }

  findLeast(/** @type {string} */ name) {
    const curve = curvesOf(this.terms, this.ff).find((each) => each.name === name);
    if (!curve || !this.terms.same) return;
    this.move(leastAlong(curve.values, this.terms.same.own));
    this.commit();
  }

  /** Where the representation is held, [x, y] of each curve. @returns {number[][]} */
  held() {
    const { along, at, terms, ff } = this;
    if (!along || !terms.same) return [];
    const x = along.x(terms.same.positions[at]);
    const { own } = terms.same;
    return curvesOf(terms, ff).map(({ values }) => [x, along.y(values[at] / values[own])]);
  }

  /** The networks' curve, [x, y] at each m_h. @returns {number[][]} */
  curve() {
    const { plan, terms, ff, at } = this;
    if (!plan) return [];
    return networksTerm(termsAt(terms, at), ff).map((value, i) => [plan.x(i + 1), plan.y(value)]);
  }

  /** It is held at the m_h that is nearest, wherever the pointer comes down. @param {Place} at */
  grab({ px, py }) {
    if (!this.plan) return null;
    const m = clamp(Math.round(this.plan.x.invert(px)), 1, this.terms.first.length);
    this.drag = { m };
    this.pull(py);
    return this.drag;
  }

  pull(/** @type {number} */ py) {
    if (this.plan && this.drag)
      this.turn(ffThrough(termsAt(this.terms, this.at), this.drag.m, this.plan.y.invert(py)));
  }

  commit() {
    const { ff, at, terms } = this;
    if (ff !== this.known) this.exchange.report({ ff });
    if (at !== this.knownAt && terms.same)
      this.exchange.report({ along: terms.same.positions[at] });
    [this.known, this.knownAt] = [ff, at];
  }

  ready() {
    return this.terms.first.length > 0 || this.terms.same !== null;
  }

  numbers() {
    return {
      ff: widthText(this.ff),
      least: inWords(leastOf(sumOf(termsAt(this.terms, this.at), this.ff))),
    };
  }

  places() {
    const { ff, at, terms, exchange } = this;
    const { rev, answered } = exchange;
    const least = leastOf(sumOf(termsAt(terms, at), ff));
    const along = terms.same?.positions[at];
    const curve = this.curve();
    return { ff, m: terms.m, least, curve, along, held: this.held(), rev, answered };
  }
}

const leastText = (/** @type {string} */ name) => `Least ${name.replace(/_?[{}]/g, "")}`;

export default mounted(Theorem);
