import assert from "node:assert/strict";
import test from "node:test";

import { close } from "../../../../tests/vectors.js";
import { integerTicks, linearTicks, logTicks, niceCeiling } from "./ticks.js";

const labels = (ticks) => ticks.map(({ label }) => label).filter(Boolean);

test("log ticks label decades", () => {
  const ticks = logTicks(1e-4, 2, 10);
  assert.deepEqual(labels(ticks), ["10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
  const values = ticks.map(({ value }) => value);
  assert.equal(values.length, 4 * 9 + 1 + 1);
  assert.ok(Math.min(...values) >= 1e-4 * 0.999 && Math.max(...values) <= 2.002);
});

test("log ticks fit the room", () => {
  for (const [low, high, room] of [
    [1e-9, 1, 4],
    [1, 1e6, 3],
    [1e-3, 1e-2, 8],
  ]) {
    const labelled = logTicks(low, high, room).filter(({ label }) => label);
    assert.ok(labelled.length >= 1 && labelled.length <= room);
    assert.ok(labelled.every(({ value }) => value >= 0.99 * low && value <= 1.01 * high));
  }
});

test("narrow log axes are labelled between the decades", () => {
  const between = ["0.02", "0.05", "0.1", "0.2", "0.5", "1", "2"];
  assert.deepEqual(labels(logTicks(0.02, 2, 9)), between);
});

test("linear and integer ticks", () => {
  assert.deepEqual(labels(linearTicks(0, 0.2, 5)), ["0", "0.05", "0.10", "0.15", "0.20"]);
  const integers = integerTicks(1, 6, 3).map(({ label }) => label);
  assert.deepEqual(integers, ["1", "2", "", "4", "", "6"]);
  close([0.11, 0.2, 3.2, 71].map(niceCeiling), [0.15, 0.2, 4, 100]);
});
