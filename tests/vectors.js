// For the tests beside the browser's modules: what tests/write_vectors.py wrote, and how near to it is near.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

/** What Python computed, by the name of its vectors. */
export const vectors = (name) =>
  JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), "utf8"));

/** Numbers, or lists of them, that differ by rounding alone; "Infinity" stands for ∞. */
export function close(actual, expected, { relative = 1e-9, absolute = 1e-13 } = {}) {
  if (Array.isArray(expected)) {
    assert.equal(actual.length, expected.length);
    expected.forEach((each, i) => close(actual[i], each, { relative, absolute }));
    return;
  }
  const wanted = Number(expected);
  const near =
    Object.is(actual, wanted) ||
    Math.abs(actual - wanted) <= Math.max(absolute, relative * Math.abs(wanted));
  assert.ok(near, `${actual} is not ${wanted}`);
}
