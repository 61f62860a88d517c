import assert from "node:assert/strict";
import test from "node:test";

import { Arranged, nearest } from "./arranged.js";
import { Exchange } from "./exchange.js";
import { History } from "./history.js";

const rect = (left, right, line) => ({ left, right, top: 30 * line, bottom: 30 * line + 25 });
const RECTS = [
  rect(0, 40, 0),
  rect(45, 60, 0),
  rect(65, 190, 0),
  rect(0, 100, 1),
  rect(105, 120, 1),
];

test("a pointer means the token under it, else the nearest of the nearest line", () => {
  const at = (px, py) => nearest(RECTS, { px, py });
  RECTS.forEach(({ left, right, top, bottom }, t) => {
    for (const px of [left + 1, (left + right) / 2, right - 1])
      assert.equal(at(px, (top + bottom) / 2), t);
  });
  assert.equal(at(44, 10), 1, "in a gap");
  assert.equal(at(500, 10), 2, "beside the end of a line");
  assert.equal(at(500, 40), 4, "and of the last");
  assert.equal(at(110, 400), 4, "below all");
  assert.equal(at(-9, -80), 0, "above all");
});

test("each edit is told, also after more than are remembered", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const told = [];
  const view = Object.assign(Object.create(Arranged.prototype), {
    history: new History(),
    now: 0,
    write() {},
    setStateValue: (_name, { changes }) => told.push(changes.at(-1)[1]),
    told() {
      return this.now;
    },
  });
  view.exchange = new Exchange(view);
  view.history.note(0);
  for (let n = 1; n <= 250; n++) view.edit(() => (view.now = n));
  assert.equal(told.length, 250);
  view.edit(() => {});
  assert.equal(told.length, 250, "nothing was edited");
});
