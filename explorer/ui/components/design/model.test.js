import assert from "node:assert/strict";
import test from "node:test";

import { keptOf, rankText, threshold } from "./model.js";

test("what is left out lies below the least that is kept", () => {
  for (const [sigma, m] of [
    [[1, 0.1, 0.5, 0.7], 3],
    [[0.1, 0.2, 0.3], 1],
    [[0, 1, 0], 1],
  ]) {
    const kept = keptOf(sigma, m);
    const limit = threshold(sigma, kept);
    sigma.forEach((s, i) => assert.equal(s > limit, kept[i], `${sigma} at ${i}`));
  }
});

test("in order m itself is the limit", () => {
  assert.equal(threshold([1, 0.5, 0.5, 0.1], [true, true, false, false]), null);
});

test("a rank is a number, a bound, ∞ or unknown", () => {
  const given = { family: "given", sigma: [1, 0.1, 1e-12], rank: null };
  assert.equal(rankText({ ...given, whole: "2" }, 1e-10), "2");
  assert.equal(
    rankText({ ...given, whole: "at most 20" }, 1e-10),
    "2 above 10⁻¹⁰ (at most 20 in all)",
  );
  assert.equal(rankText({ ...given, whole: "unknown" }, 1e-10), "2 above 10⁻¹⁰ (unknown in all)");
  const law = { family: "power", sigma: new Array(64).fill(1), whole: "" };
  assert.equal(rankText({ ...law, rank: null }, 1e-10), "∞");
  assert.equal(rankText({ ...law, rank: 64 }, 1e-10), "64");
});
