// From one step of a scene to the next values move: what both have as numbers of one shape.

import { pack, unpackBytes } from "../core/messages.js";

export const GLIDE = 450; // milliseconds

const whole = (/** @type {ArrayLike<number>} */ values) =>
  Array.prototype.every.call(values, Number.isInteger);

const alike = (/** @type {any} */ a, /** @type {any} */ b) =>
  JSON.stringify(a) === JSON.stringify(b);

/** Between whole numbers is nothing: they count, or name a place. These are logarithms. */
const SLIDES = ["ff"];

/** @type {(a: any, b: any, t: number, name?: string) => any} */
function between(a, b, t, name = "") {
  if (typeof a === "number" && typeof b === "number")
    return whole([a, b]) && !SLIDES.includes(name) ? b : a + t * (b - a);
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length ? b.map((each, i) => between(a[i], each, t)) : b;
  if (!isObject(a) || !isObject(b)) return b;
  const named = Object.entries(b).map(([key, each]) => [key, between(a[key], each, t, key)]);
  return Object.fromEntries(named);
}

const isObject = (/** @type {any} */ each) =>
  each !== null && typeof each === "object" && !Array.isArray(each);

/** @param {Message["arrays"]} a @param {Message["arrays"]} b */
const moving = (a, b) =>
  Object.keys(b).filter((name) => {
    const [{ values = [] } = {}, { values: end }] = [a[name] ?? {}, b[name]];
    const differ = values.length === end.length && end.some((value, i) => value !== values[i]);
    return differ && !(whole(values) && whole(end));
  });

/**
 * What is drawn between two steps, at t from 0 to 1; null where nothing moves.
 * @param {Uint8Array} from @param {Uint8Array} to
 */
export function glideOf(from, to) {
  const [start, end] = [unpackBytes(from), unpackBytes(to)];
  const names = moving(start.arrays, end.arrays);
  const isSame = alike(between(start.header, end.header, 0), end.header);
  if (end.picture || (isSame && !names.length)) return null;
  return (/** @type {number} */ t) => {
    const arrays = { ...end.arrays };
    for (const name of names) {
      const { values } = start.arrays[name];
      const mixed = end.arrays[name].values.map((value, i) => values[i] + t * (value - values[i]));
      arrays[name] = { ...end.arrays[name], values: mixed };
    }
    return new Uint8Array(pack(between(start.header, end.header, t), arrays));
  };
}
