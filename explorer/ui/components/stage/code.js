// The way to a scene for who listens: its address on the web, and that as a QR code.

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

/** @param {string} text @param {string} [kind] */
function line(text, kind = "") {
  return Object.assign(document.createElement("p"), { textContent: text, className: kind });
}

/** What is shown of a scene. @param {Scene} scene @param {number} index */
export function codeOf(scene, index) {
  const address = addressOf(scene, index, location);
  const title = Object.assign(document.createElement("h2"), { textContent: scene.title });
  const words = document.createElement("div");
  words.append(title);
  if (address) words.append(line(address.replace(/^https?:\/\//, ""), "address"));
  else
    words.append(
      line("This deck is on this machine alone: nobody else can open it."),
      line("Put its file on the web and write the address into the talk, as link."),
    );
  if (!scene.code) return [words];
  const alt = `QR code of ${scene.code.address}`;
  return [Object.assign(new Image(), { src: scene.code.image, alt }), words];
}
