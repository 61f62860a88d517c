// Pointer and keys on the pictures of a coupling: what they take hold of, and what each does to the view.

import { listenToButtons, undoAndRedo } from "../core/buttons.js";
import { draggable, placeOf, reachOf } from "../core/drag.js";
import { locate } from "../core/heatmap.js";
import { historyKey } from "../core/history.js";
import { onKeys } from "../core/keys.js";
import { clamp, round } from "../core/numbers.js";
import { hitFloor } from "./floor.js";
import { listenToHandle } from "./handle.js";
import { lawOf } from "./laws.js";
import { lawThrough, stateOf } from "./model.js";
import { REACH, heightOf, hit, painted, tolerancePlace } from "./spectrum.js";

/** @import { Design, Held, OnSpectrum } from "./design.js" */
/** @import { UnderFloor } from "./floor.js" */
/** @import { State } from "./model.js" */
/** @typedef {(() => void) | null | undefined} Act what a key does, if anything */

/** @type {Record<string, string>} */
const CURSORS = {
  m: "ew-resize",
  tolerance: "ns-resize",
  slope: "ns-resize",
  error: "ns-resize",
  width: "pointer",
  run: "pointer",
};

export function listen(/** @type {Design} */ view) {
  listenToSpectrum(view);
  listenToFloor(view);
  listenToMaps(view);
  listenToHandle(view);
  listenToTools(view);
}

// An edit by keys ends when the key is let go.
/** @type {(view: Design, canvas: HTMLElement, act: (event: KeyboardEvent) => Act) => void} */
function listenToKeys(view, canvas, act) {
  onKeys(canvas, (event) => {
    const acts = act(event);
    return acts && (() => ((view.typed = true), acts()));
  });
  canvas.addEventListener("keyup", () => view.endTyping());
  canvas.addEventListener("blur", () => view.endTyping());
}

// ---- the spectrum

function listenToSpectrum(/** @type {Design} */ view) {
  const canvas = view.canvas.spectrum;
  draggable(view, canvas, {
    grab: (at, event) => grabOnSpectrum(view, at, event),
    handles: () => handlesOnSpectrum(view),
    pull: (at) => pullOnSpectrum(view, at),
    release: () => view.commit(),
    hover: (at, event) => hoverOverSpectrum(view, at, event),
    leave: () => view.setOver(null),
  });
  canvas.addEventListener("dblclick", (event) => {
    const under = underPointer(view, placeOf(event), event);
    if (under?.what === "dot" && view.editable) view.reset(under.k);
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && view.drag) view.cancelDrag();
  });
  listenToKeys(view, canvas, (event) => (view.drag ? null : keyAct(event, view)));
}

/** @type {(view: Design, at: Place, event: MouseEvent) => import("./spectrum.js").Under | null} */
const underPointer = (view, { px, py }, event) =>
  view.plan &&
  hit(view.plan, view.design, view.line, view.tolerance, px, py, reachOf(event, REACH));

/** @type {(view: Design) => Points} */
function handlesOnSpectrum({ plan, design, tolerance, editable }) {
  if (!plan) return [];
  const { mx, box, handle, at } = plan;
  const held = tolerancePlace(plan, tolerance);
  const dots = editable ? design.sigma.map((s, i) => [at(i), heightOf(plan, s)]) : [];
  const grip = handle ? [[handle.x, handle.y]] : [];
  return [[mx, box.y - 10], [held.x, held.y], ...grip, ...dots];
}

/** @type {(view: Design, at: Place, event: PointerEvent) => void} */
function hoverOverSpectrum(view, at, event) {
  const under = underPointer(view, at, event);
  const dots = view.editable ? "ns-resize" : "pointer";
  const cursor = under ? (CURSORS[under.what] ?? dots) : "default";
  view.canvas.spectrum.style.cursor = event.shiftKey && view.editable ? "crosshair" : cursor;
  view.setOver(under?.what === "dot" ? under.k : (under?.what ?? null));
}

/** @type {(view: Design, at: Place, event: PointerEvent) => Held | null} */
function grabOnSpectrum(view, at, event) {
  const { plan, line } = view;
  if (!plan) return null;
  view.endTyping();
  const paints = event.shiftKey && view.editable;
  const under = paints ? { what: /** @type {const} */ ("paint") } : underPointer(view, at, event);
  if (!under) return null;
  const held = { ...under, from: at, last: at, before: stateOf(view), line, offset: 0 };
  if (held.what === "dot") {
    held.offset = heightOf(plan, view.design.sigma[held.k - 1]) - at.py;
    view.choose(held.k);
  }
  if (held.what === "slope" && line) held.offset = plan.y(line.at(held.k)) - at.py;
  if (held.what === "paint") paint(view, at, at);
  return held;
}

