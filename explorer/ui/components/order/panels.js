// @ts-nocheck
// The pictures of an altered target: tokens, filter, kernels, the map K, errors over their floors, learning.
// Each: (ctx, theme, w, h, view) -> the sentence a screen reader hears.

import { axisX, axisY, heading, keyInside } from "../core/axes.js";
import { crisp, dot, horizontal, scale, stroke, within } from "../core/canvas.js";
import {
  beyond,
  colourBar,
  colourRange,
  diverging,
  heatmap,
  weightColours,
} from "../core/heatmap.js";
import { errorAxes, errorCurves, stepLine } from "../core/error-curve.js";
import { fmt, largest } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { integerTicks, linearTicks, logTicks, niceCeiling } from "../core/ticks.js";
import { sorted } from "../run/feed.js";

const SLOTS = 8; // taps that are shown at least
const LEAST_ERROR = 1e-8; // the left end of the axis of errors; what is smaller stands there
const STEM_KEYS = "Left and right choose one, up and down change it, Delete sets it to 0";
const NAMES = { rnn: "linear RNN", transformer: "Transformer" };
const colourOf = (theme, model) => (model === "rnn" ? theme.second : theme.accent);

// ---- tokens: as the target has them, and as the model sees them

export function drawTokens(ctx, theme, w, h, view) {
  const { tau, order } = view;
  const left = 7.2 * theme.size;
  const cell = (w - left - 4) / tau;
  const high = 1.9 * theme.size;
  const rows = [2.6 * theme.size, h - high - 0.5 * theme.size];
  heading(ctx, theme, "Order: drag the lower tokens", 0, w);
  for (const [text, y] of [
    ["target: x(t)", rows[0]],
    ["model: x(p(t))", rows[1]],
  ]) {
    write(ctx, theme, text, 0, y + high / 2, { baseline: "middle", colour: theme.grey });
  }
  view.tokens = { left, cell, top: rows[1] - 0.5 * high, bottom: h };
  const place = [];
  order.forEach((p, t) => {
    place[p] = t;
  });
  const middle = (t) => left + (t + 0.5) * cell;
  for (let p = 0; p < tau; p++) {
    const moved = place[p] !== p;
    const on = place[p] === view.chosen;
    stroke(ctx, on ? theme.accent : moved ? theme.ink : theme.line, on ? 2.5 : 1, [
      [middle(p), rows[0] + high],
      [middle(place[p]), rows[1]],
    ]);
  }
  const numbered = cell > 1.5 * theme.size ? 1 : cell > 0.8 * theme.size ? 2 : 4;
  for (let t = 0; t < tau; t++) {
    drawToken(ctx, theme, left + t * cell, rows[0], cell, high, t, t % numbered === 0, false);
    drawToken(
      ctx,
      theme,
      left + t * cell,
      rows[1],
      cell,
      high,
      order[t],
      t % numbered === 0 || t === view.chosen,
      t === view.chosen,
    );
  }
  const p = order[view.chosen];
  return `Order of the tokens: at place ${view.chosen} the model sees x(${p}). Left and right choose a place, with Shift they move its token, Home and End choose the ends`;
}

function drawToken(ctx, theme, x, y, cell, high, number, named, chosen) {
  ctx.fillStyle = theme.paper;
  ctx.fillRect(x + 1, y, cell - 2, high);
  ctx.strokeStyle = chosen ? theme.accent : theme.ink;
  ctx.lineWidth = chosen ? 2.5 : 1;
  ctx.strokeRect(x + 1, y, cell - 2, high);
  if (named)
    write(ctx, theme, String(number), x + cell / 2, y + high / 2, {
      align: "center",
      baseline: "middle",
    });
}

// ---- stems: filter and kernels

function stemFrame(theme, w, h, count, low, high) {
  const box = {
    x: 3.2 * theme.size,
    y: 2.6 * theme.size,
    w: w - 3.6 * theme.size,
    h: h - 5.6 * theme.size,
  };
  return {
    box,
    x: scale(-0.6, count - 0.4, box.x, box.x + box.w),
    y: scale(low, high, box.y + box.h, box.y),
  };
}

