import assert from "node:assert/strict";
import test from "node:test";

import { compared, comparedText } from "./model.js";

const line = [
  [1, 0.1],
  [2, 0.05],
  [4, 0.03],
  [8, 0.02],
];

test("where training found no cliff a curve is compared at all widths", () => {
  const drawn = { 1: 0.1, 2: 0.05, 4: 1e-6, 8: 1e-6 };
  const missed = compared(drawn, { line, rank: 3 });
  assert.equal(missed.rank, null);
  assert.ok(missed.before.factor > 100, "the median of 1, 1 and two that are far off");
  assert.match(comparedText("it", missed), /off by a factor of (?!1\.0)/);
});

test("where it found one, before and from it on", () => {
  const cliff = [...line.slice(0, 2), [4, 1e-6], [8, 1e-6]];
  const missed = compared({ 1: 0.1, 2: 0.05, 4: 1e-6, 8: 1e-6 }, { line: cliff, rank: 3 });
  assert.deepEqual([missed.rank, missed.before.factor, missed.after.factor], [3, 1, 1]);
});
