import assert from "node:assert/strict";
import test from "node:test";

import { vanishes } from "./coupling.js";

test("a difference says that nothing is left where its colours are the paper's", () => {
  assert.ok(vanishes(Float32Array.of(0, 0.03, -0.03), 2));
  assert.ok(!vanishes(Float32Array.of(0, 0.03, -0.05), 2));
});