function stems(ctx, theme, { x, y }, values, mark) {
  values.forEach((value, s) => {
    stroke(ctx, mark.colour, 1.5, [
      [x(s) + (mark.shift ?? 0), y(0)],
      [x(s) + (mark.shift ?? 0), y(value)],
    ]);
    symbol(
      ctx,
      mark.shape,
      x(s) + (mark.shift ?? 0),
      y(value),
      mark.r ?? 4,
      mark.hollow ? { fill: theme.paper, line: mark.colour } : { fill: mark.colour },
    );
  });
}

function zeroLine(ctx, theme, { box, y }) {
  stroke(ctx, theme.line, 1, [
    [box.x, crisp(y(0))],
    [box.x + box.w, crisp(y(0))],
  ]);
}

export function drawFilter(ctx, theme, w, h, view) {
  const taps = view.taps ?? [1];
  const count = Math.min(view.tau, Math.max(SLOTS, taps.length + 1));
  const reach = Math.max(1, niceCeiling(largest(taps)));
  heading(ctx, theme, view.taps ? "Filter θ(s): drag" : "Filter θ: none yet, drag", 0, w);
  const frame = stemFrame(theme, w, h, count, -reach, reach);
  view.stems.filter = { ...frame, count, low: -reach, high: reach };
  axisY(ctx, theme, frame.box, frame.y, linearTicks(-reach, reach, 4));
  axisX(
    ctx,
    theme,
    frame.box,
    frame.x,
    integerTicks(0, count - 1, frame.box.w / (1.6 * theme.size)),
    "s",
  );
  zeroLine(ctx, theme, frame);
  stems(ctx, theme, frame, taps, {
    colour: view.taps ? theme.ink : theme.line,
    shape: "circle",
    r: 5,
  });
  const learned = view.learnedTaps;
  const scaled = learned && alike(learned, taps);
  if (scaled)
    stems(ctx, theme, frame, scaled, { colour: theme.accent, shape: "diamond", shift: 7 });
  lit(ctx, theme, frame, view.chosenStem.filter, taps);
  if (scaled)
    keyInside(ctx, theme, frame.box, [
      {
        text: "learned, up to sign and scale",
        mark: (c, x, y) => symbol(c, "diamond", x, y, 4, { fill: theme.accent }),
      },
    ]);
  return `Filter with taps ${taps.map((tap) => fmt(tap)).join(", ")}${scaled ? `; learned ${scaled.map((tap) => fmt(tap)).join(", ")}` : ""}. ${STEM_KEYS}`;
}

// A ring around the stem that the keys move.
function lit(ctx, theme, { x, y }, s, values) {
  if (s !== null)
    symbol(ctx, "circle", x(s), y(values[s] ?? 0), 9, { line: theme.accent, width: 2 });
}

// Learned taps in the scale and sign that is nearest to the filter: a convolution is known up to those.
export function alike(learned, taps) {
  const dotted = learned.reduce((sum, x, s) => sum + x * (taps[s] ?? 0), 0);
  const square = learned.reduce((sum, x) => sum + x * x, 0);
  return square > 0 ? [...learned].map((x) => (x * dotted) / square) : null;
}

// |cos| of the angle between them: 1 where they agree up to sign and scale.
export function cosine(learned, taps) {
  const dotted = learned.reduce((sum, x, s) => sum + x * (taps[s] ?? 0), 0);
  return Math.abs(dotted) / (Math.hypot(...learned) * Math.hypot(...taps) || 1);
}

