import assert from "node:assert/strict";
import test from "node:test";

globalThis.window ??= {};
const { TrainedHere } = await import("./here.js");

/** A sweep that the browser has trained two models of, what Python hears of it, and the clock. */
function trained(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const heard = [];
  const view = {
    lay() {},
    say() {},
    setStateValue: (_name, { rows }) => heard.push(Object.keys(rows).length),
  };
  const row = { querySelectorAll: () => [], querySelector: () => null, hidden: false };
  const here = Object.assign(Object.create(TrainedHere.prototype), { view, row, lastReport: "" });
  here.write = () => {};
  here.find = () => here.refresh();
  here.sweep = { rows: new Map([..."ab"].map((id) => [id, {}])), isAtWork: false };
  const draw = (known) => {
    here.offer = { id: "s" }; // the same sweep as before
    here.take({ id: "s", known, at_work: false, members: [] }, {});
  };
  return { here, heard, draw, pass: (seconds) => t.mock.timers.tick(1000 * seconds) };
}

test("models that Python has not heard of are told, and again where no drawing follows", (t) => {
  const { heard, draw, pass } = trained(t);
  draw(0);
  pass(1);
  assert.deepEqual(heard, [2]);
  pass(10);
  assert.deepEqual(heard, [2, 2], "the line was down");
  draw(2);
  pass(600);
  assert.deepEqual(heard, [2, 2]);
});

test("models that come one after the other are told again together", (t) => {
  const { here, heard, draw, pass } = trained(t);
  draw(0);
  for (const id of "cde") {
    here.sweep.rows.set(id, {});
    here.refresh();
    pass(1);
  }
  const told = heard.length;
  pass(10);
  assert.equal(heard.length, told + 1);
});

test("a sweep that is shown no more tells nothing", (t) => {
  const { here, heard, draw, pass } = trained(t);
  draw(0);
  pass(1);
  here.leave();
  pass(600);
  assert.deepEqual(heard, [2]);
});
