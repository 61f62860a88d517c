import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsOf } from "./cells.js";

/** @param {number[][]} corners */
const area = (corners) =>
  corners.reduce((sum, [x, y], i) => {
    const [nx, ny] = corners[(i + 1) % corners.length];
    return sum + (x * ny - nx * y) / 2;
  }, 0);

test("two points share the square by the line half way between them", () => {
  const [left, right] = cellsOf(
    [
      [0.2, 0.5],
      [0.6, 0.5],
    ],
    0,
    1,
  );
  assert.ok(Math.abs(area(left) - 0.4) < 1e-12);
  assert.ok(Math.abs(area(right) - 0.6) < 1e-12);
});

test("cells cover the square once, and each point lies in its own", () => {
  const sites = [
    [0.12, 0.3],
    [0.69, 0.85],
    [0.1, 0.14],
    [0.68, 0.07],
    [0.83, 0.48],
    [0.54, 0.51],
  ];
  const cells = cellsOf(sites, 0, 1);
  const whole = cells.reduce((sum, cell) => sum + area(cell), 0);
  assert.ok(Math.abs(whole - 1) < 1e-12);
  cells.forEach((cell, i) => {
    for (const corner of cell) {
      const away = sites.map(([x, y]) => Math.hypot(x - corner[0], y - corner[1]));
      assert.ok(away[i] < Math.min(...away) + 1e-12);
    }
  });
});

test("one point has all, and two at one place have the same", () => {
  assert.equal(area(cellsOf([[0.3, 0.3]], -1, 1)[0]), 4);
  const same = cellsOf(
    [
      [0.5, 0.5],
      [0.5, 0.5],
    ],
    0,
    1,
  );
  assert.deepEqual(same[0], same[1]);
});
