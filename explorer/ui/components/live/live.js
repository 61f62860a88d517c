// @ts-nocheck
// One training run, live or finished: five panels and a status line, fed by the WebSocket of ui/live.py.

import { axisX, axisY, heading, keyInside } from "../core/axes.js";
import { crisp, dot, scale, stroke, vertical, within } from "../core/canvas.js";
import {
  beyond,
  colourBar,
  colourRange,
  crosshair,
  heatmap,
  locate,
  pick,
  unitAxes,
} from "../core/heatmap.js";
import { fmt, fmtInteger, largest } from "../core/numbers.js";
import { plotBox } from "../core/plot-box.js";
import { spectrumAxes, spectrumScales, spectrumValues } from "../core/spectrum.js";
import { symbol } from "../core/symbol.js";
import { measure, write } from "../core/text.js";
import { lookup } from "../core/theme.js";
import { integerTicks, linearTicks, logTicks, niceCeiling } from "../core/ticks.js";
import { RunFeed, shownIn, sorted } from "../run/feed.js";
import { drawGap, drawRatio, gapOf, nearest, ratioOf, withStrip } from "./compare.js";

export const PANELS = ["error", "coupling", "difference", "spectrum", "angles", "attention"];

// ---- panels: (ctx, theme, w, h, run, view) -> the sentence a screen reader hears

export function errorDomain(run, ...rows) {
  const values = rows.flat().map((row) => row[1]);
  const floor = run.scene.floor > 1e-12 ? run.scene.floor : Infinity;
  const low = Math.min(1e-2, floor / 1.5, ...values);
  const high = Math.max(1, ...values);
  return [
    10 ** Math.floor(Math.log10(low)),
    Math.max(2, Math.min(1e6, 10 ** Math.ceil(Math.log10(high) - 0.3))),
  ];
}

export function drawFloor(ctx, theme, box, y, scene) {
  const label = scene.floor_label || "truncation floor";
  if (!(scene.floor > 1e-12)) {
    write(ctx, theme, label, box.x + 10, box.y + box.h - 10, { colour: theme.grey, halo: true });
    return;
  }
  const at = crisp(y(scene.floor));
  stroke(
    ctx,
    theme.grey,
    1.5,
    [
      [box.x, at],
      [box.x + box.w, at],
    ],
    [7, 5],
  );
  write(ctx, theme, label, box.x + 10, at - 7, { colour: theme.grey, halo: true });
}

function drawError(ctx, theme, w, h, run, view) {
  const key = [
    {
      text: "training loss",
      mark: (c, x, y) =>
        stroke(c, theme.pale, 1.5, [
          [x - 9, y],
          [x + 9, y],
        ]),
    },
    { text: "evaluation", mark: (c, x, y) => dot(c, x, y, 4, { fill: theme.accent }) },
  ];
  heading(ctx, theme, "Error (nMSE) against step", 0, w - 4, key);
  const whole = {
    x: 3.4 * theme.size,
    y: 2.6 * theme.size,
    w: w - 8 * theme.size,
    h: h - 5.9 * theme.size,
  };
  if (!run.scene) return "Error against step: nothing yet";
  const loss = sorted(run.loss);
  const evals = sorted(run.evals);
  const pinned = view.pin ? sorted(view.pin.evals) : [];
  const { main: box, strip } = withStrip(theme, whole, view.pin);
  const ratios = ratioOf(evals, pinned);
  const [low, high] = errorDomain(run, loss, evals, pinned);
  const steps = Math.max(10, run.scene.steps, pinned.at(-1)?.[0] ?? 1);
  const x = scale(1, steps, box.x, box.x + box.w, true);
  const y = scale(low, high, box.y + box.h, box.y, true);
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (2.4 * theme.size)));
  axisX(ctx, theme, whole, x, logTicks(1, steps, 8), "step");
  drawFloor(ctx, theme, box, y, run.scene);
  within(ctx, box, 6, () => {
    stroke(
      ctx,
      theme.pale,
      1.2,
      loss.map(([s, e]) => [x(s), y(e)]),
    );
    stroke(
      ctx,
      theme.second,
      1.5,
      pinned.map(([s, e]) => [x(s), y(e)]),
      [2, 3],
    );
    for (const [s, e] of pinned) symbol(ctx, "diamond", x(s), y(e), 4.5, { fill: theme.second });
    for (const [s, e] of evals)
      dot(ctx, x(s), y(e), 4, { fill: theme.accent, line: theme.paper, width: 1.5 });
  });
  view.error = { box, x };
  const now = evals.at(-1) ?? loss.at(-1);
  const end = Math.max(loss.at(-1)?.[0] ?? 1, evals.at(-1)?.[0] ?? 1);
  const read = view.atStep ?? run.scrub;
  if (now && read === null) endLabel(ctx, theme, box, x(end), y(now[1]), fmt(now[1]));
  if (pinned.length)
    pinnedLabel(ctx, theme, x, y, pinned.at(-1), now && read === null ? now[1] : null);
  if (read !== null) readStep(ctx, theme, box, x, y, { loss, evals, pinned }, read);
  if (strip) drawRatio(ctx, theme, strip, x, ratios, read);
  const beside = ratios.length
    ? `; divided by the pinned run's ${fmt(ratios.at(-1)[1])} at step ${ratios.at(-1)[0]}`
    : "";
  return `Error against step, log-log: nMSE ${fmt(now?.[1])} at step ${now?.[0] ?? 0}, ${run.scene.floor_label}${run.scene.floor > 0 ? " " + fmt(run.scene.floor) : ""}${beside}`;
}

