// What the server would say, where it lies in the file: parts, and the runs that a component would follow.

import { unpacked } from "../core/unpacked.js";

const PART = "script[data-part]";

/** The bytes of a part, which the file holds packed. @param {Element} part */
export const bytesOf = (part) => unpacked((part.textContent ?? "").trim());

/** The elements that hold the parts, by name. @returns {Map<string, Element>} */
export const partElements = () =>
  new Map(
    [...document.querySelectorAll(PART)].map((part) => [
      part.getAttribute("data-part") ?? "",
      part,
    ]),
  );

/** @returns {Promise<Map<string, ArrayBuffer>>} by name */
export async function allParts() {
  const parts = [...partElements()];
  const bytes = await Promise.all(parts.map(([, part]) => bytesOf(part)));
  return new Map(parts.map(([name], i) => [name, bytes[i]]));
}

/** The run whose WebSocket has this address. */
export const runIn = (/** @type {URL | string} */ url) =>
  /runs\/([^/]+)\/live$/.exec(String(url))?.[1] ?? "";

/** @import { Report } from "../core/exchange.js" */

/** The last change that was told of what is drawn in a root. @type {WeakMap<ShadowRoot, string>} */
const last = new WeakMap();

/**
 * Draws a component where no Python is, which leaves itself among `components`; `onChange` hears of what the reader changes.
 * @type {(component: string, data: unknown, root: ShadowRoot | undefined, onChange: () => void) => () => void}
 */
export function mountHere(component, data, root, onChange) {
  const told = (/** @type {string} */ name, /** @type {Partial<Report> | undefined} */ report) => {
    if (name === "selection") return; // of a run that it shows, for which Python draws nothing else
    const change = report?.changes && `${report.visit} ${report.changes.at(-1)?.[0]}`;
    if (root && change && change === last.get(root)) return; // nobody answers here, so it is told again
    if (root && change) last.set(root, change);
    onChange();
  };
  const mount = /** @type {any} */ (globalThis).components[component];
  return mount({ data, parentElement: root, setStateValue: told, setTriggerValue: told });
}

/** In the place of the WebSocket: a run as it was when the file was made. */
export class KeptRun {
  /** @type {Map<string, ArrayBuffer>} */
  static parts = new Map();
  readyState = 1;
  binaryType = "";
  /** @type {((event: {data: ArrayBuffer}) => void) | null} */
  onmessage = null;
  onclose = null;

  constructor(/** @type {URL | string} */ url) {
    this.run = runIn(url);
    for (const kind of ["drawing", "history", "frame"]) this.say(kind);
  }

  say(/** @type {string} */ kind) {
    const bytes = KeptRun.parts.get(`${this.run} ${kind}`);
    if (bytes) queueMicrotask(() => this.onmessage?.({ data: bytes }));
  }

  /** "at 300" asks for the picture that was kept at step 300. */
  send(/** @type {string} */ text) {
    if (text.startsWith("at ")) this.say(text);
  }

  close() {
    this.readyState = 3;
  }
}
