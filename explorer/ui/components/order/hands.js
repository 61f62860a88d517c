// Pointer and keys on the pictures of an altered target, its lists and buttons: what each does to the view.

import { listenToButtons, undoAndRedo } from "../core/buttons.js";
import { draggable } from "../core/drag.js";
import { clamp } from "../core/numbers.js";
import { identity, listenToKeys, reorderKey, reorderable } from "../core/reorder.js";

/** @import { Order } from "./order.js" */

const STEP = 0.05;
const COARSE = 0.25;
const MOST_TAP = 1000;
const round3 = (/** @type {number} */ x) => Math.round(1e3 * x) / 1e3;

export function listen(/** @type {Order} */ view) {
  listenToTokens(view);
  for (const panel of ["filter", "kernels"]) listenToStems(view, panel);
  listenToTools(view);
}

// ---- the order

function listenToTokens(/** @type {Order} */ view) {
  const canvas = view.canvas.tokens;
  const placeUnder = (/** @type {Place} */ { px }) => {
    const { left, cell } = view.tokens;
    return clamp(Math.floor((px - left) / cell), 0, view.tau - 1);
  };
  const lower = (/** @type {Place} */ { px, py }) => {
    const { left, cell, top } = view.tokens;
    return py >= top && px >= left && px < left + view.tau * cell;
  };
  reorderable(view, canvas, {
    grab: (at) => (lower(at) ? { panel: "tokens" } : null),
    handles: () => {
      const { left, cell, top, bottom } = view.tokens;
      return identity(view.tau).map((t) => [left + (t + 0.5) * cell, (top + bottom) / 2]);
    },
    placeUnder,
  });
  listenToKeys(view, canvas, (event) => reorderKey(event, view, view.tau));
}

// ---- stems: the filter's taps and the kernel

/** @type {(view: Order, panel: string) => void} */
function listenToStems(view, panel) {
  const canvas = view.canvas[panel];
  const pull = (/** @type {Place} */ at) => {
    const { y, low, high } = view.stems[panel];
    view.put(panel, round3(clamp(y.invert(at.py), low, high)));
  };
  draggable(view, canvas, {
    grab: (at) => {
      const plan = view.movable(panel);
      const s = plan ? Math.round(plan.x.invert(at.px)) : -1;
      if (!plan || s < 0 || s >= plan.count) return null;
      view.chosenStem[panel] = s;
      view.drag = { panel, range: { low: plan.low, high: plan.high } };
      pull(at);
      return view.drag;
    },
    handles: () => (view.movable(panel) ? stemsIn(view, panel) : []),
    pull,
    release: () => view.commit(),
  });
  listenToKeys(view, canvas, (event) => stemAct(event, view, panel));
  canvas.addEventListener("blur", () => view.chooseStem(panel, null));
}

// Where the stems that are drawn end: on the line beside the last tap a finger scrolls.
/** @type {(view: Order, panel: string) => Points} */
const stemsIn = (view, panel) => {
  const { x, y, count } = view.stems[panel];
  const drawn = panel === "filter" ? (view.taps ?? [1]).length : count;
  return Array.from({ length: drawn }, (_, s) => [x(s), y(view.valueAt(panel, s))]);
};

/** @type {(event: KeyboardEvent, view: Order, panel: string) => (() => void) | null | undefined} */
function stemAct({ key, shiftKey }, view, panel) {
  if (!view.movable(panel)) return null;
  const s = view.chosenStem[panel] ?? 0;
  const most = view.stems[panel].count - 1;
  const by = shiftKey ? COARSE : STEP;
  const now = view.valueAt(panel, s);
  const choose = (/** @type {number} */ to) => () => view.chooseStem(panel, clamp(to, 0, most));
  const set = (/** @type {number} */ value) => () => {
    view.chooseStem(panel, s);
    view.edit(() => view.put(panel, round3(clamp(value, -MOST_TAP, MOST_TAP))));
  };
  return {
    ArrowLeft: choose(s - 1),
    ArrowRight: choose(s + 1),
    Home: choose(0),
    End: choose(most),
    ArrowUp: set(now + by),
    ArrowDown: set(now - by),
    Delete: set(0),
    Backspace: set(0),
  }[key];
}

// ---- the lists and buttons

function listenToTools(/** @type {Order} */ view) {
  listenToButtons(view, { ...undoAndRedo(view), hunt: () => view.hunt() });
  for (const list of ["order", "filter", "mode"])
    view.root
      .querySelector(`[data-${list}]`)
      .addEventListener("change", (/** @type {{target: HTMLSelectElement}} */ { target }) =>
        view.edit(() => view.preset(list, target.value)),
      );
}
