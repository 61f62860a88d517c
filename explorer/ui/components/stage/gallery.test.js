import assert from "node:assert/strict";
import test from "node:test";

import { columnsOf } from "./gallery.js";

test("so many scenes fill a screen that is wider than high", () => {
  const counts = [1, 2, 4, 6, 9, 14, 24];
  assert.deepEqual(counts.map(columnsOf), [2, 2, 3, 3, 4, 5, 6]);
  for (const count of counts) {
    const columns = columnsOf(count);
    const rows = Math.ceil(count / columns);
    assert.ok(rows <= columns && columns * rows - count < columns + rows);
  }
});
