// One training run, live or finished: six panels and a status line, fed by the WebSocket of ui/live.py.

import { mounted } from "../core/mount.js";
import { placeOf } from "../core/drag.js";
import { locate } from "../core/heatmap.js";
import { onKeys, placeByKey } from "../core/keys.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, inWords } from "../core/numbers.js";
import { Here } from "../here/here.js";
import { RunStream, isDrawn, take } from "../run/stream.js";
import { drawAttention, tokenOf } from "./attention.js";
import { drawCoupling, drawDifference } from "./coupling.js";
import { drawError } from "./error.js";
import { drawAngles, drawSpectrum } from "./spectrum.js";

/** @import { CouplingRunDrawing } from "../payloads.js" */
/** @typedef {CouplingRunDrawing & Record<"rho" | "sigma" | "ideal" | "tokens", Packed>} Over what its panels are drawn over */
/** @typedef {Live} View */
/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: View) => string} Draw */

/** Panels, which return the sentence that a screen reader hears. @type {Record<string, Draw>} */
export const DRAW = {
  error: drawError,
  coupling: drawCoupling,
  difference: drawDifference,
  spectrum: drawSpectrum,
  angles: drawAngles,
  attention: drawAttention,
};
const MAPS = ["coupling", "difference"];

/** @extends {RunStream<Over>} */
class Live extends RunStream {
  drawings = DRAW;
  /** The place on the heatmaps under the pointer. @type {{u: number, v: number} | null} */
  point = null;
  /** The step under the pointer. @type {number | null} */
  atStep = null;
  /** The key s of the attention row under the pointer. @type {number | null} */
  s = null;
  /** Where the panels are, once they were drawn. @type {Record<string, Square[]>} */
  squares = {};
  /** @type {ErrorAxes | null} */
  errorAxes = null;
  /** @type {{box: Box, x: Scale} | null} */
  attentionAxes = null;

  constructor(/** @type {any} */ root) {
    super(root, "Live", Object.keys(DRAW));
    for (const map of MAPS)
      this.pointing(map, MAPS, (event) => ({
        point: event && locate(event, this.canvas[map], this.squares[map] ?? []),
      }));
    this.pointing("error", ["error"], (event) => ({
      atStep: (event && this.errorAxes?.x.invert(placeOf(event).px)) ?? null,
    }));
    this.pointing("attention", ["attention"], (event) => ({ s: event && this.keyUnder(event) }));
    this.canvas.attention.addEventListener("click", (event) => this.choose(this.keyUnder(event)));
    onKeys(this.canvas.attention, ({ key }) => this.pressed(key));
    this.here = new Here(this, root.querySelector("[data-here]"));
  }

  /** @param {Uint8Array} bytes what the run is followed by, and the drawing of what is not trained */
  take(bytes) {
    const { header, arrays } = unpackBytes(bytes);
    this.here.take(header.here ?? null, arrays, header.stream.push);
    this.follow({ ...header.stream, push: this.here.push ?? header.stream.push });
    if (header.drawing) take(this.run, { header: { ...header.drawing, kind: "drawing" }, arrays });
  }

  /** What is to be learned stays on the screen until the next run has said its own. @type {import("../run/stream.js").RunStream["turnTo"]} */
  turnTo(push, run) {
    const { drawing } = this.run;
    super.turnTo(push, run);
    this.run.drawing = drawing;
  }

  /** @type {import("../run/stream.js").RunStream["lineTo"]} */
  lineTo(push) {
    return this.here.run && push === this.here.push
      ? this.here.run.follow((message) => this.receive(message))
      : super.lineTo(push);
  }

  numbers() {
    const { m_h, rank } = this.run.drawing ?? {};
    const held = Math.min(m_h ?? 0, rank ?? Infinity);
    return {
      m: inWords(m_h ?? 0),
      rank: rank ? inWords(rank) : "endless",
      held: inWords(held),
    };
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    const { run } = this;
    return isDrawn(run) ? { attention: [tokenOf(run, this), this.lastToken(), true] } : {};
  }

  keyUnder(/** @type {MouseEvent} */ event) {
    if (!this.run.drawing || !this.attentionAxes) return null;
    const s = Math.round(this.attentionAxes.x.invert(placeOf(event).px));
    return s >= 0 && s <= this.lastToken() ? s : null;
  }

  lastToken() {
    return (this.run.drawing?.tau ?? 1) - 1;
  }

  pressed(/** @type {string} */ key) {
    const { run } = this;
    if (!isDrawn(run)) return null;
    const last = this.lastToken();
    const next = placeByKey(key, tokenOf(run, this), 0, last);
    return next === undefined ? null : () => this.choose(clamp(next, 0, last));
  }

  choose(/** @type {number | null} */ t) {
    if (t === null) return;
    this.t = t;
    this.invalidate("attention");
    this.reportSelection();
  }
}

export default mounted(Live);
