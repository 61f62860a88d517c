// The question and the first picture of a page, which its document draws until the page itself is here (ui/first.py): in the place in
// which that will draw it, by the page's own component. What it is given the server says beside the document.

import { recall, remember, unremember } from "../core/remember.js";
import { unpacked } from "../core/unpacked.js";
import { KeptRun } from "../file/kept.js";

/** @typedef {{name: string, draws: number, frames?: number, texts?: object}} Probe of a component, as core/canvas-view.js has it */
/** @typedef {{page: string, markup: string, picture: string}} Given the page's name, the layer's markup and its picture's */
/** @typedef {{line: string, parts: Record<string, string>}} Answer HTML, and what the picture asks for */
/** @typedef {(mount: object) => () => void} Mount the default export of a component */

const LATEST = 30_000; // milliseconds after which it goes in any case,
const RESTS = 60; // and after so many rests of the page since its script has ended: there is something else than its picture
const REST = 100; // milliseconds; a page that is busy, as with drawing what has come, has none
const SIDE = 300; // pixels of the controls at the left, where nobody has made them wider
const DESK = 768; // pixels from which they stand beside the page
const PHONE = 480; // pixels of the shorter side of a window, at most, in which the picture has all the room
const COLLAPSED = "stSidebarCollapsed-"; // what Streamlit has stored of the controls, for all pages
const GAVE_ROOM = "explorer gave room"; // that it was stored here
const STATE = "data-test-script-state"; // of Streamlit's app: whether a script runs
const QUESTION = ".st-key-question h3"; // of the page, whose letters Streamlit may load after its canvases
const BUTTONS = '[data-testid="stMain"] [data-testid="stButton"]'; // whose words it loads likewise
const BARS = ":is(.st-key-question, .st-key-line) .stSkeleton"; // in their place, of another height
const MAIN = '[data-testid="stMain"]'; // what scrolls
const DARK = "(prefers-color-scheme: dark)";

const isWorded = () =>
  document.querySelector(QUESTION) !== null &&
  document.querySelector(BARS) === null &&
  [...document.querySelectorAll(BUTTONS)].every(({ textContent }) => textContent);

/** What Streamlit has stored for this page as `name`, "" without. @param {string} name */
const stored = (name) => recall("localStorage", name) ?? "";

/** Stores a text, or where it is empty forgets it. @param {string} name @param {string} text */
const keep = (name, text) =>
  text ? remember("localStorage", name, text) : unremember("localStorage", name);

/** As the page will be: what was chosen for it, else what the machine has. */
export function themeOf(/** @type {string} */ chosen, /** @type {boolean} */ dark) {
  return chosen === '"Dark"' || (chosen !== '"Light"' && dark) ? "dark" : "light";
}

/**
 * What is to be stored of the controls, "" for nothing: on a phone, also on its side, where Streamlit would have them, they are away
 * until they are asked for; in another window they are back.
 * @param {{width: number, height: number, collapsed: string, gave: string}} where the last two as they are stored
 */
export function collapsedIn({ width, height, collapsed, gave }) {
  if (Math.min(width, height) <= PHONE) return collapsed || "true";
  return gave && collapsed === "true" ? "" : collapsed;
}

/**
 * Pixels that the controls take from the page.
 * @param {{controls: boolean, width: number, collapsed: string, chosen: string}} where the last two as they are stored
 */
export function sideOf({ controls, width, collapsed, chosen }) {
  const open = collapsed === "" ? width > DESK : collapsed === "false";
  return controls && open && width > DESK ? parseInt(chosen, 10) || SIDE : 0;
}

/** Whether the page itself has drawn what the layer has. @type {(own: Probe, page: Probe) => boolean} */
export const isTaken = (own, page) =>
  page.name === own.name && (page.frames ?? 0) >= Math.min(1, own.frames ?? 0);

function giveRoom() {
  const [collapsed, gave] = [COLLAPSED, GAVE_ROOM].map(stored);
  const now = collapsedIn({ width: innerWidth, height: innerHeight, collapsed, gave });
  if (now === collapsed) return;
  keep(COLLAPSED, now);
  keep(GAVE_ROOM, now);
}

class First {
  /** @type {Probe | null} */
  probe = null;
  close = () => {};
  /** Its picture. @type {"asked" | "coming" | "none"} */
  state = "none";
  /** The page has drawn it. */
  leaving = false;
  /** Its words have the page's letters. @type {Promise<void>} */
  worded;
  /** The timer since its script has ended. */
  resting = 0;
  ended = new AbortController();

