// A page's picture as a file: what the server would say lies in the file beside the component, which is the page's own.
// The component's script stands before this one, and leaves what it exports as `component`.

const PART = "script[data-part]";
const OF_A_RUN = ["turn", "look"]; // what Python hears of a run that it shows: it draws nothing else for it

/** @returns {Promise<ArrayBuffer>} the bytes of a part, which the file holds packed */
async function bytesOf(/** @type {Element} */ part) {
  const packed = Uint8Array.from(atob(part.textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** @returns {Promise<Map<string, ArrayBuffer>>} by name */
async function allParts() {
  const parts = [...document.querySelectorAll(PART)];
  const bytes = await Promise.all(parts.map(bytesOf));
  return new Map(parts.map((part, i) => [part.getAttribute("data-part") ?? "", bytes[i]]));
}

/** In the place of the WebSocket: a run as it was when the file was made. */
class KeptRun {
  /** @type {Map<string, ArrayBuffer>} */
  static parts = new Map();
  readyState = 1;
  binaryType = "";
  /** @type {((event: {data: ArrayBuffer}) => void) | null} */
  onmessage = null;
  onclose = null;

  constructor(/** @type {URL | string} */ url) {
    this.run = /runs\/([^/]+)\/live$/.exec(String(url))?.[1] ?? "";
    for (const kind of ["scene", "history", "frame"]) this.say(kind);
  }

  say(/** @type {string} */ kind) {
    const bytes = KeptRun.parts.get(`${this.run} ${kind}`);
    if (bytes) setTimeout(() => this.onmessage?.({ data: bytes }));
  }

  /** "at 300" asks for the picture that was kept at step 300. */
  send(/** @type {string} */ text) {
    if (text.startsWith("at ")) this.say(text);
  }

  close() {
    this.readyState = 3;
  }
}

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
  const { dataset } = document.documentElement;
  theme.addEventListener("click", () => {
    dataset.theme = dataset.theme === "dark" ? "light" : "dark";
    picture.draw();
  });
}

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches
  ? "dark"
  : "light";
open();
