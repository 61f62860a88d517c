// A target in another order and through a filter: what no model can do about it, at once; what training does, live.

import { syncUndo } from "../core/buttons.js";
import { mounted } from "../core/mount.js";
import { Exchange, differing } from "../core/exchange.js";
import { History } from "../core/history.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, round } from "../core/numbers.js";
import { identity, isPlain, reordered } from "../core/reorder.js";
import { RunStream, emptyRun, shownIn } from "../run/stream.js";
import { drawCouplingErrors, drawErrors } from "./errors.js";
import { listen } from "./hands.js";
import { drawLearning } from "./learning.js";
import { drawAttention, drawMaps } from "./maps.js";
import { complexityOf, ended, floorsOf, leftKernel, targetMatrix, trimmed } from "./model.js";
import { sizesFor } from "./sizes.js";
import { DRAW_SPECTRA } from "./spectra.js";
import { listenToStrips, syncStrips } from "./strips.js";
import { saidOfOrder } from "./said.js";
import { drawAnswers, drawFilter, drawKernels } from "./stems.js";
import { drawTokens } from "./tokens.js";
import { listenToTried, syncTried } from "./tried.js";
import { hintOf } from "./words.js";

/** @import { OrderDrawing } from "../payloads.js" */
/** @import { Draw, DrawKernel, OfKernel } from "./errors.js" */
/** @import { StemPlan } from "./stems.js" */
/** @import { Tried } from "./tried.js" */
/** @typedef {OrderDrawing & {tried: Tried[], remembered?: number}} Said what pages/order/page.py adds too */

const ALTERED = "explorer-altered";
/** Panels of any target. @type {Record<string, Draw>} */
const DRAW = { tokens: drawTokens, filter: drawFilter, learning: drawLearning, ...DRAW_SPECTRA };
/** Those of a kernel. @type {Record<string, DrawKernel>} */
const DRAW_KERNEL = { errors: drawErrors, kernels: drawKernels, maps: drawMaps };
/** Of a coupling, which has none. @type {Record<string, Draw>} */
const DRAW_COUPLING = { errors: drawCouplingErrors, kernels: drawAnswers, maps: drawAttention };
/** Panels that an edit changes. */
const TARGET = [...Object.keys(DRAW), "errors", "kernels", "maps"];

/** @import { AlteredRunDrawing } from "../payloads.js" */
/** @typedef {Pick<AlteredRunDrawing, "steps" | "seed" | "model">} Over */
/** @extends {RunStream<Over>} */
export class Order extends RunStream {
  /** What Python said last. @type {Said | null} */
  header = null;
  /** The kernel that is altered: another one has a history of its own. */
  subject = "";
  tau = 0;
  /** ρ(0), ρ(1), …; null for a coupling. @type {number[] | null} */
  kernel = null;
  /** What Python calls the kernel. @type {OrderDrawing["rho"]} */
  rho = null;
  decay = Infinity;
  /** @type {number[]} */
  order = [];
  /** Of the filter; null: none. @type {number[] | null} */
  taps = null;
  mode = "";
  names = { order: "", filter: "" };
  /** What makes the target that Python knows. */
  reported = "";
  /** The alteration that Python knows, or was told. @type {Partial<ReturnType<Order["alteration"]>>} */
  known = {};
  /** Of a kernel. @type {Float64Array[] | null} */
  matrix = null;
  /** @type {ReturnType<typeof floorsOf> | null} */
  floors = null;
  /** @type {ReturnType<Order["measured"]> | null} */
  complexity = null;
  /** The kernel that is left after the alteration, if any is. @type {number[] | null} */
  left = null;
  /** The least that architectures need for the kernel that is left. @type {ReturnType<typeof sizesFor> | null} */
  needed = null;
  /** The place whose token is chosen. */
  chosen = 0;
  /** @type {Record<string, number | null>} */
  chosenStem = { filter: null, kernels: null };
  /** Where the panels are, once they were drawn. */
  tokens = { left: 0, cell: 0, top: 0, bottom: 0 };
  /** @type {Record<string, StemPlan>} */
  stems = {};
  /** Of each model the errors of a run on its way, as they are drawn. @type {Record<string, number[] | undefined>} */
  ways = {};
  /** What is held, and of stems what their axis spans meanwhile. @type {{panel: string, range?: {low: number, high: number}} | null} */
  drag = null;
  /** @type {Exchange<Said>} */
  exchange = new Exchange(this);
  /** Python was asked for a search, and has not answered. */
  hunting = false;
  /** @type {History<ReturnType<Order["state"]>>} */
  history = new History();
  /** Of the heatmaps. */
  holder = {};

