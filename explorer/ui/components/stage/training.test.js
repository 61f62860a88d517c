import assert from "node:assert/strict";
import test from "node:test";
import { gzipSync } from "node:zlib";

import { pack } from "../core/messages.js";
import { KeptRun } from "../file/kept.js";

globalThis.location = { protocol: "http:", pathname: "/stage", href: "http://h/stage", search: "" };
globalThis.sessionStorage = { getItem: () => null, setItem: () => null };
globalThis.WebSocket = class {
  constructor(url) {
    this.url = url.pathname;
  }
};
const { Training } = await import("./training.js");

const ANSWERS = {
  "that was deleted": { ok: true, json: async () => ({ run: "deleted" }) },
  "that was refused": { ok: false },
};
for (const [how, answer] of Object.entries(ANSWERS))
  test(`a run ${how} is asked for once more by the next picture`, async (t) => {
    const answers = [answer, { ok: true, json: async () => ({ run: "new" }) }];
    t.mock.method(globalThis, "fetch", async () => answers.shift());
    const training = new Training("r");
    await training.socket();
    training.note(null); // as live.js does once its run is not there any more
    assert.equal((await training.socket()).url, "/api/runs/new/live");
    assert.equal((await training.socket()).url, "/api/runs/new/live");
  });

test("a training that is begun anew at once goes on when the one before it ends", async () => {
  Object.defineProperty(globalThis, "navigator", { value: {}, configurable: true });
  globalThis.Worker = class {
    postMessage() {}

    terminate() {
      this.isOver = true;
    }
  };
  const script = gzipSync("").toString("base64");
  const offer = { id: "r", thread: "worker", wasm: script, script, settings: "" };
  KeptRun.parts = new Map([["r offer", pack(offer, {}, new Uint8Array(0))]]);
  const training = Training.ofRun("r");
  const before = training.begin();
  training.forget();
  const run = await Training.ofRun("r").begin();
  assert.ok((await before).worker.isOver);
  assert.deepEqual([run.worker.isOver, run.progress.status], [undefined, "running"]);
});
