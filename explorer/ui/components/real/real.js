// Couplings of a real model under the reader's hands: a head to pick, k terms to keep, and the gauge.

import { CanvasView } from "../core/canvas-view.js";
import { mounted } from "../core/mount.js";
import { Exchange } from "../core/exchange.js";
import { placeByKey } from "../core/keys.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt, inWords } from "../core/numbers.js";
import { drawCut } from "./cut.js";
import { listen } from "./hands.js";
import { drawHeads } from "./heads.js";
import { Couplings, answerSentence, headSentence, nameOf, ownTokens } from "./model.js";
import { drawSpectrum } from "./spectrum.js";
import { drawWords } from "./words.js";

/** @import { RealDrawing } from "../payloads.js" */
/** @import { Look, One } from "./model.js" */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: Real) => string} Draw */

/** @type {Record<string, Draw>} */
const DRAW = { heads: drawHeads, spectrum: drawSpectrum, cut: drawCut, words: drawWords };

export class Real extends CanvasView {
  drawings = DRAW;
  couplings = new Couplings();
  /** @type {Look} */
  choice = { centred: false, one: null, k: 1, words: false };
  /** @type {Exchange<RealDrawing>} */
  exchange = new Exchange(this);
  /** The head under the pointer. @type {One} */
  hover = null;
  /** @type {{what: string} | null} */
  drag = null;
  /** Where the map is, once it is drawn. @type {Box | null} */
  map = null;
  /** Where k is on each of the curves. @type {Record<string, {box: Box, x: Scale}>} */
  plans = {};

  /** @param {any} root */
  constructor(root) {
    super(root, "Real", Object.keys(DRAW));
    listen(this);
  }

  /** @param {Uint8Array} bytes a drawing of pages/real/view_drawing.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    if (header.model !== this.couplings.header.model) {
      this.drag = null;
      this.exchange.forget();
    }
    this.couplings = new Couplings(header, arrays);
    this.exchange.answer(header, header.answers);
  }

  holding() {
    return Boolean(this.drag);
  }

  /** @param {RealDrawing} drawing */
  adopt({ look: choice }) {
    this.choice = { ...choice, k: this.couplings.nearest(choice.k) };
    this.hover = null;
    this.invalidate();
  }

  ready() {
    return this.couplings.header.layers > 0;
  }

  afterDraw() {
    const { choice, hover, couplings } = this;
    this.button("centred").setAttribute("aria-pressed", String(choice.centred));
    this.button("all").disabled = !choice.one;
    const { words } = couplings.header;
    this.button("words").hidden = !words;
    this.button("words").setAttribute("aria-pressed", String(choice.words));
    this.canvas.words.hidden = !(words && choice.words);
    this.canvas.cut.hidden = !this.canvas.words.hidden;
    this.say("hint", headSentence(couplings, { ...choice, one: hover ?? choice.one }));
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    const { choice, couplings } = this;
    const { layers, heads, width } = couplings.header;
    const k = /** @type {[number, number]} */ ([choice.k, width]);
    return { heads: [couplings.row(choice.one), layers * heads], spectrum: k, cut: k, words: k };
  }

  numbers() {
    const { couplings, choice } = this;
    const own = couplings.header.words ? ownTokens(couplings.written(choice)) : { same: 0, all: 0 };
    const { rank, weights } = couplings.ranks(choice.centred, choice.one);
    return {
      ...{ k: inWords(choice.k), same: String(own.same), of: String(own.all) },
      ...{ whose: nameOf(choice.one), terms: inWords(Math.round(rank)), alone: fmt(weights, 2) },
      perplexity: fmt(couplings.answer(choice.centred, choice.k), 3),
    };
  }

  places() {
    const { choice, map, plans, hover, exchange, couplings } = this;
    const { layers, heads, model } = couplings.header;
    return {
      ...{ look: choice, map, hover, layers, heads, model },
      ...{ rev: exchange.rev, answered: exchange.answered },
      measured: couplings.measured,
      answer: answerSentence(couplings, choice),
      curves: Object.fromEntries(
        Object.entries(plans).map(([name, { box, x }]) => [
          name,
          { box, x: couplings.measured.map(x) },
        ]),
      ),
    };
  }

  /** A head, or all where it was chosen. @param {One} one */
  pick(one) {
    const again = this.couplings.row(one) === this.couplings.row(this.choice.one);
    this.choose({ one: again ? null : one });
  }

  /** @param {Partial<Look>} changes */
  choose(changes) {
    this.choice = { ...this.choice, ...changes };
    this.exchange.report({ k: this.choice.k, ...changes }); // k stays what is seen
    this.invalidate();
  }

  /** While it is dragged Python hears nothing. @param {number} k */
  setK(k) {
    const next = this.couplings.nearest(k);
    if (next === this.choice.k) return;
    this.choice = { ...this.choice, k: next };
    this.invalidate("spectrum", "cut", "words");
  }

  /** Another k that was measured, by a key. @param {string} key */
  kByKey(key) {
    const { measured } = this.couplings;
    const last = measured.length - 1;
    const next = placeByKey(key, measured.indexOf(this.choice.k), 0, last);
    return next === undefined ? null : () => this.choose({ k: measured[clamp(next, 0, last)] });
  }

  /** @param {One} one */
  setHover(one) {
    if (this.couplings.row(one) === this.couplings.row(this.hover)) return;
    this.hover = one;
    this.invalidate("heads");
  }
}

export default mounted(Real);
