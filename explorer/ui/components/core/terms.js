// Words of the glossary on a canvas: drawn with dots below, and while the mouse is over one the
// canvas names it as data-term, which the card of the page explains (about/card.js).

import { across, inUnits, stroke } from "./canvas.js";
import { write } from "./text.js";

/** @type {WeakMap<HTMLCanvasElement, Map<string, Box>>} */
const words = new WeakMap();

/** The word at a place of the canvas. @type {(boxes: Map<string, Box>, x: number, y: number) => string | undefined} */
export function wordAt(boxes, x, y) {
  for (const [word, box] of boxes)
    if (x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h) return word;
}

function listen(/** @type {HTMLCanvasElement} */ canvas) {
  /** @type {Map<string, Box>} */
  const boxes = new Map();
  words.set(canvas, boxes);
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const word = wordAt(boxes, inUnits(canvas, offsetX), inUnits(canvas, offsetY));
    if (word) canvas.dataset.term = word;
    else delete canvas.dataset.term;
  });
  return boxes;
}

/**
 * Writes a text as `write` does, as the word of the glossary whose key is `term`; its width.
 * @type {(ctx: Ctx, theme: Theme, term: string, text: string, x: number, y: number, style?: Style) => number}
 */
export function writeTerm(ctx, theme, term, text, x, y, style = {}) {
  const width = write(ctx, theme, text, x, y, style);
  const left = x - (style.align === "right" ? width : style.align === "center" ? width / 2 : 0);
  const dots = across({ x: left, w: width }, y + 0.3 * theme.size);
  stroke(ctx, theme.grey, 1.5, dots, [1.5, 3]);
  const boxes = words.get(ctx.canvas) ?? listen(ctx.canvas);
  boxes.set(term, { x: left, y: y - theme.size, w: width, h: 1.6 * theme.size });
  return width;
}
