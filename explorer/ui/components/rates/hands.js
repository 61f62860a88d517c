// Pointer and keys on the pictures of a sweep, and its buttons.

import { listenToButtons } from "../core/buttons.js";
import { draggable, reachOf } from "../core/drag.js";
import { isForOthers, onKeys, placeByKey } from "../core/keys.js";
import { NEAR, panelUnder, pointUnder } from "./figure.js";
import { strokeWidths } from "./model.js";

/** @import { Plan } from "./figure.js" */
/** @import { Rates } from "./rates.js" */
/** @typedef {{plan: Plan, last: import("./model.js").Spot}} Stroke of the prediction, and where it is */

export function listen(/** @type {Rates} */ view) {
  listenToFigure(view);
  listenToSurgery(view);
  listenToButtons(view, {
    predict: () => view.setPredicting(!view.predicting),
    reveal: () => view.setPredicting(false),
    clear: () => view.clearPredictions(),
  });
}

// ---- the figure: points to choose, and while predicting a curve to draw

function listenToFigure(/** @type {Rates} */ view) {
  const canvas = view.canvas.figure;
  const under = (/** @type {Place} */ at, /** @type {PointerEvent} */ event) => {
    const reach = reachOf(event, NEAR);
    return view.predicting ? null : pointUnder(view.plans, at.px, at.py, reach);
  };
  draggable(view, canvas, {
    grab: (at, event) => {
      if (!view.ready()) return null;
      if (view.predicting) return beginStroke(view, at);
      const hit = under(at, event);
      const { m_h, seed } = hit?.point ?? view.chosen;
      if (hit) view.choose({ panel: hit.plan.panel, series: hit.series, m_h, seed });
      return null;
    },
    claims: (at) => view.predicting && inAPanel(view.plans, at),
    pull: (at) => drawTo(view, /** @type {Stroke} */ (view.drag), at),
    hover: (at, event) => {
      const point = under(at, event);
      canvas.style.cursor = view.predicting ? "crosshair" : point ? "pointer" : "default";
      view.setHover(point);
    },
    leave: () => view.setHover(null),
  });
  onKeys(canvas, (event) => (isForOthers(event) ? null : keyAct(event, view)));
}

// While predicting all of a panel is there to be drawn on.
/** @type {(plans: Plan[], at: Place) => boolean} */
const inAPanel = (plans, { px, py }) => {
  const box = panelUnder(plans, px)?.box;
  return box !== undefined && py >= box.y && py <= box.y + box.h;
};

// A stroke in another panel is of the same target there, or of its last one.
/** @type {(view: Rates, at: Place) => Stroke | null} */
function beginStroke(view, at) {
  const plan = panelUnder(view.plans, at.px);
  if (!plan) return null;
  const { panel } = plan;
  const there = { ...view.chosen, panel, series: panel.series.at(-1) ?? view.chosen.series };
  if (panel !== view.chosen.panel) view.choose(view.again({ ...view.chosen, panel }) ?? there);
  const stroke = { plan, last: errorAt(plan, at) };
  drawTo(view, stroke, at);
  return stroke;
}

/** @type {(plan: Plan, at: Place) => import("./model.js").Spot} */
const errorAt = ({ x, y }, { px, py }) => ({ m: x.invert(px), error: y.invert(py) });

/** @type {(view: Rates, stroke: Stroke, at: Place) => void} */
function drawTo(view, stroke, at) {
  const now = errorAt(stroke.plan, at);
  view.predict(view.chosen.series, strokeWidths(view.widths, stroke.last, now));
  stroke.last = now;
}

// What a key does on the figure, or null.
/** @type {(event: KeyboardEvent, view: Rates) => (() => void) | null} */
function keyAct({ key, shiftKey }, view) {
  const { predicting } = view;
  const fine = shiftKey ? 2 : 1.12;
  /** @type {Record<string, () => void>} */
  const acts = {
    ArrowLeft: () => view.step(-1),
    ArrowRight: () => view.step(1),
    Home: () => view.step(-99),
    End: () => view.step(99),
    ArrowUp: () => (predicting ? view.raise(fine) : view.stepTarget(-1)),
    ArrowDown: () => (predicting ? view.raise(1 / fine) : view.stepTarget(1)),
    n: () => view.stepTarget(1),
    N: () => view.stepTarget(-1),
    s: () => view.nextSeed(),
    S: () => view.nextSeed(),
    "[": () => view.setK(view.k - 1),
    "]": () => view.setK(view.k + 1),
    Enter: () => view.setPredicting(!predicting),
  };
  return acts[key] ?? null;
}

// ---- the surgery: the rank k

function listenToSurgery(/** @type {Rates} */ view) {
  const canvas = view.canvas.surgery;
  const move = (/** @type {Place} */ { px }) => {
    if (view.surgeryPlan) view.setK(Math.round(view.surgeryPlan.x.invert(px)));
  };
  draggable(view, canvas, {
    grab: (at) => {
      if (!view.surgeryPlan) return null;
      move(at);
      return { what: /** @type {const} */ ("k") };
    },
    handles: () => {
      const { surgeryPlan: plan, k } = view;
      return plan ? [[plan.x(k), plan.box.y]] : [];
    },
    pull: move,
  });
  onKeys(canvas, ({ key }) => {
    const next = placeByKey(key, view.k, 1, 64);
    return next === undefined ? null : () => view.setK(next);
  });
}
