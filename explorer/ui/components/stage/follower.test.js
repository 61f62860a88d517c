import assert from "node:assert/strict";
import test from "node:test";

import { PREDICTED } from "../core/predictions.js";

const part = { addEventListener() {} };
const sockets = [];
globalThis.location = {
  protocol: "http:",
  pathname: "/stage",
  href: "http://h/",
  search: "?room=c",
};
globalThis.document = Object.assign(new EventTarget(), { querySelector: () => part });
globalThis.WebSocket = class {
  readyState = 1;
  heard = [];

  constructor() {
    sockets.push(this);
  }

  send(text) {
    this.heard.push(JSON.parse(text));
  }
};
const { Follower } = await import("./follower.js");

const draw = (pairs) =>
  document.dispatchEvent(Object.assign(new Event(PREDICTED), { detail: { line: 0, pairs } }));
const lose = () => {
  sockets.at(-1).readyState = 3;
  sockets.at(-1).onclose();
};
const hearAt = (scene) =>
  sockets.at(-1).onmessage({ data: JSON.stringify({ kind: "at", scene, step: 0 }) });

test("a curve that was drawn while the line was down is sent once, where the speaker is in its scene", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const talk = { scenes: [{ steps: [{}] }, { steps: [{}] }] };
  const follower = new Follower({ at: { scene: 0, step: 0 }, talk, go() {} }, "c");
  follower.leave();
  lose();
  draw([[1, 0.5]]);
  t.mock.timers.tick(5000);
  assert.equal(sockets.length, 2);
  hearAt(1);
  assert.deepEqual(sockets[1].heard, []);
  hearAt(0);
  hearAt(0);
  assert.deepEqual(sockets[1].heard, [{ scene: 0, line: 0, pairs: [[1, 0.5]] }]);
  lose();
  draw([[1, 0.5]]);
  draw([]);
  t.mock.timers.tick(5000);
  hearAt(0);
  assert.deepEqual(sockets.at(-1).heard, [], "what is cleared is not sent");
});
