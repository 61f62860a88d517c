import assert from "node:assert/strict";
import test from "node:test";

import { Jump } from "./jump.js";

const typed = (text, count = 9) => {
  const jump = new Jump(count, { textContent: "", hidden: true });
  for (const digit of text) jump.digit(digit);
  return jump;
};

test("digits name a scene, and what is no scene begins another number", () => {
  const cases = { 4: 3, "04": 3, 9: 8, 12: 1, 129: 8, 0: null, "": null };
  for (const [text, scene] of Object.entries(cases)) assert.equal(typed(text).take(), scene, text);
  assert.equal(typed("12", 40).take(), 11);
  assert.equal(typed("41", 40).take(), 0);
});

test("a number is taken or forgotten once, and its box goes with it", () => {
  const jump = typed("3");
  assert.deepEqual([jump.box.textContent, jump.box.hidden], ["scene 3 ⏎", false]);
  assert.equal(jump.forget(), true);
  assert.deepEqual([jump.box.hidden, jump.forget(), jump.take()], [true, false, null]);
  jump.digit("");
  assert.equal(jump.box.textContent, "scene … ⏎");
});
