// What a thread begins with that learns the coupling as it is shown, in whatever way it was changed since its file was made.

import { basisOf } from "./bases.js";

/** @import { Arrays, Begin, WatchedOffer } from "../here/types.js" */
/** @typedef {{sigma: number[], order: number[], m: number}} Changed the spectrum and the width; order from the largest σ_k down */
/** @typedef {{tolerance: number, left: string, right: string}} Given of what the reader does not change */

const COMPARED = 16; // leading subspaces (coupling/leading.py)
const TIE = 0.02;

/** Of the leading σ_k above the tolerance: whether the next one is as large. @type {(sorted: number[], tolerance: number) => boolean[]} */
function tiedOf(sorted, tolerance) {
  const leading = sorted.filter((s) => s > tolerance).slice(0, COMPARED);
  return leading.map((s, k) => (sorted[k + 1] ?? 0) > (1 - TIE) * s);
}

/** √w times the functions of these terms at nodes, one after the other. */
/** @type {(name: string, first: number, terms: number[], nodes: ArrayLike<number>, weights: ArrayLike<number>) => Packed} */
function leadingAt(name, first, terms, nodes, weights) {
  const { evaluate } = basisOf(name);
  const roots = Array.from(weights, Math.sqrt);
  const values = terms.flatMap((k) => roots.map((root, i) => root * evaluate(nodes[i], k + first)));
  return { shape: [terms.length, roots.length], values: Float32Array.from(values) };
}

/** The leading functions where they are not the first ones of the bases. @type {(arrays: Arrays, changed: Changed, count: number, given: Given) => Arrays} */
function leadingOf({ u, v, w_u, w_v }, { order }, count, { left, right }) {
  if (order.every((k, place) => k === place)) return {};
  const terms = order.slice(0, count);
  return {
    left: leadingAt(left, basisOf(left).constant ? 0 : 1, terms, u.values, w_u.values),
    right: leadingAt(right, 1, terms, v.values, w_v.values),
  };
}

/**
 * The same with another width and, of a coupling by bases, another spectrum; `given` is null where there are none.
 * @type {(begin: Begin, offer: WatchedOffer, changed: Changed, given: Given | null) => Begin}
 */
export function begunWith({ local, arrays, ...engine }, offer, changed, given) {
  const { places, head_start, widest, started_until } = offer;
  const { sigma, order, m } = changed;
  const settings = local.settings.slice();
  const words = new DataView(settings.buffer);
  words.setInt32(places.m_h, m, true);
  const wide = started_until ? Math.min(m + head_start, widest) : m;
  const own = { ...local, settings, m_h: m, wide };
  if (!given) return { ...engine, local: own, arrays };
  words.setInt32(places.terms, sigma.length, true);
  const sorted = order.map((k) => sigma[k]);
  const tied = tiedOf(sorted, given.tolerance);
  const { left: _l, right: _r, ...others } = arrays;
  const numbers = { shape: [sigma.length], values: Float32Array.from(sigma) };
  const leading = leadingOf(arrays, changed, tied.length, given);
  return { ...engine, local: { ...own, tied }, arrays: { ...others, numbers, ...leading } };
}
