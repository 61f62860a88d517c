// @ts-nocheck
// A sweep under the reader's hands: points to look into, a curve to predict before they are shown, a rank to cut to.

import { fit, still } from "../core/canvas.js";
import { unpack } from "../core/messages.js";
import { clamp, fmt, round } from "../core/numbers.js";
import { readTheme } from "../core/theme.js";
import {
  MOST_PANELS,
  compared,
  comparedText,
  heightRange,
  seedsAt,
  strokeWidths,
  surgeryOf,
  trainedWidths,
} from "./model.js";
import { NEAR, drawFigure, drawModel, drawSurgery, panelUnder, pointUnder } from "./panels.js";

export const PANELS = ["figure", "spectrum", "surgery"];
export const DRAW = { figure: drawFigure, spectrum: drawModel, surgery: drawSurgery };
const FADE_SECONDS = 0.7;

class Rates {
  constructor(root) {
    Object.assign(this, {
      root,
      subject: null,
      plans: [],
      chosen: null,
      hover: null,
      drag: null,
      k: 1,
      fade: 1,
    });
    Object.assign(this, {
      predicting: false,
      predictions: new Map(),
      dirty: new Set(),
      surgeryPlan: null,
    });
    this.canvas = Object.fromEntries(
      PANELS.map((p) => [p, root.querySelector(`canvas[data-panel=${p}]`)]),
    );
    this.sizes = new ResizeObserver(() => this.invalidate());
    for (const canvas of Object.values(this.canvas)) this.sizes.observe(canvas);
    this.listenToFigure();
    this.listenToSurgery();
    this.listenToTools();
    this.count = window.__explorerRates = { draws: 0, places: () => placesOf(this) };
    document.fonts?.ready.then(() => this.invalidate());
  }

  // -- what Python says

