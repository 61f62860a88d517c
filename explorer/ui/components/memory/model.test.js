import assert from "node:assert/strict";
import { test } from "node:test";

import { looked, sequenceOf, wayOf } from "./model.js";

const memory = { target: "adaptive_memory", tau: 8, jumps: 2, first: 4, lags: [], vocabulary: 2 };

test("tokens are read from their one-hot features and values", () => {
  const values = Float32Array.from([1, 0, -1, 0, 1, 1]);
  assert.deepEqual(sequenceOf({ shape: [2, 3], values }), { x: [1, 2], b: [-1, 1] });
  const alone = sequenceOf({ shape: [2, 1], values: Float32Array.from([-1, 1]) });
  assert.deepEqual(alone, { x: [1, 1], b: [-1, 1] });
});

test("pointers are followed, and end at the beginning", () => {
  const x = [1, 2, 1, 2, 1, 2, 2, 1];
  const way = (/** @type {number} */ t) => wayOf(memory, { x, b: [] }, t);
  assert.deepEqual(way(7), [
    [7, 6],
    [6, 4],
  ]);
  assert.deepEqual(way(3), [], "nothing is asked before all memories are there");
  const early = wayOf({ ...memory, first: 0 }, { x, b: [] }, 1);
  assert.deepEqual(early, [
    [1, 0],
    [0, 0],
  ]);
});

test("fixed lags and induction have their ways", () => {
  const fixed = { ...memory, target: "fixed_memory", lags: [1, 3], first: 3 };
  assert.deepEqual(wayOf(fixed, { x: [], b: [] }, 5), [
    [5, 4],
    [5, 2],
  ]);
  const induction = { ...memory, target: "induction", first: 0 };
  assert.deepEqual(wayOf(induction, { x: [2, 1, 1, 2], b: [] }, 3), [
    [3, 0],
    [0, 1],
  ]);
  assert.deepEqual(wayOf(induction, { x: [2, 1], b: [] }, 1), []);
});

test("a layer shows a head, or the strongest weight of all", () => {
  const values = Float32Array.from([0.1, 0.2, 0.3, 0.4, 0.4, 0.3, 0.2, 0.1]);
  const attention = { shape: [1, 2, 2, 2], values };
  assert.deepEqual([...looked(attention, 0, 2).values], [...values.subarray(4)]);
  assert.deepEqual([...looked(attention, 0, 0).values], [...[0.4, 0.3, 0.3, 0.4].map(Math.fround)]);
});
