import assert from "node:assert/strict";
import test from "node:test";

import { ratioTicks } from "./compare.js";

const labels = (/** @type {number} */ reach) => ratioTicks(reach).map(({ label }) => label);

test("the ticks of a ratio fit the margin of the axis", () => {
  assert.deepEqual(labels(2.5), ["1/2", "1", "2"]);
  assert.deepEqual(labels(300), ["1/200", "1", "200"]);
  assert.deepEqual(labels(1650), ["10⁻³", "1", "1000"]);
  assert.deepEqual(labels(8e4), ["10⁻⁴", "1", "10⁴"]);
  for (let reach = 2.5; reach < 1e9; reach *= 1.3) {
    const ticks = ratioTicks(reach);
    assert.ok(
      ticks.every(({ label }) => label.length <= 5),
      labels(reach).join(" "),
    );
    assert.ok(ticks[2].value < reach && ticks[2].value > 1, `${reach}`);
    assert.ok(Math.abs(ticks[0].value * ticks[2].value - 1) < 1e-12);
  }
});