  take(bytes) {
    const { header } = unpack(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
    const same = this.subject === header.subject && this.norm === header.norm;
    const before = same ? this.chosen : null;
    if (this.subject !== header.subject)
      Object.assign(this, { predictions: new Map(), predicting: false, fade: 1 });
    Object.assign(this, {
      subject: header.subject,
      norm: header.norm,
      axis: header.axis,
      widths: header.widths,
      training: header.training,
    });
    Object.assign(this, {
      panels: header.panels.slice(0, MOST_PANELS),
      left: Math.max(0, header.panels.length - MOST_PANELS),
    });
    this.range = heightRange(this.panels, this.training);
    this.chosen = (before && this.again(before)) ?? this.first();
    this.k = clamp(
      before ? this.k : Math.ceil((this.surgeon()?.m_h ?? 2) / 2),
      1,
      this.surgeon()?.m_h ?? 1,
    );
    this.dress();
    this.invalidate();
  }

  // The same choice in new data.
  again({ panel, series, m_h, seed }) {
    const there = this.panels.find((p) => p.title === panel.title);
    const line = there?.series.find((r) => r.name === series.name);
    return line ? { panel: there, series: line, m_h, seed } : null;
  }

  // The last target of the first panel, at its middle width.
  first() {
    const panel = this.panels[0];
    const series = panel.series.at(-1);
    const widths = trainedWidths(series);
    const m_h = widths[widths.length >> 1] ?? this.widths[this.widths.length >> 1];
    return { panel, series, m_h, seed: seedsAt(series, m_h)[0]?.seed ?? 0 };
  }

  point() {
    const { series, m_h, seed } = this.chosen;
    const there = seedsAt(series, m_h);
    return there.find((p) => p.seed === seed) ?? there[0] ?? null;
  }

  surgeon() {
    return surgeryOf(this.chosen.series, this.chosen.seed);
  }

  isChosen(series) {
    return this.chosen.series === series;
  }

  // -- the reader's curves, kept by target

  name(series) {
    return JSON.stringify(series.cell);
  }

  drawn(series) {
    const found = this.predictions.get(this.name(series));
    return found && Object.keys(found).length ? found : null;
  }

  predict(series, places) {
    const found = this.predictions.get(this.name(series)) ?? {};
    for (const [m, error] of places)
      found[m] = round(clamp(error, this.range[0], this.range[1]), 3);
    this.predictions.set(this.name(series), found);
    this.dress();
    this.invalidate("figure");
  }

  setPredicting(on) {
    this.predicting = on;
    if (!on) {
      this.fade = still() ? 1 : 0;
      this.since = null;
    }
    this.hover = null;
    this.dress();
    this.invalidate();
  }

  hint() {
    const all = this.panels
      .flatMap((p) => p.series.map((series) => ({ series, p })))
      .filter(({ series }) => this.drawn(series));
    if (this.predicting)
      return all.length
        ? "Reveal shows what training found."
        : "Draw a curve across a panel: how will the error fall?";
    return all
      .map(({ series, p }) =>
        comparedText(`${p.title}, ${series.name}`, compared(this.drawn(series), series)),
      )
      .join(" · ");
  }

  dress() {
    const button = (act) => this.root.querySelector(`[data-act=${act}]`);
    const any = this.predictions.size > 0;
    button("predict").setAttribute("aria-pressed", String(this.predicting));
    button("reveal").disabled = !this.predicting;
    button("clear").disabled = !any;
    const hint = this.root.querySelector("[data-text=hint]");
    const text = this.hint();
    if (hint.textContent !== text) hint.textContent = text;
  }

  // -- drawing

  invalidate(...panels) {
    for (const panel of panels.length ? panels : PANELS) this.dirty.add(panel);
    this.raf ??= requestAnimationFrame((now) => this.draw(now));
  }

  draw(now) {
    this.raf = null;
    if (!this.chosen) return;
    const theme = readTheme(this.root);
    const moving = this.appear(now);
    for (const panel of this.dirty) {
      const { ctx, w, h } = fit(this.canvas[panel]);
      if (w && h) this.describe(panel, DRAW[panel](ctx, theme, w, h, this));
    }
    this.dirty.clear();
    this.count.draws += 1;
    if (moving) this.invalidate("figure");
  }

  // What was hidden comes back within a moment.
  appear(now) {
    if (this.fade >= 1) return false;
    this.since ??= now;
    this.fade = Math.min(1, (now - this.since) / 1000 / FADE_SECONDS);
    return this.fade < 1;
  }

  describe(panel, sentence) {
    const canvas = this.canvas[panel];
    const slider = panel !== "spectrum";
    const name = slider ? "aria-valuetext" : "aria-label";
    if (canvas.getAttribute(name) !== sentence) canvas.setAttribute(name, sentence);
    if (slider) canvas.setAttribute("aria-valuenow", panel === "figure" ? this.chosen.m_h : this.k);
  }

  sentence() {
    const { panel, series, m_h } = this.chosen;
    const point = this.point();
    const floor = series.floor.find(([m]) => m === m_h);
    if (this.predicting)
      return `${panel.title}, ${series.name}, m_h ${m_h}: you predict ${fmt(this.drawn(series)?.[m_h])}`;
    const error = point ? `error ${fmt(point.error)}` : "not trained yet";
    return `${panel.title}, ${series.name}, m_h ${m_h}: ${error}, floor ${floor ? fmt(floor[1]) : "0"}`;
  }

  // -- the figure

  listenToFigure() {
    const canvas = this.canvas.figure;
    const on = (name, act) => canvas.addEventListener(name, act);
    on("pointerdown", (e) => this.grab(e));
    on("pointermove", (e) => (this.drag ? this.pull(e) : this.look(e)));
    on("pointerup", () => {
      this.drag = null;
    });
    on("pointercancel", () => {
      this.drag = null;
    });
    on("pointerleave", () => {
      if (this.hover) {
        this.hover = null;
        this.invalidate("figure");
      }
    });
    on("keydown", (e) => this.key(e));
  }

  place(event) {
    const box = event.target.getBoundingClientRect();
    return { px: event.clientX - box.left, py: event.clientY - box.top };
  }

  under(event) {
    const { px, py } = this.place(event);
    return this.predicting
      ? null
      : pointUnder(this.plans, px, py, event.pointerType === "touch" ? 2 * NEAR : NEAR);
  }

  look(event) {
    const found = this.under(event);
    this.canvas.figure.style.cursor = this.predicting ? "crosshair" : found ? "pointer" : "default";
    if (found?.point !== this.hover?.point) {
      this.hover = found;
      this.invalidate("figure");
    }
  }

  grab(event) {
    if (!this.chosen || event.button !== 0) return;
    const at = this.place(event);
    if (this.predicting) return this.beginStroke(event, at);
    const found = this.under(event);
    if (found)
      this.choose({
        panel: found.plan.panel,
        series: found.series,
        m_h: found.point.m_h,
        seed: found.point.seed,
      });
  }

  beginStroke(event, at) {
    const plan = panelUnder(this.plans, at.px);
    if (!plan) return;
    if (plan.panel !== this.chosen.panel)
      this.choose({
        ...(this.again({ ...this.chosen, panel: plan.panel }) ?? {
          ...this.chosen,
          panel: plan.panel,
          series: plan.panel.series.at(-1),
        }),
      });
    this.canvas.figure.setPointerCapture(event.pointerId);
    this.drag = { plan, last: this.spot(plan, at) };
    this.pull(event);
  }

  spot({ x, y }, { px, py }) {
    return { m: x.invert(px), error: y.invert(py) };
  }

  pull(event) {
    const { plan, last } = this.drag;
    const now = this.spot(plan, this.place(event));
    this.predict(this.chosen.series, strokeWidths(this.widths, last, now));
    this.drag.last = now;
  }

  choose(chosen) {
    this.chosen = chosen;
    this.k = clamp(this.k, 1, this.surgeon()?.m_h ?? 1);
    this.invalidate();
  }

  step(by) {
    const { widths } = this;
    const at = widths.indexOf(this.chosen.m_h);
    this.choose({ ...this.chosen, m_h: widths[clamp(at + by, 0, widths.length - 1)] });
  }

  // The next target, on into the next panel.
  turn(by) {
    const all = this.panels.flatMap((panel) => panel.series.map((series) => ({ panel, series })));
    const at = all.findIndex(({ series }) => series === this.chosen.series);
    this.choose({ ...this.chosen, ...all[(at + by + all.length) % all.length] });
  }

  nextSeed() {
    const there = seedsAt(this.chosen.series, this.chosen.m_h);
    const at = there.findIndex((p) => p.seed === this.chosen.seed);
    if (there.length) this.choose({ ...this.chosen, seed: there[(at + 1) % there.length].seed });
  }

  raise(factor) {
    const { series, m_h } = this.chosen;
    const now = this.drawn(series)?.[m_h] ?? Math.sqrt(this.range[0] * this.range[1]);
    this.predict(series, [[m_h, now * factor]]);
  }

  setK(k) {
    this.k = clamp(k, 1, this.surgeon()?.m_h ?? 1);
    this.invalidate("surgery");
  }

  key(event) {
    const act = keyAct(event, this);
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }

  // -- the surgery

  listenToSurgery() {
    const canvas = this.canvas.surgery;
    const on = (name, act) => canvas.addEventListener(name, act);
    const move = (e) =>
      this.surgeryPlan && this.setK(Math.round(this.surgeryPlan.x.invert(this.place(e).px)));
    on("pointerdown", (e) => {
      if (e.button !== 0) return;
      canvas.setPointerCapture(e.pointerId);
      this.cutting = true;
      move(e);
    });
    on("pointermove", (e) => this.cutting && move(e));
    for (const name of ["pointerup", "pointercancel"])
      on(name, () => {
        this.cutting = false;
      });
    on("keydown", (e) => {
      const k = {
        ArrowLeft: this.k - 1,
        ArrowDown: this.k - 1,
        ArrowRight: this.k + 1,
        ArrowUp: this.k + 1,
        Home: 1,
        End: 64,
      }[e.key];
      if (k === undefined) return;
      e.preventDefault();
      this.setK(k);
    });
  }

  // -- the buttons

  listenToTools() {
    const on = (act, then) =>
      this.root.querySelector(`[data-act=${act}]`).addEventListener("click", then);
    on("predict", () => this.setPredicting(!this.predicting));
    on("reveal", () => this.setPredicting(false));
    on("clear", () => {
      this.predictions.clear();
      this.dress();
      this.invalidate("figure");
    });
    on("keys", (e) => {
      const keys = this.root.querySelector(".keys");
      keys.hidden = !keys.hidden;
      e.target.setAttribute("aria-expanded", String(!keys.hidden));
    });
  }

  close() {
    this.sizes.disconnect();
    if (this.raf) cancelAnimationFrame(this.raf);
  }
}

// What a key does on the figure, or null.
export function keyAct({ key, shiftKey }, view) {
  const { predicting } = view;
  const fine = shiftKey ? 2 : 1.12;
  const acts = {
    ArrowLeft: () => view.step(-1),
    ArrowRight: () => view.step(1),
    Home: () => view.step(-99),
    End: () => view.step(99),
    ArrowUp: () => (predicting ? view.raise(fine) : view.turn(-1)),
    ArrowDown: () => (predicting ? view.raise(1 / fine) : view.turn(1)),
    PageUp: () => view.turn(-1),
    PageDown: () => view.turn(1),
    s: () => view.nextSeed(),
    S: () => view.nextSeed(),
    "[": () => view.setK(view.k - 1),
    "]": () => view.setK(view.k + 1),
    Enter: () => view.setPredicting(!predicting),
  };
  return acts[key] ?? null;
}

// Where things are, for tests.
function placesOf(view) {
  return {
    boxes: view.plans.map((p) => p.box),
    predicting: view.predicting,
    k: view.k,
    chosen: { m_h: view.chosen.m_h, seed: view.chosen.seed, series: view.chosen.series.name },
    points: view.plans.flatMap((p) =>
      p.panel.series.flatMap((r) => r.points.map((q) => [p.x(q.m_h), p.y(q.error)])),
    ),
    training: view.training?.points.length ?? 0,
    hint: view.hint(),
    surgery: view.surgeryPlan?.box ?? null,
  };
}

const MOUNTED = new WeakMap();

export default function ({ data, parentElement: root }) {
  let view = MOUNTED.get(root);
  if (!view) MOUNTED.set(root, (view = new Rates(root)));
  view.take(data);
  return () => {
    view.close();
    MOUNTED.delete(root);
  };
}
