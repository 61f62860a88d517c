import assert from "node:assert/strict";
import test from "node:test";

import { pack, unpack } from "../core/messages.js";
import { Replay } from "./replay.js";

const picture = (mark) => new Uint8Array(pack({ mark }, { a: [mark] }, new Uint8Array(0)));
const PARTS = new Map([
  ["r drawing", pack({ kind: "drawing" }, {}, new Uint8Array(0))],
  ["r frame", pack({ kind: "frame", step: 9, steps: 9, status: "finished" }, {}, picture(9))],
  [
    "r history",
    pack(
      { kind: "history" },
      { loss_step: [1, 2, 5, 9], loss: [8, 4, 2, 1], eval_step: [1, 9], eval_nmse: [3, 0.5] },
      new Uint8Array(0),
    ),
  ],
  ["r at 1", pack({ kind: "kept", step: 1 }, {}, picture(1))],
  ["r at 9", pack({ kind: "kept", step: 9 }, {}, picture(9))],
]);
const rows = ({ arrays }) =>
  Object.fromEntries(Object.entries(arrays).map(([name, { values }]) => [name, [...values]]));

test("a kept run says at each step what its worker had said then", () => {
  const replay = new Replay("r", PARTS);
  assert.equal(replay.end, 9);
  const amid = unpack(replay.message(5));
  assert.equal(amid.header.status, "running");
  assert.deepEqual(rows(amid), {
    loss_step: [1, 2, 5],
    loss: [8, 4, 2],
    eval_step: [1],
    eval_nmse: [3],
  });
  assert.deepEqual([amid.picture.header.mark, rows(amid.picture)], [1, { a: [1] }]);
  const last = unpack(replay.message(9));
  assert.equal(last.header.status, "finished");
  assert.equal(rows(last).loss.length, 4);
  assert.equal(last.picture.header.mark, 9);
});

test("before its first picture it has none", () => {
  const parts = new Map(PARTS);
  parts.delete("r at 1");
  assert.equal(unpack(new Replay("r", parts).message(3)).picture, null);
});
