import assert from "node:assert/strict";
import test from "node:test";

import { RunStream, emptyRun } from "./stream.js";

test("a replay of a run at work ends at now, though one more picture was kept meanwhile", (t) => {
  let next = null; // the mock of Node goes on with an interval that its own callback clears
  t.mock.method(globalThis, "setInterval", (act) => ((next = act), 1));
  t.mock.method(globalThis, "clearInterval", () => (next = null));
  const view = Object.create(RunStream.prototype);
  Object.assign(view, { run: emptyRun(), slider: {}, invalidate() {}, reportSelection() {} });
  Object.assign(view, { asked: new Set(), line: { isOpen: false } });
  for (const step of [1, 10, 100]) view.run.evals.set(step, 0.5);
  view.replay();
  next();
  assert.equal(view.run.scrub, 10);
  view.run.evals.set(133, 0.4);
  while (next) next();
  assert.equal(view.run.scrub, null);
});
