import assert from "node:assert/strict";
import { test } from "node:test";

import { collapsedIn, isTaken, sideOf, themeOf } from "./first.js";

test("a chosen theme wins over the machine's", () => {
  assert.equal(themeOf("", true), "dark");
  assert.equal(themeOf("", false), "light");
  assert.equal(themeOf('"System"', true), "dark");
  assert.equal(themeOf('"Light"', true), "light");
  assert.equal(themeOf('"Dark"', false), "dark");
});

test("the controls take their room where they stand beside the page", () => {
  const desk = { controls: true, width: 1280, collapsed: "", chosen: "" };
  assert.equal(sideOf(desk), 300);
  assert.equal(sideOf({ ...desk, chosen: "412px" }), 412);
  assert.equal(sideOf({ ...desk, collapsed: "true" }), 0);
  assert.equal(sideOf({ ...desk, collapsed: "false" }), 300);
  assert.equal(sideOf({ ...desk, controls: false }), 0);
  assert.equal(sideOf({ ...desk, width: 390 }), 0);
  assert.equal(sideOf({ ...desk, width: 390, collapsed: "false" }), 0);
});

test("on a phone the controls are away until they are asked for, and elsewhere back", () => {
  const phone = { width: 844, height: 390, collapsed: "", gave: "" };
  assert.equal(collapsedIn(phone), "true");
  assert.equal(collapsedIn({ ...phone, width: 390, height: 844 }), "true");
  assert.equal(collapsedIn({ ...phone, collapsed: "false", gave: "true" }), "false");
  const desk = { width: 1280, height: 800, collapsed: "", gave: "" };
  assert.equal(collapsedIn(desk), "");
  assert.equal(collapsedIn({ ...desk, collapsed: "true" }), "true");
  assert.equal(collapsedIn({ ...desk, collapsed: "true", gave: "true" }), "");
  assert.equal(collapsedIn({ ...desk, collapsed: "false", gave: "true" }), "false");
});

test("the page takes over with its own picture, of a run with a frame of it", () => {
  assert.ok(isTaken({ name: "Design", draws: 1 }, { name: "Design", draws: 1 }));
  assert.ok(!isTaken({ name: "Real", draws: 1 }, { name: "Head", draws: 1 }));
  const own = { name: "Live", draws: 3, frames: 1 };
  assert.ok(!isTaken(own, { name: "Live", draws: 1, frames: 0 }));
  assert.ok(isTaken(own, { name: "Live", draws: 2, frames: 1 }));
  assert.ok(isTaken({ ...own, frames: 0 }, { name: "Live", draws: 1, frames: 0 }));
});
