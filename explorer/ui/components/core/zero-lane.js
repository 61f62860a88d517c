// A lane for 0 under a log axis, which has no place for it: the axis is broken above it.

import { fillBox, horizontal, polyline, stroke } from "./canvas.js";
import { besideAxis, write } from "./text.js";

/** @typedef {{y: number, box: Box}} Lane the height at which a 0 is drawn, and the strip around it */

const HIGH = 1.7; // of the lane, in text sizes
const BREAK = 0.55; // between it and the axis

/**
 * The box of a log axis and the lane at its foot; without a 0 to draw all is axis.
 * @type {(theme: Theme, box: Box, wanted?: boolean) => {main: Box, lane: Lane | null}}
 */
export function withLane(theme, box, wanted = true) {
  if (!wanted) return { main: box, lane: null };
  const h = HIGH * theme.size;
  const y = box.y + box.h - h;
  const main = { ...box, h: box.h - h - BREAK * theme.size };
  return { main, lane: { y: y + h / 2, box: { ...box, y, h } } };
}

/**
 * The lane with its 0, and the marks of the break above it.
 * @type {(ctx: Ctx, theme: Theme, lane: Lane) => void}
 */
export function drawLane(ctx, theme, { y, box }) {
  fillBox(ctx, theme.grid, [box.x, box.y, box.w, box.h], 0.45);
  horizontal(ctx, box, y, theme.grid);
  write(ctx, theme, "0", box.x - 8, y, besideAxis(theme));
  const middle = box.y - (BREAK * theme.size) / 2;
  for (const up of [-2.5, 2.5])
    polyline(ctx, theme.grey, 1.2, [box.x - 5, middle + up + 2.5], [box.x + 5, middle + up - 2.5]);
}

/**
 * @typedef {object} Fall
 * @property {number[] | null} from its last place above 0, if that is known
 * @property {number} at where it is 0
 * @property {number} end of the line along the lane
 * @property {number} [width]
 * @property {number[]} [dash]
 */

/**
 * What falls to 0: down from its last place into the lane, and along it to its end.
 * @type {(ctx: Ctx, lane: Lane, colour: string, fall: Fall) => void}
 */
export function drawFall(ctx, lane, colour, { from, at, end, width = 1.3, dash = [] }) {
  const along = [at, Math.max(at, end)].map((x) => [x, lane.y]);
  stroke(ctx, colour, width, from ? [from, ...along] : along, dash);
}

/**
 * ↓ beside a fall, from one height down to another.
 * @type {(ctx: Ctx, colour: string, x: number, from: number, to: number) => void}
 */
export function drawDrop(ctx, colour, x, from, to) {
  const [top, tip] = [from + 3, to - 3];
  if (tip - top < 8) return;
  polyline(ctx, colour, 1.4, [x, top], [x, tip]);
  polyline(ctx, colour, 1.4, [x - 4, tip - 5], [x, tip], [x + 4, tip - 5]);
}
