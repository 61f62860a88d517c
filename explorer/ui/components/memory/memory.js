// A causal Transformer that learns to remember, live: its error beside others', and where its layers look.

import { mounted } from "../core/canvas-view.js";
import { placeOf } from "../core/drag.js";
import { locate } from "../core/heatmap.js";
import { unpackBytes } from "../core/messages.js";
import { clamp } from "../core/numbers.js";
import { drawError } from "../live/error.js";
import { RunStream, shownIn } from "../run/stream.js";
import { drawKernels } from "./kernels.js";
import { drawLayers } from "./layers.js";
import { drawPath } from "./path.js";
import { saidOfMemory } from "./said.js";

/** @typedef {(ctx: Ctx, theme: Theme, w: number, h: number, view: any) => string} Draw */

/** Panels, which return the sentence that a screen reader hears. @type {Record<string, Draw>} */
export const DRAW = { error: drawError, path: drawPath, layers: drawLayers };
const LOOKS = ["path", "layers"];

export class Memory extends RunStream {
  /** The head that is shown, from 1 on; 0 is the strongest weight of all. */
  head = 0;
  /** The step under the pointer. @type {number | null} */
  atStep = null;
  /** @type {import("../core/error-curve.js").ErrorAxes | null} */
  errorAxes = null;
  /** Of the tokens, once they were drawn. @type {import("../core/canvas.js").Scale | null} */
  tokenAxis = null;
  /** @type {import("../core/heatmap.js").Square[]} */
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
    const { error, path, layers } = this.canvas;
    const read = (/** @type {PointerEvent} */ event) =>
      this.set({ atStep: this.errorAxes?.x.invert(placeOf(event).px) ?? null }, "error");
    error.addEventListener("pointermove", read);
    error.addEventListener("pointerdown", read);
    error.addEventListener("pointerleave", () => this.set({ atStep: null }, "error"));
    path.addEventListener("click", (event) => this.choose(this.tokenUnder(event)));
    path.addEventListener("keydown", (event) => this.pressed(event));
    layers.addEventListener("click", (event) => {
      const at = locate(/** @type {PointerEvent} */ (event), layers, this.squares);
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

  /** @type {import("../core/canvas-view.js").CanvasView["paint"]} */
  paint(panel, ctx, theme, w, h) {
    const draw = panel === "path" && this.alone ? drawKernels : DRAW[panel];
    return draw(ctx, theme, w, h, this);
  }

  /** @type {import("../core/canvas-view.js").CanvasView["attributes"]} */
  attributes(panel, sentence) {
    const label = { "aria-label": sentence };
    if (panel !== "path") return label;
    const slider = { "aria-valuenow": this.token(), "aria-valuemax": this.tau - 1 };
    return { ...label, ...slider, "aria-valuetext": sentence };
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

  pressed(/** @type {KeyboardEvent} */ event) {
    const [t, last] = [this.token(), this.tau - 1];
    /** @type {Record<string, number>} */
    const places = {
      ArrowRight: Math.min(last, t + 1),
      ArrowUp: Math.min(last, t + 1),
      ArrowLeft: Math.max(0, t - 1),
      ArrowDown: Math.max(0, t - 1),
      Home: 0,
      End: last,
    };
    const next = places[event.key];
    if (next === undefined || this.alone) return;
    event.preventDefault();
    this.choose(next);
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
