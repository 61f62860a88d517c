// Measures of one H along its representations: each over what it is of the page's own, on log axes.

import { axisX, axisY, headingRows, lineKey, plotBox } from "../core/axes.js";
import { dot, horizontal, scale, stroke, upright, vertical, within } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { fmt } from "../core/numbers.js";
import { linearTicks, logTicks } from "../core/ticks.js";
import { curvesOf } from "./model.js";

/** @import { SameDrawing } from "../payloads.js" */
/** @import { Theorem } from "./theorem.js" */
/** @typedef {{box: Box, x: Scale, y: Scale}} Along */
/** @typedef {{name: string, values: number[], shares: number[], colour: string, dash: number[], width: number}} Curve */

const LEAST = 1e-3; // of its own is as low as a measure is drawn

/** How the curves look, in their order. @type {(theme: Theme) => [string, number[]][]} */
const looksOf = (theme) => [
  [theme.accent, []],
  [theme.second, []],
  [theme.categories[2], []],
  [theme.grey, [6, 4]],
  [theme.accent, [6, 4]],
];

/** Each over its own. @type {(theme: Theme, view: Theorem, same: SameDrawing) => Curve[]} */
function linesOf(theme, { terms, ff }, { own }) {
  const looks = looksOf(theme);
  return curvesOf(terms, ff).map(({ name, values }, i) => {
    const [colour, dash] = name === "bound" ? [theme.ink, []] : looks[i % looks.length];
    const shares = values.map((value) => Math.max(value / values[own], LEAST));
    return { name, values, shares, colour, dash, width: name === "bound" ? 3 : 2 };
  });
}

/** @type {(theme: Theme, w: number, h: number, rows: number, same: SameDrawing, curves: Curve[]) => Along} */
function alongOf(theme, w, h, rows, { positions, log }, curves) {
  const box = plotBox(theme, w, h, { left: 3.2, top: 2.6 + 1.5 * rows });
  const shares = curves.flatMap((curve) => curve.shares);
  const [low, high] = [Math.min(0.6, ...shares), Math.max(1.6, ...shares)];
  const x = scale(positions[0], positions.at(-1) ?? 1, box.x, box.x + box.w, log);
  return { box, x, y: scale(low / 1.3, high * 1.3, box.y + box.h, box.y, true) };
}

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Theorem) => string} */
export function drawSame(ctx, theme, w, h, view) {
  const { same } = view.terms;
  if (!same) return "No other representation";
  const curves = linesOf(theme, view, same);
  const title = `H stays: measures along ${same.letter}, each over its own`;
  const keys = curves.map(({ name, colour, dash, width }) => lineKey(name, colour, dash, width));
  const along = alongOf(theme, w, h, headingRows(ctx, theme, title, w, keys), same, curves);
  view.along = along;
  drawFrame(ctx, theme, along, same);
  within(ctx, along.box, 4, () => {
    for (const { shares, colour, dash, width } of curves) {
      const points = shares.map((share, i) => [along.x(same.positions[i]), along.y(share)]);
      stroke(ctx, colour, width, points, dash);
    }
  });
  drawHandle(ctx, theme, along, same, view.at, curves);
  const list = curves.map(({ name, values }) => `${name} ${fmt(values[view.at], 3)}`).join(", ");
  return `Measures along ${same.letter} at ${fmt(same.positions[view.at], 3)}: ${list}`;
}

/** @type {(ctx: Ctx, theme: Theme, along: Along, same: SameDrawing) => void} */
function drawFrame(ctx, theme, { box, x, y }, { positions, letter, log, marks }) {
  const [low, high] = [y.invert(box.y + box.h), y.invert(box.y)];
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (1.6 * theme.size)));
  const ticks = log ? logTicks : linearTicks;
  const ends = [positions[0], positions.at(-1) ?? 1];
  axisX(ctx, theme, box, x, ticks(ends[0], ends[1], box.w / (4 * theme.size)), letter);
  horizontal(ctx, box, y(1), theme.line);
  for (const { position } of marks) vertical(ctx, box, x(position), theme.grey, 1, [2, 4]);
}

/** @type {(ctx: Ctx, theme: Theme, along: Along, same: SameDrawing, at: number, curves: Curve[]) => void} */
function drawHandle(ctx, theme, { box, x, y }, { positions, marks }, at, curves) {
  const px = x(positions[at]);
  vertical(ctx, box, px, theme.accent, 2);
  const labels = curves.map(({ name, values, shares, colour }) => {
    dot(ctx, px, y(shares[at]), 5, { fill: theme.paper, line: colour, width: 2 });
    return { text: `${name} = ${fmt(values[at], 3)}`, x: px, y: y(shares[at]), weight: 600 };
  });
  const named = marks.map(({ position, text }) => ({
    ...{ text, x: x(position), y: box.y + box.h, colour: theme.grey, leads: false },
    ...{ optional: true, sides: ["ne", "nw"] },
  }));
  const lines = curves.map(({ shares }) => shares.map((share, i) => [x(positions[i]), y(share)]));
  const curvesDrawn = [...lines, upright(box, px)];
  writeLabels(ctx, theme, [...labels, ...named], { bounds: box, curves: curvesDrawn });
}
