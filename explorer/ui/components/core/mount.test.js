import assert from "node:assert/strict";
import test from "node:test";

import { mounted } from "./mount.js";

/** A component in a page: each view that was made of it, and Streamlit's calls. */
function standing() {
  const views = [];
  class View {
    isOpen = true;
    constructor() {
      views.push(this);
    }

    take(data) {
      this.data = data;
    }

    close() {
      this.isOpen = false;
    }
  }
  const host = { isConnected: true };
  const root = { host };
  const mount = mounted(View);
  const draw = (data) => mount({ data, parentElement: root });
  return { views, host, draw };
}

test("a drawing that was overtaken as the module came closes nothing", () => {
  const { views, draw } = standing();
  const overtaken = draw("first");
  draw("second");
  overtaken();
  draw("third");
  assert.deepEqual(
    views.map(({ data, isOpen }) => [data, isOpen]),
    [["third", true]],
  );
});

test("what goes out of the page is closed, and another view comes with it", () => {
  const { views, host, draw } = standing();
  const unmounted = draw("first");
  host.isConnected = false;
  unmounted();
  host.isConnected = true;
  draw("second");
  assert.deepEqual(
    views.map(({ data, isOpen }) => [data, isOpen]),
    [
      ["first", false],
      ["second", true],
    ],
  );
});
