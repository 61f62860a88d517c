// A page's picture as a file: what the server would say lies in the file beside the component, which is the page's own.
// The component's script stands before this one, and leaves what it exports as `component`.

import { KeptRun, allParts } from "./kept.js";
import { openTheme, turnTheme } from "./theme.js";

const OF_A_RUN = ["turn", "look"]; // what Python hears of a run that it shows: it draws nothing else for it

/** The component in a shadow root of its own, as the page has it. */
class Picture {
  /** @param {Element} place @param {() => any} data what it is given @param {() => void} onChange */
  constructor(place, data, onChange) {
    this.place = place;
    this.data = data;
    this.onChange = onChange;
    this.restore();
  }

  /** As it was when the file was made. */
  restore() {
    this.close?.();
    const host = document.createElement("div");
    this.root = host.attachShadow({ mode: "open" });
    const markup = document.querySelector("template[data-component]");
    this.root.append(/** @type {HTMLTemplateElement} */ (markup).content.cloneNode(true));
    this.place.replaceChildren(host);
    this.draw();
  }

  /** Once more, as a page does: what the reader changed stays. */
  draw() {
    const told = (/** @type {string} */ name) => {
      if (!OF_A_RUN.includes(name)) this.onChange();
    };
    const host = { setStateValue: told, setTriggerValue: told };
    const { component } = /** @type {any} */ (globalThis);
    this.close = component({ data: this.data(), parentElement: this.root, ...host });
  }
}

async function open() {
  KeptRun.parts = await allParts();
  // @ts-expect-error it has of a WebSocket what a picture asks for
  window.WebSocket = KeptRun;
  const given = KeptRun.parts.get("data") ?? new ArrayBuffer(0);
  const data = () => new Uint8Array(given.slice(0));
  const [place, note, theme, restore] = [
    "[data-picture]",
    "[data-changed]",
    "[data-act=theme]",
    "[data-act=restore]",
  ].map((name) => /** @type {Element} */ (document.querySelector(name)));
  const changed = (/** @type {boolean} */ is) => note.toggleAttribute("hidden", !is);
  const picture = new Picture(place, data, () => changed(true));
  restore.addEventListener("click", () => {
    picture.restore();
    changed(false);
  });
  theme.addEventListener("click", () => {
    turnTheme();
    picture.draw();
  });
}

openTheme();
open();
