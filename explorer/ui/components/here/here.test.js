import assert from "node:assert/strict";
import test, { mock } from "node:test";
import { setImmediate } from "node:timers";

import { Here } from "./here.js";
import { runOf } from "./run.js";

mock.timers.enable({ apis: ["setTimeout"] }); // nobody waits for a shelf that does not open

test("a run that was asked for before the settings changed trains unseen", async () => {
  const progress = { step: 10, status: "paused" };
  const stored = (id) => ({ begin: { script: "", local: { id } }, progress, created: 1 });
  const answer = (result) => {
    const request = { result };
    queueMicrotask(() => request.onsuccess());
    return request;
  };
  const transaction = () => ({ objectStore: () => ({ get: (id) => answer(stored(id)) }) });
  globalThis.indexedDB = { open: () => answer({ transaction }) };
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  globalThis.Worker = class {
    postMessage() {}
  };
  const view = { push: null, run: {}, say() {}, invalidate() {} };
  view.turnTo = (push) => (view.push = push);
  const here = new Here(view, { addEventListener() {}, querySelectorAll: () => [] });
  here.take({ id: "asked for", start: 1 }, {}, null);
  here.take({ id: "other", start: 1 }, {}, "of the server");
  await new Promise(setImmediate);
  assert.deepEqual([here.run, view.push], [null, null]);
  assert.equal(runOf("asked for").progress.status, "running");
  here.take({ id: "asked for", start: 1 }, {}, null);
  assert.equal(here.push, "here:asked for");
});
