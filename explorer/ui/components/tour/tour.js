// The way onto the guided tour, and on it a dot for each step; what the browser remembers of it, for all pages and
// sessions.

import { element } from "../core/element.js";
import { recall, remember } from "../core/remember.js";
import { Step } from "./step.js";

const KEPT = "explorer tour";
const YEAR = 365 * 24 * 3600;
const ALL_CONTROLS = `explorer_visits=again; max-age=${YEAR}; samesite=lax`; // of ui/opening.py

/**
 * @typedef {{at: number, closed: boolean}} Kept the step to go on with, and whether the reader has had enough
 * @typedef {{at: number | null, left: number | null, titles: string[], mark: string, press: string | null, invites: boolean, visited: boolean}} Tour of ui/tour.py
 */

/** What is known after a page was shown, or null of a reader who is new here.
 * @param {Tour} tour @param {Kept | null} stored @returns {Kept | null}
 */
function remembered({ at, left }, stored) {
  if (at !== null) return { at, closed: false };
  return left === null ? stored : { at: left, closed: true };
}

/** What the way in is called: before and after its name, where the window has room for more.
 * @param {Kept | null} stored @param {boolean} invites the page welcomes readers
 */
function called(stored, invites) {
  if (stored && !stored.closed) return ["", `: go on with ${stored.at}`];
  return [!stored && invites ? "New here? " : "", ""];
}

/** @returns {Kept | null} */
const read = () => JSON.parse(recall("localStorage", KEPT) ?? "null");

/** The step that was shown last: null before the tour, undefined before any page.
 * @type {number | null | undefined}
 */
let shown;
/** Whether the reader has come to it on this page, from a step or the way in. */
let goesOn = false;
/** @type {Step | null} */
let step = null;
/** Where this component stands: in the header, on the tour in its card, which may be there before the other is gone.
 * @type {ParentNode}
 */
let place;

/** @param {Tour} tour @param {(at: number) => void} goTo */
function dots({ at, titles }, goTo) {
  return titles.map((title, i) => {
    const ariaLabel = `Step ${i + 1}: ${title}`;
    const onclick = () => goTo(i + 1);
    const dot = element("button", { type: "button", title, ariaLabel, onclick });
    if (i + 1 === at) dot.ariaCurrent = "step";
    return dot;
  });
}

/** Mark what its step is about. @param {Tour} tour */
function show(tour) {
  if (tour.at !== shown) goesOn = shown !== undefined;
  if (tour.at !== shown || !step) {
    step?.close();
    step = tour.at === null ? null : new Step(tour, goesOn);
    if (tour.at === null && shown) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
  }
  shown = tour.at;
}

/** @param {{data: Tour, parentElement: ParentNode, setTriggerValue: (name: string, value: number) => void}} mount */
export default function ({ data, parentElement: root, setTriggerValue }) {
  if (data.visited)
    document.cookie = `${ALL_CONTROLS}; path=${location.pathname.replace(/[^/]*$/, "")}`;
  const stored = remembered(data, read());
  remember("localStorage", KEPT, JSON.stringify(stored));
  const button = /** @type {HTMLButtonElement} */ (root.querySelector("button.tour"));
  const more = called(stored, data.invites).map((text) => element("span", {}, text));
  button.replaceChildren(more[0], "Nine steps", more[1]);
  button.classList.toggle("new", !stored && data.invites);
  button.hidden = data.at !== null;
  button.onclick = () => setTriggerValue("start", stored?.at ?? 1);
  const path = /** @type {HTMLElement} */ (root.querySelector("nav"));
  path.hidden = data.at === null;
  path.replaceChildren(...dots(data, (at) => setTriggerValue("start", at)));
  const status = /** @type {HTMLElement} */ (root.querySelector("[role=status]"));
  status.textContent =
    data.at === null ? "" : `${data.at} of ${data.titles.length} · ${data.titles[data.at - 1]}`;
  show(data);
  place = root;
  return () => {
    if (place !== root) return;
    step?.close();
    step = null;
  };
}
