import assert from "node:assert/strict";
import test from "node:test";

import { Exchange } from "./exchange.js";

/** A change that was told while the line was down, how often it is heard of later, and the clock. */
function lost(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const heard = [];
  const side = { setStateValue() {}, adopt() {}, holding: () => false };
  const exchange = new Exchange(side);
  exchange.report({ m_h: 7 });
  side.setStateValue = (_name, { changes }) => heard.push(changes);
  return { exchange, heard, pass: (seconds) => t.mock.timers.tick(1000 * seconds) };
}

test("a report that was lost is told again though nothing is drawn", (t) => {
  const { exchange, heard, pass } = lost(t);
  pass(10);
  assert.deepEqual(heard, [[[1, { m_h: 7 }]]]);
  exchange.answer({}, { visit: exchange.visit, rev: 1 });
  pass(600);
  assert.equal(heard.length, 1, "it was answered");
});

test("who never answers is told more and more seldom", (t) => {
  const { heard, pass } = lost(t);
  for (let second = 0; second < 600; second++) pass(1);
  assert.equal(heard.length, 5); // after 10, 30, 70, 150 and 310 s
});

test("drawings that come late do not put off the clock, nor wind it", (t) => {
  const { exchange, heard, pass } = lost(t);
  for (let late = 0; late < 40; late++) assert.equal(exchange.answer({}), "late");
  pass(9);
  assert.equal(heard.length, 40);
  pass(1);
  assert.equal(heard.length, 41);
});

test("what has gone tells nothing", (t) => {
  const { exchange, heard, pass } = lost(t);
  exchange.forget();
  pass(600);
  assert.deepEqual(heard, []);
});
