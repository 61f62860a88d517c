// What every page owes its reader beside its pictures: keys, the chosen theme, paper.

import { remember, storedIn } from "../core/remember.js";
import { fetchDownloads } from "./downloads.js";
import { joinPageTurns } from "./turns.js";

const TYPED = "textarea, select, [contenteditable=true], input:not([type])";
const POINTED = ["range", "radio", "checkbox", "button"]; // inputs in which nobody types
const PHONE = 768; // pixels: Streamlit lays the sidebar over the page up to there
const GROWS = 30_000; // ms in which, at most, what was brought into view gets its pictures
const YEAR = 31_536_000; // seconds
const CLICKER = ["PageUp", "PageDown", "b", "."]; // next, back, black

/** The innermost element that an event is about, in whichever shadow. @param {Event} event */
const innermost = (event) => /** @type {HTMLElement} */ (event.composedPath()[0]);

/** Whether an element takes text, so that every key is its own. @param {any} element */
const takesText = (element) =>
  Boolean(element.matches?.(TYPED)) ||
  (element.tagName === "INPUT" && !POINTED.includes(element.type));

/**
 * Streamlit's shortcuts are deaf while a slider has the focus: a letter goes past it. The keys of a
 * clicker, with which a speaker turns pages, move no slider and choose from no list.
 * @param {KeyboardEvent} event
 */
function heard(event) {
  const { key, keyCode, code, ctrlKey, metaKey, altKey, shiftKey } = event;
  const element = innermost(event);
  const chosenFrom = element.tagName === "SELECT";
  if (!event.isTrusted || (!chosenFrom && (takesText(element) || element.tagName !== "INPUT")))
    return;
  if (CLICKER.includes(key)) {
    event.preventDefault();
    event.stopImmediatePropagation();
  } else if (!chosenFrom && /^[a-z]$/i.test(key) && !ctrlKey && !metaKey && !altKey) {
    const past = { key, code, keyCode, which: keyCode, shiftKey, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent("keydown", past));
    document.body.dispatchEvent(new KeyboardEvent("keyup", past));
  }
}

/**
 * Streamlit remembers a theme for the path at which it was opened: the copies that make it known at
 * all others, as [key, value].
 * @param {Record<string, string>} stored
 * @param {{opened: string, pages: string[]}} where the path that was opened, and what may stand at its end
 */
export function themeCopies(stored, { opened, pages }) {
  const base = opened.replace(/[^/]*$/, "");
  const own = `stActiveTheme-${opened}-v`;
  return Object.entries(stored)
    .filter(([key]) => key.startsWith(own))
    .flatMap(([key, value]) =>
      ["", ...pages].map((page) => [
        `stActiveTheme-${base}${page}-v${key.slice(own.length)}`,
        value,
      ]),
    );
}

/** @param {string[]} pages */
function shareTheme(pages) {
  const [opening] = performance.getEntriesByType("navigation");
  const opened = new URL(opening?.name ?? location.href).pathname;
  for (const [key, value] of themeCopies(storedIn("localStorage"), { opened, pages }))
    remember("localStorage", key, value);
}

/**
 * On a phone the sidebar lies over the page: once a page is chosen there, it goes.
 * @param {Event} event
 */
function makeRoom(event) {
  const link = /** @type {Element} */ (event.target).closest?.("[data-testid=stSidebarNavLink]");
  if (!link || window.innerWidth > PHONE) return;
  const close = document.querySelector("[data-testid=stSidebarCollapseButton] button");
  /** @type {HTMLElement | null} */ (close)?.click();
}

/** The words on a button go when it is pressed, until the hand has left it. What the press draws may move another element
 * under a hand that rests, or put another one in the button's place: that is no move. */
function quietPressed() {
  const { classList } = document.documentElement;
  /** @type {Element | null} */
  let pressed = null;
  let place = "";
  const placeOf = (/** @type {PointerEvent} */ { clientX, clientY }) => `${clientX} ${clientY}`;
  window.addEventListener("pointerdown", (event) => {
    pressed = /** @type {Element} */ (event.target).closest("button");
    place = placeOf(event);
    classList.toggle("explorer-pressed", pressed !== null);
  });
  window.addEventListener("pointermove", (event) => {
    if (placeOf(event) === place) return;
    if (pressed?.isConnected && pressed.contains(/** @type {Node} */ (event.target))) return;
    classList.remove("explorer-pressed");
  });
}

