// The singular values of e^λ W_QᵀW_K, the rank that the task needs, and the knife.

import { TITLE, axisX, heading, logAxisY, plotBox } from "../core/axes.js";
import { dot, polyline, scale, vertical } from "../core/canvas.js";
import { fmt, largest } from "../core/numbers.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { integerTicks } from "../core/ticks.js";

/** @import { Draw } from "./types.js" */

/** @type {Draw} */
export function drawSingular(ctx, theme, w, h, view) {
  const whole = "Singular values of exp(λ) W_QᵀW_K";
  const fits = measure(ctx, theme, whole, TITLE) <= w;
  heading(ctx, theme, fits ? whole : "Singular values", 0, w);
  const values = view.pictures()?.sigma_hat?.values;
  const needed = view.run.drawing?.expected_rank;
  view.knife = null;
  if (!values) return "Singular values: nothing learned yet";
  const box = plotBox(theme, w, h, { right: 0.4 });
  const count = values.length;
  const x = scale(0.4, count + 0.6, box.x, box.x + box.w);
  const { low, high } = sigmaRange(values);
  const y = logAxisY(ctx, theme, box, low, high);
  axisX(ctx, theme, box, x, integerTicks(1, count, box.w / (1.6 * theme.size)), "k");
  const back = view.backwards();
  const k = back ? count : (view.settings.k ?? count); // a kept picture is of the whole head
  drawStems(ctx, theme, box, { x, y, low }, values, k);
  if (needed && needed < count) drawNeeded(ctx, theme, box, x(needed + 0.5), needed);
  const grip = box.y + 1.6 * theme.size;
  if (!back) view.knife = { box, x, count, grip };
  if (!back && view.network?.cut) {
    const px = x(k + 0.5);
    polyline(ctx, theme.accent, 2, [px, grip], [px, box.y + box.h]);
    symbol(ctx, "diamond", px, grip, 6, { fill: theme.accent });
  }
  return `Singular values: ${[...values].map((x) => fmt(x)).join(", ")}; rank ${needed ?? "–"} is enough; ${k} are kept`;
}

/** @type {(values: Packed["values"]) => {low: number, high: number}} */
function sigmaRange(values) {
  const high = 2 * largest(values);
  const seen = values.filter((s) => s > 1e-5 * high);
  return { low: Math.max(high * 1e-5, 0.5 * Math.min(...seen)), high };
}

// The k values that are kept stand out.
/** @type {(ctx: Ctx, theme: Theme, box: Box, plan: {x: Scale, y: Scale, low: number}, values: Packed["values"], k: number) => void} */
function drawStems(ctx, theme, box, { x, y, low }, values, k) {
  values.forEach((value, i) => {
    const px = x(i + 1);
    const py = y(Math.max(value, low));
    polyline(ctx, i < k ? theme.accent : theme.line, 2, [px, box.y + box.h], [px, py]);
    const paint = i < k ? { fill: theme.accent } : { fill: theme.paper, line: theme.grey };
    dot(ctx, px, py, 4, paint);
  });
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, px: number, needed: number) => void} */
function drawNeeded(ctx, theme, box, px, needed) {
  vertical(ctx, box, px, theme.grey, 1.5, [2, 3]);
  const text = `rank ${needed} is enough`;
  const room = box.x + box.w - px > measure(ctx, theme, text) + 8;
  /** @type {Style} */
  const style = { align: room ? "left" : "right", colour: theme.grey, halo: true };
  write(ctx, theme, text, px + (room ? 6 : -6), box.y + theme.size, style);
}