  constructor(/** @type {ShadowRoot} */ root) {
    super(root, "Order", [...Object.keys(DRAW), ...Object.keys(DRAW_KERNEL)]);
    listen(this);
    listenToStrips(this);
    listenToTried(this);
  }

  // -- what Python says

  /** @param {Uint8Array} bytes a drawing of pages/order/view.py */
  take(bytes) {
    const { header } = unpackBytes(bytes);
    this.header = header;
    this.exchange.answer(header, header.answers);
    this.follow(header.stream);
    this.change();
  }

  holding() {
    return Boolean(this.drag);
  }

  adopt(/** @type {Said} */ { kernel, tau, rho, decay, order, taps, mode, names }) {
    const subject = JSON.stringify([kernel, tau]);
    if (subject !== this.subject) Object.assign(this, { subject, history: new History() });
    Object.assign(this, { kernel, tau, rho, taps, mode, names });
    this.decay = decay ?? Infinity;
    this.order = order ?? identity(tau);
    this.chosen = clamp(this.chosen, 0, tau - 1);
    this.reported = this.mark();
    this.known = this.alteration();
    if (this.hunting)
      this.history.note(this.state()); // what a search found can be undone
    else this.history.amend(this.state());
    this.hunting = false;
    this.syncKernels();
    this.change();
  }

  // What makes the target; trained values belong to the one that Python knows.
  mark() {
    return JSON.stringify([this.kernel, this.order, this.taps, this.taps ? this.mode : null]);
  }

  get settled() {
    return this.mark() === this.reported;
  }

  get comparable() {
    return (this.settled && this.header?.trained) || [];
  }

  /** Whether the run learns just this target. */
  get same() {
    return Boolean(this.header?.same) && this.settled;
  }

  get tried() {
    return this.header?.tried ?? [];
  }

  // What was trained on another target, and what that is called: of Python, in a drag what was there before it.
  get ghosts() {
    if (this.settled || !this.header?.trained.length) return this.header?.ghosts ?? null;
    const trained = this.header.trained.filter(({ source }) => source !== "printed");
    return { name: this.header.name, trained };
  }

  // A run on another target says nothing of this one.
  /** @returns {Run<Over>} */
  toldRun() {
    if (this.same || !this.header) return this.run;
    const { steps, seed, model } = this.header;
    return { ...emptyRun(), followed: false, drawing: { steps, seed, model } };
  }

  pictures() {
    return this.same ? shownIn(this.run) : null;
  }

  // What is known of a run with a convolution in front, where that shown has none, and the other way round.
  get beside() {
    return (this.same && this.header?.beside) || null;
  }

  // The taps that a convolution in front has learned: of the run shown, or of that beside it.
  get learnedTaps() {
    return this.pictures()?.taps?.values ?? this.beside?.taps ?? null;
  }

  /** What may be left of ‖ρ‖², where sizes are said. */
  get share() {
    return this.header?.remembered ?? 0.01;
  }

  // -- what follows from the target: a coupling has no kernel, and no floors that are known

  change(/** @type {string[]} */ ...panels) {
    const { kernel, order, taps, mode } = this;
    this.matrix =
      kernel && targetMatrix({ kernel, order: isPlain(order) ? null : order, taps, mode });
    this.floors = this.matrix && floorsOf(this.matrix);
    this.left = this.matrix && leftKernel(this.matrix, order, taps, mode);
    this.complexity = kernel && this.measured(kernel, this.left);
    this.needed = this.left && sizesFor(this.left, this.share);
    this.invalidate(...panels);
  }