  /** @param {HTMLElement} host @param {Given} given */
  constructor(host, { page, markup, picture }) {
    giveRoom();
    this.host = host;
    this.page = page;
    this.picture = picture;
    this.root = host.attachShadow({ mode: "closed" }); // the page's own things are found without it
    this.root.innerHTML = markup;
    const place = /** @type {HTMLElement} */ (this.root.querySelector(".picture"));
    this.inner = place.attachShadow({ mode: "open" });
    this.dress();
    this.worded = this.word();
    const { signal } = this.ended;
    const heard = (/** @type {any} */ { detail }) => this.heed(detail);
    window.addEventListener("explorer-drawn", heard, { signal });
    window.addEventListener("scroll", () => this.scrolled(), { signal, capture: true });
    const script = new MutationObserver(([{ target }]) => this.follow(target));
    script.observe(document.body, { subtree: true, attributeFilter: [STATE] });
    signal.addEventListener("abort", () => script.disconnect());
    setTimeout(() => this.end(), LATEST);
    const probe = { boxes: () => this.boxes(), picture: () => this.probe }; // for tests
    Object.assign(window, { __explorerFirst: probe });
  }

  /** In the colours and at the place of the page. */
  dress() {
    const { pathname } = location;
    const { dataset, style } = this.host;
    dataset.theme = themeOf(stored(`stActiveTheme-${pathname}-v2`), matchMedia(DARK).matches);
    const side = sideOf({
      controls: "controls" in dataset,
      width: innerWidth,
      collapsed: stored(COLLAPSED),
      chosen: stored("sidebarWidth"),
    });
    style.setProperty("--side", `${side}px`);
  }

  /**
   * Nothing is seen before the page's letters are here: with others its question may have a line more, and what is below it would jump.
   * Which these are is known in the first frame, when the document has its style.
   */
  async word() {
    await new Promise((styled) => requestAnimationFrame(styled));
    const { font } = getComputedStyle(/** @type {Element} */ (this.root.querySelector("h3")));
    await document.fonts.load(font).catch(() => {}); // refused: the machine's own
    this.host.dataset.worded = "";
  }

  /** @param {(socket: unknown) => Mount} pictureOf the component, with a class in the place of WebSocket */
  async draw(pictureOf) {
    const { signal } = this.ended;
    if (!this.picture) return;
    this.state = "asked";
    const answer = await fetch(`./first/${this.page}${location.search}`, { signal });
    this.state = answer.status === 200 ? "coming" : "none";
    if (this.state === "none") return;
    /** @type {Answer} */
    const { line, parts } = await answer.json();
    const bytes = Object.entries(parts).map(async ([name, text]) => {
      KeptRun.parts.set(name, await unpacked(text));
    });
    await Promise.all(bytes);
    if (signal.aborted) return;
    const words = /** @type {HTMLElement} */ (this.root.querySelector(".line"));
    words.innerHTML = line; // of Python's own Markdown, in which HTML is text
    this.inner.innerHTML = this.picture;
    const data = new Uint8Array(KeptRun.parts.get("data") ?? new ArrayBuffer(0));
    const nobody = { setStateValue() {}, setTriggerValue() {} };
    this.close = pictureOf(KeptRun)({ data, parentElement: this.inner, ...nobody });
    this.probe = /** @type {any} */ (this.inner).probe;
    await this.worded;
    requestAnimationFrame(() => requestAnimationFrame(() => (this.host.dataset.drawn = "")));
  }

  /** Something was scrolled: if that is the page, its pictures stand elsewhere. Streamlit scrolls other parts by itself. */
  scrolled() {
    if (document.querySelector(MAIN)?.scrollTop) this.end();
  }

  /** A component of the page has drawn. */
  heed(/** @type {Probe} */ page) {
    const isThere = this.probe ? isTaken(this.probe, page) : this.state !== "coming";
    if (isThere && !this.leaving) this.giveWay();
  }

  /** In the next frame, once the page asks its question and its buttons have words. */
  giveWay() {
    this.leaving = true;
    requestAnimationFrame(() => {
      if (isWorded()) this.end();
      else if (!this.ended.signal.aborted) this.giveWay();
    });
  }

  /** The page's script has begun or ended. */
  follow(/** @type {Node} */ app) {
    clearTimeout(this.resting);
    if (/** @type {Element} */ (app).getAttribute(STATE) !== "notRunning") return;
    if (this.state === "none") this.end();
    else this.endAfter(RESTS);
  }

  endAfter(/** @type {number} */ rests) {
    const next = () => (rests ? this.endAfter(rests - 1) : this.end());
    this.resting = window.setTimeout(next, REST);
  }

  end() {
    this.ended.abort();
    this.host.remove();
    this.close(); // of what is in the page no more
    this.close = () => {};
  }

  /** Where its question and its canvases are. */
  boxes() {
    const drawn = Object.keys(this.probe?.texts ?? {});
    const canvases = drawn.map((name) => this.inner.querySelector(`canvas[data-panel="${name}"]`));
    const parts = [this.root.querySelector("h3"), ...canvases];
    return parts.map((part) => part?.getBoundingClientRect().toJSON());
  }
}

/** @param {Given} given @param {(socket: unknown) => Mount} pictureOf */
export default function openFirst(given, pictureOf) {
  const host = document.getElementById("first");
  if (!host) return;
  const embedded = new URLSearchParams(location.search).has("embed"); // Streamlit draws less around it
  if (embedded) return host.remove();
  try {
    const first = new First(host, given);
    first.draw(pictureOf).catch(() => first.end());
  } catch {
    host.remove();
  }
}
