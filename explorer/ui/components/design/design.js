// @ts-nocheck
// A coupling under the reader's hands: spectrum, heatmaps, a row through softmax, singular functions.
// While something is dragged what is here is the truth; on release Python gets it, numbered by `rev`, and
// what Python says counts again once it has answered that number. A report repeats what is unanswered.

import { fit, still } from "../core/canvas.js";
import { colourRange, locate, pick } from "../core/heatmap.js";
import { unpack } from "../core/messages.js";
import { clamp, largest, round } from "../core/numbers.js";
import { readTheme } from "../core/theme.js";
import { drawFloor, hitFloor, stale } from "./floor.js";
import { FREE_LIST, PARAMETERS, lawOf } from "./laws.js";
import {
  DESIGN,
  Steps,
  changesOf,
  joined,
  keptOf,
  lawThrough,
  lineOf,
  mix,
  mixture,
  rangeOfSigma,
  rowAt,
  rowsOf,
  sigmaIn,
  sigmaOf,
  stateOf,
  turned,
} from "./model.js";
import { drawFunctions, drawMaps, drawRow } from "./panels.js";
import { REACH, drawSpectrum, heightOf, hit, painted, tolerancePlace } from "./spectrum.js";

export const PANELS = ["spectrum", "floor", "maps", "row", "functions"];
export const DRAW = {
  spectrum: drawSpectrum,
  floor: drawFloor,
  maps: drawMaps,
  row: drawRow,
  functions: drawFunctions,
};
const CURSORS = {
  m: "ew-resize",
  tolerance: "ns-resize",
  slope: "ns-resize",
  error: "ns-resize",
  width: "pointer",
};

export class Design {
  constructor(root) {
    this.root = root;
    this.rev = null;
    this.subject = null;
    this.range = null;
    this.drag = null;
    this.over = null;
    this.point = null;
    this.waiting = null;
    this.typed = null;
    this.choice = "kept";
    this.told = null;
    this.dirty = new Set();
    this.steps = new Steps();
    this.unanswered = {};
    this.canvas = Object.fromEntries(
      PANELS.map((p) => [p, root.querySelector(`canvas[data-panel=${p}]`)]),
    );
    this.sizes = new ResizeObserver(() => this.invalidate());
    for (const canvas of Object.values(this.canvas)) this.sizes.observe(canvas);
    this.count = window.__explorerDesign = {
      draws: 0,
      fps: 0,
      slowest: 0,
      sent: [],
      places: () => placesOf(this),
    };
    this.listenToSpectrum();
    this.listenToFloor();
    this.listenToMaps();
    this.listenToTools();
    document.fonts?.ready.then(() => this.invalidate());
  }

  // -- what Python says

