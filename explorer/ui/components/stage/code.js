// The way to a scene for who listens: the room in which phones follow, or the scene's address on the web, and that as a
// QR code.

import { element } from "../core/element.js";

/** @import { Listeners } from "./listeners.js" */
/** @import { Scene } from "./store.js" */

const OWN = ["localhost", "127.0.0.1", "[::1]"]; // of this machine alone

/**
 * The address at which others can open a scene; null where there is none.
 * @param {Scene} scene @param {number} index
 * @param {{protocol: string, hostname: string, origin: string, pathname: string}} here
 */
function addressOf(scene, index, { protocol, hostname, origin, pathname }) {
  if (scene.code) return scene.code.address;
  if (protocol === "file:" || OWN.includes(hostname)) return null;
  return `${origin}${pathname}?scene=${index + 1}`;
}

/** @param {string} text @param {string} [className] */
const line = (text, className = "") => element("p", { className }, text);

/** @param {string} address @param {string} src */
const picture = (address, src) => element("img", { src, alt: `QR code of ${address}` });

const short = (/** @type {string} */ address) => address.replace(/^https?:\/\//, "");

/** Opens the room of phones, or closes it. @param {Listeners} listeners */
function opener(listeners) {
  const text = listeners.room ? "Let no phones follow" : "Let phones follow";
  return element("button", { type: "button", onclick: () => listeners.toggle() }, text);
}

/** What is shown of a scene. @param {Scene} scene @param {number} index @param {Listeners} listeners */
export function codeOf(scene, index, listeners) {
  const { room, problem, canOpen } = listeners;
  const title = element("h2", {}, room ? "Follow on your phone" : scene.title);
  const words = element("div", {}, title);
  if (room) {
    words.append(line(short(room.address), "address"), line(listeners.text), opener(listeners));
    return [picture(room.address, room.image), words];
  }
  const address = addressOf(scene, index, location);
  if (address) words.append(line(short(address), "address"));
  else
    words.append(
      line("This deck is on this machine alone: nobody else can open it."),
      line("Put its file on the web and write the address into the talk, as link."),
    );
  if (problem) words.append(line(problem));
  if (canOpen) words.append(opener(listeners));
  return scene.code ? [picture(scene.code.address, scene.code.image), words] : [words];
}
