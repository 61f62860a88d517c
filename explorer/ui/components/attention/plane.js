// The tokens of a board in the plane, and what each looks at.

import { heading } from "../core/axes.js";
import { crisp, frameBox, polyline, scale, stroke, within } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { minus } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { belowAxis, besideAxis, write } from "../core/text.js";
import { drawCells } from "./cells.js";
import { FAINT, focusOf, highlighted, tokenAt } from "./focus.js";
import { kindOf } from "./task.js";
import { mean } from "./vectors.js";

/** @import { Solution } from "./task.js" */
/** @import { Draw, Frame, Task, View } from "./types.js" */

// A square of the task's range; with one coordinate the points lie on two lines.
/** @type {(theme: Theme, w: number, h: number, task: Task) => Frame} */
function planeFrame(theme, w, h, task) {
  const top = 3.2 * theme.size;
  const left = 2.4 * theme.size;
  const side = Math.floor(Math.min(w - left - 8, h - top - 2.4 * theme.size));
  const [low, high] = kindOf(task).range;
  const box = { x: left + Math.max(0, (w - left - 8 - side) / 2), y: top, side, w: side, h: side };
  return {
    box,
    x: scale(low, high, box.x, box.x + side),
    y: scale(low, high, box.y + side, box.y),
    low,
    high,
    lines: [], // drawn between points, not to be written over
  };
}

// Where a point is drawn: its first two coordinates, or its one coordinate on the line of its kind.
/** @type {(frame: Frame, point: number[], lane: number) => [number, number]} */
function spotOf({ x, y, low, high }, point, lane) {
  return [x(point[0]), y(point.length > 1 ? point[1] : low + lane * (high - low))];
}

/** @type {Draw} */
export function drawPlane(ctx, theme, w, h, view) {
  const { task, shown: board } = view;
  const frame = planeFrame(theme, w, h, task);
  const { box } = frame;
  heading(ctx, theme, "Plane: drag the points", 0, w);
  drawCells(ctx, theme, frame, view);
  drawSquare(ctx, theme, frame, board.points[0].length);
  const spots = board.points.map((point, i) => spotOf(frame, point, kindOf(task).lane(task, i)));
  view.plane = { ...frame, spots };
  within(ctx, box, 1, () => {
    for (let t = 0; t < task.tau; t++)
      if (highlighted(view, t)) drawRow(ctx, theme, frame, view, t);
    drawAnswers(ctx, theme, frame, view);
  });
  spots.forEach((spot, i) => drawPoint(ctx, theme, view, spot, i));
  namePoints(ctx, theme, w, frame, view, spots);
  const chosen = kindOf(task).place({ ...task, lengths: board.lengths }, view.marked); // u(2), v(0), x(3)
  return `Plane with ${board.points.length} points; chosen: ${chosen}. Arrow keys move it, square brackets choose another`;
}

/** The edge of a square, and its numbers: beside it where `y` is given. @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, y: Scale | null, values: number[]) => void} */
export function squareAxes(ctx, theme, box, x, y, values) {
  frameBox(ctx, theme.line, 1, [crisp(box.x), crisp(box.y), box.w, box.h]);
  for (const value of values) {
    const label = minus(String(value));
    write(ctx, theme, label, x(value), box.y + box.h + 6, belowAxis(theme));
    if (y) write(ctx, theme, label, box.x - 7, y(value), besideAxis(theme));
  }
}

/** @type {(ctx: Ctx, theme: Theme, frame: Frame, d: number) => void} */
function drawSquare(ctx, theme, { box, x, y, low, high }, d) {
  squareAxes(ctx, theme, box, x, d > 1 ? y : null, [low, (low + high) / 2, high]);
  if (low < 0) {
    polyline(ctx, theme.grid, 1, [crisp(x(0)), box.y], [crisp(x(0)), box.y + box.side]);
    polyline(ctx, theme.grid, 1, [box.x, crisp(y(0))], [box.x + box.side, crisp(y(0))]);
  }
}

// The weights of token t as lines from where it stands to what it looks at; the ideal ones dashed.
/** @type {(ctx: Ctx, theme: Theme, frame: Frame, view: View, t: number) => void} */
function drawRow(ctx, theme, frame, view, t) {
  const { task, shown: board, solution } = view;
  const kind = kindOf(task);
  const from = startOf(frame, view, t);
  if (!from) return;
  const far = (/** @type {number} */ s) => {
    const key = kind.key(board, s);
    return key && spotOf(frame, key, kind.keyLane);
  };
  solution.ideal[t].forEach((weight, s) => {
    const to = far(s);
    if (weight <= FAINT || !to) return;
    stroke(ctx, theme.ink, 1 + weight, [from, to], [3, 4]);
    frame.lines.push([from, to]);
  });
  solution.attention?.[t].forEach((weight, s) => {
    const to = far(s);
    if (weight < FAINT || !to) return;
    ctx.globalAlpha = 0.25 + 0.6 * weight;
    stroke(ctx, theme.accent, 0.8 + 5 * weight, [from, to]);
    ctx.globalAlpha = 1;
  });
}

