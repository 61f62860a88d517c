// A sweep of the picture that its reader trains in this browser: the buttons, and its models beside those that Python drew.

import { heard, hearButtons, writeButtons } from "../here/buttons.js";
import { sweepOf } from "../here/sweep.js";

/** @import { SweepHere } from "../here/sweep.js" */
/** @import { SweepOffer } from "../here/types.js" */
/** @import { RatesPanel } from "../payloads.js" */
/** @import { Rates } from "./rates.js" */

const REST = 1000; // milliseconds between two reports to Python
const UNHEARD = 10_000; // after which one that no drawing has followed is told again

export class TrainedHere {
  /** @type {SweepOffer | null} */
  offer = null;
  /** @type {SweepHere | null} */
  sweep = null;
  /** What Python was told last. */
  lastReport = "";
  /** @type {number | undefined} */
  timer;
  /** @type {number | undefined} */
  unheard;

  /** @param {Rates} view @param {HTMLElement} row of buttons */
  constructor(view, row) {
    this.view = view;
    this.row = row;
    hearButtons(row, (act) => this.sweep?.order(act));
  }

  /** @param {SweepOffer | null} offer @param {Record<string, Packed>} arrays */
  take(offer, arrays) {
    if (offer?.id !== this.offer?.id) this.leave();
    Object.assign(this, { offer, lastReport: "" }); // Python may not have heard of it
    clearTimeout(this.unheard);
    if (offer) this.find(offer, arrays);
    this.write();
  }

  /** @param {SweepOffer} offer @param {Record<string, Packed>} arrays */
  async find(offer, arrays) {
    const sweep = await sweepOf(offer, arrays);
    if (this.offer !== offer) return;
    this.sweep = sweep;
    sweep.changed = () => this.refresh();
    if ((offer.start ?? 0) > heard.last) {
      heard.last = offer.start ?? 0;
      sweep.order("train");
    } else this.refresh();
  }

  refresh() {
    this.view.lay();
    this.write();
    this.timer ??= setTimeout(() => this.report(), REST);
  }

  write() {
    const { offer, sweep } = this;
    const isFile = offer && offer.known === undefined;
    writeButtons(this.row, sweep?.status ?? null, sweep && (sweep.status || isFile));
    this.view.say("here", sweep?.words() ?? "");
  }

  // The models are the reader's browser's: Python draws and reads them as long as this page is open.
  report() {
    this.timer = undefined;
    const { offer, sweep } = this;
    if (!sweep || offer?.known === undefined) return;
    const report = `${offer.id} ${sweep.rows.size} ${sweep.isAtWork}`;
    if (report === this.lastReport || report === `${offer.id} ${offer.known} ${offer.at_work}`)
      return;
    this.lastReport = report;
    const rows = Object.fromEntries(sweep.rows);
    this.view.setStateValue("trained", { sweep: offer.id, rows, at_work: sweep.isAtWork });
    clearTimeout(this.unheard);
    this.unheard = setTimeout(() => {
      this.lastReport = "";
      this.report();
    }, UNHEARD);
  }

  /** The panels with the models that have finished here; in a file, in the place of those that it shows. @param {RatesPanel[]} panels */
  laid(panels) {
    const { offer, sweep } = this;
    if (!offer || !sweep?.status) return panels;
    const done = offer.members.flatMap(({ id, cell, m_h, seed }) => {
      const row = sweep.rows.get(id);
      const error = row?.errors?.[this.view.norm === "mse" ? "nmse" : "mae"];
      return row && error ? [{ cell, m_h, seed, error, sigma: row.sigma, surgery: null }] : [];
    });
    return withModels(panels, done, offer.known === undefined);
  }

  get training() {
    return this.view.norm === "mse" ? (this.sweep?.training ?? null) : null;
  }

  leave() {
    if (this.sweep) this.sweep.changed = null;
    clearTimeout(this.timer);
    clearTimeout(this.unheard);
    Object.assign(this, { sweep: null, timer: undefined, lastReport: "" });
  }
}

/** @typedef {import("../payloads.js").RatesPoint & {cell: import("../payloads.js").RatesCell}} Done */

/** @param {RatesPanel[]} panels @param {Done[]} done @param {boolean} alone those of the panels go @returns {RatesPanel[]} */
function withModels(panels, done, alone) {
  const same = (/** @type {any} */ a, /** @type {any} */ b) =>
    a.alpha === b.alpha && a.rank === b.rank && a.m_ff === b.m_ff;
  return panels.map((panel) => ({
    ...panel,
    series: panel.series.map((series) => {
      const known = alone ? [] : series.points;
      const isKnown = (/** @type {Done} */ { m_h, seed }) =>
        known.some((point) => point.m_h === m_h && point.seed === seed);
      const more = done.filter((each) => same(each.cell, series.cell) && !isKnown(each));
      const points = [...known, ...more];
      return alone
        ? { ...series, points, line: medians(points), fit: null, knee: null }
        : { ...series, points };
    }),
  }));
}

/** The median of the seeds at each width. @param {import("../payloads.js").RatesPoint[]} points @returns {import("../payloads.js").Pair[]} */
function medians(points) {
  const widths = [...new Set(points.map(({ m_h }) => m_h))].sort((a, b) => a - b);
  return widths.map((width) => {
    const errors = points.filter(({ m_h }) => m_h === width).map(({ error }) => error);
    errors.sort((a, b) => a - b);
    const half = errors.length >> 1;
    return [width, errors.length % 2 ? errors[half] : (errors[half - 1] + errors[half]) / 2];
  });
}
