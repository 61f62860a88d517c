// Slices of a coupling of tokens with several numbers: m and what the other numbers are held at, under the hand.

import { heading } from "../core/axes.js";
import { sliderOf } from "../core/buttons.js";
import { CanvasView } from "../core/canvas-view.js";
import { mounted } from "../core/mount.js";
import { Exchange } from "../core/exchange.js";
import { colourBar, colourRange, diverging, heatmap, unitAxes } from "../core/heatmap.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt } from "../core/numbers.js";
import { keptOf, wholeOf } from "./model.js";

/** @import { SlicesDrawing } from "../payloads.js" */
/** @import { Arrays } from "./model.js" */

const BAR = 64; // pixels of the scale of colours, with its numbers

/** @type {SlicesDrawing} */
const NOTHING = { subject: "", axes: ["u", "v"], places: [], left: [], rounding: 0, m: 1, at: 0 };

class Slices extends CanvasView {
  /** What is sliced, as Python says. */
  drawing = NOTHING;
  /** @type {Arrays | null} */
  arrays = null;
  /** The end of the colours of both, wherever the others are held. */
  range = { limit: 1 };
  /** Terms kept, and the place where the others are held. */
  m = 1;
  at = 0;
  /** Those that Python knows, or was told. */
  known = { m: 1, at: 0 };
  /** @type {Exchange<SlicesDrawing>} */
  exchange = new Exchange(this);

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Slices", ["whole", "kept"]);
    this.terms = sliderOf(this, ".m input", (m) => this.moveTo({ m }));
    this.holder = sliderOf(this, ".held input", (held) => this.moveTo({ at: this.nearest(held) }));
  }

  /** @param {Uint8Array} bytes a drawing of pages/design/view_several.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    if (header.subject !== this.drawing.subject) {
      this.known = { m: this.m, at: this.at };
      this.exchange.forget();
    }
    const { whole, left, right } = arrays;
    this.arrays = { whole, left, right };
    this.range = colourRange(whole.values);
    this.exchange.answer(header, header.answers);
  }

  holding() {
    return this.m !== this.known.m || this.at !== this.known.at;
  }

  /** @param {SlicesDrawing} drawing */
  adopt(drawing) {
    this.drawing = drawing;
    this.terms.max = String(drawing.left.length - 1);
    this.moveTo(drawing);
    this.known = { m: this.m, at: this.at };
  }

  nearest(/** @type {number} */ held) {
    const away = this.drawing.places.map((place) => Math.abs(place - held));
    return away.indexOf(Math.min(...away));
  }

  /** @param {{m?: number, at?: number}} to */
  moveTo({ m = this.m, at = this.at }) {
    const { left, places } = this.drawing;
    this.m = clamp(m, 1, Math.max(1, left.length - 1));
    this.at = clamp(at, 0, Math.max(0, places.length - 1));
    const { terms, holder } = this;
    [terms.value, holder.value] = [String(this.m), String(places[this.at])];
    const share = `m = ${this.m} leaves ${fmt(100 * left[this.m], 3)} % of ‖ρ‖²`;
    const held = `the others held at ${fmt(places[this.at], 2)}`;
    terms.setAttribute("aria-valuetext", share);
    holder.setAttribute("aria-valuetext", held);
    this.say("m", share);
    this.say("held", held);
    this.invalidate();
  }

  commit() {
    const { m, at, known, drawing } = this;
    if (m !== known.m) this.exchange.report({ several_m: m });
    if (at !== known.at) this.exchange.report({ held: drawing.places[at] });
    this.known = { m, at };
  }

  ready() {
    return this.arrays !== null && this.drawing.places.length > 0;
  }

  places() {
    const { m, at, drawing, exchange } = this;
    const { rev, answered } = exchange;
    return { m, held: drawing.places[at], rev, answered, maps: [this.whole(), this.cut()] };
  }

  /** @type {CanvasView["paint"]} */
  paint(panel, ...on) {
    if (panel === "whole") return drawMap(on, this, "ρ in the slice", this.whole());
    return drawMap(on, this, `Its first m = ${this.m} terms`, this.cut());
  }

  whole() {
    return wholeOf(/** @type {Arrays} */ (this.arrays), this.at);
  }

  cut() {
    const { arrays, at, m, drawing } = this;
    return keptOf(/** @type {Arrays} */ (arrays), at, m, drawing.rounding);
  }
}

/** @type {(on: [Ctx, Theme, number, number], view: Slices, title: string, matrix: Packed) => string} */
function drawMap([ctx, theme, w, h], view, title, matrix) {
  const [left, top] = [2.4 * theme.size, 2.2 * theme.size];
  const side = Math.floor(Math.min(w - left - BAR, h - top - 2.2 * theme.size));
  const square = { x: Math.floor(left), y: Math.floor(top), side };
  const colours = diverging(theme, view.range);
  heading(ctx, theme, title, 0, w);
  heatmap(ctx, view, title[0], matrix, colours, square);
  unitAxes(ctx, theme, square, { names: view.drawing.axes });
  colourBar(ctx, theme, colours, square.x + side + 10, square.y, side);
  return `${title}, all other numbers held at ${view.drawing.places[view.at]}`;
}

export default mounted(Slices);
