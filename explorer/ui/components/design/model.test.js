import assert from "node:assert/strict";
import test from "node:test";

import { widthFor, widthText } from "./floor.js";
import { complexityText, errorRate, keptOf, orderOf, rankText, rateTexts } from "./model.js";

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

test("C₁ is taken over the terms by size, and of a law or a sure fit alone", () => {
  const law = { kind: "power", value: 1, law: true };
  assert.equal(complexityText([0.01, 0.02, 1], law), complexityText([1, 0.02, 0.01], law));
  assert.equal(complexityText([1, 0.5, 0.4], law), "1.20");
  assert.equal(
    complexityText([1, 0.5, 0.4], { kind: "power", value: 1, sure: false }),
    "not known",
  );
});

test("where the spectrum ends the error has no slope", () => {
  const law = { kind: "power", value: 1.5, law: true };
  assert.equal(errorRate(law, null), -2);
  assert.equal(errorRate(law, 6), null);
  assert.equal(rateTexts(law, 6).mse, null);
  assert.equal(rateTexts(law).mse, "predicted slope −2.00");
  const steep = { kind: "exponential", value: 0.05, law: true };
  assert.equal(rateTexts(steep, 6).mse, "squared error × 0.0025 per term");
  assert.equal(rateTexts({ kind: "power", value: 0.5004, law: true }).mse, "predicted slope 0.00");
});

test("the width for an error is the rank where the widths that are computed are not enough", () => {
  const floor = { shape: [4, 3], values: [1, 0.5, 0.2, 1, 0.5, 0.2, 0, 0, 0, 0, 0, 0] };
  assert.equal(widthText(widthFor(floor, 0.1, "mse", 40), 3), "40");
  assert.equal(widthText(widthFor(floor, 0.1), 3), "> 2");
  assert.equal(widthText(widthFor(floor, 0.3, "mse", 40), 3), "2");
});
