import assert from "node:assert/strict";
import test from "node:test";

import { close } from "../../../../tests/vectors.js";
import { wayOf } from "./way.js";

const RUN = {
  drawing: { model: "rnn" },
  frame: { status: "running", step: 3 },
  loss: [
    [1, 2],
    [2, 1],
    [3, 0.5],
  ],
  evals: [[1, 1.9]],
  scrub: null,
};
const CASES = [
  { changes: {}, model: "rnn", done: false, expected: [0.2, 0.1, 0.05] },
  { changes: {}, model: "transformer", done: false, expected: null },
  { changes: {}, model: "rnn", done: true, expected: null },
  { changes: { scrub: 1 }, model: "rnn", done: true, expected: [0.19] },
  { changes: { evals: [[3, 0.4]] }, model: "rnn", done: false, expected: [0.2, 0.1, 0.05, 0.04] },
  { changes: { loss: [], evals: [] }, model: "rnn", done: false, expected: null },
];

// From its first row on; at the step that is looked back at; not where its end is drawn.
test("a run at work is where its error is", () => {
  for (const { changes, model, done, expected } of CASES) {
    const state = { ...RUN, ...changes };
    const run = { ...state, loss: new Map(state.loss), evals: new Map(state.evals) };
    const errorsOf = (view) =>
      wayOf({ run: null, pin: null, ...view }, model, 0.1, done)?.errors ?? null;
    const shown = errorsOf({ same: true, run });
    if (expected) close(shown, expected);
    else assert.equal(shown, null);
    assert.equal(errorsOf({ same: false, run }), null);
    if (!done) assert.deepEqual(errorsOf({ same: true, pin: run }), shown);
  }
});
