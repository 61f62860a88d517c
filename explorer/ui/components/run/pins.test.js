import assert from "node:assert/strict";
import test from "node:test";

import { pack } from "../core/messages.js";

globalThis.window = { location: { href: "http://explorer/train" } };
const { RunStream } = await import("./stream.js");

test("each turn of a pinned run is told once", () => {
  let socket;
  globalThis.WebSocket = class {
    constructor() {
      socket = this;
    }

    send() {}
  };
  const told = [];
  const view = Object.assign(Object.create(RunStream.prototype), {
    runId: "shown",
    selections: { report: (change) => told.push(change) },
    invalidate() {},
  });
  view.openPin("api/runs/pinned/live", "queued");
  for (const [step, status] of ["running", "running", "finished", "finished"].entries())
    socket.onmessage({ data: pack({ kind: "frame", status, step, turn: status }, {}) });
  assert.deepEqual(
    told.map((each) => each.turn),
    ["running", "finished"],
  );
});