  // C_1, C_2, C_RNN before and after; after is null where no kernel is left.
  /** @param {number[]} kernel @param {number[] | null} left */
  measured(kernel, left) {
    return {
      before: complexityOf(kernel, this.decay),
      after: left && complexityOf(left, this.decay),
    };
  }

  // -- drawing

  ready() {
    return this.header !== null;
  }

  /** @type {RunStream["paint"]} */
  paint(panel, ctx, theme, w, h) {
    if (!DRAW_KERNEL[panel]) return DRAW[panel](ctx, theme, w, h, this);
    if (!isOfKernel(this)) return DRAW_COUPLING[panel](ctx, theme, w, h, this);
    return DRAW_KERNEL[panel](ctx, theme, w, h, this);
  }

  afterDraw() {
    super.afterDraw();
    this.syncMarkup();
    // What the page says is of the target before, until it has heard of this one (page.css).
    document.documentElement.classList.toggle(ALTERED, !this.settled);
  }

  close() {
    super.close();
    document.documentElement.classList.remove(ALTERED);
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    const stemOf = (/** @type {string} */ panel) =>
      /** @type {[number, number]} */ ([
        this.chosenStem[panel] ?? 0,
        (this.stems[panel]?.count ?? 1) - 1,
      ]);
    const kernels = this.kernel && { kernels: stemOf("kernels") };
    return { tokens: [this.chosen, this.tau - 1], filter: stemOf("filter"), ...kernels };
  }

  // A kernel is moved like a slider; the answers of a coupling, in the same place, are looked at.
  syncKernels() {
    const canvas = this.canvas.kernels;
    const values = { "aria-valuemin": 0, "aria-valuenow": 0, "aria-valuemax": this.tau - 1 };
    const slider = { tabindex: 0, ...values, "aria-valuetext": "nothing yet" };
    canvas.setAttribute("role", this.kernel ? "slider" : "img");
    canvas.setAttribute("aria-label", this.kernel ? "Kernel" : "Answers");
    for (const [name, value] of Object.entries(slider)) {
      if (!this.kernel) canvas.removeAttribute(name);
      else if (!canvas.hasAttribute(name)) canvas.setAttribute(name, String(value));
    }
  }

  syncMarkup() {
    syncUndo(this);
    const lists = { order: this.names.order, filter: this.names.filter, mode: this.mode };
    for (const [name, value] of Object.entries(lists))
      this.root.querySelector(`[data-${name}]`).value = value;
    this.root.querySelector("[data-mode]").parentElement.hidden = !this.taps;
    syncStrips(this);
    syncTried(this);
    this.say("hint", hintOf(this));
  }

  numbers() {
    return saidOfOrder(this);
  }

  places() {
    const { kernel, order, taps, mode, floors, complexity, exchange } = this;
    const { chosen, names, comparable, tokens, settled, learnedTaps, ghosts } = this;
    const stemsIn = (/** @type {StemPlan} */ { count, x, y }) => ({
      count,
      zero: y(0),
      one: y(1),
      x: identity(count).map(x),
    });
    return {
      ...{ kernel, order, taps, mode, chosen, names, complexity, comparable },
      ...{ rev: exchange.rev, answered: exchange.answered },
      ...{ tokens, settled, ghosts },
      floors: floors && { ...floors, kernel: [...floors.kernel] },
      ...Object.fromEntries(Object.entries(this.stems).map(([name, p]) => [name, stemsIn(p)])),
      undo: this.history.at,
      hunting: this.hunting,
      tried: this.tried,
      ways: this.ways,
      learned: Boolean(this.pictures()?.matrix_hat),
      learnedTaps: learnedTaps && [...learnedTaps],
      beside: this.beside?.label ?? null,
    };
  }

  // -- edits

  edit(/** @type {() => void} */ act) {
    act();
    this.change(...TARGET);
    this.commit();
  }

  choose(/** @type {number} */ t) {
    this.chosen = t;
    this.invalidate("tokens");
  }

