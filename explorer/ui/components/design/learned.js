// What a head learns of the coupling shown, where no Python answers: a thread of the reader's browser trains it (here/), and
// its ρ̂ and σ̂_k are drawn beside ρ and σ_k as long as the coupling is that one.

import { fmt, fmtInteger } from "../core/numbers.js";
import { hearButtons, writeButtons } from "../here/buttons.js";
import { Thread, beginOf, whenIdle } from "../here/thread.js";
import { begunWith } from "./begun.js";

/** @import { Arrays, Begin, Command, WatchedOffer } from "../here/types.js" */
/** @import { Design } from "./design.js" */

const PANELS = ["maps", "spectrum"];

export class Learned {
  /** @type {WatchedOffer | null} */
  offer = null;
  /** @type {Promise<Begin> | null} */
  begin = null;
  /** It waits for its reader, or trains. @type {Thread | null} */
  thread = null;
  /** The design that it learns. */
  design = "";
  hasBegun = false;
  /** Whether ρ̂ stands beside ρ. */
  isShown = false;
  /** A picture came that is not yet drawn. */
  isPending = false;
  /** @type {Record<string, Packed> | null} */
  picture = null;
  /** What was said last. @type {Record<string, any>} */
  measures = {};

  /** @param {Design} view */
  constructor(view) {
    this.view = view;
    this.row = view.root.querySelector("[data-here]");
    hearButtons(this.row, (act) => this.press(act));
  }

  /** What may be trained here. @param {WatchedOffer | undefined} offer @param {Arrays} arrays */
  take(offer, arrays) {
    if (!offer || this.offer?.id === offer.id) return;
    this.offer = offer;
    this.begin = beginOf(offer, arrays);
    this.follow();
  }

  /** The design as it is drawn. */
  get shown() {
    const { sigma, m } = this.view.design;
    return JSON.stringify([sigma, m]);
  }

  get rho() {
    return this.isShown ? (this.picture?.rho_hat ?? null) : null;
  }

  get sigma() {
    return this.picture?.sigma_hat.values ?? [];
  }

  get error() {
    const { nmse = null } = this.measures;
    return { value: nmse === null ? "…" : fmt(nmse), name: "nMSE by training" };
  }

  /** Once a hand has let go: what is learned of another design goes, and a thread waits to learn this one. */
  follow() {
    if (!this.offer || this.view.holding()) return;
    if (this.thread && this.design !== this.shown) this.end();
    whenIdle(() => this.prepare());
    this.write();
  }

  /** Who presses Train is not to wait for a thread. */
  async prepare() {
    const { view, offer } = this;
    const begin = await this.begin;
    if (!begin || !offer || this.thread) return;
    const { left_basis: left, right_basis: right } = view.rest;
    const given = { tolerance: view.ownTolerance, left, right };
    this.design = this.shown;
    const own = begunWith(begin, offer, view.design, view.editable ? given : null);
    this.thread = new Thread(own);
    this.thread.receive = (message) => this.receive(message);
    this.thread.changed = () => this.write();
    this.write();
  }

  /** @param {string} act */
  async press(act) {
    if (act !== "train") return this.thread?.order(/** @type {Command} */ (act));
    await this.prepare();
    if (!this.thread || this.hasBegun) return;
    this.hasBegun = this.isShown = true;
    this.thread.order("resume");
    this.write();
  }

  /** @param {Message} message */
  receive({ header, picture }) {
    this.measures = {
      ...this.measures,
      ...picture?.header,
      step: header.step,
      steps: header.steps,
    };
    if (picture) this.picture = picture.arrays;
    this.isPending = true;
    this.view.invalidate(...PANELS);
  }

  /** Beside ρ, or not. @param {boolean} isShown */
  show(isShown) {
    this.isShown = isShown;
    this.view.invalidate("maps");
  }

  afterDraw() {
    if (!this.offer) return;
    this.write();
    if (this.isPending) this.thread?.order("drawn");
    this.isPending = false;
  }

  end() {
    this.thread?.end();
    const none = { thread: null, hasBegun: false, picture: null, measures: {} };
    Object.assign(this, { ...none, isShown: false, isPending: false });
  }

  write() {
    const { thread, hasBegun, offer, view } = this;
    const status = thread && hasBegun ? thread.progress.status : null;
    writeButtons(this.row, status, offer);
    view.say("here", thread?.note || thread?.progress.message || (status ?? ""));
    const { step, steps, nmse = null, rate = null } = this.measures;
    const pace = status === "running" && rate ? `, ${fmtInteger(rate)} steps/s` : "";
    const error = nmse === null ? "" : `, nMSE ${fmt(nmse)}`;
    const text = step ? `step ${fmtInteger(step)} of ${fmtInteger(steps)}${error}${pace}` : "";
    view.say("learned", text);
    view.root.querySelector(".learned").hidden = !this.picture;
  }
}
