import assert from "node:assert/strict";
import test from "node:test";

import { keptOf, orderOf, rankText } from "./model.js";

test("the terms that are kept are the first by size, and the earlier ones where they tie", () => {
  assert.deepEqual(orderOf([1, 0.1, 0.5, 0.7, 0.5]), [0, 3, 2, 4, 1]);
  assert.deepEqual(keptOf([1, 0.1, 0.5, 0.7, 0.5], 3), [true, false, true, true, false]);
  assert.deepEqual(orderOf([1, 0.5, 0.5, 0]), [0, 1, 2, 3]);
});

test("a rank is a number, a bound, infinite or unknown", () => {
  const given = { family: "given", sigma: [1, 0.1, 1e-12], rank: null };
  assert.equal(rankText({ ...given, whole: "2" }, 1e-10), "2");
  assert.equal(
    rankText({ ...given, whole: "at most 20" }, 1e-10),
    "2 above 10⁻¹⁰ (at most 20 in all)",
  );
  assert.equal(rankText({ ...given, whole: "unknown" }, 1e-10), "2 above 10⁻¹⁰ (unknown in all)");
  const law = { family: "power", sigma: new Array(64).fill(1), whole: "" };
  assert.equal(rankText({ ...law, rank: null }, 1e-10), "infinite");
  assert.equal(rankText({ ...law, rank: 64 }, 1e-10), "64");
});
