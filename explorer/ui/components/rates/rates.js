// A sweep under the reader's hands: points to look into, a curve to predict before they are shown, a rank to cut to.

import { CanvasView } from "../core/canvas-view.js";
import { mounted } from "../core/mount.js";
import { still } from "../core/canvas.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, fmt, round } from "../core/numbers.js";
import { LAID_OVER, PREDICTED, RECALLED } from "../core/predictions.js";
import { drawFigure } from "./figure.js";
import { listen } from "./hands.js";
import { TrainedHere } from "./here.js";
import {
  MOST_PANELS,
  compared,
  comparedText,
  heightRange,
  seedsAt,
  surgeryOf,
  trainedWidths,
} from "./model.js";
import { drawModel, drawSurgery } from "./panels.js";

/** @import { Drawn, Predicted } from "../core/predictions.js" */
/** @import { Pair, RatesDrawing, RatesPanel, RatesSeries } from "../payloads.js" */
/** @import { Plan, Under } from "./figure.js" */
/** @import { Stroke } from "./hands.js" */
/** @import { Prediction } from "./model.js" */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: Rates) => string} Draw */

/** @typedef {{panel: RatesPanel, series: RatesSeries, m_h: number, seed: number}} Chosen */

/** Before Python has said anything. @type {RatesSeries} */
const NO_SERIES = {
  name: "",
  rank: null,
  cell: { alpha: 0, rank: null, m_ff: 0 },
  points: [],
  diverged: 0,
  ...{ line: [], floor: [], tail: [], on_own: [], optimum: [], sigma: [] },
  ...{ fit: null, theory: null, knee: null, why: [] },
};

/** @type {RatesDrawing} */
const NOTHING = {
  ...{ subject: "", norm: "mse", axis: "", statistic: "" },
  ...{ widths: [], panels: [], own: null, training: null },
};

/** @type {Record<string, Draw>} */
const DRAW = { figure: drawFigure, spectrum: drawModel, surgery: drawSurgery };
const FADE_SECONDS = 0.7;

export class Rates extends CanvasView {
  drawings = DRAW;
  /** What is swept: another one forgets the predictions. */
  subject = "";
  norm = "mse";
  axis = "";
  /** @type {number[]} */
  widths = [];
  /** @type {RatesPanel[]} */
  panels = [];
  /** How many values of α have no panel. */
  left = 0;
  /** A unit at work. @type {RatesDrawing["training"]} */
  training = null;
  /** Of all errors that are drawn. @type {Pair} */
  range = [1e-4, 1];
  /** Whose model is shown. @type {Chosen} */
  chosen = { panel: { title: "", series: [] }, series: NO_SERIES, m_h: 1, seed: 0 };
  /** The point under the pointer. @type {Under | null} */
  hover = null;
  /** A stroke of the prediction, or the rank that is moved. @type {Stroke | {what: "k"} | null} */
  drag = null;
  /** The rank of the surgery. */
  k = 1;
  predicting = false;
  /** Whether the reader has chosen what is shown. */
  picked = false;
  /** What others have drawn. @type {Drawn[]} */
  others = [];
  /** The reader's curves, {m_h: error} by target and norm. @type {Map<string, Prediction>} */
  predictions = new Map();
  /** What was hidden while predicting: from 0 to 1 once it is shown. */
  fade = 1;
  /** @type {number | null} */
  since = null;
  /** Where the panels are, once they were drawn. @type {Plan[]} */
  plans = [];
  /** @type {{box: Box, x: Scale} | null} */
  surgeryPlan = null;

  constructor(/** @type {HTMLElement} */ root) {
    super(root, "Rates", Object.keys(DRAW));
    /** What Python has said. */
    this.given = NOTHING;
    this.here = new TrainedHere(
      this,
      /** @type {HTMLElement} */ (root.querySelector("[data-here]")),
    );
    root.addEventListener(LAID_OVER, (event) => {
      this.others = /** @type {CustomEvent<Drawn[]>} */ (event).detail;
      this.invalidate("figure");
    });
    root.addEventListener(RECALLED, (event) =>
      this.recall(/** @type {CustomEvent<Predicted[]>} */ (event).detail),
    );
    listen(this);
  }

