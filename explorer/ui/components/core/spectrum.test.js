import assert from "node:assert/strict";
import test from "node:test";

import { kTicks, spectrumScales } from "./spectrum.js";

const theme = /** @type {any} */ ({ size: 13 });

function labelled(count, w, first) {
  const box = { x: 40, y: 0, w, h: 200 };
  const { x } = spectrumScales(box, { count, low: 1e-6, high: 1, log: true });
  const ticks = kTicks(theme, { x, count }, first);
  return ticks.filter(({ label }) => label).map(({ value }) => value);
}

test("every k up to 8 has its label where there is room", () => {
  for (const count of [5, 6, 8])
    assert.deepEqual(
      labelled(count, 520),
      Array.from({ length: count }, (_, i) => i + 1),
    );
});

test("where room is short or terms are many, 1, 2, 3 and powers of 2 go before", () => {
  assert.deepEqual(labelled(64, 520), [1, 2, 3, 4, 8, 16, 32, 64]);
  assert.ok(labelled(6, 110).length < 6);
  assert.ok(labelled(30, 520, [13]).includes(13), "what is asked for stands first");
});
