// What the page says in words of an altered target: its complexity, and what a run has learned of it.

import { fmt } from "../core/numbers.js";
import { cosine, product } from "./model.js";

/** @import { Values } from "./model.js" */
/** @import { Order } from "./order.js" */

/** As many lines in a drag as before it: nothing moves under the hand. */
export function hintOf(/** @type {Order} */ view) {
  const trained = view.settled ? learnedWords(view) : "let go to see what has been trained on it";
  const { floors, complexity, rho, needed, share } = view;
  if (!floors || !complexity)
    return ["a coupling of content: no floor is known", trained].join("\n");
  return [complexityWords(complexity, rho), sizesWords(needed, share), trained].join("\n");
}

// How far the learned taps are those of the filter, and what was learned is a linear map.
function learnedWords(/** @type {Order} */ view) {
  const { taps, learnedTaps } = view;
  const rest = notLinear(view);
  const parts = [
    taps && learnedTaps && `filter against θ |cos| = ${cosine(learnedTaps, taps).toFixed(3)}`,
    typeof rest === "number" && `${fmt(100 * rest)} % of Var(y) is not linear in x̃`,
  ];
  return parts.some(Boolean) ? `learned: ${parts.filter(Boolean).join(" · ")}` : "";
}

// The share of Var(y) that the linear map nearest to a Transformer leaves of its answers; an RNN is linear.
function notLinear(/** @type {Order} */ view) {
  /** @type {Values | undefined} */
  const rest = view.pictures()?.nonlinear?.values;
  return rest && view.floors ? product(rest, rest) / rest.length / view.floors.constant : null;
}

// Least sizes for a share of the kernel that is left after a filter, said below the complexity.
/** @type {(needed: Order["needed"], share: number) => string} */
function sizesWords(needed, share) {
  if (!needed) return "";
  const { states, channels } = needed;
  return `to ${Number((100 * share).toPrecision(3))} % of ‖ρ‖² a linear RNN needs ${states} ${states === 1 ? "state" : "states"} or more, a dilated CNN ${channels} ${channels === 1 ? "channel" : "channels"} or more`;
}

// Eq. 76 to 78; over the window every kernel has a finite one.
/** @type {(complexity: NonNullable<Order["complexity"]>, rho: Order["rho"]) => string} */
function complexityWords({ before, after }, rho) {
  if (!after)
    return "no kernel is left: C₁, C₂ and Cʀɴɴ are ∞ for any such target, whatever it leaves an RNN";
  const moved = (/** @type {keyof typeof after} */ name) =>
    fmt(after[name]) === fmt(before[name])
      ? fmt(before[name])
      : `${fmt(before[name])} → ${fmt(after[name])}`;
  return `C₁ ${rho?.kernel === "formula" ? "(fitted) " : ""}${moved("c_1")}, C₂ ${moved("c_2")}, Cʀɴɴ ${moved("c_rnn")}, over the window ${moved("windowed")}`;
}
