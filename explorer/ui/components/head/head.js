// One head of a real model on one input: its coupling, its terms, and its attention with k of them.

import { CanvasView } from "../core/canvas-view.js";
import { mounted } from "../core/mount.js";
import { element } from "../core/element.js";
import { Exchange } from "../core/exchange.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt } from "../core/numbers.js";
import { listen } from "./hands.js";
import { drawMap } from "./maps.js";
import { apart, farthest, shownToken, softmax, truncated } from "./model.js";
import { drawPicture } from "./picture.js";
import { drawSpectrum, drawTerm } from "./terms.js";

/** @import { HeadDrawing } from "../payloads.js" */
/** @import { Focus } from "./model.js" */
/** @import { MapName } from "./maps.js" */

/** @type {Packed} */
const NOTHING = { shape: [0, 0], values: new Float32Array() };
/** @type {MapName[]} */
const MAPS = ["coupling", "whole", "kept"];

export class Head extends CanvasView {
  /** Whose head on what: another one forgets what was pointed at. */
  subject = "";
  /** @type {Exchange<HeadDrawing>} */
  exchange = new Exchange(this);
  /** @type {string[]} */
  tokens = [];
  /** What each token is called beside the pictures. @type {string[]} */
  names = [];
  causal = false;
  /** Patches beside each other in a picture; 0 of a text. */
  patches = 0;
  /** (side, side, 3), of 0 to 255. */
  picture = NOTHING;
  /** The greatest weight of the attention: the end of its colours. */
  most = 1;
  /** Terms that are kept, of at most so many. */
  k = 1;
  /** The k that Python knows, or was told. */
  known = 1;
  /** The one whose functions are drawn: the first, then the last that a hand has kept. */
  term = 1;
  sigma = NOTHING;
  phi = NOTHING;
  psi = NOTHING;
  /** @type {Record<MapName, Packed>} */
  maps = { coupling: NOTHING, whole: NOTHING, kept: NOTHING };
  /** @type {Focus} */
  focus = { t: 0, s: null };
  /** Where the maps are, once they were drawn. @type {Partial<Record<MapName, Square>>} */
  squares = {};
  /** Where the picture is drawn, twice. @type {Square[]} */
  pictures = [];
  /** @type {{phi?: Scale, psi?: Scale}} */
  stems = {};
  /** @type {SpectrumPlan | null} */
  spectrum = null;
  /** What is held by a pointer. @type {boolean | null} */
  drag = null;

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Head", [...MAPS, "picture", "sigma", "phi", "psi"]);
    listen(this);
  }

  /** @param {Uint8Array} bytes a drawing of pages/real/view_head.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    const { subject, tokens, names, causal, patches } = header;
    const same = subject === this.subject;
    const { sigma, phi, psi, logits, picture } = arrays;
    Object.assign(this, { subject, tokens, names, causal, patches, sigma, phi, psi, picture });
    this.maps = { coupling: logits, whole: softmax(logits, causal), kept: NOTHING };
    this.most = Math.max(...this.maps.whole.values);
    if (!same) {
      Object.assign(this, { focus: { t: farthest(this.maps.whole), s: null }, term: 1 });
      this.known = this.k;
      this.exchange.forget();
    }
    this.writeTokens();
    this.exchange.answer(header, header.answers);
    if (this.maps.kept === NOTHING) this.keep(this.k);
  }

  holding() {
    return Boolean(this.drag) || this.k !== this.known;
  }

  /** @param {HeadDrawing} drawing */
  adopt({ k }) {
    this.keep(k);
    this.known = this.k;
  }

  /** The tokens of a text in a line, each to be pointed at. */
  writeTokens() {
    this.root.querySelector(".head").classList.toggle("of-picture", this.patches > 0);
    const spans = (this.patches ? [] : this.tokens).flatMap((token, at) => {
      const [blank, word] =
        token.startsWith(" ") && token.trim() ? [" ", token.slice(1)] : ["", token];
      const span = element("span", {}, word);
      span.dataset.at = String(at);
      return blank ? [blank, span] : [span]; // a line breaks between a box and the next
    });
    this.part("tokens").replaceChildren(...spans);
  }

  /** @param {string} name @returns {HTMLElement} */
  part(name) {
    return this.root.querySelector(`[data-part=${name}]`);
  }

  /** Keep so many terms. @param {number} k */
  keep(k) {
    const most = this.sigma.values.length;
    this.k = clamp(k, 1, Math.max(1, most));
    const cut = truncated(this.sigma, this.phi, this.psi, this.k);
    this.maps.kept = softmax(cut, this.causal);
    const input = this.root.querySelector("input");
    [input.max, input.value] = [String(most), String(this.k)];
    this.say("keep", `keep k = ${this.k} of ${most} terms`);
    this.showFocus();
    this.invalidate();
  }

  /** A hand keeps so many: the last of them is drawn. @param {number} k */
  hold(k) {
    this.keep(k);
    this.term = this.k;
    this.exchange.settle(); // it may be again what it was
  }

  /** The reader let go of k: the whole model is asked. */
  commit() {
    this.known = this.k;
    this.exchange.report({ k: this.k });
  }

  /** @param {Focus} focus */
  point(focus) {
    if (focus.t === this.focus.t && focus.s === this.focus.s) return;
    this.focus = focus;
    this.showFocus();
    this.invalidate();
  }

  /** Words and shades of what the query token looks at. */
  showFocus() {
    const { t, s } = this.focus;
    const count = this.tokens.length;
    const { whole, kept: cut, coupling } = this.maps;
    const weights = whole.values.subarray(t * count, (t + 1) * count);
    [...this.part("tokens").children].forEach((child, at) => {
      const span = /** @type {HTMLElement} */ (child);
      span.className = at === t ? "query" : "";
      span.style.background = `color-mix(in srgb, var(--st-primary-color) ${Math.round(70 * weights[at])}%, transparent)`;
    });
    const key = s ?? weights.indexOf(Math.max(...weights));
    const at = t * count + key;
    const [a, b] = [shownToken(this.names[t]), shownToken(this.names[key])];
    const hidden = this.causal && key > t ? " (later: the causal mask hides it)" : "";
    this.say(
      "read",
      `${a} looks at ${b}${s === null ? " most" : ""}${hidden}: ${fmt(whole.values[at])}, with k = ${this.k} term${this.k === 1 ? "" : "s"} ${fmt(cut.values[at])}; coupling ${fmt(coupling.values[at])}. ` +
        `With k terms ${fmt(100 * apart(whole, cut))} % of all attention goes elsewhere.`,
    );
  }

  /** The share of Σσ² in the first k terms. */
  held = (/** @type {number} */ k) => {
    const energy = Array.from(this.sigma.values, (value) => value ** 2);
    const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);
    return sum(energy.slice(0, k)) / (sum(energy) || 1);
  };

  ready() {
    return this.tokens.length > 0;
  }

  /** @type {CanvasView["paint"]} */
  paint(panel, ctx, theme, w, h) {
    if (panel === "picture") return drawPicture(ctx, theme, w, h, this);
    if (panel === "sigma") return drawSpectrum(ctx, theme, w, h, this);
    if (panel === "phi" || panel === "psi") return drawTerm(ctx, theme, w, h, this, panel);
    return drawMap(ctx, theme, w, h, this, /** @type {MapName} */ (panel));
  }

  places() {
    const { k, term, exchange, focus, squares, tokens } = this;
    const { rev, answered } = exchange;
    return { k, term, rev, answered, focus, squares, count: tokens.length };
  }
}

export default mounted(Head);
