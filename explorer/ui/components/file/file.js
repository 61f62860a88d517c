// A page's pictures as a file: what the server would say lies in the file beside the components, which are the page's own.
// Their scripts stand before this one, and leave what they export among `components`.

import { recall, remember } from "../core/remember.js";
import { KeptRun, allParts, mountHere } from "./kept.js";

// Light or dark: what was chosen last in this tab, else what the machine has.
const CHOSEN = "explorer theme";
const { dataset } = document.documentElement;

function openTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = recall("sessionStorage", CHOSEN) ?? (dark ? "dark" : "light");
}

function turnTheme() {
  dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  remember("sessionStorage", CHOSEN, dataset.theme);
}

/** A component in a shadow root of its own, as the page has it. */
class Picture {
  /**
   * @param {HTMLTemplateElement} markup
   * @param {Element} place
   * @param {() => any} data what it is given
   * @param {() => void} onChange
   */
  constructor(markup, place, data, onChange) {
    this.markup = markup;
    this.place = place;
    this.data = data;
    this.onChange = onChange;
    this.restore();
  }

  /** As it was when the file was made. */
  restore() {
    const { close } = this;
    const host = document.createElement("div");
    this.root = host.attachShadow({ mode: "open" });
    this.root.append(this.markup.content.cloneNode(true));
    this.place.replaceChildren(host);
    close?.(); // of what is in the page no more
    this.draw();
  }

  /** Once more, as a page does: what the reader changed stays. */
  draw() {
    const component = this.markup.dataset.component ?? "";
    this.close = mountHere(component, this.data(), this.root, this.onChange);
  }
}

/** The page's picture, and those below it. @param {() => void} onChange */
function pictures(onChange) {
  /** @type {NodeListOf<HTMLTemplateElement>} */
  const templates = document.querySelectorAll("template[data-component]");
  return [...templates].map((markup) => {
    const name = markup.dataset.component;
    const more = document.querySelector(`[data-more="${name}"] > div`);
    const given = KeptRun.parts.get(more ? `data of ${name}` : "data") ?? new ArrayBuffer(0);
    const place = more ?? /** @type {Element} */ (document.querySelector("[data-picture]"));
    return new Picture(markup, place, () => new Uint8Array(given.slice(0)), onChange);
  });
}

async function open() {
  KeptRun.parts = await allParts();
  // @ts-expect-error it has of a WebSocket what a picture asks for
  window.WebSocket = KeptRun;
  const [note, theme, restore] = ["[data-changed]", "[data-act=theme]", "[data-act=restore]"].map(
    (name) => /** @type {Element} */ (document.querySelector(name)),
  );
  const changed = (/** @type {boolean} */ is) => note.toggleAttribute("hidden", !is);
  const drawn = pictures(() => changed(true));
  restore.addEventListener("click", () => {
    for (const picture of drawn) picture.restore();
    changed(false);
  });
  theme.addEventListener("click", () => {
    turnTheme();
    for (const picture of drawn) picture.draw();
  });
}

openTheme();
open();
