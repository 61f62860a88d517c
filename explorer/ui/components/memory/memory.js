// A causal Transformer that learns to remember, live: its error beside others', and where its layers look.

import { mounted } from "../core/mount.js";
import { placeOf } from "../core/drag.js";
import { locate } from "../core/heatmap.js";
import { onKeys, placeByKey } from "../core/keys.js";
import { unpackBytes } from "../core/messages.js";
import { clamp } from "../core/numbers.js";
import { drawError } from "../live/error.js";
import { RunStream, shownIn } from "../run/stream.js";
import { drawKernels } from "./kernels.js";
import { drawLayers } from "./layers.js";
import { drawPath } from "./path.js";
import { saidOfMemory } from "./said.js";

/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: Memory) => string} Draw */

/** Panels, which return the sentence that a screen reader hears. @type {Record<string, Draw>} */
export const DRAW = { error: drawError, path: drawPath, layers: drawLayers };
const LOOKS = ["path", "layers"];

/** @import { MemoryRunDrawing } from "../payloads.js" */
/** @extends {RunStream<MemoryRunDrawing>} */
export class Memory extends RunStream {
  /** The head that is shown, from 1 on; 0 is the strongest weight of all. */
  head = 0;
  /** The step under the pointer. @type {number | null} */
  atStep = null;
  /** @type {ErrorAxes | null} */
  errorAxes = null;
  /** Of the tokens, once they were drawn. @type {Scale | null} */
  tokenAxis = null;
  /** @type {Square[]} */
  squares = [];
  /** Of the heatmaps. */
  holder = {};

  constructor(/** @type {any} */ root) {
    super(root, "Memory", Object.keys(DRAW));
    /** @type {HTMLSelectElement} */
    this.heads = root.querySelector("[data-head]");
    this.heads.addEventListener("change", () =>
      this.set({ head: Number(this.heads.value) }, ...LOOKS),
    );
    const { path, layers } = this.canvas;
    this.pointing("error", ["error"], (event) => ({
      atStep: (event && this.errorAxes?.x.invert(placeOf(event).px)) ?? null,
    }));
    path.addEventListener("click", (event) => this.choose(this.tokenUnder(event)));
    onKeys(path, ({ key }) => this.pressed(key));
    layers.addEventListener("click", (event) => {
      const at = locate(event, layers, this.squares);
      this.choose(at && Math.floor(at.u * this.tau));
    });
  }

  /** @param {Uint8Array} bytes what the run is followed by */
  take(bytes) {
    this.follow(unpackBytes(bytes).header.stream);
  }

  /** The errors stand beside each other; how many times less one is, is only heard. */
  get pin() {
    return null;
  }

  get tau() {
    return this.run.drawing?.tau ?? 1;
  }

  /** Heads alone know a kernel, and have no tokens to look at. */
  get alone() {
    return this.run.drawing?.recipe === "decays";
  }

  numbers() {
    return saidOfMemory(this);
  }

  /** The token whose look is shown: the last one, unless the reader chose another. */
  token() {
    return clamp(this.t ?? this.tau - 1, 0, this.tau - 1);
  }

  /** @type {CanvasView["paint"]} */
  paint(panel, ctx, theme, w, h) {
    const draw = panel === "path" && this.alone ? drawKernels : DRAW[panel];
    return draw(ctx, theme, w, h, this);
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    return { path: [this.token(), this.tau - 1, true] };
  }

  afterDraw() {
    super.afterDraw();
    this.offerHeads(this.alone ? 0 : (this.run.drawing?.heads ?? 0));
    this.canvas.layers.hidden = this.alone;
    this.say("hint", this.alone || !shownIn(this.run)?.attention ? "" : HINT);
  }

  /** A choice for each head of the run. @param {number} count */
  offerHeads(count) {
    const { options } = this.heads;
    /** @type {HTMLElement} */ (this.heads.parentElement).hidden = count < 2;
    if (options.length === count + 1) return;
    while (options.length > 1) options.remove(1);
    for (let h = 1; h <= count; h++) options.add(new Option(String(h), String(h)));
    this.head = this.head <= count ? this.head : 0;
    this.heads.value = String(this.head);
  }

  tokenUnder(/** @type {MouseEvent} */ event) {
    if (!this.tokenAxis || this.alone) return null;
    return clamp(Math.round(this.tokenAxis.invert(placeOf(event).px)), 0, this.tau - 1);
  }

  pressed(/** @type {string} */ key) {
    const last = this.tau - 1;
    const next = this.alone ? undefined : placeByKey(key, this.token(), 0, last);
    return next === undefined ? null : () => this.choose(clamp(next, 0, last));
  }

  choose(/** @type {number | null} */ t) {
    if (t === null) return;
    this.t = t;
    this.invalidate(...LOOKS);
    this.reportSelection();
  }
}

const HINT = "Click a token: arcs are the way to its answer, bars where each layer looks.";

export default mounted(Memory);
