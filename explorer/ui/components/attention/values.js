// F̂∘W_V∘f̂ beside F∘f: a scatter on the diagonal, or lines of equal height over the plane.

import { axisX, axisY, heading } from "../core/axes.js";
import { scale, stroke, within } from "../core/canvas.js";
import { fmt } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { write } from "../core/text.js";
import { linearTicks } from "../core/ticks.js";
import { aloneOf } from "./model.js";
import { squareAxes } from "./plane.js";
import { kindOf } from "./task.js";
import { unit } from "./vectors.js";

/** @import { Draw, Heights, Network, Task } from "./types.js" */

/** @type {Draw} */
export function drawValues(ctx, theme, w, h, view) {
  const { task } = view;
  const heights = kindOf(task).overPlane(task) && !view.backwards() && view.heights();
  const title = heights ? "F̂∘W_V∘f̂ over the plane, F∘f = |x| dashed" : "F̂∘W_V∘f̂ against F∘f";
  heading(ctx, theme, title, 0, w);
  return heights ? drawContours(ctx, theme, w, h, heights) : drawScatter(ctx, theme, w, h, view);
}

/** A square of these values, so many text sizes from the left. @type {(theme: Theme, w: number, h: number, left: number, ends: [number, number]) => {box: Box, x: Scale, y: Scale}} */
function squareIn({ size }, w, h, left, [low, high]) {
  const side = Math.min(w - left * size - 6, h - 5.6 * size);
  const box = { x: left * size, y: 2.4 * size, w: side, h: side };
  const x = scale(low, high, box.x, box.x + side);
  return { box, x, y: scale(low, high, box.y + side, box.y) };
}

/** @type {Draw} */
function drawScatter(ctx, theme, w, h, view) {
  const { alone, values } = view.pictures() ?? {}; // at the tokens of the picture that is shown
  if (!alone) return "Values: nothing learned yet";
  const columns = alone.shape[1];
  const [low, top] = kindOf(view.task).valueRange;
  const { box, x, y } = squareIn(theme, w, h, 3, [low, top]);
  axisY(ctx, theme, box, y, linearTicks(low, top, box.w / (3 * theme.size)));
  axisX(ctx, theme, box, x, linearTicks(low, top, box.w / (4 * theme.size)), "F∘f");
  const diagonal = [low, top].map((value) => [x(value), y(value)]);
  stroke(ctx, theme.ink, 1, diagonal, [3, 4]);
  let gap = 0;
  within(ctx, box, 2, () =>
    values.values.forEach((truth, i) => {
      const learned = alone.values[i];
      gap = Math.max(gap, Math.abs(truth - learned));
      const shape = i % columns ? "square" : "circle";
      symbol(ctx, shape, x(truth), y(learned), 2.2, { fill: theme.accent });
    }),
  );
  return `Learned values against F∘f at ${values.values.length / columns} tokens: largest difference ${fmt(gap)}`;
}

// F̂(W_V f̂(x)) at size² points of [−1, 1]², rows y, columns x: points of mass ½ at place 1 of the first segment.
/** @type {(task: Task, network: Network, size: number) => number[]} */
export function overPlane({ tau, segments = 0 }, network, size) {
  const rest = [0.5, 0, ...unit(tau, 1), ...unit(segments, 0)];
  const tokens = Array.from({ length: size * size }, (_, at) => [
    coordinate(at % size, size),
    coordinate(Math.floor(at / size), size),
    ...rest,
  ]);
  return aloneOf(network, tokens).map((row) => row[0]);
}

const LEVELS = [0.25, 0.5, 0.75, 1, 1.25];

// The coordinate of the i-th of so many values from −1 to 1.
/** @type {(i: number, size: number) => number} */
const coordinate = (i, size) => -1 + (2 * i) / (size - 1);

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, heights: Heights) => string} */
function drawContours(ctx, theme, w, h, { size, grid }) {
  const { box, x, y } = squareIn(theme, w, h, 2.4, [-1, 1]);
  squareAxes(ctx, theme, box, x, y, [-1, 0, 1]);
  within(ctx, box, 0, () => {
    for (const level of LEVELS) {
      ctx.setLineDash([3, 4]);
      symbol(ctx, "circle", x(0), y(0), (level * box.w) / 2, { line: theme.ink, width: 1.2 });
      ctx.setLineDash([]);
      for (const ends of contour(grid, size, level)) {
        const points = ends.map(([i, j]) => [x(coordinate(i, size)), y(coordinate(j, size))]);
        stroke(ctx, theme.accent, 1.8, points);
      }
      /** @type {Style} */
      const text = { align: "center", baseline: "middle", halo: true, colour: theme.grey };
      const corner = level / Math.SQRT2; // on the diagonal even the greatest is in the square
      write(ctx, theme, String(level), x(corner), y(corner), text);
    }
  });
  const truth = (/** @type {number} */ at) =>
    Math.hypot(coordinate(at % size, size), coordinate(Math.floor(at / size), size));
  const gap = Math.max(...grid.map((value, at) => Math.abs(value - truth(at))));
  return `Lines of equal learned value over the plane beside circles |x| = ${LEVELS.join(", ")}: largest difference ${fmt(gap)}`;
}

// Marching squares: segments [[i, j], [i, j]] where the grid (row j, column i) crosses a level.
/** @type {(grid: number[], size: number, level: number) => Points[]} */
export function contour(grid, size, level) {
  /** @type {Points[]} */
  const segments = [];
  const at = (/** @type {number[]} */ [i, j]) => grid[j * size + i] - level;
  for (let j = 0; j < size - 1; j++)
    for (let i = 0; i < size - 1; i++) {
      const corners = [
        [i, j],
        [i + 1, j],
        [i + 1, j + 1],
        [i, j + 1],
      ];
      /** @type {Points} */
      const crossed = [];
      corners.forEach((a, n) => {
        const b = corners[(n + 1) % 4];
        const [p, q] = [at(a), at(b)];
        if (p > 0 !== q > 0) {
          const t = p / (p - q);
          crossed.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
        }
      });
      for (let n = 0; n + 1 < crossed.length; n += 2) segments.push([crossed[n], crossed[n + 1]]);
    }
  return segments;
}