/** @type {(view: Design, at: Place) => void} */
function pullOnSpectrum(view, at) {
  const { drag: held, plan, range } = view;
  if (!held || !("last" in held) || !plan) return;
  const sigma = plan.y.invert(at.py + held.offset);
  const { what, line } = held;
  if (what === "dot") moveDot(view, held, held.k, at, sigma);
  if (what === "paint") paint(view, held.last, at);
  if (what === "slope" && line) {
    const law = { family: line.kind, c: line.at(1) };
    view.setParameter(lawThrough(law, held.k, sigma, view.limits), { ...held, line });
  }
  if (what === "m") view.setM(Math.round(Math.sqrt(plan.x.invert(at.px) ** 2 + 0.25) - 0.5));
  if (what === "tolerance")
    view.setTolerance(sigma > range.low ? Math.min(sigma, range.high) : null);
  held.last = at;
}

/** @type {(view: Design, sigma: number) => number} */
const inRange = (view, sigma) => clamp(sigma, view.range.low, view.range.high);

// A click chooses a dot, and does not move it.
/** @type {(view: Design, held: OnSpectrum, k: number, at: Place, sigma: number) => void} */
function moveDot(view, held, k, at, sigma) {
  held.moved ||= Math.abs(at.py - held.from.py) > 2;
  if (view.editable && held.moved) view.setSigma([[k - 1, inRange(view, sigma)]]);
}

/** @type {(view: Design, from: Place, to: Place) => void} */
function paint(view, from, to) {
  const { order } = view.design;
  const strokes = view.plan ? painted(view.plan, from, to) : [];
  view.setSigma(strokes.map(([place, sigma]) => [order[place] ?? place, inRange(view, sigma)]));
}

/** What a key does on the spectrum. @type {(event: KeyboardEvent, view: Design) => Act} */
export function keyAct(event, view) {
  const { design, k } = view;
  if (event.ctrlKey || event.metaKey) return null;
  const { order } = design;
  const at = order.indexOf(k - 1);
  /** @type {Record<string, number>} */
  const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: order.length - 1 };
  const term = order[next[event.key]];
  if (event.key in next) return () => view.choose(term === undefined ? k : term + 1);
  const m = { "[": -1, "]": 1 }[event.key];
  if (m) return () => view.setM(design.m + m);
  const half = { "<": -0.5, ">": 0.5 }[event.key];
  if (half) return () => view.setTolerance(view.tolerance * 10 ** half);
  return view.editable ? editingKey(event, view) : null;
}

/** @type {(event: KeyboardEvent, view: Design) => Act} */
function editingKey({ key, shiftKey }, view) {
  const { design, k, line, limits } = view;
  const fine = shiftKey ? 1.25 : 1.05;
  /** @type {Record<string, number>} */
  const factors = { ArrowUp: fine, ArrowDown: 1 / fine };
  const sigma = design.sigma[k - 1] || view.range.low;
  if (key in factors) return () => view.setSigma([[k - 1, sigma * factors[key]]]);
  if (key === "Delete" || key === "Backspace") return () => view.setSigma([[k - 1, 0]]);
  const way = { "+": 1, "=": 1, "-": -1, "−": -1 }[key];
  if (!way || !line) return null;
  const { parameter, step } = lawOf(line.kind);
  const [low, high] = limits[parameter];
  const value = round(clamp(line.value + way * step, low, high), 4);
  return () => view.setParameter({ [parameter]: value }, { line });
}

// ---- the floor: the wanted error, and the width

