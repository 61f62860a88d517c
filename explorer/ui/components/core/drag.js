// One pointer on one canvas: what it takes hold of, moves and lets go. A finger scrolls the page,
// unless it comes down on what can be held.

import { inUnits } from "./canvas.js";

const FINGER = 22; // pixels around a handle in which a finger takes hold of it
const LONG_PRESS = 450; // milliseconds after which a finger that rests takes hold as a mouse does
const TREMBLE = 10; // pixels that a resting finger may move

/** @typedef {{px: number, py: number}} Place */

/**
 * Where a pointer is on the canvas that it is on, in the units of its drawing.
 * @type {(event: MouseEvent) => Place}
 */
export function placeOf(event) {
  const canvas = /** @type {HTMLElement} */ (event.currentTarget); // the one that listens
  const { left, top } = canvas.getBoundingClientRect();
  const { clientX, clientY } = event;
  return { px: inUnits(canvas, clientX - left), py: inUnits(canvas, clientY - top) };
}

/** How far from a thing a pointer may be to mean it: `reach` pixels for a mouse. */
export const reachOf = (/** @type {MouseEvent} */ event, /** @type {number} */ reach) =>
  /** @type {PointerEvent} */ (event).pointerType === "touch" ? FINGER : reach;

const near = (/** @type {Place} */ { px, py }, /** @type {number[][]} */ places) =>
  places.some(([x, y]) => Math.hypot(px - x, py - y) <= FINGER);

/**
 * What is held is `view.drag` from the moment the pointer is down until it is up, wherever it goes.
 * A finger takes hold at once of a handle, and where `claims` says so; elsewhere a tap is a click, a
 * long press takes hold, and all else scrolls.
 * @template Held
 * @param {CanvasView & {drag: Held | null}} view
 * @param {HTMLElement} canvas or what else things are on
 * @param {object} acts
 * @param {(at: Place, event: PointerEvent) => Held | null | undefined} acts.grab what is there to be held, or null
 * @param {() => number[][]} [acts.handles] where things to be held are drawn, [x, y]
 * @param {(at: Place) => boolean} [acts.claims] whether a finger is there to draw
 * @param {(at: Place, event: PointerEvent) => void} [acts.pull] it is moved
 * @param {() => void} [acts.release] it was let go
 * @param {(at: Place, event: PointerEvent) => void} [acts.hover] nothing is held
 * @param {() => void} [acts.leave] the pointer is gone, and holds nothing
 */
export function draggable(view, canvas, acts) {
  const { grab, claims, pull, release, hover, leave } = acts;
  const handles = () => (view.probe.draws && acts.handles?.()) || [];
  view.handles[canvas.dataset.panel ?? ""] = handles;
  const take = (/** @type {Place} */ at, /** @type {PointerEvent} */ event) => {
    const held = grab(at, event);
    if (!held) return;
    view.drag = held;
    canvas.setPointerCapture(event.pointerId);
  };
  const letGo = () => view.drag && releaseHeld(view, release);
  const finger = restingFinger(take);
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !event.isPrimary) return;
    const at = placeOf(event);
    const meant = event.pointerType !== "touch" || claims?.(at) || near(at, handles());
    (meant ? take : finger.down)(at, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!event.isPrimary) return;
    const at = placeOf(event);
    finger.move(at);
    (view.drag ? pull : hover)?.(at, event);
  });
  // A second finger holds nothing.
  canvas.addEventListener("pointerup", (end) => end.isPrimary && (finger.up(), letGo()));
  canvas.addEventListener("pointercancel", (end) => end.isPrimary && (finger.forget(), letGo()));
  canvas.addEventListener("pointerleave", () => !view.drag && leave?.());
  scrollsNot(view, canvas);
}

/** @type {(view: {drag: unknown, exchange?: {settle(): void}}, release?: () => void) => void} */
function releaseHeld(view, release) {
  view.drag = null;
  release?.();
  view.exchange?.settle();
}

/**
 * While something is held: the browser scrolls unless it is told not to, after the pointer's event.
 * @param {{drag: unknown}} view
 * @param {HTMLElement} canvas
 */
function scrollsNot(view, canvas) {
  const keep = (/** @type {TouchEvent} */ event) =>
    view.drag && event.cancelable && event.preventDefault();
  canvas.addEventListener("touchstart", keep, { passive: false });
  canvas.addEventListener("touchmove", keep, { passive: false });
}

/**
 * A finger that came down beside all that can be held: it may be about to scroll.
 * @param {(at: Place, event: PointerEvent) => void} take
 */
function restingFinger(take) {
  /** @type {{at: Place, event: PointerEvent, timer: ReturnType<typeof setTimeout>} | null} */
  let finger = null;
  const forget = () => {
    if (finger) clearTimeout(finger.timer);
    finger = null;
  };
  const up = () => {
    const was = finger;
    forget();
    if (was) take(was.at, was.event);
  };
  return {
    forget,
    up,
    down: (/** @type {Place} */ at, /** @type {PointerEvent} */ event) => {
      finger = { at, event, timer: setTimeout(up, LONG_PRESS) };
    },
    move: (/** @type {Place} */ { px, py }) => {
      if (finger && Math.hypot(px - finger.at.px, py - finger.at.py) > TREMBLE) forget();
    },
  };
}
