// The way onto the guided tour; what the browser remembers of it, for all pages and sessions; and the
// mark around what a step is about.

import { recall, remember } from "../core/remember.js";

const KEPT = "explorer tour";

/**
 * @typedef {{at: number, closed: boolean}} Kept the step to go on with, and whether the reader has had enough
 * @typedef {{at: number | null, left: number | null, heading: string, mark: string, invites: boolean}} Tour of ui/tour.py
 */

/** What is known after a page was shown, or null of a reader who is new here.
 * @param {Tour} tour @param {Kept | null} kept @returns {Kept | null}
 */
function remembered({ at, left }, kept) {
  if (at !== null) return { at, closed: false };
  return left === null ? kept : { at: left, closed: true };
}

/** What the way in is called: before and after its name, where the window has room for more.
 * @param {Kept | null} kept @param {boolean} invites the page welcomes readers
 */
function called(kept, invites) {
  if (kept && !kept.closed) return ["", `: go on with ${kept.at}`];
  return [!kept && invites ? "New here? " : "", ""];
}

/** @returns {Kept | null} */
const read = () => JSON.parse(recall("localStorage", KEPT) ?? "null");

/** Components draw the mark, each around its own part of that name. @param {string} name */
function mark(name) {
  const { style } = document.documentElement;
  for (const old of [...style].filter((each) => each.startsWith("--mark-")))
    style.removeProperty(old);
  if (name) style.setProperty(`--mark-${name}`, "3px");
}

/** The step that was shown last: null before the tour, undefined before any page.
 * @type {number | null | undefined}
 */
let shown;

/** Who goes on by the keyboard finds the way on under it again, on the next page too. */
function keepFocus() {
  if (document.activeElement !== document.body) return;
  /** @type {HTMLElement | null} */ (document.querySelector(".st-key-tour-next button"))?.focus({
    preventScroll: true,
  });
}

/** @param {{data: Tour, parentElement: ParentNode, setTriggerValue: (name: string, value: number) => void}} mount */
export default function ({ data, parentElement: root, setTriggerValue }) {
  const kept = remembered(data, read());
  remember("localStorage", KEPT, JSON.stringify(kept));
  const button = /** @type {HTMLButtonElement} */ (root.querySelector("button"));
  const more = called(kept, data.invites).map((text) =>
    Object.assign(document.createElement("span"), { textContent: text }),
  );
  button.replaceChildren(more[0], "Nine steps", more[1]);
  button.classList.toggle("new", !kept && data.invites);
  button.hidden = data.at !== null;
  button.onclick = () => setTriggerValue("start", kept?.at ?? 1);
  const status = /** @type {HTMLElement} */ (root.querySelector("[role=status]"));
  status.textContent = data.heading;
  mark(data.mark);
  if (data.at !== null && shown !== undefined && shown !== data.at) keepFocus();
  shown = data.at;
  return () => mark("");
}