// The margin at the right of the axes is kept free for it.
function endLabel(ctx, theme, box, x, y, text) {
  write(ctx, theme, text, x + 10, Math.max(box.y + theme.size, y), {
    baseline: "middle",
    weight: 600,
    colour: theme.accent,
    halo: true,
  });
}

// Beside its last point, out of the way of the label of the run shown.
function pinnedLabel(ctx, theme, x, y, [step, error], shown) {
  const apart = shown === null ? Infinity : y(error) - y(shown);
  const least = 1.35 * theme.size;
  const at = Math.abs(apart) < least ? y(shown) + (apart < 0 ? -least : least) : y(error);
  write(ctx, theme, "pinned", x(step) + 10, at, {
    baseline: "middle",
    colour: theme.second,
    halo: true,
  });
}

function readStep(ctx, theme, box, x, y, { loss, evals, pinned }, step) {
  const at = nearest(loss.length ? loss : evals, step);
  if (!at) return;
  const check = nearest(evals, at[0]);
  const px = crisp(x(at[0]));
  stroke(ctx, theme.grey, 1, [
    [px, box.y],
    [px, box.y + box.h],
  ]);
  dot(ctx, x(at[0]), y(at[1]), 4, { fill: theme.paper, line: theme.accent });
  const lines = [`step ${fmtInteger(at[0])}`, `loss ${fmt(at[1])}`];
  if (check) lines.push(`nMSE ${fmt(check[1])} at ${fmtInteger(check[0])}`);
  const other = check && pinned.length ? nearest(pinned, check[0]) : null;
  if (other) lines.push(`pinned ${fmt(other[1])} at ${fmtInteger(other[0])}`);
  const wide = Math.max(...lines.map((text) => measure(ctx, theme, text)));
  const flip = px + 14 + wide > box.x + box.w + 4.6 * theme.size; // the curve falls: right of it is room
  lines.forEach((text, i) =>
    write(ctx, theme, text, px + (flip ? -10 : 10), box.y + (i + 1) * 1.35 * theme.size, {
      align: flip ? "right" : "left",
      halo: true,
    }),
  );
}

// ρ and ρ̂ share squares, scale and crosshair; the readout has its own line under them, so nothing moves.
function pairSquares(theme, w, h) {
  const left = 2.2 * theme.size;
  const bar = 6.1 * theme.size;
  const gap = 1.3 * theme.size;
  const top = 2.6 * theme.size;
  const side = Math.floor(Math.min((w - left - bar - gap) / 2, h - top - 4.4 * theme.size));
  return [0, 1].map((i) => ({ x: left + i * (side + gap), y: top, side }));
}

export function rangeOf(run) {
  return (run.range ??= colourRange(run.scene.rho.values));
}