  take(bytes) {
    const message = unpack(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
    this.rev ??= message.header.rev;
    if (message.header.rev < this.rev) return;
    this.unanswered = {};
    if (this.busy()) this.waiting = message;
    else this.adopt(message);
  }

  busy() {
    return Boolean(this.drag || this.typed);
  }

  get tolerance() {
    return this.threshold ?? this.ownTolerance;
  }

  adopt({ header, arrays }) {
    this.waiting = null;
    const known = this.subject === header.subject;
    Object.assign(this, {
      subject: header.subject,
      editable: header.editable,
      limits: header.limits,
      centred: header.centred,
    });
    Object.assign(this, {
      threshold: header.chosen_tolerance,
      ownTolerance: header.own_tolerance,
      beyond: header.beyond,
    });
    Object.assign(this, {
      at: { u: header.u, v: header.v },
      choice: header.map,
      rest: header.rest,
      shown: header.shown,
    });
    const { sigma, family, whole } = header;
    this.design = {
      ...Object.fromEntries(DESIGN.map((name) => [name, header[name]])),
      sigma,
      family,
      whole,
    };
    const cells = arrays.phi.shape[1] / header.coarse;
    Object.assign(this, {
      floor: arrays.floor,
      floorOf: JSON.stringify(this.design.sigma),
      error: header.error,
      exact: header.exact,
      trained: header.trained,
    });
    Object.assign(this, {
      phi: rowsOf(arrays.phi),
      psi: rowsOf(arrays.psi),
      given: arrays.rho ?? null,
      mean: arrays.mean ?? null,
    });
    const coarse = [rowsOf(arrays.phi, header.coarse), rowsOf(arrays.psi, header.coarse), cells];
    Object.assign(this, { whole: mixture(...coarse), part: mixture(...coarse) });
    this.k = clamp(header.k, 1, Math.max(1, this.design.sigma.length));
    this.told = stateOf(this);
    this.steps.note(this.told);
    this.refresh();
    this.settle(known);
    this.invalidate();
  }

  // -- what follows from the design at every frame

  refresh() {
    this.kept = keptOf(this.design.sigma, this.design.m);
    const line = lineOf(this.design, this.tolerance);
    this.line = line && {
      ...line,
      apart: !this.editable || this.rest.left_basis !== this.rest.right_basis,
    };
    this.mixed = null;
  }

  // The axes and the colours rest while something is dragged.
  settle(known = true) {
    const range = rangeOfSigma(this.design.sigma, this.tolerance, known ? this.range : null);
    this.goal = range;
    if (!known || !this.range || still()) this.range = range;
    const { limit, clipped } = colourRange(this.rho().values);
    this.scale = this.calm = { limit, clipped, top: largest(this.rho().values) || 1 };
  }

  rho() {
    return this.given ?? (this.mixed ??= mix(this.whole, this.design.sigma));
  }

  secondWeights() {
    const { sigma } = this.design;
    if (this.choice === "term") return sigma.map((s, i) => (i + 1 === this.k ? s : 0));
    return sigma.map((s, i) => (this.kept[i] === (this.choice === "kept") ? s : 0));
  }

  second() {
    if (this.choice === "term" && this.phi[this.k - 1]) return this.sharpTerm();
    if (this.choice !== "residual" || !this.given) return mix(this.part, this.secondWeights());
    const { shape, values } = mix(
      this.part,
      this.design.sigma.map((s, i) => (this.kept[i] ? s : 0)),
    );
    return { shape, values: this.given.values.map((x, i) => x - values[i]) };
  }

  // One term has up to 64 oscillations: in all the points there are.
  sharpTerm() {
    const i = this.k - 1;
    const n = this.phi[i].length;
    const one = mixture([this.phi[i]], [this.psi[i]], n);
    return mix(one, [this.design.sigma[i]]);
  }

  secondName() {
    return { kept: "ρ_m", residual: "ρ − ρ_m", term: `σ_{${this.k}} φ_{${this.k}} ψ_{${this.k}}` }[
      this.choice
    ];
  }

  rowsAt(u) {
    const { sigma } = this.design;
    const fine = this.phi[0]?.length ?? 0;
    const i = Math.min(fine - 1, Math.floor(u * fine));
    const kept = fine
      ? rowAt(
          this.phi,
          this.psi,
          sigma.map((s, k) => (this.kept[k] ? s : 0)),
          i,
        )
      : new Float64Array(this.whole.n || 2);
    const mean =
      this.mean && !this.centred
        ? pick({ shape: [this.mean.values.length, 1], values: this.mean.values }, u, 0)
        : null;
    if (!this.given) return { whole: rowAt(this.phi, this.psi, sigma, i), kept, mean };
    const {
      shape: [rows, cols],
      values,
    } = this.given;
    const row = Math.min(rows - 1, Math.floor(u * rows));
    return {
      whole: values.subarray(row * cols, (row + 1) * cols),
      kept: kept.length ? kept : new Float64Array(cols),
      mean,
    };
  }

  // -- drawing

  invalidate(...panels) {
    for (const panel of panels.length ? panels : PANELS) this.dirty.add(panel);
    this.raf ??= requestAnimationFrame((now) => this.draw(now));
  }

  draw(now) {
    this.raf = null;
    if (!this.design) return;
    const theme = readTheme(this.root);
    const began = performance.now();
    const moving = this.approach();
    if (this.drag) this.widenScale();
    for (const panel of this.dirty) {
      const { ctx, w, h } = fit(this.canvas[panel]);
      if (w && h) this.describe(panel, DRAW[panel](ctx, theme, w, h, this));
    }
    this.dirty.clear();
    this.count.stale = stale(this);
    this.dress();
    this.tally(now, performance.now() - began);
    if (moving) this.invalidate("spectrum", "floor");
  }

  // The axis glides to its new range after a release.
  approach() {
    const { range, goal } = this;
    const far =
      Math.abs(Math.log(goal.low / range.low)) + Math.abs(Math.log(goal.high / range.high));
    if (far < 0.02 || still()) {
      this.range = goal;
      return false;
    }
    const part = (a, b) => a * (b / a) ** 0.3;
    this.range = { ...goal, low: part(range.low, goal.low), high: part(range.high, goal.high) };
    return true;
  }

  widenScale() {
    const { limit, clipped, top } = this.calm;
    const now = largest(this.rho().values);
    this.scale = { limit: limit * Math.max(1, now / top), clipped };
  }

  describe(panel, sentence) {
    const canvas = this.canvas[panel];
    const name = panel === "spectrum" || panel === "floor" ? "aria-valuetext" : "aria-label";
    if (canvas.getAttribute(name) !== sentence) canvas.setAttribute(name, sentence);
    if (panel === "spectrum") {
      canvas.setAttribute("aria-valuemax", Math.max(1, this.design.sigma.length));
      canvas.setAttribute("aria-valuenow", this.k);
    }
    if (panel === "floor") canvas.setAttribute("aria-valuenow", this.design.m);
    if (panel === "maps") {
      canvas.setAttribute("aria-valuenow", this.at.u.toFixed(3));
      canvas.setAttribute("aria-valuetext", sentence);
    }
  }

  // The markup that goes with the pictures: the switch above the second heatmap, the buttons.
  dress() {
    if (!this.maps) return;
    const {
      squares: [, b],
    } = this.maps;
    const box = this.root.querySelector(".switch");
    const names = {
      kept: `first ${this.design.m} terms`,
      residual: "residual",
      term: `term ${this.k}`,
    };
    box.style.transform = `translate(${b.x}px, ${b.y - 33}px)`;
    for (const [value, text] of Object.entries(names)) {
      const label = box.querySelector(`[value=${value}] + span`);
      const { previousElementSibling: input } = label;
      if (input.checked !== (value === this.choice)) input.checked = value === this.choice;
      if (label.textContent !== text) label.textContent = text;
    }
    this.root.querySelector("[data-act=undo]").disabled = !this.steps.can(-1);
    this.root.querySelector("[data-act=redo]").disabled = !this.steps.can(1);
  }

  tally(now, took) {
    const c = this.count;
    const span = now - (c.since ?? now);
    c.draws += 1;
    c.slowest = Math.max(took, this.drag ? c.slowest : 0);
    if (!this.drag) return Object.assign(c, { since: null, inSpan: 0 });
    c.since ??= now;
    c.inSpan += 1;
    if (span > 250) c.fps = ((c.inSpan - 1) / span) * 1000;
  }

  // -- edits

  edit(change) {
    Object.assign(this.design, change);
    if (PARAMETERS.some((name) => change[name] !== undefined))
      this.design.sigma = sigmaOf(this.design, this.design.sigma.length);
    if (change.sigma)
      Object.assign(this.design, {
        family: FREE_LIST,
        spectrum: FREE_LIST,
        list: change.sigma,
        rank: null,
      });
    this.refresh();
    this.invalidate();
  }

  setSigma(places) {
    const sigma = [...this.design.sigma];
    for (const [i, value] of places)
      sigma[i] =
        value === 0
          ? 0
          : round(
              clamp(value, Math.min(this.goal.low, sigma[i] || Infinity), this.limits.sigma),
              3,
            );
    if (sigma.some((s) => s > 0)) this.edit({ sigma });
  }

  // The decay line to another value of its parameter: the law's own, or that of a list (see `turned`), as they were in `from`.
  turn(to, { line, before }) {
    const { sigma, family } = this.design;
    const { limits } = this;
    this.edit(
      family === FREE_LIST ? { sigma: turned(before?.list ?? sigma, line, to, limits.sigma) } : to,
    );
  }

  setM(m) {
    this.edit({
      m: clamp(
        m,
        this.limits.m[0],
        Math.min(this.limits.m[1], Math.max(1, this.design.sigma.length)),
      ),
    });
  }

  // Its own again with null.
  setTolerance(tolerance) {
    this.threshold = tolerance && round(clamp(tolerance, 1e-16, 10), 2);
    this.refresh();
    this.invalidate("spectrum", "floor");
  }

  setError(error) {
    this.error = round(clamp(error, 1e-12, 1), 2);
    this.invalidate("floor");
  }

  choose(k) {
    this.k = clamp(k, 1, Math.max(1, this.design.sigma.length));
    this.invalidate();
  }

  report(changes) {
    this.rev += 1;
    this.count.sent.push(changes);
    this.unanswered = joined(this.unanswered, changes);
    this.setStateValue("report", { rev: this.rev, ...this.unanswered });
  }

  // What differs from the state that Python knows of goes there.
  tell(state) {
    const changes = changesOf(state, this.told);
    this.told = state;
    if (Object.keys(changes).length) this.report(changes);
  }

  // An edit is done: the axes may move again.
  commit() {
    const now = stateOf(this);
    this.steps.note(now);
    this.tell(now);
    this.settle();
    if (this.waiting && this.waiting.header.rev >= this.rev) this.adopt(this.waiting);
    this.invalidate();
  }

  step(by) {
    const state = this.busy() ? null : this.steps.go(by);
    if (!state) return;
    if (this.show(state)) this.settle();
    this.tell(state);
    this.invalidate();
  }

  // Draws another state, if what it takes is here.
  show(state) {
    const { tolerance, error, k, at, map, rest, shown, ...own } = structuredClone(state);
    const sigma = sigmaIn(state, stateOf(this), this.design.sigma);
    if (!sigma) return false;
    Object.assign(this.design, own, {
      sigma,
      family: this.editable ? own.spectrum : this.design.family,
    });
    Object.assign(this, { threshold: tolerance, error, k, at, choice: map });
    this.refresh();
    return true;
  }

  // -- the spectrum by pointer

  listenToSpectrum() {
    const canvas = this.canvas.spectrum;
    const on = (name, act) => canvas.addEventListener(name, act);
    on("pointerdown", (e) => this.grab(e));
    on("pointermove", (e) => (this.drag ? this.pull(e) : this.hover(e)));
    on("pointerup", () => this.release());
    on("pointercancel", () => this.release());
    on("pointerleave", () => !this.drag && this.setOver(null));
    on("dblclick", (e) => this.reset(this.under(e)));
    on("keydown", (e) => this.keyOnSpectrum(e));
    on("keyup", () => this.typingEnds());
    on("blur", () => this.typingEnds());
  }

  place(event) {
    const box = event.target.getBoundingClientRect();
    return { px: event.clientX - box.left, py: event.clientY - box.top };
  }

  under(event) {
    if (!this.plan) return null;
    const { px, py } = this.place(event);
    const reach = event.pointerType === "touch" ? 2 * REACH : REACH;
    return hit(this.plan, this.design, this.line, this.tolerance, px, py, reach);
  }

  setOver(over) {
    if (this.over === over) return;
    this.over = over;
    this.invalidate("spectrum", "floor");
  }

  hover(event) {
    const found = this.under(event);
    const dots = this.editable ? "ns-resize" : "pointer";
    this.canvas.spectrum.style.cursor =
      event.shiftKey && this.editable
        ? "crosshair"
        : found
          ? (CURSORS[found.what] ?? dots)
          : "default";
    this.setOver(found?.what === "dot" ? found.k : (found?.what ?? null));
  }

  grab(event) {
    if (!this.design || event.button !== 0) return;
    this.typingEnds();
    const at = this.place(event);
    const found = event.shiftKey && this.editable ? { what: "paint" } : this.under(event);
    if (!found) return;
    this.canvas.spectrum.setPointerCapture(event.pointerId);
    this.drag = {
      ...found,
      from: at,
      last: at,
      before: stateOf(this),
      range: this.range,
      line: this.line,
    };
    if (found.what === "dot") {
      this.drag.offset = heightOf(this.plan, this.design.sigma[found.k - 1]) - at.py;
      this.choose(found.k);
    }
    if (found.what === "slope") this.drag.offset = this.plan.y(this.line.at(found.k)) - at.py;
    if (found.what === "paint") this.pull(event);
  }

  pull(event) {
    const drag = this.drag;
    const at = this.place(event);
    const { y, x } = this.plan;
    if (
      drag.what === "dot" &&
      this.editable &&
      (drag.moved ||= Math.abs(at.py - drag.from.py) > 2)
    ) {
      this.setSigma([
        [drag.k - 1, clamp(y.invert(at.py + drag.offset), this.range.low, this.range.high)],
      ]);
    }
    if (drag.what === "paint")
      this.setSigma(
        painted(this.plan, drag.last, at).map(([i, s]) => [
          i,
          clamp(s, this.range.low, this.range.high),
        ]),
      );
    if (drag.what === "slope")
      this.turn(
        lawThrough(
          { family: drag.line.kind, c: drag.line.at(1) },
          drag.k,
          y.invert(at.py + drag.offset),
          this.limits,
        ),
        drag,
      );
    if (drag.what === "m") this.setM(Math.round(Math.sqrt(x.invert(at.px) ** 2 + 0.25) - 0.5));
    if (drag.what === "tolerance")
      this.setTolerance(
        y.invert(at.py) > this.range.low ? Math.min(y.invert(at.py), this.range.high) : null,
      );
    drag.last = at;
  }

  release() {
    if (!this.drag) return;
    this.drag = null;
    this.commit();
  }

  letGo() {
    const { before } = this.drag;
    this.drag = null;
    this.show(before);
    this.commit();
  }

  // -- the floor: the wanted error, and the width

  listenToFloor() {
    const canvas = this.canvas.floor;
    const on = (name, act) => canvas.addEventListener(name, act);
    const found = (e) => {
      const { px, py } = this.place(e);
      return this.floorPlan
        ? hitFloor(this.floorPlan, this, px, py, e.pointerType === "touch" ? 2 * REACH : REACH)
        : null;
    };
    on("pointerdown", (e) => {
      const grabbed = e.button === 0 && this.design && found(e);
      if (!grabbed) return;
      this.typingEnds();
      canvas.setPointerCapture(e.pointerId);
      this.drag = {
        ...grabbed,
        before: stateOf(this),
        range: [this.floorPlan.low, this.floorPlan.high],
      };
      if (grabbed.what === "width") this.setM(grabbed.m);
    });
    on("pointermove", (e) => {
      if (!this.drag) {
        const over = found(e);
        canvas.style.cursor = CURSORS[over?.what] ?? "default";
        return this.setOver(over?.what === "error" || over?.what === "m" ? over.what : null);
      }
      const { px, py } = this.place(e);
      const { x, y, low, high } = this.floorPlan;
      if (this.drag.what === "error") this.setError(clamp(y.invert(py), low, high));
      else this.setM(Math.round(x.invert(px)));
    });
    on("pointerup", () => this.release());
    on("pointercancel", () => this.release());
    on("pointerleave", () => !this.drag && this.setOver(null));
    on("keyup", () => this.typingEnds());
    on("blur", () => this.typingEnds());
    on("keydown", (e) => {
      const factor = e.shiftKey ? 10 : 10 ** 0.1;
      const { m } = this.design ?? {};
      const act = {
        ArrowUp: () => this.setError(this.error * factor),
        ArrowDown: () => this.setError(this.error / factor),
        ArrowRight: () => this.setM(m + 1),
        ArrowLeft: () => this.setM(m - 1),
      }[e.key];
      if (!act || !this.design) return;
      e.preventDefault();
      this.typed = true;
      act();
    });
  }

  // A dot goes back to the decay line, which for a free list is fitted to the others.
  reset(found) {
    if (found?.what !== "dot" || !this.editable) return;
    const line = lineOf(this.design, this.tolerance, found.k - 1);
    if (line) this.setSigma([[found.k - 1, line.at(found.k)]]);
    this.commit();
  }

  // -- the spectrum by keys: an edit ends when the key is let go

  keyOnSpectrum(event) {
    if (!this.design) return;
    if (event.key === "Escape" && this.drag) return this.letGo();
    const act = !this.drag && keyAct(event, this);
    if (!act) return;
    event.preventDefault();
    this.typed = true;
    act();
  }

  typingEnds() {
    if (!this.typed) return;
    this.typed = false;
    this.commit();
  }

  // On every picture, the same.
  keyAnywhere(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    const by = { z: event.shiftKey ? 1 : -1, y: 1 }[event.key.toLowerCase()];
    if (!by) return;
    event.preventDefault();
    this.step(by);
  }

  // -- the heatmaps

  listenToMaps() {
    const canvas = this.canvas.maps;
    const on = (name, act) => canvas.addEventListener(name, act);
    const linked = ["maps", "row", "functions"];
    const found = (e) => {
      const at = this.maps && locate(e, canvas, this.maps.squares);
      return at && { u: round(at.u, 3), v: round(at.v, 3) };
    };
    const follow = (e) => {
      this.point = found(e);
      if (this.drag && this.point) this.at = this.point;
      this.invalidate(...linked);
    };
    on("pointermove", follow);
    on("pointerleave", (e) => !this.drag && follow(e));
    on("pointerdown", (e) => {
      if (!found(e)) return;
      this.typingEnds();
      canvas.setPointerCapture(e.pointerId);
      this.drag = { what: "at", before: stateOf(this) };
      follow(e);
    });
    on("pointerup", () => this.release());
    on("pointercancel", () => this.release());
    on("keyup", () => this.typingEnds());
    on("blur", () => this.typingEnds());
    on("keydown", (e) => {
      const size = e.shiftKey ? 0.1 : 0.01;
      const move = {
        ArrowUp: [-size, 0],
        ArrowDown: [size, 0],
        ArrowLeft: [0, -size],
        ArrowRight: [0, size],
      }[e.key];
      if (!move || !this.design) return;
      e.preventDefault();
      this.typed = true;
      this.point = null;
      this.at = {
        u: round(clamp(this.at.u + move[0], 0, 1), 3),
        v: round(clamp(this.at.v + move[1], 0, 1), 3),
      };
      this.invalidate(...linked);
    });
  }

  listenToTools() {
    const keys = this.root.querySelector(".keys");
    const button = (act) => this.root.querySelector(`[data-act=${act}]`);
    button("undo").addEventListener("click", () => this.step(-1));
    button("redo").addEventListener("click", () => this.step(1));
    button("keys").addEventListener("click", () => {
      keys.hidden = !keys.hidden;
      button("keys").setAttribute("aria-expanded", String(!keys.hidden));
    });
    this.root.querySelector(".switch").addEventListener("change", (e) => {
      this.choice = e.target.value;
      this.commit();
    });
    this.root.querySelector(".design").addEventListener("keydown", (e) => this.keyAnywhere(e));
  }

  close() {
    this.sizes.disconnect();
    if (this.raf) cancelAnimationFrame(this.raf);
  }
}

// What a key does on the spectrum: a function, "undo", "redo", or null.
export function keyAct(event, view) {
  const { design, k, limits } = view;
  const last = design.sigma.length;
  const command = event.ctrlKey || event.metaKey;
  if (command) return null;
  const places = { ArrowLeft: k - 1, ArrowRight: k + 1, Home: 1, End: last };
  if (event.key in places) return () => view.choose(places[event.key]);
  if (event.key === "[" || event.key === "]")
    return () => view.setM(design.m + (event.key === "]" ? 1 : -1));
  if (event.key === "," || event.key === ".")
    return () => view.setTolerance(view.tolerance * 10 ** (event.key === "." ? 0.5 : -0.5));
  if (!view.editable) return null;
  const fine = event.shiftKey ? 1.25 : 1.05;
  const factors = { ArrowUp: fine, ArrowDown: 1 / fine, PageUp: 2, PageDown: 0.5 };
  if (event.key in factors)
    return () =>
      view.setSigma([[k - 1, (design.sigma[k - 1] || view.range.low) * factors[event.key]]]);
  if (event.key === "Delete" || event.key === "Backspace") return () => view.setSigma([[k - 1, 0]]);
  const way = { "+": 1, "=": 1, "-": -1, "−": -1 }[event.key];
  if (!way || !view.line) return null;
  const { parameter, step } = lawOf(view.line.kind);
  const value = round(clamp(view.line.value + way * step, ...limits[parameter]), 4);
  return () => view.turn({ [parameter]: value }, view);
}

// Where the things to take hold of are, for tests and measurements.
function placesOf({ plan, floorPlan, error, tolerance, design, maps, rev }) {
  const dots = design.sigma.map((s, i) => [plan.x(i + 1), heightOf(plan, s)]);
  const held = tolerancePlace(plan, tolerance);
  return {
    dots,
    handle: plan.handle,
    tolerance: [held.x, held.y],
    m: [plan.mx, plan.box.y - 10],
    sigma: design.sigma,
    squares: maps.squares,
    rev,
    wanted: [floorPlan.box.x + floorPlan.box.w, floorPlan.y(error)],
  };
}

const MOUNTED = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let view = MOUNTED.get(root);
  if (!view) MOUNTED.set(root, (view = new Design(root)));
  view.setStateValue = setStateValue;
  view.take(data);
  view.invalidate();
  return () => {
    view.close();
    MOUNTED.delete(root);
  };
}