function listenToFloor(/** @type {Design} */ view) {
  const canvas = view.canvas.floor;
  const under = (/** @type {Place} */ at, /** @type {MouseEvent} */ event) =>
    view.floorPlan ? hitFloor(view.floorPlan, view, at.px, at.py, reachOf(event, REACH)) : null;
  draggable(view, canvas, {
    grab: (at, event) => grabOnFloor(view, under(at, event)),
    handles: () => gripOfError(view),
    pull: (at) => {
      if (!view.floorPlan) return;
      const { x, y, low, high } = view.floorPlan;
      if (view.drag?.what === "error") view.setError(clamp(y.invert(at.py), low, high));
      else view.setM(Math.round(x.invert(at.px)));
    },
    release: () => view.commit(),
    hover: (at, event) => {
      const what = under(at, event)?.what ?? "";
      canvas.style.cursor = CURSORS[what] ?? "default";
      view.setOver(what === "error" || what === "m" ? what : null);
    },
    leave: () => view.setOver(null),
  });
  canvas.addEventListener("click", (event) => {
    const hit = under(placeOf(event), event);
    if (hit?.what === "run") view.setStateValue("open", hit.run);
  });
  listenToKeys(view, canvas, (event) => keyOnFloor(event, view));
}

/** @type {(view: Design) => Points} */
function gripOfError({ floorPlan, error }) {
  if (!floorPlan) return [];
  const { box, y, low, high } = floorPlan;
  return [[box.x + box.w, y(clamp(error, low, high))]];
}

/** @type {(view: Design, under: UnderFloor | null) => Held | null} */
function grabOnFloor(view, under) {
  const { floorPlan } = view;
  if (!under || !floorPlan || under.what === "run") return null;
  view.endTyping();
  if (under.what === "width") view.setM(under.m);
  return { ...under, before: stateOf(view), range: [floorPlan.low, floorPlan.high] };
}

/** @type {(event: KeyboardEvent, view: Design) => Act} */
function keyOnFloor({ key, shiftKey }, view) {
  const factor = shiftKey ? 10 : 10 ** 0.1;
  const { m } = view.design;
  return {
    ArrowUp: () => view.setError(view.error * factor),
    ArrowDown: () => view.setError(view.error / factor),
    ArrowRight: () => view.setM(m + 1),
    ArrowLeft: () => view.setM(m - 1),
  }[key];
}

// ---- the heatmaps

function listenToMaps(/** @type {Design} */ view) {
  const canvas = view.canvas.maps;
  const spotUnder = (/** @type {PointerEvent} */ event) => {
    const spot = view.maps && locate(event, canvas, view.maps.squares);
    return spot ? { u: round(spot.u, 3), v: round(spot.v, 3) } : null;
  };
  draggable(view, canvas, {
    grab: (_at, event) => {
      const spot = spotUnder(event);
      if (!spot) return null;
      view.endTyping();
      const before = stateOf(view);
      view.setAt(spot);
      view.setPoint(spot);
      return { what: "at", before };
    },
    handles: () => crosshairs(view),
    pull: (_at, event) => {
      const spot = spotUnder(event);
      if (spot) view.setAt(spot);
      view.setPoint(spot);
    },
    release: () => view.commit(),
    hover: (_at, event) => view.setPoint(spotUnder(event)),
    leave: () => view.setPoint(null),
  });
  listenToKeys(view, canvas, (event) => keyOnMaps(event, view));
}

/** @type {(view: Design) => Points} */
const crosshairs = ({ maps, at }) =>
  (maps?.squares ?? []).map(({ x, y, side }) => [x + at.v * side, y + at.u * side]);

/** @type {(event: KeyboardEvent, view: Design) => Act} */
function keyOnMaps({ key, shiftKey }, view) {
  const size = shiftKey ? 0.1 : 0.01;
  /** @type {Record<string, [number, number]>} */
  const moves = {
    ArrowUp: [-size, 0],
    ArrowDown: [size, 0],
    ArrowLeft: [0, -size],
    ArrowRight: [0, size],
  };
  if (!(key in moves)) return null;
  const [u, v] = moves[key];
  const next = { u: clamp(view.at.u + u, 0, 1), v: clamp(view.at.v + v, 0, 1) };
  return () => {
    view.setPoint(null);
    view.setAt({ u: round(next.u, 3), v: round(next.v, 3) });
  };
}

// ---- the buttons, and the keys that every picture has

function listenToTools(/** @type {Design} */ view) {
  listenToButtons(view, undoAndRedo(view));
  const { root } = view;
  root
    .querySelector(".switch")
    .addEventListener("change", (/** @type {{target: HTMLInputElement}} */ { target }) => {
      view.learned.show(target.value === "learned");
      if (!view.learned.isShown) view.choice = /** @type {State["map"]} */ (target.value);
      view.commit();
    });
  onKeys(root.querySelector(".design"), (event) => {
    const by = historyKey(event);
    return by ? () => view.step(by) : null;
  });
}
