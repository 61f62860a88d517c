// A coupling that the reader changes by hand: spectrum, heatmaps, a row through softmax, singular functions.
// While something is dragged what is here is the truth; on release Python gets it by the exchange.

import { syncUndo } from "../core/buttons.js";
import { CanvasView } from "../core/canvas-view.js";
import { mounted } from "../core/mount.js";
import { still } from "../core/canvas.js";
import { Exchange } from "../core/exchange.js";
import { colourRange } from "../core/heatmap.js";
import { History } from "../core/history.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt, inWords, largest, round } from "../core/numbers.js";
import { followSliders } from "../core/sliders.js";
import { Coupling } from "./coupling.js";
import { drawFloor, partOfOne, stale } from "./floor.js";
import { showHandle } from "./handle.js";
import { listen } from "./hands.js";
import { FREE_LIST, PARAMETERS, TERMS } from "./laws.js";
import { Learned } from "./learned.js";
import {
  changesOf,
  complexityText,
  exactOf,
  fieldsOf,
  keptOf,
  leftOut,
  lineOf,
  rateTexts,
  orderOf,
  rangeOfSigma,
  sigmaIn,
  sigmaOf,
  stateOf,
  turned,
} from "./model.js";
import { drawFunctions, drawMaps, drawRow, secondLabels } from "./panels.js";
import { drawSpectrum, heightOf, tolerancePlace } from "./spectrum.js";
import { truncation } from "./truncation.js";

/** @import { Change } from "../core/exchange.js" */
/** @import { DesignDrawing } from "../payloads.js" */
/** @import { FloorPlan, UnderFloor } from "./floor.js" */
/** @import { Parameter } from "./laws.js" */
/** @import { Line, Spectrum, Spot, State } from "./model.js" */
/** @import { Draw } from "./panels.js" */
/** @import { Plan, Under } from "./spectrum.js" */
/** @typedef {(Under | {what: "paint"}) & {from: Place, last: Place, line: Line | null, offset: number, moved?: boolean}} OnSpectrum */
/** @typedef {Exclude<UnderFloor, {what: "run"}> & {range: [number, number]}} OnFloor */
/** @typedef {(OnSpectrum | OnFloor | {what: "at"}) & {before: State}} Held what is held, and the state before */

/** @type {Packed} */
const NOTHING = { shape: [0, 0], values: new Float32Array() };

/** Significant digits of σ_k that leave a law; links write them so (explorer/spec/folded.py). */
const DIGITS = 12;

/** Fields of a law that sliders of the page move. */
const SLIDERS = [...PARAMETERS, "c", "rank"];

/** @type {Record<string, Draw>} */
export const DRAW = {
  maps: drawMaps,
  spectrum: drawSpectrum,
  floor: drawFloor,
  row: drawRow,
  functions: drawFunctions,
};

export class Design extends CanvasView {
  drawings = DRAW;
  /** What makes another design of it: the page's choices beside the spectrum; "" before Python has said anything. */
  subject = "";
  /** @type {Spectrum} */
  design = {
    ...{ spectrum: FREE_LIST, list: null, alpha: 1, decay: 1, c: 1, rank: null, m: 1 },
    ...{ sigma: [], order: [], family: FREE_LIST, whole: "" },
  };
  editable = false;
  /** What was typed is refused: what is drawn is of before. */
  refused = false;
  /** @type {DesignDrawing["limits"]} */
  limits = { m: [1, 1], c: [1, 1], alpha: [1, 1], decay: [1, 1], sigma: Infinity };
  centred = true;
  beyond = 0;
  /** @type {DesignDrawing["rest"]} */
  rest = { tau: 1, left_basis: "", right_basis: "", formula: null, grid: null };
  /** @type {DesignDrawing["shown"]} */
  shown = { centred: true };
  error = 0;
  /** @type {DesignDrawing["exact"]} */
  exact = null;
  /** @type {DesignDrawing["trained"]} */
  trained = [];
  /** By what the floor is computed here: no Python answers. @type {DesignDrawing["alone"]} */
  alone;
  /** What the axes hold besides what is drawn. @type {import("../payloads.js").Extents} */
  extents = {};
  /** The floor of a design before. @type {Packed | null} */
  ghost = null;
  floor = NOTHING;
  floorOf = "";
  /** @type {number | null} */
  chosenTolerance = null;
  ownTolerance = 0;
  at = { u: 0, v: 0 };
  k = 1;
  /** @type {boolean[]} */
  isKept = [];
  /** @type {Line | null} */
  line = null;
  /** @type {{limit: number, clipped: boolean}} */
  scale = { limit: 1, clipped: false };
  scaleAtStart = { limit: 1, clipped: false, top: 1 };
  /** Where the panels are, once they were drawn. @type {Plan | null} */
  plan = null;
  /** @type {FloorPlan | null} */
  floorPlan = null;
  /** @type {{squares: Square[]} | null} */
  maps = null;
  coupling = new Coupling({ phi: NOTHING, psi: NOTHING }, 1);
  /** Of the σ axis: as drawn, and where it is going. */
  range = rangeOfSigma([], 0);
  goal = this.range;
  /** @type {Held | null} */
  drag = null;
  /** What the pointer is over: a k, or the name of a thing to take hold of. @type {number | string | null} */
  over = null;
  /** The place on the heatmaps under the pointer. @type {Spot | null} */
  point = null;
  /** A key was pressed, and is not yet let go. */
  typed = false;
  /** @type {State["map"]} */
  choice = "kept";
  norm = "mse";
  /** The state that Python knows of. */
  reported = stateOf(this);
  /** @type {History<State>} */
  history = new History();
  /** @type {Exchange<Message>} */
  exchange = new Exchange(this);