export function drawCoupling(ctx, theme, w, h, run, view) {
  const [a, b] = pairSquares(theme, w, h);
  heading(ctx, theme, "ρ designed", a.x, b.x);
  heading(ctx, theme, "ρ̂ learned", b.x, w);
  view.squares.coupling = [a, b];
  unitAxes(ctx, theme, a);
  unitAxes(ctx, theme, b, { left: false });
  if (!run.scene) return "Coupling: nothing yet";
  const table = lookup(theme.diverging);
  const range = rangeOf(run);
  const limit = range.limit;
  const learned = shownIn(run)?.rho_hat;
  heatmap(ctx, view, "rho", run.scene.rho, limit, table, a.x, a.y, a.side, a.side);
  if (learned) heatmap(ctx, view, "learned", learned, limit, table, b.x, b.y, b.side, b.side);
  const gap = difference(run, view.pin); // drawn beside them in the same colours
  colourBar(
    ctx,
    theme,
    beyond(range, run.scene.rho.values, learned?.values, gap?.values),
    b.x + b.side + 12,
    b.y,
    b.side,
  );
  drawCrosshairs(ctx, theme, [a, b], view);
  const { u, v } = view.point ?? {};
  const y = a.y + a.side + 3.2 * theme.size;
  const text = view.point
    ? `u ${u.toFixed(2)}, v ${v.toFixed(2)}:  ρ = ${fmt(pick(run.scene.rho, u, v))}` +
      (learned ? `,  ρ̂ = ${fmt(pick(learned, u, v))}` : "")
    : "each u's mean over v removed: softmax cannot see it";
  write(ctx, theme, text, a.x, y, { colour: theme.grey });
  return `Couplings on one colour scale from ${fmt(-limit)} to ${fmt(limit)}: designed ρ and learned ρ̂, u down, v to the right`;
}

function drawCrosshairs(ctx, theme, squares, view) {
  if (view.point)
    for (const square of squares) crosshair(ctx, theme, square, view.point.u, view.point.v);
}

// ρ̂ − ρ, or beside a pinned run ρ̂ minus what that one has learned.
export function difference(run, pin) {
  const a = pin ? pin.frame?.rho_hat : run.scene.rho;
  const b = shownIn(run)?.rho_hat;
  if (!a || !b || a.values.length !== b.values.length) return null;
  return { shape: a.shape, values: b.values.map((x, i) => x - a.values[i]) };
}

const rms = (values) => Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / values.length);

function drawDifference(ctx, theme, w, h, run, view) {
  const top = 2.6 * theme.size;
  const left = 2.2 * theme.size;
  const side = Math.floor(Math.min(w - left - 4, h - top - 4.4 * theme.size));
  const square = { x: left, y: top, side };
  const name = view.pin ? "ρ̂ − pinned ρ̂" : "ρ̂ − ρ";
  const whole = `${name}, same colours`;
  const bold = { weight: 600, scale: 1.08 };
  heading(ctx, theme, left + measure(ctx, theme, whole, bold) < w ? whole : name, left, w);
  unitAxes(ctx, theme, square);
  view.squares.difference = [square];
  const gap = run.scene && difference(run, view.pin);
  if (!gap) return "Difference of the couplings: nothing yet";
  heatmap(
    ctx,
    view,
    "gap",
    gap,
    rangeOf(run).limit,
    lookup(theme.diverging),
    square.x,
    square.y,
    side,
    side,
  );
  drawCrosshairs(ctx, theme, [square], view);
  const text = view.point
    ? `${name} = ${fmt(pick(gap, view.point.u, view.point.v))}`
    : `root mean square ${fmt(rms(gap.values))}`;
  write(ctx, theme, text, square.x, top + side + 3.2 * theme.size, { colour: theme.grey });
  return `Difference ${name}: root mean square ${fmt(rms(gap.values))}`;
}

// With terms to spare the learned values beyond the rank fall far: room for two decades more. Learned values far above
// the designed ones move the upper end, by half decades, so that it rests while they change a little.
export function spectrumDomain(sigma, m, ...learned) {
  const count = Math.min(64, Math.max(12, 2 * m, m + 4));
  const top = largest(sigma) || 1;
  const most = 1.1 * Math.max(...learned.map(largest), 0);
  const shown = [...sigma].slice(0, count).filter((s) => s > 1e-7 * top);
  const deepest = shown.length < m ? 2e-4 : 2e-2;
  const high = most > 2 * top ? 10 ** (Math.ceil(2 * Math.log10(most)) / 2) : 2 * top;
  return { count, low: 0.5 * Math.min(top * deepest, ...shown), high };
}

