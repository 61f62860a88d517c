// The map of a model's heads: how many terms hold 99 % of each one's coupling.

import { axisX, axisY, heading, plotBox } from "../core/axes.js";
import { fillBox, frameBox, scale } from "../core/canvas.js";
import { colourBar } from "../core/heatmap.js";
import { write } from "../core/text.js";
import { blend, css } from "../core/theme.js";
import { spacedTicks } from "../core/ticks.js";
import { headSentence } from "./model.js";

/** @import { One } from "./model.js" */
/** @import { Real } from "./real.js" */

const BAR = 12; // pixels of the scale of colours, and what its labels take
const LABELS = 2.2; // in text sizes

/** @type {import("./real.js").Draw} */
export function drawHeads(ctx, theme, w, h, view) {
  const { couplings, choice, hover } = view;
  const { layers, heads, width } = couplings.header;
  heading(ctx, theme, "Terms that hold 99 %", 0, w - 4);
  const right = (BAR + 34) / theme.size + LABELS;
  const box = plotBox(theme, w, h, { left: 2.4, top: 3.8, right, bottom: 3.2 });
  view.map = box;
  axes(ctx, theme, box, layers, heads);
  for (let layer = 0; layer < layers; layer++)
    for (let head = 0; head < heads; head++) {
      const { rank } = couplings.ranks(choice.centred, [layer, head]);
      fillBox(ctx, colourAt(theme.sequential, rank / width), [...cellOf(view, [layer, head])]);
    }
  if (hover) frame(ctx, cellOf(view, hover), theme.ink, 1.5);
  if (choice.one) {
    frame(ctx, cellOf(view, choice.one), theme.paper, 6);
    frame(ctx, cellOf(view, choice.one), theme.accent, 3);
  }
  const scaleOf = { low: 0, limit: width, stops: theme.sequential };
  colourBar(ctx, theme, scaleOf, box.x + box.w + 14, box.y, Math.min(box.h, 160));
  return headSentence(couplings, choice);
}

/** Layers downwards, heads across, counted from 1. @type {(ctx: Ctx, theme: Theme, box: Box, layers: number, heads: number) => void} */
function axes(ctx, theme, box, layers, heads) {
  const upTo = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i + 1);
  const y = scale(0.5, layers + 0.5, box.y, box.y + box.h);
  const x = scale(0.5, heads + 0.5, box.x, box.x + box.w);
  const fives = upTo(layers).filter((n) => n === 1 || n % 5 === 0);
  axisY(ctx, theme, box, y, spacedTicks(theme, y, upTo(layers), layers > 12 ? fives : undefined));
  axisX(ctx, theme, box, x, spacedTicks(theme, x, upTo(heads)), "head");
  write(ctx, theme, "layer", 0, box.y - 0.7 * theme.size, { colour: theme.grey });
}

/** @type {(stops: number[][], share: number) => string} */
function colourAt(stops, share) {
  const at = Math.max(0, Math.min(1, share)) * (stops.length - 1);
  const below = Math.min(stops.length - 2, Math.floor(at));
  return css(blend(stops[below], stops[below + 1], at - below));
}

/** x, y, width and height of a head's cell. @type {(view: Real, one: [number, number]) => [number, number, number, number]} */
function cellOf({ map, couplings }, [layer, head]) {
  const { layers, heads } = couplings.header;
  const { x, y, w, h } = map ?? { x: 0, y: 0, w: 0, h: 0 };
  const edge = (/** @type {number} */ from, /** @type {number} */ share) =>
    Math.round(from + share);
  const [left, right] = [head, head + 1].map((i) => edge(x, (i * w) / heads));
  const [top, bottom] = [layer, layer + 1].map((i) => edge(y, (i * h) / layers));
  return [left, top, right - left, bottom - top];
}

/** @type {(ctx: Ctx, cell: [number, number, number, number], colour: string, width: number) => void} */
function frame(ctx, cell, colour, width) {
  frameBox(ctx, colour, width, [...cell]);
}

/**
 * The head at a place of the map, or null.
 * @param {Real} view @param {{px: number, py: number}} at @returns {One}
 */
export function headAt({ map, couplings }, { px, py }) {
  const { layers, heads } = couplings.header;
  if (!map) return null;
  const [head, layer] = [((px - map.x) / map.w) * heads, ((py - map.y) / map.h) * layers];
  const inside = head >= 0 && head < heads && layer >= 0 && layer < layers;
  return inside ? [Math.floor(layer), Math.floor(head)] : null;
}
