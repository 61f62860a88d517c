import assert from "node:assert/strict";
import test from "node:test";

import { statusTexts } from "./stream.js";

const run = (more) => ({ followed: false, frame: null, drawing: null, evals: [], ...more });

test("a run whose picture is on its way is loading, and at no step", () => {
  const { status, step } = statusTexts(run({ followed: true }), "");
  assert.deepEqual([status, step], ["… loading", ""]);
});

test("what nobody has trained is at its first step", () => {
  const { status, step } = statusTexts(run({ drawing: { steps: 1200, seed: 0 } }), "");
  assert.deepEqual([status, step], ["○ not trained yet", "step 0 of 1200"]);
});

test("a frame says where it is", () => {
  const frame = { status: "finished", step: 9, steps: 9, nmse: 0.5 };
  const { status, step } = statusTexts(run({ followed: true, frame }), "");
  assert.deepEqual([status, step], ["✓ finished", "step 9 of 9"]);
});