  constructor(/** @type {ShadowRoot} */ root) {
    super(root, "Design", Object.keys(DRAW));
    /** What `probe` says besides: what Python was told. @type {{stale: boolean, sent: Change[]}} */
    this.probed = Object.assign(this.probe, { stale: false, sent: [] });
    listen(this);
    this.learned = new Learned(this);
    this.endFollowing = followSliders((field, value) => this.preview(field, value));
  }

  close() {
    this.endFollowing();
    this.learned.end();
    super.close();
  }

  /** @param {Uint8Array} bytes a drawing of pages/design/view_drawing.py */
  take(bytes) {
    const message = unpackBytes(bytes);
    this.exchange.answer(message, message.header.answers);
    this.learned.take(message.header.here, message.arrays);
  }

  holding() {
    return Boolean(this.drag || this.typed);
  }

  get tolerance() {
    return this.chosenTolerance ?? this.ownTolerance;
  }

  adopt(/** @type {Message} */ message) {
    /** @type {{header: DesignDrawing, arrays: Message["arrays"]}} */
    const { header, arrays } = message;
    const known = this.subject === header.subject;
    const { subject, editable, limits, centred, beyond, rest, shown } = header;
    const { sigma, family, whole } = header;
    const { error, norm, exact, trained } = header;
    Object.assign(this, { subject, editable, limits, centred, beyond, rest, shown });
    Object.assign(this, { error, norm, exact, trained, floor: arrays.floor });
    this.alone = header.alone;
    this.extents = header.extents ?? {};
    this.ghost = arrays.ghost ?? null;
    this.refused = header.refused;
    this.chosenTolerance = header.chosen_tolerance;
    this.ownTolerance = header.own_tolerance;
    this.at = { u: header.u, v: header.v };
    this.choice = header.map;
    this.design = { ...fieldsOf(header), sigma, order: orderOf(sigma), family, whole };
    this.floorOf = JSON.stringify(sigma);
    this.coupling = new Coupling(arrays, header.coarse);
    this.k = clamp(header.k, 1, Math.max(1, sigma.length));
    this.reported = stateOf(this);
    this.history.note(this.reported);
    this.refresh();
    this.updateScales(known);
    this.invalidate();
  }

  refresh() {
    const { design } = this;
    if (design.order.length !== design.sigma.length) design.order = orderOf(design.sigma);
    this.isKept = keptOf(this.design.sigma, this.design.m);
    const line = lineOf(this.design, this.tolerance);
    const apart = !this.editable || this.rest.left_basis !== this.rest.right_basis;
    this.line = line && { ...line, apart };
  }

  // The axes, the places on them and the colours stay as they are while something is dragged.
  updateScales(known = true) {
    this.design.order = orderOf(this.design.sigma);
    const all = [...this.design.sigma, ...(this.extents.sigma ?? [])];
    const range = rangeOfSigma(all, this.tolerance, known ? this.range : null);
    this.goal = range;
    if (!known || still()) this.range = range;
    const { values } = this.rho();
    const { limit, clipped } = colourRange(values);
    this.scale = { limit, clipped };
    this.scaleAtStart = { limit, clipped, top: largest(values) || 1 };
  }

  rho() {
    return this.coupling.rho(this.design.sigma);
  }

  second() {
    const { isKept, k, choice, learned } = this;
    const { sigma } = this.design;
    return this.onItsWay(
      "second",
      learned.rho ?? this.coupling.second({ sigma, isKept, k, choice }),
    );
  }

  grids() {
    return { second: this.second() };
  }

  /** What stands beside ρ. @returns {State["map"] | "learned"} */
  get beside() {
    return this.learned.rho ? "learned" : this.choice;
  }

  secondName() {
    const { k } = this;
    return { learned: "ρ̂", kept: "ρ_m", residual: "ρ − ρ_m", term: `σ_{${k}} φ_{${k}} ψ_{${k}}` }[
      this.beside
    ];
  }