const UNSPEAKABLE = "[aria-label*='$']";

/** Streamlit names a field by its label as it was written: a formula's marks are not spoken. */
function makeSpeakable() {
  /** @type {(element: Element) => void} */
  const rename = (element) =>
    element.setAttribute("aria-label", spoken(element.getAttribute("aria-label") ?? ""));
  const heed = (/** @type {Node} */ node) => {
    if (!(node instanceof Element)) return;
    if (node.matches(UNSPEAKABLE)) rename(node);
    node.querySelectorAll(UNSPEAKABLE).forEach(rename);
  };
  heed(document.body);
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      (type === "attributes" ? [target] : addedNodes).forEach(heed);
  }).observe(document.body, { subtree: true, childList: true, attributeFilter: ["aria-label"] });
}

/** A label without the marks of its formulas. @param {string} label */
export const spoken = (label) =>
  label.replace(/\$([^$]*)\$/g, (_, tex) => tex.replace(/\\mathrm|[{}]/g, "").replaceAll("\\", ""));

/** @param {string[]} pages */
function listenOnce(pages) {
  const known = /** @type {any} */ (window);
  if (known.explorerListens) return;
  known.explorerListens = true;
  window.addEventListener("keydown", heard, true);
  window.addEventListener("click", makeRoom);
  joinPageTurns(window);
  makeSpeakable();
  quietPressed();
  fetchDownloads();
  // the page is left or another tab is opened
  for (const left of ["pagehide", "visibilitychange"])
    window.addEventListener(left, () => shareTheme(pages), true);
}

/**
 * @typedef {{key: string, number: number}} Brought a part of the page, and how many were before
 * @type {number | undefined}
 */
let brought;

/** What was asked for comes into view once it is here. @param {Brought | null} asked */
function bring(asked) {
  const before = brought;
  brought = asked?.number ?? 0;
  if (!asked || before === undefined || brought <= before) return;
  const last = performance.now() + GROWS;
  const poll = () => {
    const part = document.querySelector(`.st-key-${asked.key}`);
    if (part && !part.querySelector(":scope > [data-testid=stSkeleton]")) show(part);
    else if (performance.now() < last) requestAnimationFrame(poll);
  };
  poll();
}

/** A field is to be typed into; a part stays in view while it grows. @param {Element} part */
function show(part) {
  /** @type {HTMLInputElement | null} */
  const field = part.querySelector(":scope > .stTextInput input");
  if (field) {
    field.focus();
    field.select();
    let isTyped = false; // a letter may come before what it holds, and would be selected with it
    field.addEventListener("keydown", () => (isTyped = true), { once: true });
    requestAnimationFrame(() => isTyped || field.select());
    return;
  }
  const growth = new ResizeObserver(() => part.scrollIntoView());
  const end = () => growth.disconnect();
  growth.observe(part);
  setTimeout(end, GROWS);
  for (const taken of ["wheel", "pointerdown", "keydown"])
    window.addEventListener(taken, end, { once: true });
}

/** @typedef {[name: string, value: string, set: boolean]} Cookie */

/** Which cookies this page has begun with, or set since. @type {Map<string, boolean>} */
const wasSet = new Map();

/** A cookie follows what is done on this page, and not what it began with: another page may have
 * done something else since. @param {Cookie} cookie */
function keep([name, value, set]) {
  if (wasSet.has(name) && set !== wasSet.get(name))
    document.cookie = `${name}=${value}; path=/; SameSite=Lax; max-age=${set ? YEAR : 0}`;
  wasSet.set(name, set);
}

/** @param {{data: {pages: string[], brought: Brought | null, cookies: Cookie[]}, parentElement: any}} mount */
export default function ({ data, parentElement: root }) {
  listenOnce(data.pages);
  data.cookies.forEach(keep);
  bring(data.brought);
  document.documentElement.classList.remove("opening"); // the controls are here (ui/opening.py)
  const write = () => (root.querySelector(".printed-link").textContent = location.href);
  window.addEventListener("beforeprint", write);
  return () => window.removeEventListener("beforeprint", write);
}
