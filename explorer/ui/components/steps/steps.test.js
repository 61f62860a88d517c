import assert from "node:assert/strict";
import test from "node:test";

import { pack } from "../core/messages.js";

/** An element that only remembers who listens. */
const element = () => ({
  dataset: {},
  style: {},
  value: "",
  defaultValue: "",
  heard: {},
  children: [],
  addEventListener(kind, hear) {
    this.heard[kind] = hear;
  },
  querySelector: () => element(),
  getBoundingClientRect: () => ({ left: 0, top: 0, right: 300, bottom: 100 }),
  append() {},
  replaceChildren() {},
  setAttribute() {},
  getAttribute: () => null,
  setPointerCapture() {},
  focus() {},
});

/** The steps of a scene in the page: the parts of their markup, and what Python was told. */
async function shown(...words) {
  globalThis.window = { addEventListener() {}, removeEventListener() {}, localStorage: {} };
  globalThis.document = { createElement: element };
  globalThis.ResizeObserver = class {
    observe() {}
  };
  globalThis.requestAnimationFrame = () => 1;
  const parts = {};
  const told = [];
  const steps = words.map((each) => ({ step: { words: each, notes: "", panels: [] }, id: each }));
  const header = { subject: "a scene", steps, answers: { visit: "", rev: 0 } };
  const { default: mount } = await import("./steps.js");
  mount({
    data: new Uint8Array(pack(header, {})),
    parentElement: { querySelector: (name) => (parts[name] ??= element()), append() {} },
    setStateValue: (_name, { changes }) => told.push(changes.at(-1)[1].steps),
    setTriggerValue() {},
  });
  return { film: parts["[data-part=film]"], words: parts["[data-field=words]"], told };
}

test("what is typed stays with its step when another one is pressed", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { film, words, told } = await shown("One.", "Two.", "Three.");
  film.children = [0, 1, 2].map((i) => ({
    getBoundingClientRect: () => ({ left: 100 * i, right: 100 * i + 90, top: 0, bottom: 100 }),
  }));
  const press = { currentTarget: film, button: 0, isPrimary: true, clientX: 250, clientY: 50 };
  words.value = "One, typed anew.";
  film.heard.pointerdown(press); // before the field has lost the focus
  words.heard.change({});
  film.heard.pointerup(press);
  assert.deepEqual(
    told.at(-1).map((each) => each.words),
    ["One, typed anew.", "Two.", "Three."],
  );
});
