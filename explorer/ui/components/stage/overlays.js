// What comes over a scene: all scenes, the keys, the number that is being typed, black.

import { element } from "../core/element.js";
import { codeOf } from "./code.js";
import { Gallery } from "./gallery.js";
import { Jump } from "./jump.js";
import { HELP } from "./keys.js";

/** @import { Listeners } from "./listeners.js" */
/** @import { Pieces, Talk } from "./store.js" */

const find = (/** @type {string} */ name) =>
  /** @type {HTMLElement} */ (document.querySelector(`[data-over=${name}]`));

const OVER = ["overview", "help", "code", "black"];

export class Overlays {
  /** @param {Talk} talk @param {Pieces} pieces @param {(scene: number) => void} choose */
  constructor(talk, pieces, choose) {
    /** Of the deck; in the speaker's window none. @type {Listeners | null} */
    this.listeners = null;
    this.talk = talk;
    this.gallery = new Gallery(talk, pieces);
    this.choose = choose;
    this.jump = new Jump(talk.scenes.length, find("jump"));
    const rows = HELP.flatMap(([keys, does]) => [element("dt", {}, keys), element("dd", {}, does)]);
    const list = element("dl", {}, ...rows);
    const foot = element("p", {}, "* where no picture has the focus");
    find("help").append(element("h2", {}, "Keys"), list, foot);
  }

  get black() {
    return !find("black").hidden;
  }

  toggleBlack() {
    find("black").hidden = this.black;
  }

  /** @param {"overview" | "help" | "code"} name @param {number} [scene] that is shown */
  toggle(name, scene = 0) {
    const opened = find(name).hidden;
    this.close();
    if (!opened) return;
    if (name === "overview") this.list(scene);
    if (name === "code") this.showCode(scene);
    find(name).hidden = false;
    const first = find(name).querySelector("[aria-current] button") ?? find(name);
    /** @type {HTMLElement} */ (first).focus();
  }

  /** What is said of the way here, which may have changed. @param {number} scene */
  showCode(scene) {
    const [shown, { listeners }] = [this.talk.scenes[scene], this];
    if (listeners) find("code").replaceChildren(...codeOf(shown, scene, listeners));
  }

  list(/** @type {number} */ now) {
    const list = this.gallery.list(now, (scene) => (this.close(), this.choose(scene)));
    find("overview").replaceChildren(element("h2", {}, this.talk.title), list);
  }

  get isOpen() {
    return OVER.map(find).some((each) => !each.hidden);
  }

  /** Whether something was open. */
  close() {
    const { isOpen } = this;
    for (const each of OVER.map(find)) each.hidden = true;
    return isOpen;
  }
}
