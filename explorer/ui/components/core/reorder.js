// An order of tokens under the reader's hand: one is chosen, and carried to another place. A strip of
// places (components/order) and the words of a text (components/reorder) are held alike.

import { draggable } from "./drag.js";
import { historyKey } from "./history.js";
import { isForOthers, onKeys } from "./keys.js";
import { clamp } from "./numbers.js";

/** @param {number} count */
export const identity = (count) => Array.from({ length: count }, (_, t) => t);

/** Whether each token is in its own place. @param {number[]} order */
export const isPlain = (order) => order.every((p, t) => p === t);

/**
 * Token `from` taken out of an order and put in at place `to`.
 * @template Token
 * @param {Token[]} order
 * @param {number} from
 * @param {number} to
 */
export function reordered(order, from, to) {
  const moved = [...order];
  const [token] = moved.splice(from, 1);
  moved.splice(to, 0, token);
  return moved;
}

/**
 * What has an order: `choose` a place, `carry` its token to another, `edit` does so and is done,
 * `commit` ends a drag, `step` goes back (−1) or forth (1).
 * @template Held what is held of it
 * @typedef {CanvasView & {
 *   drag: Held | null, chosen: number, choose(t: number): void, carry(to: number): void,
 *   edit(act: () => void): void, commit(): void, step(by: number): void,
 * }} Reordered
 */

/**
 * A pointer takes hold of a token, carries it and lets it go.
 * @template Held
 * @param {Reordered<Held>} view
 * @param {HTMLElement} part the element that the tokens are on
 * @param {object} acts
 * @param {(at: Place) => Held | null} acts.grab what is held where there is a token, else null
 * @param {(at: Place) => number} acts.placeUnder the place that a pointer means
 * @param {() => number[][]} [acts.handles] where a finger takes hold at once, [x, y]
 */
export function reorderable(view, part, { grab, placeUnder, handles }) {
  draggable(view, part, {
    grab: (at) => {
      const held = grab(at);
      if (!held) return null;
      part.style.cursor = "grabbing";
      view.choose(placeUnder(at));
      return held;
    },
    handles,
    pull: (at) => view.carry(placeUnder(at)),
    release: () => {
      part.style.cursor = "grab";
      view.commit();
    },
    hover: () => (part.style.cursor = "grab"),
  });
}

/**
 * Arrows and ends choose a place; with Shift they move its token there.
 * @type {(event: KeyboardEvent, view: Reordered<unknown>, count: number) => (() => void) | null}
 */
export function reorderKey({ key, shiftKey }, view, count) {
  const to = { ArrowLeft: view.chosen - 1, ArrowRight: view.chosen + 1, Home: 0, End: count - 1 }[
    key
  ];
  if (to === undefined) return null;
  const place = clamp(to, 0, count - 1);
  return () => (shiftKey ? view.edit(() => view.carry(place)) : view.choose(place));
}

/**
 * What a key does: undo and redo on every picture, else what `act` returns for it.
 * @param {{step(by: number): void}} view
 * @param {HTMLElement} part
 * @param {(event: KeyboardEvent) => (() => void) | null | undefined} act
 */
export function listenToKeys(view, part, act) {
  onKeys(part, (event) => {
    const by = historyKey(event);
    return by ? () => view.step(by) : isForOthers(event) ? null : act(event);
  });
}