export function drawSpectrum(ctx, theme, w, h, run, view) {
  const key = spectrumKey(theme, view.pin);
  const above = heading(ctx, theme, "Singular values σ_k", 0, w - 4, key);
  if (!run.scene) return "Singular values: nothing yet";
  const whole = plotBox(theme, w, h, { right: 0.45 });
  const { main: box, strip } = withStrip(theme, whole, view.pin);
  const learned = shownIn(run)?.sigma_hat?.values ?? [];
  const pinned = view.pin?.frame?.sigma_hat?.values ?? [];
  const sigma = run.scene.sigma.values;
  const m = run.scene.m_h;
  const plan = spectrumScales(box, spectrumDomain(sigma, m, learned, pinned));
  const { x, count } = plan;
  const cut = x(m + 0.5);
  shadeBeyond(ctx, theme, box, cut);
  spectrumAxes(ctx, theme, plan, whole);
  vertical(ctx, box, cut, theme.ink);
  write(ctx, theme, `m_h = ${m}`, crisp(cut) + 6, box.y + 1.1 * theme.size, { halo: true });
  const marks = spectrumMarks(ctx, theme);
  spectrumValues(ctx, plan, sigma.slice(0, count), theme.ink, marks.designed);
  spectrumValues(ctx, plan, pinned.slice(0, count), theme.second, marks.pinned);
  spectrumValues(ctx, plan, learned, theme.accent, marks.learned);
  const left = cut - box.x < 9 * theme.size ? cut : box.x;
  if (!above) keyInside(ctx, theme, { ...box, x: left }, key);
  if (strip) drawGap(ctx, theme, strip, x, pinned.length ? gapOf(learned, pinned) : []);
  return `Singular values: ${Math.min(m, sigma.length)} designed, ${learned.length} learned; first ${fmt(sigma[0])} designed, ${fmt(learned[0])} learned`;
}

const spectrumMarks = (ctx, theme) => ({
  designed: (x, y) => dot(ctx, x, y, 5, { line: theme.ink }),
  learned: (x, y) => dot(ctx, x, y, 3.2, { fill: theme.accent }),
  pinned: (x, y) => symbol(ctx, "diamond", x + 5, y, 3.4, { fill: theme.second }),
});

function spectrumKey(theme, pinned) {
  return ["designed", "learned", ...(pinned ? ["pinned"] : [])].map((text) => ({
    text,
    mark: (ctx, x, y) => spectrumMarks(ctx, theme)[text](text === "pinned" ? x - 5 : x, y),
  }));
}

// Values beyond the width of a head are shaded.
function shadeBeyond(ctx, theme, box, x) {
  ctx.fillStyle = theme.grid;
  ctx.globalAlpha = 0.45;
  ctx.fillRect(x, box.y, box.x + box.w - x, box.h);
  ctx.globalAlpha = 1;
}

// Principal angles of the leading subspaces: bars from 0 to 90 degrees; no bar where σ_k are tied.
function drawAngles(ctx, theme, w, h, run) {
  const found = [...(shownIn(run)?.angles?.values ?? [])];
  const worst = Math.max(...found);
  heading(ctx, theme, "Angles to φ, ψ", 0, w - 4);
  if (!run.scene || !found.length) return "Principal angles: nothing yet";
  write(ctx, theme, `≤ ${worst < 0.1 ? fmt(worst) : worst.toFixed(1)}°`, w - 4, 1.35 * theme.size, {
    align: "right",
    colour: theme.grey,
  });
  const box = {
    x: 3.4 * theme.size,
    y: 2.6 * theme.size,
    w: w - 3.4 * theme.size - 6,
    h: h - 5.9 * theme.size,
  };
  const x = scale(0.4, found.length + 0.6, box.x, box.x + box.w);
  const y = scale(0, 90, box.y + box.h, box.y);
  axisY(
    ctx,
    theme,
    box,
    y,
    [0, 30, 60, 90].map((value) => ({ value, label: `${value}°` })),
  );
  axisX(ctx, theme, box, x, integerTicks(1, found.length, box.w / (2 * theme.size)), "k");
  const half = Math.min(9, (0.3 * box.w) / found.length);
  found.forEach((angle, i) => {
    if (angle < 0)
      return write(ctx, theme, "=", x(i + 1), box.y + box.h - 4, {
        align: "center",
        colour: theme.grey,
      });
    ctx.fillStyle = theme.accent;
    ctx.fillRect(
      x(i + 1) - half,
      Math.min(y(angle), box.y + box.h - 2),
      2 * half,
      Math.max(2, box.y + box.h - y(angle)),
    );
  });
  return `Principal angles between the leading ${found.length} learned and designed subspaces, degrees: ${found.map((a) => (a < 0 ? "tied" : a.toFixed(1))).join(", ")}`;
}

