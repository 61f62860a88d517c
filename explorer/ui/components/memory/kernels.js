// What heads alone have learned of a kernel that falls, on log-log axes.

import { axisX, heading, lineKey, logAxisY, plotBox } from "../core/axes.js";
import { scale, stroke, within } from "../core/canvas.js";
import { fmt } from "../core/numbers.js";
import { logTicks } from "../core/ticks.js";
import { shownIn } from "../run/stream.js";

/** @import { Draw } from "./memory.js" */

const LEAST = 1e-6; // of ρ(1) that is drawn

/** @type {Draw} */
export function drawKernels(ctx, theme, w, h, view) {
  const frame = shownIn(view.run);
  const key = [lineKey("ρ", theme.ink), lineKey("κ, learned", theme.accent)];
  heading(ctx, theme, "The kernel against the distance", 0, w - 4, key);
  if (!frame?.kernel) return "The kernel and what was learned of it: nothing yet";
  const [rho, kappa] = [frame.kernel, frame.kernel_hat].map((each) => [...each.values]);
  const box = plotBox(theme, w, h);
  const top = Math.max(...rho, ...kappa);
  const low = Math.max(LEAST * top, Math.min(...rho.filter((v) => v > 0)));
  const x = scale(1, rho.length, box.x, box.x + box.w, true);
  const y = logAxisY(ctx, theme, box, low / 1.5, 1.5 * top);
  axisX(ctx, theme, box, x, logTicks(1, rho.length, 8), "s");
  const along = (/** @type {number[]} */ values) =>
    values.map((v, i) => [x(i + 1), y(Math.max(v, low / 10))]);
  within(ctx, box, 1, () => {
    stroke(ctx, theme.ink, 2, along(rho));
    stroke(ctx, theme.accent, 2, along(kappa));
  });
  return `The kernel at distances 1 to ${rho.length}, from ${fmt(rho[0])}; learned ${fmt(kappa[0])} there`;
}
