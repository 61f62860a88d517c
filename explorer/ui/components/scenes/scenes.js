// The scenes of a talk by their pictures, as its deck has drawn them: shipped, or kept by this browser.

import { element } from "../core/element.js";
import { unpackBytes } from "../core/messages.js";
import { bareWords, picturesKept } from "../stage/thumbnails.js";

/** @typedef {{id: string, title: string, href: string, words: string}} Entry words of a scene that has no picture */

const EMPTY = "Drawn once the stage is open.";

/** @param {Entry} entry @param {string | undefined} image */
function cardOf({ title, href, words }, image) {
  const picture = image
    ? element("img", { src: image, alt: "" })
    : element("span", { className: "empty" }, bareWords(words) || EMPTY);
  return element("li", {}, element("a", { href }, picture, title));
}

/** @param {import("../core/mount.js").Mount} mount */
export default function ({ data, parentElement: root }) {
  const list = /** @type {HTMLElement} */ (root.querySelector(".scenes"));
  /** @type {{scenes: Entry[], pictures: Record<string, string>}} */
  const { scenes, pictures } = unpackBytes(data).header;
  const draw = () => {
    const known = { ...pictures, ...picturesKept() };
    list.replaceChildren(...scenes.map((scene) => cardOf(scene, known[scene.id])));
  };
  draw();
  window.addEventListener("storage", draw); // the stage in another tab
  return () => window.removeEventListener("storage", draw);
}
