// The designed and the learned coupling, and their difference, on one colour scale.

import { fitting, heading } from "../core/axes.js";
import {
  barAcross,
  beyond,
  colourBar,
  colourEnds,
  colourRange,
  crosshair,
  diverging,
  heatmap,
  pick,
  unitAxes,
} from "../core/heatmap.js";
import { fmt } from "../core/numbers.js";
import { belowAxis, write } from "../core/text.js";
import { isDrawn, shownIn } from "../run/stream.js";

/** @import { Range } from "../core/heatmap.js" */
/** @import { Drawn } from "../run/stream.js" */
/** @import { Draw, Over } from "./live.js" */
/** @typedef {{u: number, v: number}} Point of a coupling */

const BAR = 2.6; // in sizes of text: what the scale of colours takes below the squares

/** @type {(run: Drawn<Over>) => Range} */
export function rangeOf(run) {
  return (run.range ??= colourRange(run.drawing.rho.values));
}

// ρ̂ − ρ, or beside a pinned run ρ̂ minus what that one has learned.
/** @type {(run: Drawn<Over>, pin: Run<Over> | null) => Packed | null} */
export function difference(run, pin) {
  const a = pin ? pin.frame?.rho_hat : run.drawing.rho;
  const b = shownIn(run)?.rho_hat;
  if (!a || !b || a.values.length !== b.values.length) return null;
  return {
    shape: a.shape,
    values: b.values.map((/** @type {number} */ x, /** @type {number} */ i) => x - a.values[i]),
  };
}

// Squares beside each other; a line under them is for what is read there, so nothing moves.
/** @type {(theme: Theme, w: number, h: number, count: number, right: number) => Square[]} */
function squaresIn(theme, w, h, count, right) {
  const left = 2.2 * theme.size;
  const gap = 1.3 * theme.size;
  const top = 2.6 * theme.size;
  const room = w - left - right - (count - 1) * gap;
  const side = Math.floor(Math.min(room / count, h - top - 4.4 * theme.size));
  return Array.from({ length: count }, (_, i) => ({ x: left + i * (side + gap), y: top, side }));
}

/** @type {(ctx: Ctx, theme: Theme, square: Square, text: string) => void} */
function writeUnder(ctx, theme, { x, y, side }, text) {
  write(ctx, theme, text, x, y + side + 3.2 * theme.size, { colour: theme.grey });
}

/** Both squares; the scale of colours stands at their right, or below them where they are larger so. @type {(theme: Theme, w: number, h: number) => {squares: Square[], isBelow: boolean}} */
function couplingPlan(theme, w, h) {
  const s = theme.size;
  const [narrow, wide] = [
    squaresIn(theme, w, h, 2, 6.1 * s),
    squaresIn(theme, w, h - BAR * s, 2, 4),
  ];
  const isBelow = wide[0].side > narrow[0].side;
  return { squares: isBelow ? wide : narrow, isBelow };
}

/** @type {(ctx: Ctx, theme: Theme, squares: Square[], colours: Range & Colours) => void} */
function barBelow(ctx, theme, [a, b], colours) {
  const s = theme.size;
  const box = { x: a.x, y: b.y + b.side + 4.2 * s, w: b.x + b.side - a.x, h: 0.9 * s };
  barAcross(ctx, colours.stops, box);
  const [low, high] = colourEnds(colours);
  const aligned = /** @type {const} */ (["left", "center", "right"]);
  [low, "0", high].forEach((text, i) => {
    const style = { ...belowAxis(theme), align: aligned[i] };
    write(ctx, theme, text, box.x + (i * box.w) / 2, box.y + 1.2 * s, style);
  });
}

/** @type {Draw} */
export function drawCoupling(ctx, theme, w, h, view) {
  const { run, pin, point } = view;
  const { squares, isBelow } = couplingPlan(theme, w, h);
  const [a, b] = squares;
  view.squares.coupling = squares;
  heading(ctx, theme, "ρ designed", a.x, b.x);
  heading(ctx, theme, "ρ̂ learned", b.x, w);
  unitAxes(ctx, theme, a);
  unitAxes(ctx, theme, b, { left: false });
  if (!isDrawn(run)) return "Coupling: nothing yet";
  const { rho } = run.drawing;
  const learned = shownIn(run)?.rho_hat;
  const gap = difference(run, pin); // drawn beside them in the same colours
  const range = beyond(rangeOf(run), rho.values, learned?.values, gap?.values);
  const colours = diverging(theme, range);
  heatmap(ctx, view, "rho", rho, colours, a);
  if (learned) heatmap(ctx, view, "learned", learned, colours, b);
  if (isBelow) barBelow(ctx, theme, squares, colours);
  else colourBar(ctx, theme, colours, b.x + b.side + 12, b.y, b.side);
  drawCrosshairs(ctx, theme, squares, point);
  const centred = fitting(ctx, theme, CENTRED, w - a.x);
  writeUnder(ctx, theme, a, point ? pairAt(point, rho, learned) : centred);
  const { limit } = range;
  return `Couplings on one colour scale from ${fmt(-limit)} to ${fmt(limit)}: designed ρ and learned ρ̂, u down, v to the right`;
}

const CENTRED = "each u's mean over v removed: softmax cannot see it";

/** @type {(point: Point, rho: Packed, learned?: Packed) => string} */
function pairAt({ u, v }, rho, learned) {
  const values = [`ρ = ${fmt(pick(rho, u, v))}`];
  if (learned) values.push(`ρ̂ = ${fmt(pick(learned, u, v))}`);
  return `u ${u.toFixed(2)}, v ${v.toFixed(2)}:  ${values.join(",  ")}`;
}

/** @type {(ctx: Ctx, theme: Theme, squares: Square[], point: Point | null) => void} */
function drawCrosshairs(ctx, theme, squares, point) {
  if (point) for (const square of squares) crosshair(ctx, theme, square, point.u, point.v);
}

/** @type {(values: Packed["values"]) => number} */
function rms(values) {
  let sum = 0;
  for (const x of values) sum += x * x;
  return Math.sqrt(sum / values.length);
}

const SEEN = 0.02; // of the ends of a colour scale: a map of less looks empty

/** Whether a map of these values is the paper alone, on a scale from −limit to limit. */
/** @type {(values: Packed["values"], limit: number) => boolean} */
export const vanishes = (values, limit) =>
  values.every((/** @type {number} */ x) => Math.abs(x) < SEEN * limit);

/** @type {Draw} */
export function drawDifference(ctx, theme, w, h, view) {
  const { run, pin, point } = view;
  const squares = squaresIn(theme, w, h, 1, 4);
  const [square] = squares;
  view.squares.difference = squares;
  const name = pin ? "ρ̂ − pinned ρ̂" : "ρ̂ − ρ";
  heading(ctx, theme, `${name}, same colours`, square.x, w);
  unitAxes(ctx, theme, square);
  const gap = isDrawn(run) && difference(run, pin);
  if (!gap) return "Difference of the couplings: nothing yet";
  const range = rangeOf(run);
  heatmap(ctx, view, "gap", gap, diverging(theme, range), square);
  const none = vanishes(gap.values, range.limit) ? "nothing left" : "";
  const middle = square.x + square.side / 2;
  write(ctx, theme, none, middle, square.y + square.side / 2, { align: "center" });
  drawCrosshairs(ctx, theme, squares, point);
  const size = `root mean square ${fmt(rms(gap.values))}`;
  writeUnder(ctx, theme, square, point ? `${name} = ${fmt(pick(gap, point.u, point.v))}` : size);
  return `Difference ${name}: ${size}${none && `, ${none}`}`;
}