  rowsAt(/** @type {number} */ u) {
    const { isKept, centred } = this;
    return this.coupling.rowsAt(u, { sigma: this.design.sigma, isKept, centred });
  }

  ready() {
    return this.subject !== "";
  }

  // After a release the axis glides to its new range; in a drag the colours take more in.
  animate() {
    if (this.drag) this.widenScale();
    const { range, goal } = this;
    const far =
      Math.abs(Math.log(goal.low / range.low)) + Math.abs(Math.log(goal.high / range.high));
    if (far < 0.02 || still()) return void (this.range = goal);
    const part = (/** @type {number} */ a, /** @type {number} */ b) => a * (b / a) ** 0.3;
    this.range = { ...goal, low: part(range.low, goal.low), high: part(range.high, goal.high) };
    this.invalidate("spectrum", "floor");
  }

  widenScale() {
    const { limit, clipped, top } = this.scaleAtStart;
    const now = largest(this.rho().values);
    this.scale = { limit: limit * Math.max(1, now / top), clipped };
  }

  afterDraw() {
    this.probed.stale = stale(this);
    this.syncMarkup();
    this.learned.afterDraw();
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    return {
      spectrum: [this.k, Math.max(1, this.design.sigma.length)],
      floor: [this.design.m],
      maps: [this.at.u.toFixed(3), undefined, true],
    };
  }

  // What goes with the pictures: the switch above the second heatmap, the buttons.
  syncMarkup() {
    this.root.querySelector(".design").classList.toggle("refused", this.refused);
    showHandle(this);
    if (!this.maps) return;
    const second = this.maps.squares[1];
    const box = this.root.querySelector(".switch");
    for (const [value, text] of Object.entries(secondLabels(this))) {
      const input = box.querySelector(`[value=${value}]`);
      const label = input.nextElementSibling;
      if (input.checked !== (value === this.beside)) input.checked = value === this.beside;
      if (label.textContent !== text) label.textContent = text;
    }
    const left = Math.min(second.x, box.parentElement.clientWidth - box.offsetWidth);
    box.style.transform = `translate(${left}px, ${second.y - 33}px)`;
    syncUndo(this);
  }

  numbers() {
    const { sigma, m } = this.design;
    const { share } = leftOut(sigma, this.isKept, this.beyond);
    const rank = sigma.filter((s) => s > this.tolerance).length;
    const slope = rateTexts(this.line)?.slope ?? "no law";
    const counts = {
      m: inWords(m),
      terms: `${inWords(m)} ${m === 1 ? "term" : "terms"}`,
      rank: inWords(rank),
      ranks: `${inWords(rank)} ${rank === 1 ? "term" : "terms"}`,
      slope,
      c1: complexityText(sigma, this.line),
    };
    return { ...counts, share: `${fmt(100 * (1 - share))} %`, part: partOfOne(this) };
  }

  places() {
    const { plan, floorPlan, error, tolerance, design, maps, exchange } = this;
    if (!maps || !plan || !floorPlan) return {};
    const held = tolerancePlace(plan, tolerance);
    return {
      dots: design.sigma.map((s, i) => [plan.at(i), heightOf(plan, s)]),
      handle: plan.handle,
      tolerance: [held.x, held.y],
      m: [plan.mx, plan.box.y - 10],
      sigma: design.sigma,
      squares: maps.squares,
      rev: exchange.rev,
      wanted: [floorPlan.box.x + floorPlan.box.w, floorPlan.y(error)],
    };
  }

  edit(/** @type {Partial<Spectrum>} */ change) {
    const { design } = this;
    Object.assign(design, change);
    if (PARAMETERS.some((name) => change[name] !== undefined))
      design.sigma = sigmaOf(design, design.sigma.length);
    const { sigma: list } = change;
    if (list) Object.assign(design, { family: FREE_LIST, spectrum: FREE_LIST, list, rank: null });
    this.refresh();
    this.invalidate();
  }

  /** @param {[number, number][]} places [i, σ] of those that change; the others of a law are rounded as links hold them */
  setSigma(places) {
    const { family, sigma: before } = this.design;
    const sigma = family === FREE_LIST ? [...before] : before.map((s) => round(s, DIGITS));
    for (const [i, value] of places) {
      const least = Math.min(this.goal.low, sigma[i] || Infinity);
      sigma[i] = value === 0 ? 0 : round(clamp(value, least, this.limits.sigma), 3);
    }
    if (sigma.some((s) => s > 0)) this.edit({ sigma });
  }

  // The decay line to another value of its parameter: the law's own, or that of a list (see `turned`), as they were in `from`.
  /** @type {(to: Partial<Record<Parameter, number>>, from: {line: Line, before?: State}) => void} */
  setParameter(to, { line, before }) {
    const { sigma, family, order } = this.design;
    const list = () => turned(before?.list ?? sigma, line, to, this.limits.sigma, order);
    this.edit(family === FREE_LIST ? { sigma: list() } : to);
  }