export function drawKernels(ctx, theme, w, h, view) {
  const { kernel, floors } = view;
  const learned = view.pictures()?.kernel_hat?.values;
  const key = [
    {
      text: "ρ",
      mark: (c, x, y) => symbol(c, "circle", x, y, 4, { fill: theme.paper, line: theme.ink }),
    },
    { text: "best k", mark: (c, x, y) => symbol(c, "square", x, y, 3.5, { fill: theme.grey }) },
    ...(learned
      ? [
          {
            text: "learned k̂",
            mark: (c, x, y) => symbol(c, "diamond", x, y, 3.5, { fill: theme.second }),
          },
        ]
      : []),
  ];
  const beside = heading(ctx, theme, "Kernels: drag ρ", 0, w - 4, key);
  const all = [kernel, floors.kernel, learned ?? []].map((list) => [...list]).flat();
  const { low, high } = view.drag?.range ?? rangeOf(all);
  const frame = stemFrame(theme, w, h, view.tau, low, high);
  view.stems.kernels = { ...frame, count: view.tau, low, high };
  axisY(ctx, theme, frame.box, frame.y, linearTicks(low, high, 4));
  axisX(
    ctx,
    theme,
    frame.box,
    frame.x,
    integerTicks(0, view.tau - 1, frame.box.w / (1.8 * theme.size)),
    "s",
  );
  zeroLine(ctx, theme, frame);
  stems(ctx, theme, frame, [...floors.kernel], { colour: theme.grey, shape: "square", r: 3.5 });
  stems(ctx, theme, frame, [...kernel], { colour: theme.ink, shape: "circle", hollow: true, r: 4 });
  if (learned)
    stems(ctx, theme, frame, [...learned], { colour: theme.second, shape: "diamond", r: 3 });
  lit(ctx, theme, frame, view.chosenStem.kernels, kernel);
  if (!beside)
    keyInside(
      ctx,
      theme,
      { ...frame.box, x: frame.box.x + 0.55 * frame.box.w, y: frame.box.y - 0.5 * frame.box.h },
      key,
    );
  const s = view.chosenStem.kernels ?? 0;
  return `Kernel ρ of the target, ρ(${s}) = ${fmt(kernel[s])}, the best time-invariant one of the altered target${learned ? " and the learned one" : ""}, over lags 0 to ${view.tau - 1}. ${STEM_KEYS}`;
}

// What the axis spans: room to drag beyond the largest value, and below 0.
export function rangeOf(values) {
  const high = 1.2 * Math.max(...values, 1e-3);
  return { low: Math.min(-0.2 * high, 1.2 * Math.min(...values)), high };
}

// ---- K and what was learned of it

export function drawMaps(ctx, theme, w, h, view) {
  const learned = view.pictures()?.matrix_hat;
  const same = learned && learned.shape[0] === view.tau;
  const gap = 1.6 * theme.size;
  const left = 2 * theme.size;
  const bar = 5 * theme.size;
  const top = 2.6 * theme.size;
  const side = Math.floor(Math.min((w - left - gap - bar) / 2, h - top - 1.8 * theme.size));
  const flat = {
    shape: [view.tau, view.tau],
    values: Float32Array.from(view.matrix.flatMap((row) => [...row])),
  };
  const range = colourRange(flat.values);
  const colours = diverging(theme, beyond(range, flat.values, same ? learned.values : null));
  heading(ctx, theme, "K in y = K x̃", left, left + side);
  heatmap(ctx, view.holder, "target", flat, colours, { x: left, y: top, side });
  frameOf(ctx, theme, left, top, side, view.tau);
  const x = left + side + gap;
  heading(ctx, theme, "learned", x, w);
  if (same) heatmap(ctx, view.holder, "learned", learned, colours, { x, y: top, side });
  else
    write(ctx, theme, "not trained", x + side / 2, top + side / 2, {
      align: "center",
      colour: theme.grey,
    });
  frameOf(ctx, theme, x, top, side, view.tau);
  colourBar(ctx, theme, colours, x + side + 10, top, side);
  return `The map K from what the model sees to its answer, ${view.tau} by ${view.tau}${same ? ", beside the learned one" : ""}`;
}

// The share of Var(y) that the linear map nearest to a Transformer leaves of its answers; an RNN is linear.
export function notLinear(view) {
  const rest = view.pictures()?.nonlinear?.values;
  return rest ? rest.reduce((sum, r) => sum + r * r, 0) / rest.length / view.floors.constant : null;
}

