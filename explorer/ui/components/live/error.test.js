import assert from "node:assert/strict";
import test from "node:test";

import { drawError } from "./error.js";

const COLOUR = "rgb(0 0 0)";
const THEME = {
  ...{ ink: COLOUR, paper: COLOUR, accent: COLOUR, second: COLOUR, pale: COLOUR, grey: COLOUR },
  ...{ line: COLOUR, grid: COLOUR, categories: Array(6).fill(COLOUR), unit: 1, size: 13 },
  ...{ font: "sans-serif", sequential: [], diverging: [] },
};

/** A pen that draws nowhere: what is said of a picture is looked at here. */
const PEN = new Proxy(
  { measureText: (/** @type {string} */ text) => ({ width: 7 * text.length }) },
  { get: (own, name) => own[name] ?? (() => {}), set: () => true },
);

const rows = (/** @type {[number, number][]} */ list) => new Map(list);

/** A run as its stream has it, by its evaluations. */
const run = (/** @type {[number, number][]} */ evals, drawing = {}) => ({
  drawing: { floor: null, rank: null, m_h: 1, steps: 1500, floor_label: "", ...drawing },
  loss: rows([]),
  evals: rows(evals),
  metrics: {},
  scrub: null,
});

const sentence = (/** @type {object} */ shown, /** @type {object[]} */ pins = [], more = {}) =>
  drawError(/** @type {any} */ (PEN), THEME, 600, 300, {
    ...{ run: shown, pins, pin: pins[0], atStep: null },
    ...more,
  });

const SHOWN = /** @type {[number, number][]} */ ([
  [1, 1],
  [100, 0.5],
  [300, 0.25],
]);

test("a pair that has come equally far is compared where it ends, without another step", () => {
  const other = run([
    [1, 1],
    [300, 0.5],
  ]);
  assert.equal(
    sentence(run(SHOWN), [{ label: "L = 1", run: other }]),
    "Error against step, log-log: nMSE 0.25 at step 300; divided by that of L = 1 0.50",
  );
});

test("the ratio names its step where one of the pair is ahead of the other", () => {
  const behind = run([
    [1, 1],
    [100, 0.8],
  ]);
  const ahead = run([
    [1, 1],
    [300, 0.5],
    [1500, 0.1],
  ]);
  assert.match(
    sentence(run(SHOWN), [{ label: "L = 1", run: behind }]),
    /nMSE 0\.25 at step 300; at step 100 divided by that of L = 1 0\.6[23]$/,
  );
  assert.match(
    sentence(run(SHOWN), [{ label: "L = 1", run: ahead }]),
    /at step 300; divided by that of L = 1 0\.50$/,
  );
  const both = [
    { label: "", run: behind },
    { label: "m_h = 4", run: ahead },
  ];
  assert.match(
    sentence(run(SHOWN), both),
    /; at step 100 divided by that of the pinned run 0\.6[23]; divided by that of m_h = 4 0\.50$/,
  );
});

test("nothing is divided by a run without evaluations, or that begins later", () => {
  const alone = "Error against step, log-log: nMSE 0.25 at step 300";
  assert.equal(sentence(run(SHOWN), [{ label: "L = 1", run: run([]) }]), alone);
  assert.equal(sentence(run(SHOWN), [{ label: "L = 1", run: run([[600, 0.5]]) }]), alone);
  assert.equal(sentence(run(SHOWN)), alone);
});

test("a floor is said, and 0 by its name alone; before the first evaluation there is no number", () => {
  const floor = { floor: 0.01, rank: 4, floor_label: "truncation" };
  assert.match(sentence(run(SHOWN, floor)), /at step 300, truncation 0\.010$/);
  assert.match(sentence(run(SHOWN, { ...floor, floor: 0 })), /at step 300, truncation$/);
  assert.equal(sentence(run([])), "Error against step, log-log: nMSE – at step 0");
  assert.equal(sentence({ ...run([]), drawing: null }), "Error against step: nothing yet");
});

test("the step under the pointer changes the picture, not what is said of it", () => {
  const pins = [{ label: "L = 1", run: run(SHOWN) }];
  assert.equal(sentence(run(SHOWN), pins, { atStep: 42 }), sentence(run(SHOWN), pins));
});

test("what is learned by heart is said beside the error on fresh sequences", () => {
  const metrics = { train_nmse: rows([[300, 0.125]]) };
  assert.equal(
    sentence({ ...run(SHOWN), metrics }),
    "Error against step, log-log: nMSE 0.25 at step 300, on its own sequences 0.13",
  );
});
