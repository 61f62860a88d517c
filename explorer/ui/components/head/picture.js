// The picture that a model was shown: the patch that looks, and beside it where it looks.

import { heading } from "../core/axes.js";
import { context, frameBox } from "../core/canvas.js";
import { element } from "../core/element.js";
import { heatmap, weightColours } from "../core/heatmap.js";

/** @import { Head } from "./head.js" */

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Head) => string} */
export function drawPicture(ctx, theme, w, h, view) {
  const { patches, focus, maps, tokens } = view;
  if (!patches) return "";
  const [top, gap] = [2.2 * theme.size, 2 * theme.size];
  const side = Math.floor(Math.min((w - gap) / 2, h - top));
  const [shown, looks] = [0, side + gap].map((x) => ({ x, y: top, side }));
  view.pictures = [shown, looks];
  heading(ctx, theme, "Point at a patch", 0, side + gap);
  heading(ctx, theme, "Where it looks", looks.x, w);
  ctx.drawImage(pictureOf(view), shown.x, shown.y, side, side);
  const start = focus.t * tokens.length + 1; // after the class token
  const row = maps.whole.values.subarray(start, start + patches ** 2);
  const colours = { ...weightColours(theme), limit: Math.max(...row) };
  heatmap(ctx, view, "looks", { shape: [patches, patches], values: row }, colours, looks);
  frame(ctx, theme, shown, patches, focus.t - 1);
  frame(ctx, theme, looks, patches, focus.t - 1);
  if (focus.s !== null) frame(ctx, theme, looks, patches, focus.s - 1);
  return "The picture, and how much the patch that is pointed at looks at each patch";
}

/** @type {(ctx: Ctx, theme: Theme, square: Square, patches: number, at: number) => void} */
function frame(ctx, theme, { x, y, side }, patches, at) {
  if (at < 0) return;
  const cell = side / patches;
  frameBox(ctx, theme.accent, 2.5, [
    x + (at % patches) * cell,
    y + Math.floor(at / patches) * cell,
    cell,
    cell,
  ]);
}

/** @param {Head} view */
function pictureOf({ picture }) {
  const [high, wide] = picture.shape;
  const image = element("canvas", { width: wide, height: high });
  const pen = context(image);
  const pixels = pen.createImageData(wide, high);
  for (let i = 0; i < wide * high; i++)
    pixels.data.set([...picture.values.subarray(3 * i, 3 * i + 3), 255], 4 * i);
  pen.putImageData(pixels, 0, 0);
  return image;
}