function frameOf(ctx, theme, x, y, side, tau) {
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.strokeRect(crisp(x), crisp(y), side, side);
  write(ctx, theme, "0", x, y + side + 5, { baseline: "top", colour: theme.grey });
  write(ctx, theme, `s = ${tau - 1}`, x + side, y + side + 5, {
    align: "right",
    baseline: "top",
    colour: theme.grey,
  });
}

// ---- errors over their floors

export function drawErrors(ctx, theme, w, h, view) {
  const { floors } = view;
  const left = 7.2 * theme.size;
  const box = {
    x: left,
    y: 3.4 * theme.size,
    w: w - left - 1.2 * theme.size,
    h: h - 6.4 * theme.size,
  };
  const x = scale(LEAST_ERROR, Math.max(1, 2 * floors.constant), box.x, box.x + box.w, true);
  const at = (error) => x(Math.max(error, LEAST_ERROR));
  heading(ctx, theme, "MSE: floors without training, trained runs", 0, w - 4, errorKey(theme));
  axisX(ctx, theme, box, x, logTicks(LEAST_ERROR, Math.max(1, 2 * floors.constant), 9), "MSE");
  const rows = ["rnn", "transformer"];
  const y = (i) => box.y + (i + 0.5) * (box.h / rows.length);
  rows.forEach((model, i) => {
    write(ctx, theme, NAMES[model], 0, y(i), {
      baseline: "middle",
      weight: 600,
      colour: colourOf(theme, model),
    });
    stroke(ctx, theme.grid, 1, [
      [box.x, y(i)],
      [box.x + box.w, y(i)],
    ]);
    const trained = view.comparable.filter((each) => each.model === model);
    for (const run of trained) drawTrained(ctx, theme, at(run.mse), y(i), run);
    if (!trained.length)
      write(ctx, theme, "not trained on this target yet", box.x + 0.4 * box.w, y(i), {
        baseline: "middle",
        colour: theme.grey,
        halo: true,
      });
  });
  const tick = (error, rowsOf, name, dash) => {
    const px = crisp(at(error));
    const [a, b] = [y(rowsOf[0]) - (0.36 * box.h) / 2, y(rowsOf.at(-1)) + (0.36 * box.h) / 2];
    stroke(
      ctx,
      theme.ink,
      2,
      [
        [px, a],
        [px, b],
      ],
      dash,
    );
    return { px, name, error };
  };
  const labels = [
    tick(floors.constant, [0, 1], "a constant", [2, 3]),
    tick(floors.time_invariant, [0], "time-invariant", [7, 4]),
    tick(floors.causal, [0], "any causal model", [7, 4]),
  ];
  spreadLabels(ctx, theme, box, labels);
  return `Errors on a log axis. Best causal model ${fmt(floors.causal)}, best time-invariant model ${fmt(floors.time_invariant)}, a constant ${fmt(floors.constant)}; ${view.comparable.map((run) => `${NAMES[run.model]} ${run.source} ${fmt(run.mse)}`).join(", ") || "nothing trained"}`;
}

function errorKey(theme) {
  return [
    { text: "trained", mark: (c, x, y) => symbol(c, "circle", x, y, 4.5, { fill: theme.ink }) },
    {
      text: "with convolution",
      mark: (c, x, y) => symbol(c, "up", x, y, 4.5, { fill: theme.ink }),
    },
    {
      text: "this run",
      mark: (c, x, y) =>
        symbol(c, "circle", x, y, 6, { fill: theme.paper, line: theme.ink, width: 2 }),
    },
    { text: "printed", mark: (c, x, y) => symbol(c, "diamond", x, y, 5, { line: theme.ink }) },
  ];
}

function drawTrained(ctx, theme, x, y, { source, model, conv }) {
  const colour = colourOf(theme, model);
  if (source === "printed") return symbol(ctx, "diamond", x, y, 6, { line: theme.ink, width: 1.5 });
  if (source === "this run") return symbol(ctx, "circle", x, y, 8, { line: colour, width: 2.5 });
  symbol(ctx, conv ? "up" : "circle", x, y, 4.5, { fill: colour, line: theme.paper });
}

