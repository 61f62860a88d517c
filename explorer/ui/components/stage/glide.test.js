import assert from "node:assert/strict";
import { test } from "node:test";

import { pack, unpackBytes } from "../core/messages.js";
import { glideOf } from "./glide.js";

const packed = (header, arrays) => new Uint8Array(pack(header, arrays));
const at = (glide, t) => unpackBytes(glide(t));

test("numbers of one shape move, and end where the step has them", () => {
  const from = packed(
    { m: 1, ff: 4, at: [0.5, 2], name: "a" },
    { rho: [0, 0.5], order: [2, 1], k: [1] },
  );
  const to = packed(
    { m: 3, ff: 7, at: [1.5, 4], name: "b" },
    { rho: [1, 1.5], order: [1, 2], k: [1, 2] },
  );
  const glide = glideOf(from, to);
  const half = at(glide, 0.5);
  assert.deepEqual([...half.arrays.rho.values], [0.5, 1]);
  assert.deepEqual(half.header.at, [1, 4], "counts are those of the end");
  assert.deepEqual([half.header.m, half.header.ff, half.header.name], [3, 5.5, "b"]);
  assert.deepEqual([...half.arrays.order.values], [1, 2]);
  assert.deepEqual([...half.arrays.k.values], [1, 2]);
  assert.deepEqual([...at(glide, 0).arrays.rho.values], [0, 0.5]);
  assert.deepEqual(at(glide, 1), unpackBytes(to));
});

test("also where the header alone has them", () => {
  const glide = glideOf(packed({ nmse: 0.25 }, {}), packed({ nmse: 0.75 }, {}));
  assert.equal(at(glide, 0.5).header.nmse, 0.5);
});

test("what does not move, or has a picture of a run behind it, does not glide", () => {
  const still = packed({ m: 1 }, { rho: [0.5], order: [1, 2] });
  assert.equal(glideOf(still, packed({ m: 2 }, { rho: [0.5], order: [2, 1] })), null);
  const behind = new Uint8Array(pack({}, { rho: [1.5] }, packed({}, { loss: [1] })));
  assert.equal(glideOf(still, behind), null);
});
