// Tokens in any order, under the reader's hand: the words of a text, or the patches of a picture. What a model says of
// them is asked once they are let go.

import { Arranged, nearest } from "../core/arranged.js";
import { listenToButtons, undoAndRedo } from "../core/buttons.js";
import { context } from "../core/canvas.js";
import { mounted } from "../core/mount.js";
import { element } from "../core/element.js";
import { unpackBytes } from "../core/messages.js";
import { fmt } from "../core/numbers.js";
import { listenToKeys, reorderKey, reorderable, reordered } from "../core/reorder.js";
import { shownToken } from "../head/model.js";

/** @import { ReorderDrawing } from "../payloads.js" */
/** @typedef {{order: number[], name: string | null, seed: number | null}} Ordered an order, and its name if it has one */

/** @extends {Arranged<ReorderDrawing, Ordered>} */
export class Reorder extends Arranged {
  /** In their own order. @type {string[]} */
  tokens = [];
  /** Of a head, (place, place), in the order that Python knows. @type {Packed | null} */
  weights = null;
  head = "";
  /** The order that Python knows. */
  reported = "";
  /** The patches of a picture, (patch, pixel) of 0 to 255. @type {Packed | null} */
  pixels = null;

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Reorder", { order: [], name: null, seed: null });
    const part = this.part("tokens");
    reorderable(this, part, {
      grab: (at) => (this.tokens.length ? { rects: this.rectsIn("tokens"), at } : null),
      placeUnder: (at) => nearest(this.drag?.rects ?? this.rectsIn("tokens"), at),
    });
    listenToKeys(this, part, (event) => reorderKey(event, this, this.tokens.length));
    listenToButtons(this, undoAndRedo(this));
  }

  /** @param {Uint8Array} bytes a drawing of pages/real/view_order.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    const { tokens, head } = header;
    Object.assign(this, { tokens, head, weights: arrays.weights, pixels: arrays.pixels });
    this.reported = JSON.stringify(header.order);
    this.about(JSON.stringify(header.subject));
    this.exchange.answer(header, header.answers);
    this.write();
  }

  /** @param {ReorderDrawing} drawing @returns {Ordered} */
  stateIn({ order, name, seed }) {
    return { order, name, seed: name === "random" ? seed : null };
  }

  get count() {
    return this.now.order.length;
  }

  /** Whether Python knows this order, and not one before it. */
  get settled() {
    return JSON.stringify(this.now.order) === this.reported;
  }

  /** The chosen token to another place. @param {number} to */
  carry(to) {
    if (to === this.chosen) return;
    const order = reordered(this.now.order, this.chosen, to);
    this.arrange({ order, name: null, seed: null }, to);
  }

  /** The tokens in their order, each as dark as the chosen one looks at it. */
  write() {
    const { chosen, tokens, pixels } = this;
    const { order } = this.now;
    const looks = this.looks();
    const most = Math.max(...looks, 1e-9);
    const across = Math.sqrt(tokens.length);
    this.root.querySelector(".reorder").classList.toggle("of-picture", Boolean(pixels));
    const part = this.part("tokens");
    part.style.gridTemplateColumns = pixels ? `repeat(${across}, 1fr)` : "";
    part.replaceChildren(
      ...order.map((p, t) => {
        const className = `${p === t ? "" : "moved"} ${t === chosen ? "chosen" : ""}`;
        const shown = pixels ? drawn(element("canvas"), [[p]], pixels) : shownToken(tokens[p]);
        const span = element("span", { className }, shown);
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
    const { order, name, seed } = this.now;
    const moved = order.filter((p, t) => p !== t).length;
    const own = name === "random" ? `random, seed ${seed}` : (name ?? "yours");
    this.say("order", `Drag the tokens: ${moved} of ${order.length} are elsewhere (${own})`);
    this.say("read", this.sentence());
    this.sayPlace(
      "tokens",
      this.tokens.length,
      `${this.sentence()} Left and right choose a place, with Shift they move its token`,
    );
  }

  sentence() {
    const { chosen, tokens, head, pixels } = this;
    const { order } = this.now;
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
    const { chosen, exchange, settled } = this;
    const { rev, answered } = exchange;
    const { order, ...called } = this.now;
    return { order, chosen, rev, answered, settled, called, rects: this.rectsIn("tokens") };
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