// A prediction token has no place of its own: its lines meet in the centre of gravity.
/** @type {(frame: Frame, view: View, t: number) => [number, number]} */
function startOf(frame, { task, shown: board, solution }, t) {
  const kind = kindOf(task);
  const own = kind.query(board, t);
  if (own) return spotOf(frame, own, kind.lane(task, t));
  return spotOf(frame, mean(kind.values(task, board), solution.ideal[t]), kind.keyLane);
}

// Vectors: ŷ beside y (which is a point of the plane for the nearest one). Centres of gravity: circles of radius |ŷ| and |y|, and the centre that the weights have.
/** @type {(ctx: Ctx, theme: Theme, frame: Frame, view: View) => void} */
function drawAnswers(ctx, theme, frame, view) {
  const { task, shown: board, solution } = view;
  const focus = focusOf(view);
  const kind = kindOf(task);
  const lane = kind.keyLane;
  solution.answer.forEach((y, t) => {
    if (!highlighted(view, t)) return;
    if (kind.answersArePoints) {
      symbol(ctx, "diamond", ...spotOf(frame, y, lane), 6, { line: theme.ink, width: 1.2 });
      if (solution.predicted)
        symbol(ctx, "diamond", ...spotOf(frame, solution.predicted[t], lane), 4, {
          fill: theme.accent,
        });
      return;
    }
    if (kind.query(board, t) === null) drawCentre(ctx, theme, frame, view, t);
    if (focus && board.points[0].length > 1) drawRadii(ctx, theme, frame, solution, t);
  });
}

/** @type {(ctx: Ctx, theme: Theme, frame: Frame, view: View, t: number) => void} */
function drawCentre(ctx, theme, frame, { task, shown: board, solution }, t) {
  const kind = kindOf(task);
  const values = kind.values(task, board);
  /** @type {(row: number[], colour: string, r: number) => void} */
  const cross = (row, colour, r) => {
    const [x, y] = spotOf(frame, mean(values, row), kind.keyLane);
    polyline(ctx, colour, 2, [x - r, y], [x + r, y]);
    polyline(ctx, colour, 2, [x, y - r], [x, y + r]);
  };
  cross(solution.ideal[t], theme.ink, 7);
  if (solution.attention) cross(solution.attention[t], theme.accent, 5);
}

/** @type {(ctx: Ctx, theme: Theme, frame: Frame, solution: Solution, t: number) => void} */
function drawRadii(ctx, theme, { x, y, box, high, low }, solution, t) {
  const per = box.side / (high - low);
  /** @type {(r: number, colour: string, width: number, dash: number[]) => void} */
  const ring = (r, colour, width, dash) => {
    ctx.setLineDash(dash);
    symbol(ctx, "circle", x(0), y(0), Math.abs(r) * per, { line: colour, width });
    ctx.setLineDash([]);
  };
  ring(solution.answer[t][0], theme.ink, 1.2, [3, 4]);
  if (solution.predicted) ring(solution.predicted[t][0], theme.accent, 2, []);
}

/** How a point is drawn: larger where letters are. @type {(theme: Theme, view: View, i: number) => import("./types.js").Mark} */
function markOf({ size }, { task, shown }, i) {
  const mark = kindOf(task).mark(task, shown, i);
  return { ...mark, size: mark.size * Math.max(1, size / 16) };
}

/** @type {(ctx: Ctx, theme: Theme, view: View, spot: [number, number], i: number) => void} */
function drawPoint(ctx, theme, view, [x, y], i) {
  const on = highlighted(view, tokenAt(view, i));
  const { shape, size: r, hollow, faint } = markOf(theme, view, i);
  ctx.globalAlpha = on || !faint ? 1 : 0.45;
  const full = { fill: theme.ink, line: theme.paper };
  const paint = hollow ? { fill: theme.paper, line: theme.ink, width: 2 } : full;
  symbol(ctx, shape, x, y, r, paint);
  ctx.globalAlpha = 1;
  if (i === view.marked) symbol(ctx, "circle", x, y, r + 5, { line: theme.accent, width: 2 });
}

// The name of each point beside it, clear of the others, of the points and of the frame's numbers.
/** @type {(ctx: Ctx, theme: Theme, w: number, frame: Frame, view: View, spots: [number, number][]) => void} */
function namePoints(ctx, theme, w, { box, lines }, view, spots) {
  const marks = spots.map((_, i) => markOf(theme, view, i));
  const labels = spots.map(([x, y], i) => ({
    text: marks[i].name,
    x,
    y,
    gap: marks[i].size + (i === view.marked ? 7 : 3),
    colour: highlighted(view, tokenAt(view, i)) ? theme.ink : theme.grey,
    priority: i === view.marked ? 1 : 0,
  }));
  const top = 1.9 * theme.size;
  writeLabels(ctx, theme, labels, {
    bounds: { x: box.x + 2, y: top, w: w - box.x - 4, h: box.y + box.h - top - 2 },
    curves: lines,
    marks: spots.map(([x, y], i) => [x, y, marks[i].size + (i === view.marked ? 5 : 1)]),
  });
}
