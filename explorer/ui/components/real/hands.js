// Pointer and keys on the pictures of a real model, and its buttons.

import { listenToButtons } from "../core/buttons.js";
import { draggable } from "../core/drag.js";
import { isForOthers, onKeys } from "../core/keys.js";
import { clamp } from "../core/numbers.js";
import { headAt } from "./heads.js";

/** @import { Real } from "./real.js" */

export function listen(/** @type {Real} */ view) {
  listenToHeads(view);
  listenToK(view, "spectrum");
  listenToK(view, "cut");
  listenToK(view, "words");
  listenToButtons(view, {
    centred: () => view.choose({ centred: !view.choice.centred }),
    all: () => view.choose({ one: null }),
    words: () => view.choose({ words: !view.choice.words }),
  });
}

function listenToHeads(/** @type {Real} */ view) {
  const canvas = view.canvas.heads;
  draggable(view, canvas, {
    grab: (at) => {
      const one = headAt(view, at);
      if (one) view.pick(one);
      return null;
    },
    hover: (at) => {
      const one = headAt(view, at);
      canvas.style.cursor = one ? "pointer" : "default";
      view.setHover(one);
    },
    leave: () => view.setHover(null),
  });
  onKeys(canvas, (event) => {
    const by = STEPS[event.key];
    if (!by || isForOthers(event)) return null;
    const { layers, heads } = view.couplings.header;
    const { one } = view.choice;
    const [layer, head] = one ? [one[0] + by[0], one[1] + by[1]] : [0, 0];
    return () => view.choose({ one: [clamp(layer, 0, layers - 1), clamp(head, 0, heads - 1)] });
  });
}

/** Layers down and heads across. @type {Record<string, [number, number]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @param {Real} view @param {string} panel one of the curves */
function listenToK(view, panel) {
  const canvas = view.canvas[panel];
  const move = (/** @type {{px: number}} */ { px }) => {
    const at = view.plans[panel].x.invert(px);
    view.setK(panel === "spectrum" ? at - 0.5 : at);
  };
  draggable(view, canvas, {
    grab: (at) => {
      if (!view.plans[panel]) return null;
      move(at);
      return { what: "k" };
    },
    handles: () => {
      const { box, x } = view.plans[panel];
      return [[x(view.choice.k + (panel === "spectrum" ? 0.5 : 0)), box.y + box.h]];
    },
    pull: move,
    release: () => view.choose({ k: view.choice.k }),
  });
  onKeys(canvas, ({ key }) => view.kByKey(key));
}