export function tokenOf(run, view) {
  return Math.min(view.t ?? run.scene.example_t ?? 0, run.scene.tau - 1);
}

function drawAttention(ctx, theme, w, h, run, view) {
  const bar = (c, x, y) => {
    c.globalAlpha = 0.8;
    c.fillStyle = theme.accent;
    c.fillRect(x - 5, y - 5, 10, 10);
    c.globalAlpha = 1;
  };
  const outline = (c, x, y) => {
    c.strokeStyle = theme.ink;
    c.lineWidth = 1.3;
    c.strokeRect(x - 5, y - 5, 10, 10);
  };
  const key = [
    { text: "learned", mark: bar },
    { text: "ideal", mark: outline },
  ];
  if (!run.scene) {
    heading(ctx, theme, "Attention row", 0, w);
    return "Attention: nothing yet";
  }
  const { tau, ideal, tokens } = run.scene;
  const learned = shownIn(run)?.attention;
  const t = tokenOf(run, view);
  heading(ctx, theme, `Attention of t = ${t}, x_t = ${tokens.values[t].toFixed(2)}`, 0, w - 4, key);
  const strip = 2.6 * theme.size;
  const box = {
    x: 3.4 * theme.size,
    y: 2.6 * theme.size,
    w: w - 3.4 * theme.size - 6,
    h: h - 5.9 * theme.size - strip - 8,
  };
  const row = (matrix) => largest(matrix?.values.subarray(t * tau, (t + 1) * tau) ?? []);
  const top = niceCeiling(Math.max(1.15 * row(ideal), row(learned), 1e-3));
  const x = scale(-0.5, tau - 0.5, box.x, box.x + box.w);
  const y = scale(0, top, box.y + box.h, box.y);
  axisY(ctx, theme, box, y, linearTicks(0, top, box.h / (2.2 * theme.size)));
  const cell = box.w / tau;
  const half = Math.max(1.5, 0.36 * cell);
  for (let s = 0; s < tau; s++) {
    const wanted = ideal.values[t * tau + s];
    const got = learned?.values[t * tau + s];
    if (got !== undefined) {
      ctx.globalAlpha = s === view.s ? 1 : 0.8;
      ctx.fillStyle = theme.accent;
      ctx.fillRect(x(s) - half, y(got), 2 * half, box.y + box.h - y(got));
      ctx.globalAlpha = 1;
    }
    const zero = box.y + box.h;
    stroke(ctx, theme.ink, 1.3, [
      [x(s) - half, zero],
      [x(s) - half, y(wanted)],
      [x(s) + half, y(wanted)],
      [x(s) + half, zero],
    ]);
  }
  drawTokens(ctx, theme, { ...box, y: box.y + box.h + 8, h: strip }, x, run.scene, t);
  view.attention = { box, x };
  const s = view.s;
  if (s !== null) {
    const text = `s = ${s}, x_s = ${tokens.values[s].toFixed(2)}: learned ${fmt(learned?.values[t * tau + s])}, ideal ${fmt(ideal.values[t * tau + s])}`;
    write(ctx, theme, text, box.x + box.w, box.y + theme.size, { align: "right", halo: true });
  }
  return `Attention of token ${t} of ${tau}, x ${tokens.values[t].toFixed(2)}: learned against ideal, largest difference ${fmt(rowGap(ideal, learned, t, tau))}; arrow keys change the token`;
}

function rowGap(ideal, learned, t, tau) {
  let gap = 0;
  for (let s = 0; s < tau; s++)
    gap = Math.max(gap, Math.abs(ideal.values[t * tau + s] - (learned?.values[t * tau + s] ?? 0)));
  return learned ? gap : NaN;
}

