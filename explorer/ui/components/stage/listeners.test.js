import assert from "node:assert/strict";
import test from "node:test";

const LONG = 60_000;
const sockets = [];
globalThis.location = { protocol: "http:", pathname: "/stage", href: "http://h/stage", search: "" };
globalThis.sessionStorage = { getItem: () => null, setItem: () => null, removeItem: () => null };
globalThis.WebSocket = class {
  readyState = 1;

  constructor() {
    sockets.push(this);
  }

  send() {}

  close() {
    this.readyState = 3;
  }
};
const { Listeners } = await import("./listeners.js");

/** The phones of a deck whose speaker has pressed to let them follow. */
function opened(t) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  sockets.length = 0;
  const listeners = new Listeners({ at: { scene: 0, step: 0 }, phonesChanged() {} });
  listeners.toggle();
  const say = (message) => sockets.at(-1).onmessage({ data: JSON.stringify(message) });
  const lose = () => {
    sockets.at(-1).close();
    sockets.at(-1).onclose();
  };
  return { listeners, say, lose };
}

test("a room whose line is lost is looked for again", (t) => {
  const { lose } = opened(t);
  lose();
  t.mock.timers.tick(LONG);
  assert.equal(sockets.length, 2);
});

test("a room that is closed while its line is down stays closed", (t) => {
  const { listeners, say, lose } = opened(t);
  say({ kind: "room", key: "k", code: "c" });
  lose();
  listeners.toggle();
  t.mock.timers.tick(LONG);
  assert.deepEqual([listeners.room, sockets.length], [null, 1]);
});

test("who presses twice opens one room", (t) => {
  const { listeners } = opened(t);
  listeners.toggle();
  assert.equal(sockets.length, 1);
});
