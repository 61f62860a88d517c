import assert from "node:assert/strict";
import test, { mock } from "node:test";

import { onShelf, putOnShelf } from "./shelf.js";

const records = new Map();
const connections = [];

function answer(result) {
  const request = { result };
  queueMicrotask(() => request.onsuccess());
  return request;
}

/** Its browser may close it. */
class Connection {
  isOpen = true;

  transaction() {
    if (!this.isOpen) throw new DOMException("The connection is closing.", "InvalidStateError");
    const put = (record) => answer(records.set(record.id, record));
    return { objectStore: () => ({ put, get: (id) => answer(records.get(id)) }) };
  }

  close() {
    this.isOpen = false;
  }
}
globalThis.indexedDB = { open: () => answer(connections[connections.push(new Connection()) - 1]) };
mock.timers.enable({ apis: ["setTimeout"] }); // nobody waits for a shelf that does not open

const CLOSED = {
  "as another tab has asked": (connection) => connection.onversionchange(),
  "and says so": (connection) => (connection.close(), connection.onclose()),
  "without a word": (connection) => connection.close(),
};
for (const [how, close] of Object.entries(CLOSED))
  test(`a shelf that the browser closed ${how} is opened again`, async () => {
    await putOnShelf({ id: how, step: 1 });
    close(connections.at(-1));
    const count = connections.length;
    assert.equal(await putOnShelf({ id: how, step: 2 }), "");
    assert.equal((await onShelf(how)).step, 2);
    assert.equal(connections.length, count + 1);
  });
