import assert from "node:assert/strict";
import test from "node:test";

import { History } from "./history.js";

test("what Python makes of an edit is no step of its own", () => {
  const history = new History();
  history.amend("start");
  history.note("edit");
  history.amend("edit, as Python has it");
  assert.equal(history.go(-1), "start");
  history.amend("start, as Python has it");
  assert.equal(history.go(1), "edit, as Python has it");
  assert.equal(history.go(-1), "start, as Python has it");
  assert.equal(history.can(-1), false);
});
