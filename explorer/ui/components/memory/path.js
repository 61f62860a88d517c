// Where one token looks, layer by layer, under the way that leads to its answer.

import { heading } from "../core/axes.js";
import { barEdge, dot, fillBox, horizontal, polyline, scale } from "../core/canvas.js";
import { fmt, fmtInteger } from "../core/numbers.js";
import { besideAxis, write } from "../core/text.js";
import { shownIn } from "../run/stream.js";
import { looked, sequenceOf, wayOf } from "./model.js";

/** @import { Draw } from "./memory.js" */
/** @import { Sequence } from "./model.js" */

/** @type {Draw} */
export function drawPath(ctx, theme, w, h, view) {
  const { drawing } = view.run;
  const frame = shownIn(view.run);
  if (!drawing || !frame?.attention || !frame.tokens) {
    heading(ctx, theme, "Where a token looks", 0, w);
    return "Where a token looks: nothing yet";
  }
  const sequence = sequenceOf(frame.tokens);
  const t = view.token();
  const way = wayOf(drawing, sequence, t);
  const title = `Where token t = ${t} looks${w > 420 ? ", layer by layer" : ""}`;
  heading(ctx, theme, title, 0, w - 4);
  const left = 2.6 * theme.size;
  const x = scale(-0.5, drawing.tau - 0.5, left, w - 0.6 * theme.size);
  const line = 2.4 * theme.size + 0.24 * h; // where the tokens stand
  drawWay(ctx, theme, x, line - 1.5 * theme.size, way, 2.6 * theme.size);
  drawTokens(ctx, theme, x, line, sequence, t);
  view.tokenAxis = x;
  const top = line + 2.6 * theme.size;
  const each = (h - top - 0.4 * theme.size) / drawing.layers;
  /** @type {number[]} */
  const most = [];
  for (let layer = 0; layer < drawing.layers; layer++) {
    const { values } = looked(frame.attention, layer, view.head);
    const row = values.subarray(t * drawing.tau, (t + 1) * drawing.tau);
    most.push(row.indexOf(Math.max(...row)));
    const box = { x: left, y: top + layer * each, w: w - left, h: each };
    drawRow(ctx, theme, box, x, row, layer, way);
  }
  return sentence(t, sequence, way, most, frame);
}

/** @type {(ctx: Ctx, theme: Theme, x: Scale, foot: number, way: [number, number][], top: number) => void} */
function drawWay(ctx, theme, x, foot, way, top) {
  const widest = Math.max(1, ...way.map(([from, to]) => Math.abs(x(from) - x(to))));
  way.forEach(([from, to], k) => {
    const [a, b] = [x(from), x(to)];
    const high = Math.max(10, (foot - top) * Math.sqrt(Math.abs(a - b) / widest));
    ctx.beginPath();
    ctx.moveTo(a, foot);
    ctx.bezierCurveTo(a, foot - 1.25 * high, b, foot - 1.25 * high, b, foot);
    Object.assign(ctx, { strokeStyle: theme.ink, lineWidth: 1.6 });
    ctx.setLineDash(k ? [5, 3] : []);
    ctx.stroke();
    ctx.setLineDash([]);
    polyline(ctx, theme.ink, 1.6, [b - 4, foot - 6], [b, foot], [b + 4, foot - 6]);
  });
}

// The distance of two tokens, in text sizes, at which small numbers of so many digits fit: on a
// phone the arcs can be checked, too.
const roomFor = (/** @type {number} */ digits) => 0.6 * digits;

// Which token it is in its place, its value as a dot: filled above 0, hollow below.
/** @type {(ctx: Ctx, theme: Theme, x: Scale, y: number, sequence: Sequence, t: number) => void} */
function drawTokens(ctx, theme, x, y, { x: tokens, b }, t) {
  const wide = x(1) - x(0);
  const several = Math.max(...tokens) > 1;
  const digits = Math.max(...tokens) > 9 ? 2 : 1;
  const room = wide > roomFor(digits) * theme.size;
  const isCrowded = room && wide <= 1.4 * roomFor(digits) * theme.size;
  const radius = Math.min(4, 0.32 * wide);
  tokens.forEach((token, s) => {
    const colour = s === t ? theme.accent : theme.grey;
    if (several && (room || s === t))
      write(ctx, theme, String(token), x(s), y, {
        ...{ align: "center", scale: isCrowded ? 0.85 : 1, halo: s === t && !room },
        ...(s === t ? { colour: theme.accent, weight: 700 } : {}),
      });
    const fill = b[s] > 0 ? colour : theme.paper;
    dot(ctx, x(s), y + 0.9 * theme.size, radius, { fill, line: colour, width: 1.2 });
  });
  const left = { align: /** @type {const} */ ("right"), colour: theme.grey };
  if (several) write(ctx, theme, "x_s", x(-0.5) - 8, y - 0.15 * theme.size, left);
  write(ctx, theme, "b_s", x(-0.5) - 8, y + 1.3 * theme.size, left);
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, row: Packed["values"], layer: number, way: [number, number][]) => void} */
function drawRow(ctx, theme, box, x, row, layer, way) {
  const foot = box.y + box.h - 2;
  const y = scale(0, 1, foot, box.y + 0.35 * theme.size);
  horizontal(ctx, { x: box.x, w: box.w - 0.6 * theme.size }, foot, theme.line);
  const half = Math.max(1, 0.38 * (x(1) - x(0)));
  row.forEach((weight, s) => {
    fillBox(ctx, theme.grid, [x(s) - half, y(1), 2 * half, foot - y(1)]);
    fillBox(ctx, theme.accent, [x(s) - half, y(weight), 2 * half, foot - y(weight)]);
  });
  const edge = half + 2;
  for (const [, to] of way) barEdge(ctx, theme.ink, 1.2, [x(to) - edge, x(to) + edge], foot, y(1));
  write(ctx, theme, `L${layer + 1}`, box.x - 8, foot - 0.5 * box.h, besideAxis(theme));
}

// `most` is where each layer looks most.
/** @type {(t: number, sequence: Sequence, way: [number, number][], most: number[], frame: Record<string, any>) => string} */
function sentence(t, { x, b }, way, most, frame) {
  const to = way.map(([, at]) => fmtInteger(at)).join(", then ");
  const led = to ? `, is led to ${to}` : "";
  const [wanted, predicted] = [frame.answer, frame.predicted].map((each) => fmt(each.values[t]));
  const looks = most.map((s, l) => `layer ${l + 1} at ${s}`).join(", ");
  return `Token ${t}, x = ${x[t]}, value ${fmt(b[t])}${led}; looks most: ${looks}; answer ${predicted} where ${wanted} is right; arrow keys change the token`;
}
