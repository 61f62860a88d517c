import assert from "node:assert/strict";
import test from "node:test";

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
