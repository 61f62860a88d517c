// All scenes at once, each by a picture: drawn here in the theme as it is; until then the one that lies in the file.

import { element } from "../core/element.js";
import { drawnOutOfSight } from "./desk.js";
import { shrunk } from "./thumbnails.js";

/** @import { Pieces, Scene, Talk } from "./store.js" */

const CELL = 1.5; // how much wider than high a window is in scenes, which are about as wide as high

/** Columns in which so many scenes fill a screen. @param {number} count */
export const columnsOf = (count) => Math.ceil(Math.sqrt(CELL * count));

/** What stands for a scene of words alone, HTML of Python's making. @param {Scene} scene */
const wordsOf = ({ steps }) =>
  element("div", { innerHTML: steps.map(({ words }) => words).join("") });

export class Gallery {
  /** The pictures that were drawn, by scene. @type {Map<number, string>} */
  drawn = new Map();
  theme = "";

  /** @param {Talk} talk @param {Pieces} pieces */
  constructor(talk, pieces) {
    this.talk = talk;
    this.pieces = pieces;
  }

  /** @param {number} now the scene that is shown @param {(scene: number) => void} choose */
  list(now, choose) {
    const { scenes } = this.talk;
    const list = element("ol");
    list.style.setProperty("--columns", String(columnsOf(scenes.length)));
    scenes.forEach((scene, i) => {
      const src = this.drawn.get(i) ?? scene.image;
      const shown = scene.component
        ? element("img", { alt: "", ...(src && { src }) })
        : wordsOf(scene);
      const title = element("b", {}, `${i + 1} ${scene.title}`);
      const press = { type: /** @type {const} */ ("button"), onclick: () => choose(i) };
      const item = element("li", {}, element("button", press, title, shown));
      if (i === now) item.setAttribute("aria-current", "step");
      list.append(item);
    });
    this.fill([...list.querySelectorAll("li")]);
    return list;
  }

  /** Draw at once what is not drawn yet. @param {HTMLElement[]} items of the list */
  fill(items) {
    const theme = document.documentElement.dataset.theme ?? "";
    if (theme !== this.theme) this.drawn.clear();
    this.theme = theme;
    this.talk.scenes.forEach(async (scene, i) => {
      const image = items[i].querySelector("img");
      if (!image || this.drawn.has(i)) return;
      const last = scene.steps[scene.steps.length - 1];
      const source = shrunk(await drawnOutOfSight(scene, last, this.pieces));
      if (this.theme === theme) this.drawn.set(i, source);
      image.src = source;
    });
  }
}
