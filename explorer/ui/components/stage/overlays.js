// What comes over a scene: all scenes, the keys, the number that is being typed, black.

import { codeOf } from "./code.js";
import { Jump } from "./jump.js";
import { HELP } from "./keys.js";

/** @import { Shown } from "./card.js" */
/** @import { Talk } from "./store.js" */

const find = (/** @type {string} */ name) =>
  /** @type {HTMLElement} */ (document.querySelector(`[data-over=${name}]`));

/** @param {string} tag @param {string} text */
function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

/** The pictures of a step side by side, as a small image. @param {Shown} picture */
function thumbnail(picture) {
  const canvases = picture.canvases();
  const boxes = canvases.map((canvas) => canvas.getBoundingClientRect());
  const left = Math.min(...boxes.map((box) => box.left));
  const top = Math.min(...boxes.map((box) => box.top));
  const scale = 320 / (Math.max(...boxes.map((box) => box.right)) - left);
  const image = document.createElement("canvas");
  image.width = 320;
  image.height = (Math.max(...boxes.map((box) => box.bottom)) - top) * scale;
  const ctx = image.getContext("2d");
  canvases.forEach((canvas, i) => {
    const { x, y, width, height } = boxes[i];
    const at = [(x - left) * scale, (y - top) * scale, width * scale, height * scale];
    ctx?.drawImage(canvas, .../** @type {[number, number, number, number]} */ (at));
  });
  return image.toDataURL("image/webp");
}

export class Overlays {
  /** Small pictures of the scenes that were shown. @type {Map<number, string>} */
  seen = new Map();

  /** @param {Talk} talk @param {(scene: number) => void} choose */
  constructor(talk, choose) {
    this.talk = talk;
    this.choose = choose;
    this.jump = new Jump(talk.scenes.length, find("jump"));
    const list = document.createElement("dl");
    for (const [keys, does] of HELP) list.append(element("dt", keys), element("dd", does));
    find("help").append(element("h2", "Keys"), list);
    find("help").append(element("p", "* where no picture has the focus"));
  }

  get black() {
    return !find("black").hidden;
  }

  toggleBlack() {
    find("black").hidden = this.black;
  }

  /**
   * @param {"overview" | "help" | "code"} name
   * @param {number} [scene] that is shown
   * @param {Shown | null} [picture] of it
   */
  toggle(name, scene = 0, picture = null) {
    const opened = find(name).hidden;
    this.close();
    if (!opened) return;
    if (picture) this.see(scene, picture);
    if (name === "overview") this.list(scene);
    if (name === "code") find(name).replaceChildren(...codeOf(this.talk.scenes[scene], scene));
    find(name).hidden = false;
    const first = find(name).querySelector("[aria-current] button") ?? find(name);
    /** @type {HTMLElement} */ (first).focus();
  }

  /** @param {number} scene @param {Shown} picture of it */
  see(scene, picture) {
    const canvases = picture.canvases();
    const drawn = canvases.every(({ width, height }) => width && height);
    if (canvases.length && drawn) this.seen.set(scene, thumbnail(picture));
  }

  list(/** @type {number} */ now) {
    const list = document.createElement("ol");
    this.talk.scenes.forEach((scene, i) => {
      const item = document.createElement("li");
      if (i === now) item.setAttribute("aria-current", "step");
      const button = document.createElement("button");
      button.type = "button";
      button.append(element("b", `${i + 1} ${scene.title}`));
      const seen = this.seen.get(i);
      if (seen) button.append(Object.assign(new Image(), { src: seen, alt: "" }));
      button.addEventListener("click", () => (this.close(), this.choose(i)));
      item.append(button);
      list.append(item);
    });
    find("overview").replaceChildren(element("h2", this.talk.title), list);
  }

  /** Whether something was open. */
  close() {
    const open = ["overview", "help", "code", "black"].map(find).filter((each) => !each.hidden);
    for (const each of open) each.hidden = true;
    return open.length > 0;
  }
}
