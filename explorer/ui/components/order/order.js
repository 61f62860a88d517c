// @ts-nocheck
// A target in another order and through a filter: what no model can do about it, at once; what training does, live.

import { mounted } from "../core/canvas-view.js";
import { still } from "../core/canvas.js";
import { unpack } from "../core/messages.js";
import { clamp, fmt, round } from "../core/numbers.js";
import { RunFeed, shownIn } from "../run/feed.js";
import {
  complexityOf,
  floorsOf,
  isPlain,
  leftKernel,
  reordered,
  targetMatrix,
  trimmed,
} from "./model.js";
import {
  cosine,
  drawAnswers,
  drawAttention,
  drawCouplingErrors,
  drawErrors,
  drawFilter,
  drawKernels,
  drawLearning,
  drawMaps,
  drawTokens,
  notLinear,
} from "./panels.js";

const TARGET = ["tokens", "errors", "filter", "kernels", "maps"];
export const DRAW = {
  tokens: drawTokens,
  errors: drawErrors,
  filter: drawFilter,
  kernels: drawKernels,
  learning: drawLearning,
  maps: drawMaps,
};
const DRAW_COUPLING = { errors: drawCouplingErrors, kernels: drawAnswers, maps: drawAttention };
const STEP = 0.05;
const COARSE = 0.25;
const MOST_TAP = 1000;
const STEMS = ["filter", "kernels"];
const copy = (value) => JSON.parse(JSON.stringify(value));
const round3 = (x) => Math.round(1e3 * x) / 1e3;
export const ended = (list) => list.slice(0, 1 + list.findLastIndex((x) => x !== 0));
export const identity = (tau) => Array.from({ length: tau }, (_, t) => t);

class Order extends RunFeed {
  constructor(root) {
    super(root, "Order", Object.keys(DRAW));
    Object.assign(this, {
      subject: null,
      chosen: 0,
      chosenStem: { filter: null, kernels: null },
      stems: {},
      drag: null,
      rev: 0,
      answered: 0,
      past: [],
      future: [],
      holder: {},
    });
    this.listenToTokens();
    for (const panel of STEMS) this.listenToStems(panel);
    this.listenToTools();
  }

  // -- what Python says

