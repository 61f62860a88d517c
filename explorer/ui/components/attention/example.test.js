import assert from "node:assert/strict";
import test from "node:test";

globalThis.window ??= {};
const { Attention } = await import("./attention.js");
const { emptyRun, selectionsOf } = await import("../run/stream.js");

/** The picture of a run with three kept steps, and what Python was told of those looked back at. */
function shown() {
  const told = [];
  const view = Object.assign(Object.create(Attention.prototype), {
    run: { ...emptyRun(), frame: {} },
    runId: "r",
    t: null,
    knownSelection: { step: null, t: null },
    asked: new Set(),
    example: { points: [] },
    line: { isOpen: true, send() {} },
    invalidate() {},
    setStateValue: (_name, { changes }) => told.push(changes.at(-1)[1].step),
  });
  view.selections = selectionsOf(view);
  for (const step of [1, 2, 3]) view.run.evals.set(step, 0.5);
  return { view, told };
}

test("the step that Example leaves is told, and another hand's counts after it", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { view, told } = shown();
  const draw = (step) => {
    const { visit, rev } = view.selections;
    view.selections.answer({ step, t: null }, { visit, rev });
  };
  view.scrub(0);
  view.reportSelection();
  t.mock.timers.tick(1000);
  draw(1);
  view.showExample();
  t.mock.timers.tick(1000);
  assert.deepEqual(told, [1, null]);
  draw(null);
  draw(2);
  assert.equal(view.run.scrub, 2);
});
