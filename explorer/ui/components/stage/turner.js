// A slider that turns to the pictures that a scene holds ready.

import { element } from "../core/element.js";

/** @import { Scene } from "./store.js" */

/**
 * @param {Scene} scene
 * @param {number} now the one that is shown, −1 for none
 * @param {(place: number) => void} choose
 */
export function turner(scene, now, choose) {
  const words = element("span");
  const max = String(scene.ready.length - 1);
  const input = element("input", { type: "range", min: "0", max, step: "1" });
  input.value = String(Math.max(now, 0));
  const say = () => {
    const { name } = scene.ready[Number(input.value)];
    words.innerHTML = scene.letter ?? "";
    words.append(` = ${name}`);
    input.setAttribute("aria-valuetext", name);
  };
  input.addEventListener("input", () => {
    say();
    choose(Number(input.value));
  });
  say();
  return element("label", { className: "turner" }, words, input);
}
