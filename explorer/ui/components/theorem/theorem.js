// Theorem 4.1 under the hand: m_FF is turned, by its slider or by the networks' curve itself, and the least of the sum goes along.

import { CanvasView, mounted } from "../core/canvas-view.js";
import { draggable } from "../core/drag.js";
import { Exchange } from "../core/exchange.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, inWords, round } from "../core/numbers.js";
import { drawTerms, widthText } from "./bound.js";
import { ffThrough, leastOf, networksTerm, sumOf } from "./model.js";

/** @import { Place } from "../core/drag.js" */
/** @import { TheoremDrawing } from "../payloads.js" */
/** @import { Plan } from "./bound.js" */

export class Theorem extends CanvasView {
  drawings = { terms: drawTerms };
  /** What the two terms are, as Python says. @type {TheoremDrawing} */
  terms = {
    ...{ subject: "", m: 1, ff: 2, own: 2, limits: [1, 12], beta: 0.5, trivial: 1, answer: "" },
    ...{ first: [], second: [] },
  };
  /** log₁₀ of the m_FF that is drawn. */
  ff = 2;
  /** The one that Python knows, or was told. */
  known = 2;
  /** Where the axes are, once they were drawn. @type {Plan | null} */
  plan = null;
  /** The m_h at which the curve is held. @type {{m: number} | null} */
  drag = null;
  /** @type {Exchange<TheoremDrawing>} */
  exchange = new Exchange(this);

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Theorem", ["terms"]);
    this.slider = /** @type {HTMLInputElement} */ (root.querySelector("input"));
    this.slider.addEventListener("input", () => this.turn(this.slider.valueAsNumber));
    this.slider.addEventListener("change", () => this.commit());
    draggable(this, this.canvas.terms, {
      grab: (at) => this.grab(at),
      pull: ({ py }) => this.pull(py),
      release: () => this.commit(),
      handles: () => this.curve(),
    });
  }

  /** @param {Uint8Array} bytes a drawing of pages/design/view_terms.py */
  take(bytes) {
    const { header } = unpackBytes(bytes);
    if (header.subject !== this.terms.subject) {
      this.known = this.ff;
      this.exchange.forget();
    }
    this.exchange.answer(header, header.answers);
  }

  holding() {
    return Boolean(this.drag) || this.ff !== this.known;
  }

  /** @param {TheoremDrawing} drawing */
  adopt(drawing) {
    this.terms = drawing;
    [this.slider.min, this.slider.max] = drawing.limits.map(String);
    this.turn(drawing.ff);
    this.known = this.ff;
  }

  // -- what the reader turns

  turn(/** @type {number} */ ff) {
    const [least, most] = this.terms.limits;
    this.ff = round(clamp(ff, least, most), 3);
    this.slider.value = String(this.ff);
    const text = widthText(this.ff);
    this.slider.setAttribute("aria-valuetext", text);
    this.say("ff", text);
    this.invalidate();
  }

  /** The networks' curve, [x, y] at each m_h. @returns {number[][]} */
  curve() {
    const { plan, terms, ff } = this;
    if (!plan) return [];
    return networksTerm(terms, ff).map((value, i) => [plan.x(i + 1), plan.y(value)]);
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
      this.turn(ffThrough(this.terms, this.drag.m, this.plan.y.invert(py)));
  }

  commit() {
    if (this.ff === this.known) return;
    this.known = this.ff;
    this.exchange.report({ ff: this.ff });
  }

  // -- drawing

  ready() {
    return this.terms.first.length > 0;
  }

  numbers() {
    return {
      ff: widthText(this.ff),
      least: inWords(leastOf(sumOf(this.terms, this.ff))),
    };
  }

  places() {
    const { ff, terms, exchange } = this;
    const { rev, answered } = exchange;
    return { ff, m: terms.m, least: leastOf(sumOf(terms, ff)), curve: this.curve(), rev, answered };
  }
}

export default mounted(Theorem);
