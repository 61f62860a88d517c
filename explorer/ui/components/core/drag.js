// One pointer on one canvas: what it takes hold of, moves and lets go.

/** @typedef {{px: number, py: number}} Place */

/**
 * Where a pointer is on the canvas that it is on, in CSS pixels.
 * @param {MouseEvent} event
 * @returns {Place}
 */
export function placeOf(event) {
  const canvas = /** @type {Element} */ (event.currentTarget); // the one that listens
  const box = canvas.getBoundingClientRect();
  return { px: event.clientX - box.left, py: event.clientY - box.top };
}

/**
 * What is held is `view.drag` from the moment the pointer is down until it is up, wherever it goes.
 * @param {{drag: any}} view
 * @param {HTMLCanvasElement} canvas
 * @param {object} acts
 * @param {(at: Place, event: PointerEvent) => any} acts.grab what is there to be held, or null
 * @param {(at: Place, event: PointerEvent) => void} [acts.pull] it is moved
 * @param {() => void} [acts.release] it was let go
 * @param {(at: Place, event: PointerEvent) => void} [acts.hover] nothing is held
 * @param {() => void} [acts.leave] the pointer is gone, and holds nothing
 */
export function draggable(view, canvas, { grab, pull, release, hover, leave }) {
  canvas.addEventListener("pointerdown", (event) => {
    const held = event.button === 0 && grab(placeOf(event), event);
    if (!held) return;
    view.drag = held;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) =>
    (view.drag ? pull : hover)?.(placeOf(event), event),
  );
  for (const name of ["pointerup", "pointercancel"])
    canvas.addEventListener(name, () => {
      if (!view.drag) return;
      view.drag = null;
      release?.();
    });
  canvas.addEventListener("pointerleave", () => !view.drag && leave?.());
}
