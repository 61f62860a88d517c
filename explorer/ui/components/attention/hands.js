// Pointer and keys on the pictures of a board: points to drag, rows to follow, the knife.

import { draggable, placeOf, reachOf } from "../core/drag.js";
import { onKeys, placeByKey } from "../core/keys.js";
import { listenToKeys } from "../core/reorder.js";
import { focusOf, reading, tokenAt } from "./focus.js";
import { kindOf } from "./task.js";

/** @import { Focus, View } from "./types.js" */

const REACH = 16;
const STEP = 0.01;
const COARSE = 0.1;
const MASS_STEP = 0.05;

export function listen(/** @type {View} */ view) {
  listenToPlane(view);
  listenToRows(view, view.canvas.matrix, cellAt);
  listenToRows(view, view.canvas.graph, nodeAt);
  listenToKnife(view);
  onKeys(view.canvas.matrix, (event) => keyOnMatrix(event, view));
  view.canvas.matrix.addEventListener("blur", () => view.setHover(null));
}

// ---- the plane

function listenToPlane(/** @type {View} */ view) {
  const canvas = view.canvas.plane;
  let moved = false; // a click chooses a point, and is no edit
  draggable(view, canvas, {
    grab: (at, event) => {
      moved = false;
      return grabPoint(view, at, event);
    },
    handles: () => (view.backwards() ? [] : (view.plane?.spots ?? [])),
    pull: ({ px, py }) => {
      if (!view.plane) return;
      const { x, y } = view.plane;
      moved = true;
      view.movePoint(view.chosen, [x.invert(px), y.invert(py)]);
    },
    release: () => moved && view.commit(),
    hover: (at, event) => lookAtPoint(view, pointUnder(view, at, event)),
    leave: () => view.setHover(null),
  });
  listenToKeys(view, canvas, (event) => (view.backwards() ? null : planeAct(event, view)));
  canvas.addEventListener("wheel", (event) => weigh(event, view));
}

/** @type {(view: View, at: Place, event: MouseEvent) => number | null} */
function pointUnder(view, { px, py }, event) {
  const away = (view.plane?.spots ?? []).map(([x, y]) => Math.hypot(x - px, y - py));
  const least = Math.min(...away);
  return least <= reachOf(event, REACH) ? away.indexOf(least) : null;
}

/** @type {(view: View, i: number | null) => void} */
function lookAtPoint(view, i) {
  view.canvas.plane.style.cursor = i === null ? "default" : "grab";
  if (i === null) return view.setHover(null);
  view.setHover(kindOf(view.task).pointed(view.task, i, tokenAt(view, i)));
}

/** @type {(view: View, at: Place, event: PointerEvent) => {what: "point"} | null | undefined} */
function grabPoint(view, at, event) {
  if (view.backwards()) return null;
  const i = pointUnder(view, at, event);
  if (i === null) return void view.unlock();
  view.choose(i);
  lookAtPoint(view, i);
  return { what: "point" };
}

/** @type {(event: WheelEvent, view: View) => void} */
function weigh(event, view) {
  const i = pointUnder(view, placeOf(event), event);
  const { masses } = view.board;
  if (i === null || !masses || view.backwards()) return;
  event.preventDefault();
  view.chosen = i;
  const mass = masses[i] - Math.sign(event.deltaY) * MASS_STEP;
  view.edit(() => view.setMass(i, mass));
}

// What a key does on the plane: a function, or null.
/** @type {(event: KeyboardEvent, view: View) => (() => void) | null} */
function planeAct({ key, shiftKey }, view) {
  const { chosen } = view;
  const { points, masses } = view.board;
  const count = points.length;
  /** @type {Record<string, number>} */
  const places = { "]": chosen + 1, "[": chosen - 1, Home: 0, End: count - 1 };
  if (key in places) return () => view.choose((places[key] + count) % count);
  const step = shiftKey ? COARSE : STEP;
  /** @type {Record<string, [number, number]>} */
  const moves = {
    ArrowLeft: [-step, 0],
    ArrowRight: [step, 0],
    ArrowDown: [0, -step],
    ArrowUp: [0, step],
  };
  if (key in moves) {
    const [dx, dy] = moves[key];
    const [x, y] = points[chosen];
    if (dy && y === undefined) return () => {};
    return () => view.edit(() => view.movePoint(chosen, [x + dx, y + dy]));
  }
  const way = masses && { "+": MASS_STEP, "-": -MASS_STEP }[key];
  return way ? () => view.edit(() => view.setMass(chosen, masses[chosen] + way)) : null;
}

// ---- rows: matrix and graph

/** @type {(view: View, canvas: HTMLCanvasElement, tokensAt: (view: View, at: Place) => Focus | null) => void} */
function listenToRows(view, canvas, tokensAt) {
  const under = (/** @type {MouseEvent} */ event) => tokensAt(view, placeOf(event));
  canvas.addEventListener("pointermove", (event) => view.setHover(under(event)));
  canvas.addEventListener("pointerleave", () => view.setHover(null));
  canvas.addEventListener("click", (event) => view.lock(under(event)?.t ?? null));
}

/** @type {(view: View, at: Place) => Focus | null} */
function cellAt(view, { px, py }) {
  const { matrix } = view;
  if (!matrix) return null;
  const { token } = reading(view);
  const s = token[Math.floor((px - matrix.x) / matrix.cell)];
  const t = token[Math.floor((py - matrix.y) / matrix.cell)];
  return s === undefined || t === undefined ? null : { t, s };
}

/** @type {(view: View, at: Place) => Focus | null} */
function nodeAt({ graph }, { px, py }) {
  if (!graph) return null;
  const i = graph.at(py);
  const [left, right] = graph.x;
  if (i === undefined) return null;
  return px < (left + right) / 2 ? { t: i, s: null } : { t: null, s: i };
}

/** @type {(event: KeyboardEvent, view: View) => (() => void) | null} */
function keyOnMatrix({ key }, view) {
  const { tau } = view.task;
  const focus = focusOf(view);
  const t = focus?.t ?? 0;
  const s = focus?.s ?? 0;
  const { token, place } = reading(view);
  const step = (/** @type {number} */ i, /** @type {number} */ by) =>
    token[(place[i] + by + tau) % tau];
  const next = {
    ArrowUp: { t: step(t, -1), s },
    ArrowDown: { t: step(t, 1), s },
    ArrowLeft: { t, s: step(s, -1) },
    ArrowRight: { t, s: step(s, 1) },
  }[key];
  if (next) return () => view.setHover(next);
  return key === "Enter" ? () => view.lock(t) : null;
}

// ---- the knife

function listenToKnife(/** @type {View} */ view) {
  const canvas = view.canvas.singular;
  const move = (/** @type {Place} */ { px }) => {
    if (view.knife) view.cut(Math.round(view.knife.x.invert(px) - 0.5));
  };
  draggable(view, canvas, {
    grab: (at) => {
      if (!view.knife || !view.network?.cut) return null;
      move(at);
      return { what: "knife" };
    },
    handles: () => {
      if (!view.knife || !view.network?.cut) return [];
      const { x, count, grip } = view.knife;
      return [[x((view.settings.k ?? count) + 0.5), grip]];
    },
    pull: move,
    release: () => view.commit(),
  });
  onKeys(canvas, ({ key }) => {
    if (!view.knife || !view.network?.cut) return null;
    const { count } = view.knife;
    const next = placeByKey(key, view.settings.k ?? count, 1, count);
    return next === undefined ? null : () => view.edit(() => view.cut(next));
  });
}