  take(bytes) {
    const { header } = unpack(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
    const late = header.rev < this.rev && this.answered < this.rev; // it answers an earlier report, the newest is under way
    const subject = JSON.stringify([header.kernel, header.tau]);
    const another = !late && subject !== this.subject;
    Object.assign(this, {
      presets: header.presets,
      trained: header.trained,
      same: header.same,
      other: header.beside,
    });
    if (another) Object.assign(this, { subject, past: [], future: [], drag: null });
    if (!late && !this.drag) {
      const { kernel, tau, rho, decay, taps, mode, names, rev } = header;
      Object.assign(this, {
        kernel,
        tau,
        rho,
        decay: decay ?? Infinity,
        order: header.order ?? identity(tau),
        taps,
        mode,
        names,
        rev,
        answered: rev,
      });
      this.settled = this.mark();
      this.dressKernels();
    }
    this.chosen = clamp(this.chosen, 0, this.tau - 1);
    if (this.brought !== undefined && header.brought !== this.brought)
      this.root.querySelector(".order").scrollIntoView({ behavior: still() ? "auto" : "smooth" });
    this.brought = header.brought;
    this.follow(header.feed);
    this.change();
  }

  // What makes the target; trained values belong to the one that Python knows.
  mark() {
    return JSON.stringify([this.kernel, this.order, this.taps, this.taps ? this.mode : null]);
  }

  get comparable() {
    return this.mark() === this.settled ? this.trained : [];
  }

  // What the run has learned, where it learns just this target.
  pictures() {
    return this.same && this.mark() === this.settled ? shownIn(this.run) : null;
  }

  // A coupling has no kernel, and no floors that are known.
  change(...panels) {
    const { kernel, order, taps, mode } = this;
    this.matrix =
      kernel && targetMatrix({ kernel, order: isPlain(order) ? null : order, taps, mode });
    this.floors = kernel && floorsOf(this.matrix);
    this.complexity = kernel && this.measured();
    this.invalidate(...panels);
  }

  // What is known of a run with a convolution in front, where that shown has none, and the other way round.
  get beside() {
    return this.same && this.mark() === this.settled ? this.other : null;
  }

  // The taps that a convolution in front has learned: of the run shown, or of that beside it.
  get learnedTaps() {
    return this.pictures()?.taps?.values ?? this.beside?.taps ?? null;
  }

  // C_1, C_2, C_RNN before and after; after is null where no kernel is left.
  measured() {
    const left = leftKernel(this.matrix, this.order, this.taps, this.mode);
    return {
      before: complexityOf(this.kernel, this.decay),
      after: left && complexityOf(left, this.decay),
    };
  }

  ready() {
    return Boolean(this.order);
  }

  paint(panel, ctx, theme, w, h) {
    return ((!this.kernel && DRAW_COUPLING[panel]) || DRAW[panel])(ctx, theme, w, h, this);
  }

  afterDraw(now) {
    super.afterDraw(now);
    this.syncMarkup();
  }

  attributes(panel, sentence) {
    if (this.canvas[panel].getAttribute("role") !== "slider") return { "aria-label": sentence };
    const [at, most] =
      panel === "tokens"
        ? [this.chosen, this.tau - 1]
        : [this.chosenStem[panel] ?? 0, (this.stems[panel]?.count ?? 1) - 1];
    return { "aria-valuetext": sentence, "aria-valuenow": at, "aria-valuemax": most };
  }

  places() {
    return placesIn(this);
  }

  // -- telling Python, undo

  state() {
    const { kernel, rho, order, taps, mode, names } = this;
    return { ...copy({ kernel, rho, order, taps, mode, names }), decay: this.decay };
  }

  remember() {
    this.past.push(this.state());
    if (this.past.length > 100) this.past.shift();
    this.future = [];
  }

  tell() {
    this.rev += 1;
    const { kernel, tau, rho, order, taps, mode, names } = this;
    this.subject = JSON.stringify([kernel, tau]);
    this.setStateValue("alteration", {
      rev: this.rev,
      rho,
      order: isPlain(order) ? null : [...order],
      taps: taps && [...taps],
      mode,
      names: { ...names },
    });
    this.invalidate();
  }

  travel(from, to) {
    const there = from.pop();
    if (!there) return;
    to.push(this.state());
    Object.assign(this, there);
    this.change();
    this.tell();
  }

  edit(act) {
    this.remember();
    act();
    this.change(...TARGET);
    this.tell();
  }

  // -- the order

  listenToTokens() {
    const canvas = this.canvas.tokens;
    const on = (name, act) => canvas.addEventListener(name, act);
    const placeAt = (e) =>
      this.tokens &&
      Math.floor(
        (e.clientX - canvas.getBoundingClientRect().left - this.tokens.left) / this.tokens.cell,
      );
    on("pointerdown", (e) => {
      const t = placeAt(e);
      const y = e.clientY - canvas.getBoundingClientRect().top;
      if (e.button !== 0 || !(t >= 0 && t < this.tau) || y < this.tokens.top) return;
      canvas.setPointerCapture(e.pointerId);
      this.remember();
      this.drag = { panel: "tokens", from: this.mark() };
      this.set({ chosen: t }, "tokens");
    });
    on("pointermove", (e) => {
      const held = this.drag?.panel === "tokens";
      canvas.style.cursor = held ? "grabbing" : "grab";
      if (held) this.carry(clamp(placeAt(e), 0, this.tau - 1));
    });
    for (const name of ["pointerup", "pointercancel"]) on(name, () => this.drop());
    on("keydown", (e) => this.keyOnTokens(e));
  }

  carry(to) {
    if (to === this.chosen) return;
    Object.assign(this, {
      order: reordered(this.order, this.chosen, to),
      chosen: to,
      names: { ...this.names, order: "own" },
    });
    this.change(...TARGET);
  }

  drop() {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (this.mark() !== drag.from) this.tell();
    else this.past.pop();
    this.invalidate();
  }

  keyOnTokens(event) {
    if (this.undoKey(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const end = { Home: 0, End: this.tau - 1 }[key];
    if (by === undefined && end === undefined) return;
    event.preventDefault();
    const to = clamp(end ?? this.chosen + by, 0, this.tau - 1);
    if (!shiftKey) return this.set({ chosen: to }, "tokens");
    if (to !== this.chosen) this.edit(() => this.carry(to));
  }

  undoKey(event) {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return false;
    event.preventDefault();
    if (event.shiftKey) this.travel(this.future, this.past);
    else this.travel(this.past, this.future);
    return true;
  }

  // -- stems: the filter's taps and the kernel

  listenToStems(panel) {
    const canvas = this.canvas[panel];
    const on = (name, act) => canvas.addEventListener(name, act);
    const at = (e) => {
      const box = canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    const move = (e) => {
      const { y, low, high } = this.stems[panel];
      this.put(panel, round3(clamp(y.invert(at(e)[1]), low, high)));
    };
    on("pointerdown", (e) => {
      const frame = this.movable(panel);
      const s = frame && Math.round(frame.x.invert(at(e)[0]));
      if (e.button !== 0 || !(s >= 0 && s < frame?.count)) return;
      canvas.setPointerCapture(e.pointerId);
      this.remember();
      this.chosenStem[panel] = s;
      this.drag = {
        panel,
        from: this.mark(),
        range: panel === "kernels" ? { low: frame.low, high: frame.high } : undefined,
      };
      move(e);
    });
    on("pointermove", (e) => this.drag?.panel === panel && move(e));
    for (const name of ["pointerup", "pointercancel"]) on(name, () => this.drop());
    on("keydown", (e) => this.keyOnStems(panel, e));
    on("blur", () => {
      this.chosenStem[panel] = null;
      this.invalidate(panel);
    });
  }

  // Where the stems are; an altered coupling has no kernel to move.
  movable(panel) {
    return panel === "filter" || this.kernel ? this.stems[panel] : null;
  }

  put(panel, value) {
    const s = this.chosenStem[panel];
    if (panel === "filter") this.setTap(s, value);
    else this.setKernel(s, value);
    this.change(...TARGET);
  }

  setTap(s, value) {
    const taps = [...(this.taps ?? [1])];
    while (taps.length <= s) taps.push(0);
    taps[s] = value;
    const found = trimmed(taps, this.mode);
    this.taps = found && !(found.length === 1 && found[0] === 1) ? found : null;
    this.names = { ...this.names, filter: this.taps ? "own" : "none" };
  }

  // By hand a kernel becomes a list of taps, that ends.
  setKernel(s, value) {
    const kernel = this.kernel.map((rho, lag) => (lag === s ? value : round(rho, 6)));
    if (kernel.every((rho) => rho === 0)) return;
    Object.assign(this, {
      kernel,
      decay: 0,
      rho: { kernel: "taps", taps: ended(kernel), formula: null },
    });
  }

  keyOnStems(panel, event) {
    if (
      this.undoKey(event) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      !this.movable(panel)
    )
      return;
    const s = this.chosenStem[panel] ?? 0;
    const most = this.stems[panel].count - 1;
    const by = event.shiftKey ? COARSE : STEP;
    const now = (panel === "filter" ? (this.taps ?? [1]) : this.kernel)[s] ?? 0;
    const choose = (to) => () => {
      this.chosenStem[panel] = clamp(to, 0, most);
      this.invalidate(panel);
    };
    const set = (value) => () => {
      this.chosenStem[panel] = s;
      this.edit(() => this.put(panel, round3(clamp(value, -MOST_TAP, MOST_TAP))));
    };
    const acts = {
      ArrowLeft: choose(s - 1),
      ArrowRight: choose(s + 1),
      Home: choose(0),
      End: choose(most),
      ArrowUp: set(now + by),
      ArrowDown: set(now - by),
      Delete: set(0),
      Backspace: set(0),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // -- the lists and buttons

  listenToTools() {
    const on = (act, then) =>
      this.root.querySelector(`[data-act=${act}]`).addEventListener("click", then);
    on("undo", () => this.travel(this.past, this.future));
    on("redo", () => this.travel(this.future, this.past));
    on("keys", (e) => {
      const keys = this.root.querySelector(".keys");
      keys.hidden = !keys.hidden;
      e.target.setAttribute("aria-expanded", String(!keys.hidden));
    });
    const pick = (name, then) =>
      this.root
        .querySelector(`[data-${name}]`)
        .addEventListener("change", (e) => this.edit(() => then(e.target.value)));
    pick("order", (name) =>
      Object.assign(this, {
        order: [...(this.presets.orders[name] ?? identity(this.tau))],
        names: { ...this.names, order: name },
      }),
    );
    pick("filter", (name) =>
      Object.assign(this, {
        taps: this.presets.filters[name] ?? null,
        names: { ...this.names, filter: name },
      }),
    );
    pick("mode", (mode) => {
      this.mode = mode;
    });
  }

  // A kernel is moved like a slider; the answers of a coupling, in the same place, are looked at.
  dressKernels() {
    const canvas = this.canvas.kernels;
    const values = {
      tabindex: 0,
      "aria-valuemin": 0,
      "aria-valuenow": 0,
      "aria-valuemax": this.tau - 1,
      "aria-valuetext": "nothing yet",
    };
    canvas.setAttribute("role", this.kernel ? "slider" : "img");
    canvas.setAttribute("aria-label", this.kernel ? "Kernel" : "Answers");
    for (const [name, value] of Object.entries(values)) {
      if (!this.kernel) canvas.removeAttribute(name);
      else if (!canvas.hasAttribute(name)) canvas.setAttribute(name, value);
    }
  }

  syncMarkup() {
    this.root.querySelector("[data-act=undo]").disabled = !this.past.length;
    this.root.querySelector("[data-act=redo]").disabled = !this.future.length;
    const show = (name, value) => {
      this.root.querySelector(`[data-${name}]`).value = value;
    };
    show("order", this.names.order);
    show("filter", this.names.filter);
    show("mode", this.mode);
    this.root.querySelector("[data-mode]").disabled = !this.taps;
    const hint = this.root.querySelector("[data-text=hint]");
    const text = this.hint();
    if (hint.textContent !== text) hint.textContent = text;
  }

  hint() {
    const trained =
      this.mark() === this.settled
        ? this.learnedWords()
        : "let go to see what has been trained on it";
    if (!this.kernel) return ["a coupling of content: no floor is known", trained].join("\n");
    const { causal, time_invariant, constant } = this.floors;
    const zero = (error) => (error < 1e-12 ? "0" : fmt(error));
    const floors = `best causal model ${zero(causal)} · best time-invariant model (linear RNN) ${zero(time_invariant)} · a constant ${fmt(constant)}`;
    return [floors, this.complexityWords(), trained].join("\n"); // as many lines in a drag as before it: nothing moves under the hand
  }

  // How far the learned taps are those of the filter, and what was learned is a linear map.
  learnedWords() {
    const taps = this.taps && this.learnedTaps;
    const rest = this.kernel && notLinear(this);
    const parts = [
      taps && `taps against θ |cos| = ${cosine(taps, this.taps).toFixed(3)}`,
      typeof rest === "number" && `${fmt(100 * rest)} % of Var(y) is not linear in x̃`,
    ];
    return parts.some(Boolean) ? `learned: ${parts.filter(Boolean).join(" · ")}` : "";
  }

  // Eq. 76 to 78; over the window every kernel has a finite one.
  complexityWords() {
    const { before, after } = this.complexity;
    const moved = (name) =>
      after && fmt(after[name]) === fmt(before[name])
        ? fmt(before[name])
        : `${fmt(before[name])} → ${after ? fmt(after[name]) : "∞"}`;
    return `C₁ ${this.rho.kernel === "formula" ? "(fitted) " : ""}${moved("c_1")}, C₂ ${moved("c_2")}, C_RNN ${moved("c_rnn")}, over the window ${moved("windowed")}${after ? "" : " (no kernel is left)"}`;
  }
}

// Where things are, for tests.
function placesIn(view) {
  const {
    kernel,
    order,
    taps,
    mode,
    floors,
    complexity,
    rev,
    answered,
    tokens,
    stems,
    chosen,
    names,
  } = view;
  const stemsIn = (panel) =>
    stems[panel] && {
      count: stems[panel].count,
      zero: stems[panel].y(0),
      one: stems[panel].y(1),
      x: identity(stems[panel].count).map(stems[panel].x),
    };
  return {
    kernel,
    order,
    taps,
    mode,
    rev,
    answered,
    chosen,
    names,
    floors: floors && { ...floors, kernel: [...floors.kernel] },
    complexity,
    comparable: view.comparable,
    tokens: tokens ?? null,
    filter: stemsIn("filter"),
    kernels: stemsIn("kernels"),
    undo: view.past.length,
    settled: view.mark() === view.settled,
    learned: Boolean(view.pictures()?.matrix_hat),
    learnedTaps: view.learnedTaps && [...view.learnedTaps],
    beside: view.beside?.label ?? null,
  };
}

export default mounted(Order);
