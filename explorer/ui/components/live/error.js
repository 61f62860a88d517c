// The error of a run against the step, beside a pinned one with their ratio under it.

import { heading, lineKey } from "../core/axes.js";
import { dot, horizontal } from "../core/canvas.js";
import { errorAxes, errorCurves, stepLine } from "../core/error-curve.js";
import { fmt, fmtInteger } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { symbol, symbolKey } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { sorted } from "../run/feed.js";
import { drawRatio, nearest, ratioOf, withStrip } from "./compare.js";

export function errorDomain(run, ...rows) {
  const values = rows.flat().map((row) => row[1]);
  const floor = run.scene.floor > 1e-12 ? run.scene.floor : Infinity;
  const low = Math.min(1e-2, floor / 1.5, ...values);
  const high = Math.max(1, ...values);
  return {
    low: 10 ** Math.floor(Math.log10(low)),
    high: Math.max(2, Math.min(1e6, 10 ** Math.ceil(Math.log10(high) - 0.3))),
  };
}

export function drawError(ctx, theme, w, h, view) {
  const { run, pin } = view;
  heading(ctx, theme, "Error (nMSE) against step", 0, w - 4, [
    lineKey("training loss", theme.pale, [], 1.5),
    symbolKey("evaluation", "circle", 4, { fill: theme.accent }),
  ]);
  if (!run.scene) return "Error against step: nothing yet";
  const rows = {
    loss: sorted(run.loss),
    evals: sorted(run.evals),
    pinned: pin ? sorted(pin.evals) : [],
  };
  const whole = plotBox(theme, w, h, { right: 4.6 }); // for the labels at the ends of the curves
  const { main, strip } = withStrip(theme, whole, pin);
  const steps = Math.max(10, run.scene.steps, rows.pinned.at(-1)?.[0] ?? 1);
  const domain = errorDomain(run, ...Object.values(rows));
  const axes = errorAxes(ctx, theme, main, { steps, ...domain }, whole);
  view.errorAxes = axes;
  drawErrorFloor(ctx, theme, axes, run.scene);
  errorCurves(ctx, axes, curvesOf(ctx, theme, rows));
  const step = view.atStep ?? run.scrub;
  labelCurves(ctx, theme, axes, rows, step);
  const ratios = ratioOf(rows.evals, rows.pinned);
  if (strip) drawRatio(ctx, theme, strip, axes.x, ratios, step);
  return errorSentence(run.scene, rows, ratios.at(-1));
}

function errorSentence({ floor, floor_label }, { evals, loss }, ratio) {
  const [step, error] = evals.at(-1) ?? loss.at(-1) ?? [0];
  const floorText = `${floor_label}${floor > 0 ? " " + fmt(floor) : ""}`;
  const beside = ratio ? `; divided by the pinned run's ${fmt(ratio[1])} at step ${ratio[0]}` : "";
  return `Error against step, log-log: nMSE ${fmt(error)} at step ${step}, ${floorText}${beside}`;
}

/** @returns {import("../core/error-curve.js").Curve[]} */
function curvesOf(ctx, theme, { loss, evals, pinned }) {
  const evaluated = { fill: theme.accent, line: theme.paper };
  return [
    { rows: loss, colour: theme.pale, width: 1.2 },
    {
      rows: pinned,
      colour: theme.second,
      dash: [2, 3],
      mark: (x, y) => symbol(ctx, "diamond", x, y, 4.5, { fill: theme.second }),
    },
    { rows: evals, colour: theme.accent, width: 0, mark: (x, y) => dot(ctx, x, y, 4, evaluated) },
  ];
}

function drawErrorFloor(ctx, theme, { box, y }, { floor, floor_label }) {
  const at = floor > 1e-12 ? y(floor) : null;
  if (at !== null) horizontal(ctx, box, at, theme.grey, 1.5, [7, 5]);
  const label = floor_label || "truncation";
  const place = at === null ? box.y + box.h - 10 : at - 7;
  write(ctx, theme, label, box.x + 10, place, { colour: theme.grey, halo: true });
}

// At the ends of the curves, for which there is room at the right; or at the step that is read.
function labelCurves(ctx, theme, axes, rows, step) {
  const { evals, loss, pinned } = rows;
  const last = (evals.at(-1) ?? loss.at(-1))?.[1] ?? null;
  const shown = step === null ? last : null;
  const end = Math.max(loss.at(-1)?.[0] ?? 1, evals.at(-1)?.[0] ?? 1);
  if (shown !== null) endLabel(ctx, theme, axes, [end, shown]);
  if (pinned.length) pinnedLabel(ctx, theme, axes, pinned.at(-1), shown);
  if (step !== null) readStep(ctx, theme, axes, rows, step);
}

function endLabel(ctx, theme, { box, x, y }, [step, error]) {
  write(ctx, theme, fmt(error), x(step) + 10, Math.max(box.y + theme.size, y(error)), {
    baseline: "middle",
    weight: 600,
    colour: theme.accent,
    halo: true,
  });
}

// Beside its last point, out of the way of the label of the run shown.
function pinnedLabel(ctx, theme, { x, y }, [step, error], shown) {
  const apart = shown === null ? Infinity : y(error) - y(shown);
  const least = 1.35 * theme.size;
  const at = Math.abs(apart) < least ? y(shown) + (apart < 0 ? -least : least) : y(error);
  write(ctx, theme, "pinned", x(step) + 10, at, {
    baseline: "middle",
    colour: theme.second,
    halo: true,
  });
}

function readStep(ctx, theme, { box, x, y }, { loss, evals, pinned }, wanted) {
  const read = nearest(loss.length ? loss : evals, wanted);
  if (!read) return;
  const [step, error] = read;
  stepLine(ctx, theme, box, x, step);
  dot(ctx, x(step), y(error), 4, { fill: theme.paper, line: theme.accent });
  const lines = [`step ${fmtInteger(step)}`, `loss ${fmt(error)}`];
  const check = nearest(evals, step);
  if (check) lines.push(`nMSE ${fmt(check[1])} at ${fmtInteger(check[0])}`);
  const other = check && pinned.length ? nearest(pinned, check[0]) : null;
  if (other) lines.push(`pinned ${fmt(other[1])} at ${fmtInteger(other[0])}`);
  const wide = Math.max(...lines.map((text) => measure(ctx, theme, text)));
  const flip = x(step) + 14 + wide > box.x + box.w + 4.6 * theme.size; // the curve falls: right of it is room
  lines.forEach((text, i) =>
    write(ctx, theme, text, x(step) + (flip ? -10 : 10), box.y + (i + 1) * 1.35 * theme.size, {
      align: flip ? "right" : "left",
      halo: true,
    }),
  );
}
