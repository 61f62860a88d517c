// Tokens in any order, under the reader's hand: the words of a text, or the patches of a picture. What a model says of
// them is asked once they are let go.

import { context } from "../core/canvas.js";
import { listenToButtons, syncUndo, undoAndRedo } from "../core/buttons.js";
import { CanvasView, mounted } from "../core/canvas-view.js";
import { Exchange } from "../core/exchange.js";
import { History } from "../core/history.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt } from "../core/numbers.js";
import { listenToKeys, reorderKey, reorderable, reordered } from "../core/reorder.js";
import { shownToken } from "../head/model.js";
import { nearest } from "./model.js";

/** @import { Packed } from "../core/messages.js" */
/** @import { ReorderDrawing } from "../payloads.js" */
/** @import { Rect } from "./model.js" */
/** @typedef {{order: number[], name: string | null, seed: number | null}} Ordered an order, and its name if it has one */

export class Reorder extends CanvasView {
  /** Whose tokens: others have a history of their own. */
  subject = "";
  /** @type {Exchange<ReorderDrawing>} */
  exchange = new Exchange(this);
  /** In their own order. @type {string[]} */
  tokens = [];
  /** @type {number[]} */
  order = [];
  /** What Python calls the order. @type {Pick<Ordered, "name" | "seed">} */
  called = { name: null, seed: null };
  /** Of a head, (place, place), in the order that Python knows. @type {Packed | null} */
  weights = null;
  head = "";
  /** The order that Python knows. */
  reported = "";
  /** The patches of a picture, (patch, pixel) of 0 to 255. @type {Packed | null} */
  pixels = null;
  /** The place whose token is chosen. */
  chosen = 0;
  /** What is held: where the tokens were when it was taken. @type {{rects: Rect[]} | null} */
  drag = null;
  /** @type {History<Ordered>} */
  history = new History();

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Reorder", []);
    const part = this.part("tokens");
    reorderable(this, part, {
      grab: (at) => (this.tokens.length ? { rects: this.rects(), at } : null),
      placeUnder: (at) => nearest(this.drag?.rects ?? this.rects(), at),
    });
    listenToKeys(this, part, (event) => reorderKey(event, this, this.tokens.length));
    listenToButtons(this, undoAndRedo(this));
  }

  /** @param {string} name @returns {HTMLElement} */
  part(name) {
    return this.root.querySelector(`[data-part=${name}]`);
  }

  // -- what Python says

  /** @param {Uint8Array} bytes a drawing of pages/real/view_order.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    const { tokens, head } = header;
    const subject = JSON.stringify(header.subject);
    Object.assign(this, { tokens, head, weights: arrays.weights, pixels: arrays.pixels });
    this.reported = JSON.stringify(header.order);
    if (subject !== this.subject) {
      Object.assign(this, { subject, history: new History(), drag: null });
      this.exchange.forget();
    }
    this.chosen = clamp(this.chosen, 0, tokens.length - 1);
    this.exchange.answer(header, header.answers);
    this.writeTokens();
  }

  holding() {
    return Boolean(this.drag);
  }

  /** @param {ReorderDrawing} drawing */
  adopt({ order, name, seed }) {
    this.show({ order, name, seed: name === "random" ? seed : null });
    this.history.note(this.state());
    this.writeTokens();
  }

  /** @param {Ordered} state */
  show({ order, name, seed }) {
    Object.assign(this, { order, called: { name, seed } });
  }

  /** Whether Python knows this order, and not one before it. */
  get settled() {
    return JSON.stringify(this.order) === this.reported;
  }

  // -- what the reader does

  choose(/** @type {number} */ t) {
    this.chosen = t;
    this.writeTokens();
  }

  /** The chosen token to another place. @param {number} to */
  carry(to) {
    if (to === this.chosen) return;
    this.show({ order: reordered(this.order, this.chosen, to), name: null, seed: null });
    this.chosen = to;
    this.writeTokens();
  }

  edit(/** @type {() => void} */ act) {
    act();
    this.commit();
  }

  /** An edit is done. */
  commit() {
    const { at } = this.history;
    this.history.note(this.state());
    if (this.history.at !== at) this.report();
    this.writeTokens();
  }

  /** Back (−1) or forth (1). @param {number} by */
  step(by) {
    const state = this.drag ? null : this.history.go(by);
    if (!state) return;
    this.show(state);
    this.report();
    this.writeTokens();
  }

  /** @returns {Ordered} */
  state() {
    return { order: this.order, ...this.called };
  }

  report() {
    this.exchange.report(this.state());
  }

  // -- how it looks

  /** Where the tokens are, in the part that holds them. @returns {Rect[]} */
  rects() {
    const part = this.part("tokens").getBoundingClientRect();
    return [...this.part("tokens").children].map((child) => {
      const { left, top, right, bottom } = child.getBoundingClientRect();
      const [x, y] = [part.left, part.top];
      return { left: left - x, top: top - y, right: right - x, bottom: bottom - y };
    });
  }

  /** The tokens in their order, each as dark as the chosen one looks at it. */
  writeTokens() {
    const { order, chosen, tokens, pixels } = this;
    const looks = this.looks();
    const most = Math.max(...looks, 1e-9);
    const across = Math.sqrt(tokens.length);
    this.root.querySelector(".reorder").classList.toggle("of-picture", Boolean(pixels));
    const part = this.part("tokens");
    part.style.gridTemplateColumns = pixels ? `repeat(${across}, 1fr)` : "";
    part.replaceChildren(
      ...order.map((p, t) => {
        const span = document.createElement("span");
        if (pixels) span.append(drawn(document.createElement("canvas"), [[p]], pixels));
        else span.textContent = shownToken(tokens[p]);
        span.className = `${p === t ? "" : "moved"} ${t === chosen ? "chosen" : ""}`;
        if (looks.length)
          span.style.background = `color-mix(in srgb, var(--st-primary-color) ${Math.round((60 * looks[t]) / most)}%, transparent)`;
        return span;
      }),
    );
    if (pixels) {
      const rows = Array.from({ length: across }, (_, i) =>
        Array.from({ length: across }, (_, j) => i * across + j),
      );
      drawn(/** @type {HTMLCanvasElement} */ (this.part("whole")), rows, pixels);
    }
    this.sayOrder();
    this.invalidate();
  }

  /** What the chosen place attends to; nothing where that is not known of this order. */
  looks() {
    const count = this.tokens.length;
    if (!this.weights || !this.settled) return [];
    return [...this.weights.values.subarray(this.chosen * count, (this.chosen + 1) * count)];
  }

  sayOrder() {
    const { order, chosen, tokens, called } = this;
    const moved = order.filter((p, t) => p !== t).length;
    const own = called.name === "random" ? `random, seed ${called.seed}` : (called.name ?? "yours");
    this.say("order", `Drag the tokens: ${moved} of ${order.length} are elsewhere (${own})`);
    this.say("read", this.sentence());
    syncUndo(this);
    const part = this.part("tokens");
    part.setAttribute("aria-valuemax", String(tokens.length));
    part.setAttribute("aria-valuenow", String(chosen + 1));
    part.setAttribute(
      "aria-valuetext",
      `${this.sentence()} Left and right choose a place, with Shift they move its token`,
    );
  }

  sentence() {
    const { order, chosen, tokens, head, pixels } = this;
    const name = (/** @type {number} */ t) =>
      pixels ? tokens[order[t]] : `“${shownToken(tokens[order[t]])}”`;
    const from = order[chosen] === chosen ? "its own" : `it was in place ${order[chosen] + 1}`;
    const where = `Place ${chosen + 1}: ${name(chosen)}, ${from}.`;
    const looks = this.looks();
    if (!looks.length) return where;
    const best = looks.indexOf(Math.max(...looks));
    return `${where} In ${head} it looks at ${name(best)} in place ${best + 1} most: ${fmt(looks[best])}.`;
  }

  places() {
    const { order, chosen, exchange, settled, called } = this;
    const { rev, answered } = exchange;
    return { order, chosen, rev, answered, settled, called, rects: this.rects() };
  }
}

/**
 * Patches beside and below each other.
 * @param {HTMLCanvasElement} canvas
 * @param {number[][]} rows
 * @param {Packed} pixels
 */
function drawn(canvas, rows, { shape: [, size], values }) {
  const side = Math.sqrt(size);
  [canvas.width, canvas.height] = [rows[0].length * side, rows.length * side];
  const image = context(canvas).createImageData(canvas.width, canvas.height);
  rows.forEach((row, i) =>
    row.forEach((patch, j) => {
      for (let at = 0; at < size; at++) {
        const [y, x] = [i * side + Math.floor(at / side), j * side + (at % side)];
        const grey = values[patch * size + at];
        image.data.set([grey, grey, grey, 255], 4 * (y * canvas.width + x));
      }
    }),
  );
  context(canvas).putImageData(image, 0, 0);
  return canvas;
}

export default mounted(Reorder);
