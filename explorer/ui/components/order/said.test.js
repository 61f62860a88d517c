import assert from "node:assert/strict";
import test from "node:test";

import { floorText } from "./errors.js";
import { saidOfOrder } from "./said.js";

const wordsOf = (kernel, floors = null) =>
  saidOfOrder({ kernel, taps: null, floors, needed: null, comparable: [] });

test("a memory is what its kernel is", () => {
  assert.equal(wordsOf([0, 1, 0]).memory, "One moment, one step ago");
  assert.equal(wordsOf([0, 0, 1]).memory, "One moment, two steps ago");
  assert.equal(wordsOf([1, 0, 0]).memory, "One moment, now");
  assert.equal(wordsOf([1, 1, 1]).memory, "A memory");
  assert.equal(wordsOf([1, 0.5, 0.2]).memory, "A fading memory");
  assert.equal(wordsOf([1, -0.5, 0.2]).memory, "A memory that oscillates");
});

test("rounding is told by what a constant leaves", () => {
  assert.equal(floorText(8e-34, 0.09), "0");
  assert.equal(floorText(4.7e-16, 1e-15), "4.7·10⁻¹⁶");
  assert.equal(wordsOf([1e-7, 0], { causal: 4.7e-16, constant: 1e-15 }).causal, "4.7·10⁻¹⁶");
});
