// What of the plane is nearest to each of some points, in the colour of that point.

import { css, blend, rgb } from "../core/theme.js";
import { kindOf } from "./task.js";

/** @import { Frame, View } from "./types.js" */
/** @typedef {number[][]} Corners of a convex cell, [x, y] each */

const TINT = 0.16; // of its colour over the paper

/** What of a cell is nearer to a than to b. @type {(cell: Corners, a: number[], b: number[]) => Corners} */
function nearer(cell, a, b) {
  const beyond = (/** @type {number[]} */ [x, y]) =>
    (x - (a[0] + b[0]) / 2) * (b[0] - a[0]) + (y - (a[1] + b[1]) / 2) * (b[1] - a[1]);
  return cell.flatMap((corner, i) => {
    const next = cell[(i + 1) % cell.length];
    const [here, there] = [beyond(corner), beyond(next)];
    const t = here / (here - there);
    const crossing = corner.map((x, j) => x + t * (next[j] - x));
    return [...(here <= 0 ? [corner] : []), ...(here > 0 !== there > 0 ? [crossing] : [])];
  });
}

/**
 * The cell of each site within [low, high]²; of two at one place both have the same.
 * @type {(sites: number[][], low: number, high: number) => Corners[]}
 */
export function cellsOf(sites, low, high) {
  /** @type {Corners} */
  const square = [
    [low, low],
    [high, low],
    [high, high],
    [low, high],
  ];
  return sites.map((site) =>
    sites.reduce((cell, other) => (other === site ? cell : nearer(cell, site, other)), square),
  );
}

/** @type {(ctx: Ctx, theme: Theme, frame: Frame, view: View) => void} */
export function drawCells(ctx, theme, { x, y, low, high }, { task, shown }) {
  const sites = kindOf(task)
    .sites(task, shown)
    .filter((site) => site.length === 2);
  cellsOf(sites, low, high).forEach((cell, i) => {
    const colour = rgb(theme.categories[i % theme.categories.length]);
    ctx.fillStyle = css(blend(rgb(theme.paper), colour, TINT));
    ctx.beginPath();
    for (const [px, py] of cell) ctx.lineTo(x(px), y(py));
    ctx.fill();
  });
}
