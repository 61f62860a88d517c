import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { setImmediate } from "node:timers";

import { RunHere, forget, runOf } from "./run.js";

const rest = () => new Promise(setImmediate);
mock.timers.enable({ apis: ["setTimeout"] }); // nobody waits for a shelf that does not open

/** As browsers have them: a name is held by one. */
function locks() {
  const held = new Set();
  const request = async (name, _, act) => {
    if (held.has(name)) return act(null);
    held.add(name);
    await act({ name });
    held.delete(name);
  };
  return { request };
}

/** A browser, and the run of an id that was begun in it. */
function standing(given = {}) {
  const navigator = { locks: locks(), hardwareConcurrency: 4, ...given };
  Object.defineProperty(globalThis, "navigator", { value: navigator, configurable: true });
  globalThis.Worker = class {
    heard = [];

    postMessage(message) {
      this.heard.push(message);
    }

    terminate() {
      this.isOver = true;
    }
  };
  return (id) => {
    const run = new RunHere({ script: "", arrays: {}, local: { id, steps: 100 } });
    globalThis.__explorerRunsHere.set(id, run);
    return run;
  };
}

test("a run that was deleted while it trained can be trained again", async () => {
  const begin = standing();
  begin("deleted").order("resume");
  await rest();
  assert.equal(runOf("deleted").progress.status, "running");
  forget("deleted");
  await rest();
  const again = begin("deleted");
  again.order("resume");
  await rest();
  assert.deepEqual([again.progress.status, again.note], ["running", ""]);
});

test("where locks are denied a run trains all the same", async () => {
  const request = () => Promise.reject(new DOMException("denied", "SecurityError"));
  const run = standing({ locks: { request } })("denied");
  run.order("resume");
  await rest();
  assert.equal(run.progress.status, "running");
});

test("what another tab has done since is what a run goes on from", async () => {
  const run = standing()("shared");
  const progress = (step, status) => ({ ...run.progress, step, status });
  run.progress = progress(10, "interrupted");
  const { begin } = run;
  const answer = (result) => {
    const request = { result };
    queueMicrotask(() => request.onsuccess());
    return request;
  };
  const stored = { begin, progress: progress(50, "running"), created: 1 };
  const transaction = () => ({ objectStore: () => ({ get: () => answer(stored), put: answer }) });
  globalThis.indexedDB = { open: () => answer({ transaction }) };
  const { worker } = run;
  run.order("step");
  await rest();
  assert.ok(worker.isOver && !worker.heard.some(({ command }) => command === "step"));
  const [begun, ...commands] = run.worker.heard;
  assert.deepEqual([begun.progress.step, begun.progress.status], [50, "interrupted"]);
  assert.deepEqual(commands, [{ command: "watch" }, { command: "step" }]);
  run.hear({ said: "keep", progress: progress(51, "paused") });
  stored.progress = progress(100, "finished");
  await rest();
  run.order("resume");
  await rest();
  assert.equal(run.progress.status, "finished");
  assert.ok(!run.worker.heard.some(({ command }) => command === "resume"));
});

test("no zip is waited for of a thread that fails", async () => {
  const run = standing()("failing");
  const zip = run.zip();
  run.hear({ said: "failed", why: "no memory" });
  for (const each of [zip, run.zip()]) await assert.rejects(each, { message: "no memory" });
});
