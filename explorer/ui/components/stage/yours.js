// What is predicted by hand stays on the pictures of its scene: Next reveals what was found, beside it.

import { PREDICTED, RECALLED } from "../core/predictions.js";

/** @import { Predicted } from "../core/predictions.js" */
/** @import { Shown } from "./card.js" */

export class Yours {
  scene = -1;
  /** By what is swept, norm and line. @type {Map<string, Predicted>} */
  curves = new Map();

  /** @param {() => void} tried */
  constructor(tried) {
    document.addEventListener(PREDICTED, (event) => {
      const { detail } = /** @type {CustomEvent<Predicted>} */ (event);
      const key = `${detail.subject} ${detail.norm} ${detail.line}`;
      if (detail.pairs.length) this.curves.set(key, detail);
      else this.curves.delete(key);
      tried();
    });
  }

  /** @param {number} scene @param {Shown} picture of it */
  lay(scene, picture) {
    if (scene !== this.scene) this.forget();
    this.scene = scene;
    picture.root.dispatchEvent(new CustomEvent(RECALLED, { detail: [...this.curves.values()] }));
  }

  forget() {
    this.curves.clear();
  }
}
