import assert from "node:assert/strict";
import test from "node:test";

import { pack, unpack } from "../core/messages.js";
import { KeptRun } from "../file/kept.js";
import { HOLD, Lasting } from "./lasting.js";

const NOTHING = new Uint8Array(0);
const END = 10_000;
let clock = 0;
globalThis.location = { protocol: "file:", pathname: "/", href: "file:///talk.html" };
Object.defineProperty(globalThis, "performance", { value: { now: () => clock } });
globalThis.sessionStorage ??= { getItem: () => null, setItem: () => null };
const { LiveRun } = await import("./live.js");
const { Training } = await import("./training.js");

const part = (header, arrays = {}, picture = NOTHING) => pack(header, arrays, picture);
const PICTURE = new Uint8Array(pack({ rate: 100 }, {}, NOTHING));
KeptRun.parts = new Map([
  ["r drawing", part({ kind: "drawing" })],
  ["r frame", part({ kind: "frame", step: END, steps: END, status: "finished" }, {}, PICTURE)],
  ["r history", part({ kind: "history" }, { loss_step: [1], loss: [1] })],
]);

/** Pictures come every 100 ms but in the gaps, which are [from, to] in ms: what was said and shown. */
function watched(t, gaps, until) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  clock += 100_000;
  const begun = clock;
  const run = new LiveRun(new URL("http://talk/api/runs/r/live"));
  const badges = [];
  const shown = [];
  const change = (list, what) => list.at(-1) !== what && list.push(what);
  LiveRun.tell = ({ named, source }) => (change(badges, named), change(shown, source));
  for (let ms = 0; ms < until; ms += 50) {
    clock = begun + ms;
    const isSilent = gaps.some(([from, to]) => ms >= from && ms < to);
    if (ms % 100 === 0 && !isSilent) {
      const step = Math.floor(ms / 100) + 1;
      const data = part({ kind: "frame", step, steps: END, status: "running" }, {}, PICTURE);
      run.hear(data, unpack(data));
    }
    run.tick();
  }
  run.close();
  run.training.forget();
  return { badges, shown };
}

test("gaps of a moment are bridged without a word", (t) => {
  const gaps = [2, 6, 10, 14].map((s) => [1000 * s, 1000 * s + 450]);
  const { badges, shown } = watched(t, gaps, 18_000);
  assert.ok(shown.length >= 8, `kept pictures bridge each: ${shown}`);
  assert.deepEqual(
    badges.filter((each) => each),
    ["live"],
  );
});

test("a server that stays silent is said, and so is its return", (t) => {
  const { badges } = watched(t, [[2000, 6000]], 12_000);
  assert.deepEqual(
    badges.filter((each) => each),
    ["live", "kept", "live"],
  );
});

test("the first thing is said at once, another one when it has lasted", () => {
  const badge = new Lasting();
  assert.equal(badge.textAt("live", 0), "live");
  assert.equal(badge.textAt("kept", 10), "live");
  assert.equal(badge.textAt("kept", 10 + HOLD - 1), "live");
  assert.equal(badge.textAt("live", 10 + HOLD), "live");
  assert.equal(badge.textAt("kept", 20 + HOLD), "live", "it begins anew");
  assert.equal(badge.textAt("kept", 20 + 2 * HOLD), "kept");
});

test("a socket that comes once nobody is there is closed", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const socket = { close: t.mock.fn() };
  Training.ofRun("r").socket = async () => socket;
  const run = new LiveRun(new URL("http://talk/api/runs/r/live"));
  run.close();
  await run.training.socket();
  run.training.forget();
  assert.equal(socket.close.mock.callCount(), 1);
});