  // The chosen token to another place.
  carry(/** @type {number} */ to) {
    if (to === this.chosen) return;
    this.order = reordered(this.order, this.chosen, to);
    this.chosen = to;
    this.names = { ...this.names, order: "own" };
    this.change(...TARGET);
  }

  /** @type {(panel: string, s: number | null) => void} */
  chooseStem(panel, s) {
    this.chosenStem[panel] = s;
    this.invalidate(panel);
  }

  // Where the stems are; an altered coupling has no kernel to move.
  movable(/** @type {string} */ panel) {
    return panel === "filter" || this.kernel ? this.stems[panel] : null;
  }

  /** @type {(panel: string, s: number) => number} */
  valueAt(panel, s) {
    return (panel === "filter" ? (this.taps ?? [1]) : this.kernel)?.[s] ?? 0;
  }

  /** @type {(panel: string, value: number) => void} */
  put(panel, value) {
    const s = this.chosenStem[panel] ?? 0;
    if (panel === "filter") this.setTap(s, value);
    else this.setKernel(s, value);
    this.change(...TARGET);
  }

  /** @type {(s: number, value: number) => void} */
  setTap(s, value) {
    const taps = [...(this.taps ?? [1])];
    while (taps.length <= s) taps.push(0);
    taps[s] = value;
    const left = trimmed(taps, this.mode);
    this.taps = left && !(left.length === 1 && left[0] === 1) ? left : null;
    this.names = { ...this.names, filter: this.taps ? "own" : "none" };
  }

  // By hand a kernel becomes a list of taps, that ends.
  /** @type {(s: number, value: number) => void} */
  setKernel(s, value) {
    const kernel = (this.kernel ?? []).map((rho, lag) => (lag === s ? value : round(rho, 6)));
    if (kernel.every((rho) => rho === 0)) return;
    const rho = { kernel: "taps", taps: ended(kernel), formula: null };
    Object.assign(this, { kernel, decay: 0, rho });
  }

  /** An order as Python lists it. */
  takeOrder(/** @type {Tried} */ { order, called }) {
    Object.assign(this, { order: [...order], names: { ...this.names, order: called } });
  }

  /** Python is asked for the order that is hardest for an RNN. */
  hunt() {
    if (this.drag) return;
    this.hunting = true;
    this.exchange.report({ hunt: true });
    this.invalidate("tokens");
  }

  // Of Python: the orders and filters that have a name.
  get presets() {
    return this.header?.presets ?? { orders: {}, filters: {} };
  }

  /** What was chosen in one of the lists. @type {(list: string, name: string) => void} */
  preset(list, name) {
    const { orders, filters } = this.presets;
    if (list === "mode") return void (this.mode = name);
    if (list === "order") this.order = orders[name] ?? identity(this.tau);
    else this.taps = filters[name] ?? null;
    this.names = { ...this.names, [list]: name };
  }

  // -- telling Python, undo

  state() {
    const { kernel, rho, decay, order, taps, mode, names } = this;
    return { kernel, rho, decay, order, taps, mode, names };
  }

  // An edit is done.
  commit() {
    if (this.history.note(this.state())) this.report();
    this.invalidate();
  }

  // Back (−1) or forth (1).
  step(/** @type {number} */ by) {
    const state = this.drag ? null : this.history.go(by);
    if (!state) return;
    Object.assign(this, state);
    this.change();
    this.report();
  }

  // As Python is told of it: what has a name, by that.
  alteration() {
    const { rho, order, taps, mode, names } = this;
    const { orders, filters } = this.presets;
    return {
      ...{ rho, mode },
      order: names.order in orders ? names.order : isPlain(order) ? null : order,
      taps: names.filter in filters ? names.filter : taps,
    };
  }

  report() {
    this.subject = JSON.stringify([this.kernel, this.tau]);
    const now = this.alteration();
    this.exchange.report(differing(now, this.known));
    this.known = now;
    this.invalidate();
  }
}

/** @param {Order} view @returns {view is OfKernel} */
const isOfKernel = (view) => view.kernel !== null;

export default mounted(Order);
