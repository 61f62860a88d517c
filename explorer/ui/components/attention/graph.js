// The attention of a board as a bipartite graph: queries at the left, keys at the right.

import { heading } from "../core/axes.js";
import { scale, stroke } from "../core/canvas.js";
import { symbol } from "../core/symbol.js";
import { write } from "../core/text.js";
import { FAINT, everyToken, focusOf, highlighted, reading, strongest } from "./focus.js";
import { kindOf } from "./task.js";

/** @import { Draw, Graph, View } from "./types.js" */

/** @type {Draw} */
export function drawGraph(ctx, theme, w, h, view) {
  const top = 4 * theme.size;
  const bottom = h - 1.4 * theme.size;
  heading(ctx, theme, "Graph: query t to key s", 0, w);
  const rows = scale(0, view.task.tau - 1, top, bottom);
  const { place, token } = reading(view);
  const y = (/** @type {number} */ t) => rows(place[t]);
  const at = (/** @type {number} */ py) => token[Math.round(rows.invert(py))];
  const left = Math.max(3.4 * theme.size, 0.14 * w);
  const right = w - left;
  /** @type {Graph} */
  const graph = { x: [left, right], y, at };
  view.graph = graph;
  write(ctx, theme, "query t", left, 2.9 * theme.size, { align: "center", colour: theme.grey });
  write(ctx, theme, "key s", right, 2.9 * theme.size, { align: "center", colour: theme.grey });
  for (let t = 0; t < view.task.tau; t++) drawEdges(ctx, theme, view, graph, t);
  for (let t = 0; t < view.task.tau; t++) drawNodes(ctx, theme, view, graph, t);
  return `Bipartite graph of the attention: ${strongest(view)}`;
}

// The weights of row t; the ideal ones dashed.
/** @type {(ctx: Ctx, theme: Theme, view: View, graph: Graph, t: number) => void} */
function drawEdges(ctx, theme, view, graph, t) {
  const { solution } = view;
  const [left, right] = graph.x;
  const edge = (/** @type {number} */ s) => [
    [left, graph.y(t)],
    [right, graph.y(s)],
  ];
  const alpha = highlighted(view, t) ? 1 : 0.12;
  solution.attention?.[t].forEach((weight, s) => {
    if (weight < FAINT) return;
    ctx.globalAlpha = alpha * (0.2 + 0.7 * weight);
    stroke(ctx, theme.accent, 0.6 + 6 * weight, edge(s));
  });
  ctx.globalAlpha = alpha;
  solution.ideal[t].forEach((weight, s) => {
    if (weight > FAINT) stroke(ctx, theme.ink, 0.8 + 0.8 * weight, edge(s), [3, 4]);
  });
  ctx.globalAlpha = 1;
}

// Token t as a query and as a key.
/** @type {(ctx: Ctx, theme: Theme, view: View, graph: Graph, t: number) => void} */
function drawNodes(ctx, theme, view, graph, t) {
  const { task, shown } = view;
  const [left, right] = graph.x;
  const y = graph.y(t);
  const { token, place } = reading(view);
  const focus = focusOf(view);
  const weight = (/** @type {boolean} */ on) => (on ? 700 : 400);
  const asks = kindOf(task).query(shown, t) === null;
  symbol(ctx, asks ? "diamond" : "circle", left, y, 5, {
    fill: theme.paper,
    line: theme.ink,
    width: focus?.t === t ? 3 : 1.6,
  });
  symbol(ctx, "square", right, y, 5, { fill: theme.ink });
  /** @type {Style} */
  const query = { align: "right", baseline: "middle", weight: weight(focus?.t === t) };
  /** @type {Style} */
  const key = { baseline: "middle", weight: weight(focus?.s === t) };
  if (place[t] % everyToken(1.25 * theme.size, graph.y(token[1]) - graph.y(token[0]))) return;
  write(ctx, theme, String(t), left - 12, y, query);
  write(ctx, theme, String(t), right + 12, y, key);
}
