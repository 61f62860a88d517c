// Files that are taken home from a frame of another site. There Chromium asks for them without the cookie that says who
// asks, which a page that fetches them sends.

import { element } from "../core/element.js";

const KEPT = 60_000; // milliseconds until what was handed over is forgotten

/** The name that a server gives to a file, "" where it gives none. @param {string | null} disposition */
export function fileName(disposition) {
  const coded = /filename\*=utf-8''([^;]+)/i.exec(disposition ?? "");
  if (coded) return decodeURIComponent(coded[1]);
  return /filename="?([^";]+)"?/i.exec(disposition ?? "")?.[1] ?? "";
}

/**
 * The link to a file, as this page holds it; null where it cannot be had.
 * @param {HTMLAnchorElement} link
 */
async function fetched({ href, download }) {
  try {
    const answer = await fetch(href);
    if (!answer.ok) return null;
    const own = URL.createObjectURL(await answer.blob());
    setTimeout(() => URL.revokeObjectURL(own), KEPT);
    const name = download || fileName(answer.headers.get("content-disposition"));
    return element("a", { href: own, download: name });
  } catch {
    return null; // the connection broke: the browser asks itself, and says so
  }
}

/** In a frame every script that presses a link to a file has it fetched. */
export function fetchDownloads() {
  if (window.top === window) return;
  const { prototype } = HTMLAnchorElement;
  const press = prototype.click;
  prototype.click = async function click() {
    const isHere = this.origin === location.origin && /^https?:$/.test(this.protocol);
    const fetches = isHere && this.hasAttribute("download");
    press.call((fetches && (await fetched(this))) || this);
  };
}
