import assert from "node:assert/strict";
import test from "node:test";

import { identity, isPlain, reorderKey, reordered } from "./reorder.js";

test("a carried token leaves the others in their order", () => {
  const order = [3, 1, 4, 0, 5, 7, 2, 6];
  for (const start of identity(8))
    for (const end of identity(8)) {
      const moved = reordered(order, start, end);
      assert.equal(moved[end], order[start]);
      const rest = (list) => list.filter((p) => p !== order[start]);
      assert.deepEqual(rest(moved), rest(order));
    }
});

test("an order is plain where each token is in its own place", () => {
  assert.ok(isPlain(identity(5)) && isPlain([]));
  assert.ok(!isPlain([0, 2, 1]));
});

test("keys choose a place, with Shift they carry its token, and neither goes beyond the ends", () => {
  const told = [];
  const view = {
    chosen: 3,
    choose: (t) => told.push(["choose", t]),
    carry: (t) => told.push(["carry", t]),
    edit: (act) => act(),
  };
  const press = (key, shiftKey = false) => reorderKey({ key, shiftKey }, view, 4)?.();
  for (const key of ["ArrowLeft", "ArrowRight", "Home", "End"]) press(key);
  press("Home", true);
  press("ArrowRight", true);
  press("x");
  const chosen = [2, 3, 0, 3].map((t) => ["choose", t]);
  assert.deepEqual(told, [...chosen, ["carry", 0], ["carry", 3]]);
});