// The tokens x_s between 0 and 1 under their places; the query is the filled one.
function drawTokens(ctx, theme, box, x, { tau, tokens }, t) {
  const y = scale(0, 1, box.y + box.h - 3, box.y + 5);
  stroke(ctx, theme.line, 1, [
    [box.x, crisp(box.y - 8)],
    [box.x + box.w, crisp(box.y - 8)],
  ]);
  stroke(ctx, theme.line, 1, [
    [box.x, crisp(box.y + box.h)],
    [box.x + box.w, crisp(box.y + box.h)],
  ]);
  write(ctx, theme, "x_s", box.x - 8, box.y + box.h / 2, {
    align: "right",
    baseline: "middle",
    colour: theme.grey,
  });
  for (let s = 0; s < tau; s++) {
    stroke(ctx, theme.line, 1, [
      [crisp(x(s)), box.y + box.h],
      [crisp(x(s)), y(tokens.values[s])],
    ]);
    dot(ctx, x(s), y(tokens.values[s]), s === t ? 4.5 : 2.5, {
      fill: s === t ? theme.accent : theme.grey,
    });
  }
  const every = tau <= 20 && box.w / tau > 16 ? 1 : Math.ceil(tau / 12);
  for (let s = 0; s < tau; s += every) {
    write(ctx, theme, String(s), x(s), box.y + box.h + 6, {
      align: "center",
      baseline: "top",
      colour: s === t ? theme.ink : theme.grey,
      weight: s === t ? 600 : 400,
    });
  }
  write(ctx, theme, "s", box.x - 8, box.y + box.h + 6, {
    align: "right",
    baseline: "top",
    italic: true,
    colour: theme.grey,
  });
}

export const DRAW = {
  error: drawError,
  coupling: drawCoupling,
  difference: drawDifference,
  spectrum: drawSpectrum,
  angles: drawAngles,
  attention: drawAttention,
};

// ---- the component

class Live extends RunFeed {
  constructor(root) {
    super(root, PANELS, (window.__explorerLive = {}));
    Object.assign(this, { point: null, atStep: null, s: null, squares: {} });
    const error = this.canvas.error;
    const attention = this.canvas.attention;
    for (const name of ["coupling", "difference"]) {
      this.pointing(
        this.canvas[name],
        (e) => this.hover(name, e),
        () => this.set({ point: null }, "coupling", "difference"),
      );
    }
    this.pointing(
      error,
      (e) =>
        this.error && this.set({ atStep: this.error.x.invert(this.inside(e, error)) }, "error"),
      () => this.set({ atStep: null }, "error"),
    );
    this.pointing(
      attention,
      (e) => this.set({ s: this.placeAt(e) }, "attention"),
      () => this.set({ s: null }, "attention"),
    );
    attention.addEventListener("click", (e) => this.choose(this.placeAt(e)));
    attention.addEventListener("keydown", (e) => this.key(e));
  }

  paint(panel, ctx, theme, w, h) {
    return DRAW[panel](ctx, theme, w, h, this.run, this);
  }

  // A finger has no place before it is down.
  pointing(canvas, at, gone) {
    canvas.addEventListener("pointermove", at);
    canvas.addEventListener("pointerdown", at);
    canvas.addEventListener("pointerleave", gone);
  }

  inside(event, canvas) {
    return event.clientX - canvas.getBoundingClientRect().left;
  }

  placeAt(event) {
    if (!this.attention) return null;
    const s = Math.round(this.attention.x.invert(this.inside(event, this.canvas.attention)));
    return s >= 0 && s < this.run.scene.tau ? s : null;
  }

  hover(name, event) {
    this.set(
      { point: locate(event, this.canvas[name], this.squares[name] ?? []) },
      "coupling",
      "difference",
    );
  }

  key(event) {
    if (!this.run.scene) return;
    const t = tokenOf(this.run, this);
    const last = this.run.scene.tau - 1;
    const next = {
      ArrowRight: t + 1,
      ArrowUp: t + 1,
      ArrowLeft: t - 1,
      ArrowDown: t - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.choose(Math.max(0, Math.min(last, next)));
  }

  choose(t) {
    if (t === null) return;
    this.set({ t }, "attention");
    this.rest();
  }

  describe(panel, sentence) {
    super.describe(panel, sentence);
    const canvas = this.canvas[panel];
    if (panel === "attention" && this.run.scene) {
      canvas.setAttribute("aria-valuenow", tokenOf(this.run, this));
      canvas.setAttribute("aria-valuemax", this.run.scene.tau - 1);
      canvas.setAttribute("aria-valuetext", sentence);
    }
  }
}

const MOUNTED = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let live = MOUNTED.get(root);
  if (!live) MOUNTED.set(root, (live = new Live(root)));
  live.setStateValue = setStateValue;
  live.follow(data);
  live.invalidate();
  return () => {
    live.close();
    MOUNTED.delete(root);
  };
}
