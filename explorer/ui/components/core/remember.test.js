import assert from "node:assert/strict";
import test from "node:test";

import { recall, remember, storedIn } from "./remember.js";

/** A browser's storage for the length of `during`, null for one that denies it. */
function stored(storage, during) {
  const get = storage
    ? () => storage
    : () => {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      };
  Object.defineProperty(globalThis, "localStorage", { get, configurable: true });
  during();
}

const open = () => {
  const texts = {};
  const methods = {
    getItem: (name) => texts[name] ?? null,
    setItem: (name, text) => {
      texts[name] = text;
    },
  };
  return Object.assign(texts, Object.setPrototypeOf(texts, methods));
};

test("what is kept is there for another page, and another page's is found", () => {
  const storage = open();
  stored(storage, () => {
    assert.equal(recall("localStorage", "a"), null);
    remember("localStorage", "a", "1");
    assert.deepEqual(storedIn("localStorage"), { a: "1" });
    storage.setItem("a", "2");
    assert.equal(recall("localStorage", "a"), "2");
  });
});

test("where nothing may be kept this page remembers, until it may", () => {
  stored(null, () => {
    assert.equal(recall("localStorage", "b"), null);
    remember("localStorage", "b", "1");
    assert.equal(recall("localStorage", "b"), "1");
    assert.deepEqual(storedIn("localStorage"), {});
  });
  const storage = open();
  stored(storage, () => {
    assert.equal(recall("localStorage", "b"), "1");
    remember("localStorage", "b", "2");
    storage.setItem("b", "3");
    assert.equal(recall("localStorage", "b"), "3");
  });
});
