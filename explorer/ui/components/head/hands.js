// Pointer and keys on a head: tokens, rows and columns that are pointed at, and k.

import { sliderOf } from "../core/buttons.js";
import { draggable, placeOf } from "../core/drag.js";
import { locate } from "../core/heatmap.js";
import { onKeys } from "../core/keys.js";
import { clamp } from "../core/numbers.js";

/** @import { Head } from "./head.js" */
/** @import { MapName } from "./maps.js" */

/** @param {Head} view */
export function listen(view) {
  sliderOf(view, "input", (k) => view.hold(k));
  view.part("tokens").addEventListener("pointerover", ({ target }) => {
    const at = /** @type {HTMLElement} */ (target).dataset.at;
    if (at !== undefined) view.point({ t: Number(at), s: null });
  });
  onKeys(view.part("tokens"), ({ key }) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const last = view.tokens.length - 1;
    return by ? () => view.point({ t: clamp(view.focus.t + by, 0, last), s: null }) : null;
  });
  for (const name of /** @type {MapName[]} */ (["coupling", "whole", "kept"]))
    view.canvas[name].addEventListener("pointermove", (event) => pointInMap(view, name, event));
  for (const name of /** @type {("phi" | "psi")[]} */ (["phi", "psi"]))
    view.canvas[name].addEventListener("pointermove", (event) => pointAtStem(view, name, event));
  view.canvas.picture.addEventListener("pointermove", (event) => pointAtPatch(view, event));
  listenToSpectrum(view);
}

/** @type {(view: Head, event: PointerEvent) => void} */
function pointAtPatch(view, event) {
  const spot = locate(event, view.canvas.picture, view.pictures);
  if (!spot) return;
  const [row, column] = [spot.u, spot.v].map((part) => Math.floor(part * view.patches));
  const at = 1 + row * view.patches + column;
  view.point(spot.square === view.pictures[0] ? { t: at, s: null } : { ...view.focus, s: at });
}

/** @type {(view: Head, name: MapName, event: PointerEvent) => void} */
function pointInMap(view, name, event) {
  const square = view.squares[name];
  const spot = square && locate(event, view.canvas[name], [square]);
  if (!spot) return;
  const count = view.tokens.length;
  view.point({ t: Math.floor(spot.u * count), s: Math.floor(spot.v * count) });
}

/** @type {(view: Head, name: "phi" | "psi", event: PointerEvent) => void} */
function pointAtStem(view, name, event) {
  const x = view.stems[name];
  if (!x) return;
  const at = clamp(Math.round(x.invert(placeOf(event).px)), 0, view.tokens.length - 1);
  view.point(name === "phi" ? { ...view.focus, t: at } : { ...view.focus, s: at });
}

/** @param {Head} view */
function listenToSpectrum(view) {
  const canvas = view.canvas.sigma;
  const kAt = (/** @type {Place} */ { px }) =>
    view.spectrum && view.hold(Math.round(view.spectrum.x.invert(px)));
  draggable(view, canvas, {
    grab: (at) => (kAt(at), true),
    pull: kAt,
    release: () => view.commit(),
  });
}
