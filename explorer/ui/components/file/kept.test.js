import assert from "node:assert/strict";
import test from "node:test";

import { Exchange } from "../core/exchange.js";
import { mountHere } from "./kept.js";

test("a change that is told again, since nobody answers, is no other one", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const side = { adopt() {}, holding: () => false };
  globalThis.components = { any: ({ setStateValue }) => Object.assign(side, { setStateValue }) };
  const exchange = new Exchange(side);
  let changes = 0;
  const draw = (root) => mountHere("any", {}, root, () => (changes += 1));
  const root = {};
  draw(root);
  exchange.report({ k: 1 });
  t.mock.timers.tick(60_000);
  draw(root); // in another size
  exchange.answer({});
  assert.equal(changes, 1);
  exchange.report({ k: 2 });
  assert.equal(changes, 2);
});
