import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate } from "node:timers";

globalThis.location = { protocol: "file:", pathname: "/", href: "file:///talk.html" };
const { untilDrawn } = await import("./desk.js");

test("a picture out of sight is drawn only while its tab is seen", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  globalThis.document = { hidden: true };
  let frame = () => {};
  let isDrawn = false;
  globalThis.requestAnimationFrame = (act) => (frame = act);
  untilDrawn().then(() => (isDrawn = true));
  const pass = async (hidden) => {
    document.hidden = hidden;
    if (!hidden) frame();
    await new Promise(setImmediate);
    t.mock.timers.tick(1000);
    await new Promise(setImmediate);
  };
  await pass(true);
  assert.ok(!isDrawn);
  document.hidden = false;
  frame();
  await pass(true);
  assert.ok(!isDrawn, "it was hidden meanwhile");
  await pass(false);
  assert.ok(isDrawn);
});
