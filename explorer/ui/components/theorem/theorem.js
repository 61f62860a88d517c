// Theorem 4.1 under the hand: m_FF is turned, by its slider or by the networks' curve itself, and the least of the sum goes along.
// Below it the representation of H is moved, and with it all that the theorem makes of that.

import { sliderOf } from "../core/buttons.js";
import { CanvasView } from "../core/canvas-view.js";
import { mounted } from "../core/mount.js";
import { draggable } from "../core/drag.js";
import { element } from "../core/element.js";
import { Exchange } from "../core/exchange.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt, inWords, round } from "../core/numbers.js";
import { drawTerms, widthText } from "./bound.js";
import { Hand } from "./hand.js";
import { drawLosses, drawSigmas, ROW } from "./losses.js";
import { curvesOf, ffThrough, leastAlong, leastOf, networksTerm, sumOf, termsAt } from "./model.js";
import { drawSame } from "./same.js";

/** @import { ProofDrawing, TheoremDrawing } from "../payloads.js" */
/** @import { Plan } from "./bound.js" */
/** @import { Along } from "./same.js" */

const HEIGHT = 13; // pixels of a size of text, as the sheet has it

export class Theorem extends CanvasView {
  drawings = { terms: drawTerms, same: drawSame, sigmas: drawSigmas, losses: drawLosses };
  /** What the two terms are, as Python says. @type {TheoremDrawing} */
  terms = {
    ...{ subject: "", m: 1, ff: 2, own: 2, limits: [1, 12], beta: 0.5, trivial: 1, answer: "" },
    ...{ first: [], second: [], same: null, proof: null },
  };
  /** The σ_k and the proof, where it is followed. @type {Hand | null} */
  hand = null;
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
    super(root, "Theorem", ["terms", "same", "sigmas", "losses"]);
    this.slider = sliderOf(this, ".ff input", (value) => this.setWidth(value));
    this.mover = sliderOf(this, ".along input", (value) => this.move(value));
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
    this.chooser = sliderOf(this, ".term input", (k) => this.follow((hand) => hand.choose(k - 1)));
    this.sizer = sliderOf(this, ".size input", (log) =>
      this.follow((hand) => hand.move(10 ** log)),
    );
    this.designed = /** @type {HTMLButtonElement} */ (this.root.querySelector(".designed"));
    this.designed.addEventListener("click", () => this.follow((hand) => hand.reset()));
    this.followHand();
  }

  /** What is done to a σ_k by a pointer. */
  followHand() {
    draggable(this, this.canvas.sigmas, {
      grab: ({ px }) => {
        const { hand } = this;
        if (!hand?.spectrum) return null;
        hand.choose(hand.spectrum.x.invert(px) - 1);
        this.follow(() => {});
        return (this.drag = { m: 0 });
      },
      pull: ({ py }) =>
        this.follow((hand) => hand.spectrum && hand.move(hand.spectrum.y.invert(py))),
      handles: () => this.dots(),
    });
  }

  /** @param {(hand: Hand) => void} act */
  follow(act) {
    const { hand } = this;
    if (!hand) return;
    act(hand);
    this.chooser.value = String(hand.term + 1);
    this.chooser.setAttribute("aria-valuetext", `k = ${hand.term + 1}`);
    this.sizer.value = String(Math.log10(hand.sigma[hand.term]));
    this.sizer.setAttribute("aria-valuetext", hand.text());
    this.designed.disabled = !hand.moved;
    this.say("sigma", hand.text());
    this.invalidate();
  }

  /** Where each σ_k is, [x, y]. @returns {number[][]} */
  dots() {
    const { spectrum, sigma = [] } = this.hand ?? {};
    return spectrum ? sigma.map((value, k) => [spectrum.x(k + 1), spectrum.y(value)]) : [];
  }

  /** @param {ProofDrawing | null} proof @param {Record<string, Packed>} arrays */
  prove(proof, { queries, keys, tokens }) {
    this.root.querySelector(".proof").hidden = !proof;
    if (!proof) this.hand = null;
    if (!proof || JSON.stringify(proof) === JSON.stringify(this.hand?.proof)) return;
    const hand = (this.hand = new Hand(proof, { queries, keys, tokens }));
    this.chooser.max = String(proof.sigma.length);
    [this.sizer.min, this.sizer.max] = hand.ends.map((end) => String(Math.log10(end)));
    this.canvas.losses.style.height = `${(hand.atRest.length * ROW + 10) * HEIGHT}px`;
    this.follow(() => {});
  }

  /** @param {Uint8Array} bytes a drawing of pages/design/view_terms.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    if (header.subject !== this.terms.subject) {
      this.known = this.ff;
      this.knownAt = this.at;
      this.exchange.forget();
    }
    this.exchange.answer(header, header.answers);
    this.prove(header.proof, arrays);
  }

  holding() {
    return Boolean(this.drag) || this.ff !== this.known || this.at !== this.knownAt;
  }

  /** @param {TheoremDrawing} drawing */
  adopt(drawing) {
    this.terms = drawing;
    [this.slider.min, this.slider.max] = drawing.limits.map(String);
    this.setWidth(drawing.ff);
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
    const buttonOf = (/** @type {string} */ name) =>
      element("button", { type: "button", onclick: () => this.findLeast(name) }, leastText(name));
    row.replaceChildren(...names.map(buttonOf));
  }

  setWidth(/** @type {number} */ ff) {
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
      this.setWidth(ffThrough(termsAt(this.terms, this.at), this.drag.m, this.plan.y.invert(py)));
  }

  commit() {
    const { ff, at, terms } = this;
    if (ff !== this.known) this.exchange.report({ ff });
    if (at !== this.knownAt && terms.same)
      this.exchange.report({ along: terms.same.positions[at] });
    [this.known, this.knownAt] = [ff, at];
  }

  ready() {
    return this.terms.first.length > 0 || this.terms.same !== null || this.hand !== null;
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
    const { sigma, rows } = this.hand ?? {};
    const proof = { sigma, rows, dots: this.dots() };
    return { ff, m: terms.m, least, curve, along, held: this.held(), rev, answered, proof };
  }
}

const leastText = (/** @type {string} */ name) => `Least ${name.replace(/_?[{}]/g, "")}`;

export default mounted(Theorem);
