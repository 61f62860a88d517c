// What a sentence beside the pictures says of them: errors of the runs, and where the chosen token looks.

import { fmt, inWords } from "../core/numbers.js";
import { shownIn, sorted } from "../run/stream.js";
import { looked, sequenceOf, wayOf } from "./model.js";

/** @import { MemoryRunDrawing } from "../payloads.js" */
/** @import { Memory } from "./memory.js" */

const UNTOLD = "…";

/** @type {(view: Memory) => Record<string, string>} */
export function saidOfMemory(view) {
  const t = view.token();
  const [pinned] = view.pins;
  return {
    ...{ t: String(t), layers: inWords(view.run.drawing?.layers ?? 0) },
    ...{ left: leftBy(view.run), pinned: pinned ? leftBy(pinned.run) : UNTOLD },
    ...weightsOf(view.run, t),
  };
}

/** What a run leaves of the variance. @type {(run: Run) => string} */
function leftBy(run) {
  const last = sorted(run.evals).at(-1);
  return last ? `${fmt(100 * last[1])} %` : UNTOLD;
}

/** The most that a head gives the first and the last stop of a token's way: in the last layer, and the last stop in the first. @type {(run: Run<MemoryRunDrawing>, t: number) => Record<"near" | "far" | "early", string>} */
function weightsOf(run, t) {
  const frame = shownIn(run);
  const { drawing } = run;
  const way = drawing && frame?.attention ? wayOf(drawing, sequenceOf(frame.tokens), t) : [];
  if (!drawing || !way.length) return { near: UNTOLD, far: UNTOLD, early: UNTOLD };
  const { layers, tau } = drawing;
  const at = (/** @type {number} */ layer, /** @type {number} */ s) =>
    looked(frame?.attention, layer, 0).values[t * tau + s].toFixed(2);
  const [near, far] = [way[0][1], way[way.length - 1][1]];
  return { near: at(layers - 1, near), far: at(layers - 1, far), early: at(0, far) };
}