// Labels of the ticks above the rows, moved apart where they would cover each other.
function spreadLabels(ctx, theme, box, labels) {
  const apart = 0.8 * theme.size;
  const wide = (text) => measure(ctx, theme, text);
  let last = Infinity;
  for (const { px, text } of joined(labels).sort((a, b) => b.px - a.px)) {
    const width = wide(text);
    const right = Math.min(box.x + box.w, px + width / 2, last);
    const x = Math.max(box.x + width, right);
    write(ctx, theme, text, x, box.y - 0.5 * theme.size, {
      align: "right",
      colour: theme.grey,
      halo: true,
    });
    last = x - width - apart;
  }
}

// Ticks in one place have one label.
export function joined(labels) {
  const found = new Map();
  for (const { px, name, error } of labels)
    found.set(px, { px, error, names: [...(found.get(px)?.names ?? []), name] });
  return [...found.values()].map(({ px, names, error }) => ({
    px,
    text: `${names.join(", ")} ${error < LEAST_ERROR ? "0" : fmt(error)}`,
  }));
}

// ---- an altered coupling: its errors in units of Var(y), its answers and attention on an example

export function drawCouplingErrors(ctx, theme, w, h, view) {
  const left = 7.2 * theme.size;
  const box = {
    x: left,
    y: 3.4 * theme.size,
    w: w - left - 1.2 * theme.size,
    h: h - 6.4 * theme.size,
  };
  const y = box.y + box.h / 2;
  const low =
    10 ** Math.floor(Math.log10(Math.min(1e-5, ...view.comparable.map((run) => run.nmse))));
  const x = scale(low, 2, box.x, box.x + box.w, true);
  heading(
    ctx,
    theme,
    "MSE / Var(y) of trained runs",
    0,
    w - 4,
    errorKey(theme).filter((k) => ["trained", "this run"].includes(k.text)),
  );
  axisX(ctx, theme, box, x, logTicks(low, 2, 9), "1 − R²");
  write(ctx, theme, NAMES.transformer, 0, y, {
    baseline: "middle",
    weight: 600,
    colour: colourOf(theme, "transformer"),
  });
  stroke(ctx, theme.grid, 1, [
    [box.x, y],
    [box.x + box.w, y],
  ]);
  stroke(
    ctx,
    theme.ink,
    2,
    [
      [crisp(x(1)), box.y],
      [crisp(x(1)), box.y + box.h],
    ],
    [2, 3],
  );
  write(ctx, theme, "a constant 1", x(1), box.y - 0.5 * theme.size, {
    align: "right",
    colour: theme.grey,
  });
  for (const run of view.comparable) drawTrained(ctx, theme, x(Math.max(run.nmse, low)), y, run);
  return `Errors of trained Transformers in units of Var(y): ${view.comparable.map((run) => fmt(run.nmse)).join(", ") || "none yet"}`;
}

export function drawAnswers(ctx, theme, w, h, view) {
  const { answer, predicted } = view.pictures() ?? {};
  const key = [
    {
      text: "y",
      mark: (c, x, y) => symbol(c, "circle", x, y, 4, { fill: theme.paper, line: theme.ink }),
    },
    { text: "ŷ", mark: (c, x, y) => symbol(c, "diamond", x, y, 4, { fill: theme.accent }) },
  ];
  heading(ctx, theme, "Answers on an example", 0, w - 4, key);
  if (!answer) return "Answers on an example: not trained";
  const all = [...answer.values, ...predicted.values];
  const low = Math.min(0, ...all);
  const high = Math.max(...all, 0.1);
  const frame = stemFrame(theme, w, h, view.tau, low, 1.06 * high);
  axisY(ctx, theme, frame.box, frame.y, linearTicks(low, 1.06 * high, 4));
  axisX(
    ctx,
    theme,
    frame.box,
    frame.x,
    integerTicks(0, view.tau - 1, frame.box.w / (1.8 * theme.size)),
    "t",
  );
  stems(ctx, theme, frame, [...answer.values], {
    colour: theme.ink,
    shape: "circle",
    hollow: true,
    r: 5,
  });
  stems(ctx, theme, frame, [...predicted.values], {
    colour: theme.accent,
    shape: "diamond",
    r: 3.5,
  });
  return `Answers y and learned ŷ on an example, ${view.tau} steps`;
}

