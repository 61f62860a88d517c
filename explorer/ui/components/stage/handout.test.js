import assert from "node:assert/strict";
import test from "node:test";

import { sharing } from "./handout.js";

const shared = (ids, component = "design") =>
  sharing({ component, steps: [...ids].map((id) => ({ id })) });

test("a picture for every step that shows another than the one before", () => {
  assert.deepEqual(shared("aaa"), [[0, 1, 2]]);
  assert.deepEqual(shared("abc"), [[0], [1], [2]]);
  assert.deepEqual(shared("aabba"), [[0, 1], [2, 3], [4]], "what comes back is shown again");
});

test("words alone are together", () => assert.deepEqual(shared("abc", null), [[0, 1, 2]]));
