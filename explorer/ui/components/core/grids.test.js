import assert from "node:assert/strict";
import { test } from "node:test";

import { gridBetween, gridsDiffer } from "./grids.js";

const small = { shape: [2, 2], values: Float64Array.of(0, 1, 2, 3) };
const fine = { shape: [4, 4], values: Float64Array.from({ length: 16 }, (_, i) => i) };
const repeated = [0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3];

test("a grid and one of as many cells meet half way, and the ends are exact", () => {
  const other = { shape: [2, 2], values: Float64Array.of(4, 3, 2, 0.1) };
  assert.deepEqual([...gridBetween(small, other, 0.5).values], [2, 2, 2, 1.55]);
  assert.deepEqual([...gridBetween(small, other, 0).values], [...small.values]);
});

test("the coarser has its cells repeated, whichever comes first", () => {
  assert.deepEqual([...gridBetween(small, fine, 0).values], repeated);
  assert.deepEqual([...gridBetween(small, fine, 1).values], [...fine.values]);
  assert.deepEqual([...gridBetween(fine, small, 1).values], repeated);
  assert.deepEqual(gridBetween(fine, small, 0.25).shape, [4, 4]);
});

test("forth and back go through the same", () => {
  const [forth, back] = [gridBetween(small, fine, 0.25), gridBetween(fine, small, 0.75)];
  assert.deepEqual([...forth.values], [...back.values]);
});

test("grids differ by a value or by their size, and not where only one has them", () => {
  const same = { second: { shape: [2, 2], values: Float64Array.of(0, 1, 2, 3) } };
  assert.ok(!gridsDiffer({ second: small }, same));
  assert.ok(gridsDiffer({ second: fine }, same));
  assert.ok(gridsDiffer({ second: { shape: [2, 2], values: Float64Array.of(0, 1, 2, 4) } }, same));
  assert.ok(!gridsDiffer({}, same));
});
