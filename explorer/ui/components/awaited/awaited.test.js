import assert from "node:assert/strict";
import test from "node:test";

import { Awaited } from "./awaited.js";

const SECOND = 1000;

/** A part of a page, its sockets, and a browser whose clock the test moves on. */
function standing(t, { rest = 0, drawn = "queued" } = {}) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const sockets = [];
  const heard = [];
  globalThis.window = { location: { href: "http://explorer/rates" } };
  globalThis.document = Object.assign(new EventTarget(), { hidden: false });
  globalThis.WebSocket = class {
    constructor(url) {
      this.url = url.href;
      sockets.push(this);
    }

    close() {
      this.isClosed = true;
    }
  };
  const part = new Awaited();
  part.setStateValue = (name, { state }) => heard.push(state);
  const draw = (state, heard = part.asks) =>
    part.take({ push: "api/work?of=cut-1", drawn: state, heard, rest });
  const say = (state) => sockets.at(-1).onmessage({ data: state });
  const lose = (code = 1006) => sockets.at(-1).onclose({ code, reason: "" });
  const pass = (ms) => {
    for (let at = 0; at < ms; at += 100) t.mock.timers.tick(Math.min(100, ms - at));
  };
  draw(drawn);
  return { part, sockets, heard, draw, say, lose, pass };
}

test("what was drawn already is not asked for, what is new once", (t) => {
  const { heard, say, draw, sockets } = standing(t);
  assert.equal(sockets[0].url, "ws://explorer/api/work?of=cut-1");
  say("queued");
  assert.deepEqual(heard, []);
  say("running");
  say("finished");
  assert.deepEqual(heard, ["running"]);
  draw("running"); // while the work moved on
  assert.deepEqual(heard, ["running"], "no sooner than in the next moment");
});

test("what moves on while it is drawn is asked for after it", (t) => {
  const { heard, say, draw, pass } = standing(t);
  say("running");
  pass(1);
  say("finished");
  assert.deepEqual(heard, ["running"]);
  draw("running");
  assert.deepEqual(heard, ["running", "finished"]);
  draw("finished");
  pass(60 * SECOND);
  assert.deepEqual(heard, ["running", "finished"]);
});

test("what is drawn unasked leaves a wish as it is, and what was drawn already answers it", (t) => {
  const { part, heard, say, draw, pass } = standing(t);
  say("none"); // of before a press; the page was drawn after it
  assert.deepEqual(heard, ["none"]);
  draw("queued", part.asks - 1);
  pass(1);
  assert.deepEqual(heard, ["none"]);
  draw("queued");
  pass(1);
  assert.deepEqual(heard, ["none"], "Python knows more than the socket");
  say("running");
  assert.deepEqual(heard, ["none", "running"], "and what comes is asked for at once");
  draw("running");
  pass(1);
  say("none");
  assert.deepEqual(heard, ["none", "running", "none"], "also what was asked for before");
});

test("a lost socket is opened again, and what is true then is asked for", (t) => {
  const { heard, say, lose, pass, sockets } = standing(t);
  say("queued");
  lose();
  pass(SECOND);
  lose();
  pass(SECOND);
  assert.equal(sockets.length, 3);
  say("finished");
  assert.deepEqual(heard, ["finished"]);
});

test("what a server refuses is not asked of it again", (t) => {
  const { lose, pass, sockets } = standing(t);
  lose(4404);
  pass(60 * SECOND);
  assert.equal(sockets.length, 1);
});

test("a wish that Python has not heard is repeated", (t) => {
  const { heard, say, pass, draw } = standing(t);
  say("finished");
  pass(60 * SECOND);
  assert.ok(heard.length > 2 && heard.every((state) => state === "finished"));
  const before = heard.length;
  draw("finished");
  pass(60 * SECOND);
  assert.equal(heard.length, before);
});

test("progress is drawn as seldom as the page wants it", (t) => {
  const { heard, say, draw, pass } = standing(t, { rest: 2 * SECOND });
  for (let step = 1; step <= 100; step++) {
    say(`running ${step}`);
    draw(heard.at(-1));
    pass(100);
  }
  assert.equal(heard.length, 6); // at once, and then every 2 s of 10 s
  pass(2 * SECOND);
  assert.equal(heard.at(-1), "running 100");
});

test("a hidden page rests, and is drawn once it is seen", (t) => {
  const { heard, say } = standing(t);
  document.hidden = true;
  say("finished");
  assert.deepEqual(heard, []);
  document.hidden = false;
  document.dispatchEvent(new Event("visibilitychange"));
  assert.deepEqual(heard, ["finished"]);
});

test("one that has gone asks for nothing", (t) => {
  const { part, sockets, heard, say, lose, pass } = standing(t);
  say("running");
  part.close();
  assert.ok(sockets[0].isClosed);
  sockets[0].onmessage({ data: "finished" });
  lose();
  pass(60 * SECOND);
  assert.deepEqual([heard, sockets.length], [["running"], 1]);
});
