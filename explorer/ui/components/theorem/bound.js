// The bound of Theorem 4.1 against m_h on log axes: two errors, their sum, and where that is least.

import { axisX, axisY, headingRows, lineKey, plotBox } from "../core/axes.js";
import { dot, horizontal, scale, stroke, vertical, within } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { fmt, powerOfTen } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { logTicks, spacedTicks } from "../core/ticks.js";
import { leastOf, networksTerm, sumOf, termsAt } from "./model.js";

/** @import { TheoremDrawing } from "../payloads.js" */
/** @import { Theorem } from "./theorem.js" */
/** @typedef {{box: Box, x: Scale, y: Scale}} Plan */

const WIDTHS = [1, 2, 4, 8, 16, 32];

/**
 * The axes are those of all m_FF that can be turned to: what is turned moves on them.
 * @type {(theme: Theme, w: number, h: number, rows: number, view: Theorem) => Plan}
 */
function planOf(theme, w, h, rows, view) {
  const { first, trivial, limits } = view.terms;
  const box = plotBox(theme, w, h, { left: 4.2, top: 2.6 + 1.5 * rows });
  const high = Math.max(...sumOf(view.terms, limits[0]));
  const low = Math.min(trivial, ...first, ...sumOf(view.terms, limits[1]));
  const y = scale(low / 2, 2 * high, box.y + box.h, box.y, true);
  return { box, x: scale(0.9, 1.1 * first.length, box.x, box.x + box.w, true), y };
}

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Theorem) => string} */
export function drawTerms(ctx, theme, w, h, view) {
  const { terms, ff } = view;
  const shown = termsAt(terms, view.at);
  const sum = sumOf(shown, ff);
  const least = leastOf(sum);
  const rows = headingRows(ctx, theme, "The bound against m_h", w, [
    lineKey("left: the coupling's, falls", theme.accent),
    lineKey("right: the networks', rises", theme.second),
    lineKey("their sum", theme.ink, [], 3),
  ]);
  const plan = planOf(theme, w, h, rows, view);
  view.plan = plan;
  drawAxes(ctx, theme, plan, terms.trivial);
  within(ctx, plan.box, 4, () => {
    line(ctx, plan, sumOf(terms, terms.own), theme.line, 3);
    line(ctx, plan, shown.first, theme.accent, 2);
    line(ctx, plan, networksTerm(shown, ff), theme.second, 2);
    line(ctx, plan, sum, theme.ink, 3);
  });
  const named = `least at m_h = ${least}: ${fmt(sum[least - 1])}`;
  drawPoints(ctx, theme, plan, view, { sum, least, named });
  return `Bound of Theorem 4.1 against m_h at m_FF = ${widthText(ff)}: the coupling's term falls from ${fmt(shown.first[0])} to ${fmt(shown.first.at(-1))}, the sum is ${named}`;
}

/** @type {(ctx: Ctx, theme: Theme, plan: Plan, trivial: number) => void} */
function drawAxes(ctx, theme, { box, x, y }, trivial) {
  const [low, high] = [y.invert(box.y + box.h), y.invert(box.y)];
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (2.4 * theme.size)));
  axisX(ctx, theme, box, x, spacedTicks(theme, x, WIDTHS), "m_h, width of the head");
  horizontal(ctx, box, y(trivial), theme.grey, 1.5, [2, 4]);
}

/** @type {(ctx: Ctx, plan: Plan, values: number[], colour: string, width: number) => void} */
function line(ctx, { x, y }, values, colour, width) {
  const points = values.map((value, i) => [x(i + 1), y(value)]);
  stroke(ctx, colour, width, points);
}

/** @type {(ctx: Ctx, theme: Theme, plan: Plan, view: Theorem, best: {sum: number[], least: number, named: string}) => void} */
function drawPoints(ctx, theme, plan, { terms, ff, at }, { sum, least, named }) {
  const { box, x, y } = plan;
  const { m } = terms;
  const shown = termsAt(terms, at);
  const spot = [x(least), y(sum[least - 1])];
  vertical(ctx, box, spot[0], theme.line, 1, [2, 4]);
  symbol(ctx, "diamond", spot[0], spot[1], 8, { fill: theme.ink });
  const labels = [
    { text: named, x: spot[0], y: spot[1], weight: 700, priority: 2 },
    ...beside(theme, plan, terms, ff),
  ];
  if (m !== least && m <= sum.length) {
    dot(ctx, x(m), y(sum[m - 1]), 6, { fill: theme.paper, line: theme.ink, width: 2 });
    labels.push({ text: `here, m_h = ${m}: ${fmt(sum[m - 1])}`, x: x(m), y: y(sum[m - 1]) });
  }
  const curves = [shown.first, networksTerm(shown, ff), sum].map((values) =>
    values.map((value, i) => [x(i + 1), y(value)]),
  );
  writeLabels(ctx, theme, labels, { bounds: box, curves });
}

/**
 * What the lines beside the curves are: the trivial answer's error, and the sum that was turned away from.
 * @type {(theme: Theme, plan: Plan, terms: TheoremDrawing, ff: number) => Label[]}
 */
function beside(theme, { box, x, y }, terms, ff) {
  const { trivial, answer, own, first } = terms;
  const style = { colour: theme.grey, leads: false, optional: true, sides: ["nw", "sw"] };
  const right = { text: answer, x: box.x + box.w - 4, y: y(trivial), ...style };
  if (Math.abs(own - ff) < 0.3) return [right];
  const before = { text: `m_{FF} = ${widthText(own)}`, x: x(first.length), ...style };
  return [right, { ...before, y: y(sumOf(terms, own)[first.length - 1]) }];
}

/** A width of which log₁₀ is given: a power of ten, or whole up to ten thousand. */
export function widthText(/** @type {number} */ ff) {
  if (Number.isInteger(ff)) return powerOfTen(ff);
  return ff < 4 ? String(Math.round(10 ** ff)) : fmt(10 ** ff, 2);
}
