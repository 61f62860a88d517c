import assert from "node:assert/strict";
import test from "node:test";

import { sharing } from "./handout.js";

const of = (ids, component = "design") =>
  sharing({ component, steps: [...ids].map((id) => ({ id })) });

test("a picture for every step that shows another than the one before", () => {
  assert.deepEqual(of("aaa"), [[0, 1, 2]]);
  assert.deepEqual(of("abc"), [[0], [1], [2]]);
  assert.deepEqual(of("aabba"), [[0, 1], [2, 3], [4]], "what comes back is shown again");
});

test("words alone are together", () => assert.deepEqual(of("abc", null), [[0, 1, 2]]));
