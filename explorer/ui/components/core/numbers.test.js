import assert from "node:assert/strict";
import test from "node:test";

import { vectors } from "../../../../tests/vectors.js";
import { fmt, fmtInteger, fmtSeconds } from "./numbers.js";

test("the canvases write a number as the sentences do", () => {
  for (const [value, digits, text] of vectors("numbers"))
    assert.equal(fmt(Number(value), digits), text, `${value} with ${digits} digits`);
  assert.deepEqual([fmt(null), fmt(undefined)], ["–", "–"]);
});

test("integers and times", () => {
  const integers = ["0", "1200", "12\u2009000", "1\u2009234\u2009567"];
  assert.deepEqual([0, 1200, 12000, 1234567].map(fmtInteger), integers);
  const times = ["0.4 s", "9.4 s", "61 s", "10 min", "2.5 h", "–"];
  assert.deepEqual([0.44, 9.4, 61, 600, 9000, null].map(fmtSeconds), times);
});