  setM(/** @type {number} */ m) {
    const [least, most] = this.limits.m;
    this.edit({ m: clamp(m, least, most) });
  }

  /** What a slider of the page stands at while it is moved; let go, Python says what comes of it. @type {(field: string, value: number | string | null) => void} */
  preview(field, value) {
    const { design } = this;
    if (this.holding() || typeof value === "string") return;
    if (field === "m_h" && value !== null) return this.setM(value);
    if (!this.editable || design.family === FREE_LIST || !SLIDERS.includes(field)) return;
    const count = field === "rank" ? (value ?? TERMS) : design.sigma.length;
    Object.assign(design, { [field]: value });
    design.sigma = sigmaOf(design, count);
    this.k = clamp(this.k, 1, count);
    this.refresh();
    this.widenScale();
    this.invalidate();
  }

  // Its own again with null.
  setTolerance(/** @type {number | null} */ tolerance) {
    this.chosenTolerance = tolerance && round(clamp(tolerance, 1e-16, 10), 2);
    this.refresh();
    this.invalidate("spectrum", "floor");
  }

  setError(/** @type {number} */ error) {
    this.error = round(clamp(error, 1e-12, 1), 2);
    this.invalidate("floor");
  }

  /** The place of the crosshair, which stays. */
  setAt(/** @type {Spot} */ at) {
    this.at = at;
    this.invalidate("maps", "row", "functions");
  }

  /** The place under the pointer, shown while it is there. */
  setPoint(/** @type {Spot | null} */ point) {
    this.point = point;
    this.invalidate("maps", "row", "functions");
  }

  choose(/** @type {number} */ k) {
    this.k = clamp(k, 1, Math.max(1, this.design.sigma.length));
    this.invalidate();
  }

  setOver(/** @type {number | string | null} */ over) {
    if (this.over === over) return;
    this.over = over;
    this.invalidate("spectrum", "floor");
  }

  // A dot goes back to the decay line, which for a free list is fitted to the others.
  reset(/** @type {number} */ k) {
    const place = this.design.order.indexOf(k - 1);
    const line = lineOf(this.design, this.tolerance, place);
    if (line) this.setSigma([[k - 1, line.at(place + 1)]]);
    this.commit();
  }

  report(/** @type {Change} */ changes) {
    this.probed.sent.push(changes);
    this.exchange.report(changes);
    if (!this.alone) return;
    if (this.editable) setTimeout(() => this.follow()); // what is drawn comes first
    this.learned.follow();
  }

  /** The floor of the design as it was let go, where no Python answers; runs are of another design. */
  follow() {
    const { alone, design, rest } = this;
    if (!alone || this.holding() || !stale(this)) return;
    this.exact = exactOf(design);
    const { left_basis: left, right_basis: right, tau } = rest;
    this.floor = truncation({ ...design, left, right, tau, exact: this.exact }, alone);
    this.floorOf = JSON.stringify(design.sigma);
    this.trained = [];
    this.invalidate();
  }

  // What differs from the state that Python knows of.
  reportChanges(/** @type {State} */ state) {
    const changes = changesOf(state, this.reported);
    this.reported = state;
    if (Object.keys(changes).length) this.report(changes);
  }

  // An edit is done: the axes may move again.
  commit() {
    const now = stateOf(this);
    this.history.note(now);
    this.reportChanges(now);
    this.updateScales();
    this.exchange.settle();
    this.invalidate();
  }

  // Back (−1) or forth (1).
  step(/** @type {number} */ by) {
    const state = this.holding() ? null : this.history.go(by);
    if (!state) return;
    if (this.show(state)) this.updateScales();
    this.reportChanges(state);
    this.invalidate();
  }

  // Draws another state, if what it takes is here.
  show(/** @type {State} */ state) {
    const { tolerance, error, k, at, map, rest, shown, ...chosen } = structuredClone(state);
    const sigma = sigmaIn(state, stateOf(this), this.design.sigma);
    if (!sigma) return false;
    const family = this.editable ? chosen.spectrum : this.design.family;
    Object.assign(this.design, chosen, { sigma, family });
    Object.assign(this, { chosenTolerance: tolerance, error, k, at, choice: map });
    this.refresh();
    return true;
  }

  // What is held goes back to where it was taken.
  cancelDrag() {
    const held = this.drag;
    this.drag = null;
    if (held) this.show(held.before);
    this.commit();
  }

  /** A key was let go, or the picture was left: what was typed is an edit. */
  endTyping() {
    if (!this.typed) return;
    this.typed = false;
    this.commit();
  }
}

export default mounted(Design);