export function drawAttention(ctx, theme, w, h, view) {
  const learned = view.pictures()?.attention;
  const left = 2.2 * theme.size;
  const top = 2.6 * theme.size;
  const side = Math.floor(Math.min(w - left - 6 * theme.size, h - top - 1.8 * theme.size));
  heading(ctx, theme, "Learned attention on it", 0, w);
  if (!learned || learned.shape[0] !== view.tau) return "Attention: not trained";
  const colours = weightColours(theme);
  heatmap(ctx, view.holder, "attention", learned, colours, { x: left, y: top, side });
  frameOf(ctx, theme, left, top, side, view.tau);
  colourBar(ctx, theme, colours, left + side + 10, top, side);
  return `Learned attention on an example, ${view.tau} by ${view.tau}`;
}

// ---- learning

export function drawLearning(ctx, theme, w, h, view) {
  const { run, beside } = view;
  const others = beside?.evals ?? [];
  const key = beside ? [{ text: beside.label, mark: (c, x, y) => drawOther(c, theme, x, y) }] : [];
  const roomy = heading(ctx, theme, "nMSE against step", 0, w - 4, key);
  if (!run.scene) return "Error against step: nothing yet";
  const box = plotBox(theme, w, h, { right: 1.6 });
  const loss = sorted(run.loss);
  const evals = sorted(run.evals);
  const floors = floorShares(view);
  const errors = [...loss, ...evals, ...others].map(([, error]) => error);
  const steps = Math.max(10, run.scene.steps, ...others.map(([step]) => step));
  const axes = errorAxes(ctx, theme, box, { steps, ...learningRange(errors, floors) });
  for (const floor of run.scene.model === "rnn" ? floors : [])
    within(ctx, box, 4, () => horizontal(ctx, box, axes.y(floor), theme.grey, 1.5, [7, 5]));
  const colour = colourOf(theme, run.scene.model);
  errorCurves(ctx, axes, [
    { rows: loss, colour, width: 1.2, opacity: 0.45 },
    {
      rows: others,
      colour: theme.ink,
      width: 1.2,
      dash: [4, 4],
      mark: (x, y) => drawOther(ctx, theme, x, y),
    },
    {
      rows: evals,
      width: 0,
      mark: (x, y) => dot(ctx, x, y, 3.5, { fill: colour, line: theme.paper }),
    },
  ]);
  if (!roomy) keyInside(ctx, theme, box, key);
  stepLine(ctx, theme, box, axes.x, run.scrub);
  const second = beside ? `; ${beside.label} ${fmt(others.at(-1)?.[1])}` : "";
  return `Error of the ${NAMES[run.scene.model] ?? "model"} against step, log-log: nMSE ${fmt(evals.at(-1)?.[1])} at step ${evals.at(-1)?.[0] ?? 0}${second}`;
}

// The floors of models that are time-invariant, and causal, over that of a constant: of this run's target only.
function floorShares(view) {
  const { floors } = view;
  if (!floors || !view.same || view.mark() !== view.settled) return [];
  return [floors.time_invariant, floors.causal]
    .map((floor) => floor / floors.constant)
    .filter((share) => share > 1e-10);
}

function learningRange(errors, floors) {
  const low = 10 ** Math.floor(Math.log10(Math.min(1e-2, ...errors, ...floors)));
  return { low: Math.max(low, 1e-10), high: Math.max(2, Math.min(1e4, Math.max(...errors))) };
}

const drawOther = (ctx, theme, x, y) =>
  symbol(ctx, "up", x, y, 3.5, { fill: theme.paper, line: theme.ink });
