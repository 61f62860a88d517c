// One pointer on one canvas: what it takes hold of, moves and lets go.

/** Where a pointer is on the canvas that it is on, in CSS pixels. */
export function placeOf(event) {
  const box = event.currentTarget.getBoundingClientRect();
  return { px: event.clientX - box.left, py: event.clientY - box.top };
}

/** @typedef {{px: number, py: number}} Place */

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
  const on = (name, act) => canvas.addEventListener(name, act);
  on("pointerdown", (event) => {
    const held = event.button === 0 && grab(placeOf(event), event);
    if (!held) return;
    view.drag = held;
    canvas.setPointerCapture(event.pointerId);
  });
  on("pointermove", (event) => (view.drag ? pull : hover)?.(placeOf(event), event));
  for (const name of ["pointerup", "pointercancel"])
    on(name, () => {
      if (!view.drag) return;
      view.drag = null;
      release?.();
    });
  on("pointerleave", () => !view.drag && leave?.());
}
