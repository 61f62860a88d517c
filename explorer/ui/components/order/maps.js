// The map K beside the learned one; of a coupling, the learned attention on an example.

import { heading } from "../core/axes.js";
import {
  beyond,
  colourBar,
  colourRange,
  diverging,
  heatmap,
  tokenEdge,
  weightColours,
} from "../core/heatmap.js";
import { write } from "../core/text.js";

/** @import { Draw, DrawKernel } from "./errors.js" */

const TOP = 2.6; // of the squares, in text sizes

/** @type {(theme: Theme, w: number, h: number) => number} */
const sideIn = (theme, w, h) => Math.floor(Math.min(w, h - (TOP + 1.8) * theme.size));

/** @type {DrawKernel} */
export function drawMaps(ctx, theme, w, h, view) {
  const { tau, matrix, holder } = view;
  const learned = view.pictures()?.matrix_hat;
  const same = learned && learned.shape[0] === tau;
  const gap = 1.6 * theme.size;
  const [left, y] = [2 * theme.size, TOP * theme.size];
  const side = sideIn(theme, (w - left - gap - 6.4 * theme.size) / 2, h);
  const [a, b] = [left, left + side + gap].map((x) => ({ x, y, side }));
  const values = Float32Array.from(matrix.flatMap((row) => [...row]));
  const range = beyond(colourRange(values), values, same ? learned.values : undefined);
  const colours = diverging(theme, range);
  heading(ctx, theme, "K in y = K x̃", a.x, a.x + side);
  heatmap(ctx, holder, "target", { shape: [tau, tau], values }, colours, a);
  tokenEdge(ctx, theme, a, tau);
  heading(ctx, theme, "learned", b.x, w);
  /** @type {Style} */
  const none = { align: "center", colour: theme.grey };
  if (same) heatmap(ctx, holder, "learned", learned, colours, b);
  else write(ctx, theme, "not trained", b.x + side / 2, y + side / 2, none);
  tokenEdge(ctx, theme, b, tau);
  colourBar(ctx, theme, colours, b.x + side + 10, y, side);
  return `The map K from what the model sees to its answer, ${tau} by ${tau}${same ? ", beside the learned one" : ""}`;
}

/** @type {Draw} */
export function drawAttention(ctx, theme, w, h, view) {
  const learned = view.pictures()?.attention;
  const left = 2.2 * theme.size;
  const side = sideIn(theme, w - left - 6 * theme.size, h);
  const square = { x: left, y: TOP * theme.size, side };
  heading(ctx, theme, "Learned attention on it", 0, w);
  if (!learned || learned.shape[0] !== view.tau) return "Attention: not trained";
  const colours = weightColours(theme);
  heatmap(ctx, view.holder, "attention", learned, colours, square);
  tokenEdge(ctx, theme, square, view.tau);
  colourBar(ctx, theme, colours, left + side + 10, square.y, side);
  return `Learned attention on an example, ${view.tau} by ${view.tau}`;
}