  /** @param {Uint8Array} bytes a drawing of pages/rates/view_drawing.py */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    const { subject, norm, axis, widths } = header;
    const before = this.subject === subject && this.norm === norm ? this.chosen : null;
    if (this.subject !== subject)
      Object.assign(this, { predictions: new Map(), others: [], predicting: false, fade: 1 });
    Object.assign(this, { subject, norm, axis, widths });
    this.given = /** @type {RatesDrawing} */ (header);
    this.here.take(header.here ?? null, arrays);
    this.lay(before);
  }

  /** What Python has said, and what was trained here since. @param {Chosen | null} before */
  lay(before = this.chosen) {
    const { panels, training, own, extents, norm } = this.given;
    this.training = this.here.training ?? training;
    this.panels = this.here.laid(panels.slice(0, MOST_PANELS));
    this.left = Math.max(0, panels.length - MOST_PANELS);
    this.range = heightRange(this.panels, this.training, extents?.[norm]);
    this.chosen = (before && this.again(before)) ?? this.first(own);
    const most = this.surgeryModel()?.m_h;
    this.k = clamp(before ? this.k : Math.ceil((most ?? 2) / 2), 1, most ?? 1);
    this.syncMarkup();
    this.invalidate();
  }

  // The same choice in new data.
  again(/** @type {Chosen} */ { panel, series, m_h, seed }) {
    const there = this.panels.find((p) => p.title === panel.title);
    const line = there?.series.find((r) => r.name === series.name);
    return there && line ? { panel: there, series: line, m_h, seed } : null;
  }

  /**
   * The reader's own target, else the last of the first panel; at its middle width.
   * @param {RatesDrawing["own"]} own
   * @returns {Chosen}
   */
  first(own) {
    const mine = (/** @type {RatesSeries} */ { cell }) =>
      Boolean(own) && cell.alpha === own?.alpha && cell.rank === own.rank;
    const panel = this.panels.find((one) => one.series.some(mine)) ?? this.panels[0];
    const series = panel.series.find(mine) ?? panel.series.at(-1) ?? NO_SERIES;
    const widths = trainedWidths(series);
    const m_h = widths[widths.length >> 1] ?? this.widths[this.widths.length >> 1];
    return { panel, series, m_h, seed: seedsAt(series, m_h)[0]?.seed ?? 0 };
  }

  /** Whose curve is asked for, where the reader has picked none: of the panel's targets the last that ends, as what the
   * others do is a line. */
  asked() {
    const ends = (/** @type {RatesSeries} */ { rank }) =>
      rank !== null && this.widths.some((m) => m > rank);
    const series = this.chosen.panel.series.findLast(ends);
    return series ? { ...this.chosen, series } : this.chosen;
  }

  point() {
    const { series, m_h, seed } = this.chosen;
    const there = seedsAt(series, m_h);
    return there.find((p) => p.seed === seed) ?? there[0] ?? null;
  }

  surgeryModel() {
    return surgeryOf(this.chosen.series, this.chosen.seed);
  }

  isChosen(/** @type {RatesSeries} */ series) {
    return this.chosen.series === series;
  }

  name(/** @type {RatesSeries} */ series, norm = this.norm) {
    return JSON.stringify([norm, series.cell]);
  }

  predictionOf(/** @type {RatesSeries} */ series) {
    const prediction = this.predictions.get(this.name(series));
    return prediction && Object.keys(prediction).length ? prediction : null;
  }

  /** @type {(series: RatesSeries, places: Pair[]) => void} */
  predict(series, places) {
    const prediction = this.predictions.get(this.name(series)) ?? {};
    for (const [m, error] of places)
      prediction[m] = round(clamp(error, this.range[0], this.range[1]), 3);
    this.predictions.set(this.name(series), prediction);
    this.tellOf(series, prediction);
    this.syncMarkup();
    this.invalidate("figure");
  }

  /** Whoever is around hears what was drawn. @type {(series: RatesSeries, prediction: Prediction) => void} */
  tellOf(series, prediction) {
    const pairs = Object.entries(prediction).map(([m, error]) => [Number(m), error]);
    const { subject, norm } = this;
    const detail = { subject, norm, line: this.lines.indexOf(series), pairs };
    const up = { bubbles: true, composed: true };
    this.root.dispatchEvent(new CustomEvent(PREDICTED, { detail, ...up }));
  }

  recall(/** @type {Predicted[]} */ predicted) {
    for (const { norm, line, pairs } of predicted.filter((each) => each.subject === this.subject))
      this.predictions.set(this.name(this.lines[line], norm), Object.fromEntries(pairs));
    this.syncMarkup();
    this.invalidate("figure");
  }

  /** All targets, panel by panel. */
  get lines() {
    return this.panels.flatMap(({ series }) => series);
  }

  setPredicting(/** @type {boolean} */ on) {
    this.predicting = on;
    if (on && !this.picked) this.chosen = this.asked();
    if (!on) {
      this.fade = still() ? 1 : 0;
      this.since = null;
    }
    this.hover = null;
    this.syncMarkup();
    this.invalidate();
  }

  hint() {
    const all = this.panels.flatMap(({ title, series }) =>
      series.flatMap((one) => {
        const drawn = this.predictionOf(one);
        return drawn ? [comparedText(`${title}, ${one.name}`, compared(drawn, one))] : [];
      }),
    );
    if (this.predicting)
      return all.length
        ? "Reveal shows what training found."
        : `Draw how the error of ${this.chosen.series.name} falls as mₕ grows.`;
    return all.join(" · ");
  }

  /** What the chosen width holds of its target, once it is no secret. */
  why() {
    const { series, m_h } = this.chosen;
    return this.predicting ? "" : (series.why[this.widths.indexOf(m_h)] ?? "");
  }

  // The buttons, and what is said beside them.
  syncMarkup() {
    this.button("predict").setAttribute("aria-pressed", String(this.predicting));
    const isTrained = this.panels.some(({ series }) => series.some(({ points }) => points.length));
    this.button("predict").toggleAttribute("data-first", isTrained);
    this.button("reveal").disabled = !this.predicting;
    this.button("clear").disabled = !this.predictions.size;
    this.say("hint", this.hint());
    this.say("why", this.why());
  }

  ready() {
    return this.panels.length > 0;
  }

  // What was hidden comes back within a moment.
  animate(/** @type {number} */ now) {
    if (this.fade >= 1) return;
    const since = (this.since ??= now);
    this.fade = Math.min(1, (now - since) / 1000 / FADE_SECONDS);
    if (this.fade < 1) this.invalidate("figure");
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    return { figure: [this.chosen.m_h], surgery: [this.k] };
  }

  sentence() {
    const { panel, series, m_h } = this.chosen;
    const point = this.point();
    const floor = series.floor.find(([m]) => m === m_h);
    if (this.predicting)
      return `${panel.title}, ${series.name}, m_h ${m_h}: you predict ${fmt(this.predictionOf(series)?.[m_h])}`;
    const error = point ? `error ${fmt(point.error)}` : "not trained yet";
    return `${panel.title}, ${series.name}, m_h ${m_h}: ${error}, floor ${floor ? fmt(floor[1]) : "0"}`;
  }

  places() {
    const series = this.plans.flatMap((plan) => plan.panel.series.map((one) => ({ plan, one })));
    return {
      boxes: this.plans.map((plan) => plan.box),
      predicting: this.predicting,
      k: this.k,
      chosen: { m_h: this.chosen.m_h, seed: this.chosen.seed, series: this.chosen.series.name },
      points: series.flatMap(({ plan, one }) =>
        one.points.map((point) => [plan.x(point.m_h), plan.y(point.error)]),
      ),
      training: this.training?.points.length ?? 0,
      hint: this.hint(),
      surgery: this.surgeryPlan?.box ?? null,
    };
  }

  setHover(/** @type {Under | null} */ hover) {
    if (hover?.point === this.hover?.point) return;
    this.hover = hover;
    this.invalidate("figure");
  }

  choose(/** @type {Chosen} */ chosen) {
    this.picked = true;
    this.chosen = chosen;
    this.k = clamp(this.k, 1, this.surgeryModel()?.m_h ?? 1);
    this.syncMarkup();
    this.invalidate();
  }

  step(/** @type {number} */ by) {
    const { widths } = this;
    const at = widths.indexOf(this.chosen.m_h);
    this.choose({ ...this.chosen, m_h: widths[clamp(at + by, 0, widths.length - 1)] });
  }

  // The next target, on into the next panel.
  stepTarget(/** @type {number} */ by) {
    const all = this.panels.flatMap((panel) => panel.series.map((series) => ({ panel, series })));
    const at = all.findIndex(({ series }) => series === this.chosen.series);
    this.choose({ ...this.chosen, ...all[(at + by + all.length) % all.length] });
  }

  nextSeed() {
    const there = seedsAt(this.chosen.series, this.chosen.m_h);
    const at = there.findIndex((p) => p.seed === this.chosen.seed);
    if (there.length) this.choose({ ...this.chosen, seed: there[(at + 1) % there.length].seed });
  }

  raise(/** @type {number} */ factor) {
    const { series, m_h } = this.chosen;
    const now = this.predictionOf(series)?.[m_h] ?? Math.sqrt(this.range[0] * this.range[1]);
    this.predict(series, [[m_h, now * factor]]);
  }

  setK(/** @type {number} */ k) {
    this.k = clamp(k, 1, this.surgeryModel()?.m_h ?? 1);
    this.invalidate("surgery");
  }

  close() {
    this.here.leave();
    super.close();
  }

  clearPredictions() {
    for (const series of this.lines) if (this.predictionOf(series)) this.tellOf(series, {});
    this.predictions.clear();
    this.syncMarkup();
    this.invalidate("figure");
  }
}

export default mounted(Rates);
