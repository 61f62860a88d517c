// A slider that turns to the pictures that a scene holds ready.

/** @import { Scene } from "./store.js" */

/**
 * @param {Scene} scene
 * @param {number} now the one that is shown, −1 for none
 * @param {(place: number) => void} turn
 */
export function turner(scene, now, turn) {
  const label = document.createElement("label");
  label.className = "turner";
  const words = document.createElement("span");
  const input = document.createElement("input");
  Object.assign(input, { type: "range", min: "0", max: String(scene.ready.length - 1), step: "1" });
  input.value = String(Math.max(now, 0));
  const say = () => {
    const { name } = scene.ready[Number(input.value)];
    words.innerHTML = scene.letter ?? "";
    words.append(` = ${name}`);
    input.setAttribute("aria-valuetext", name);
  };
  input.addEventListener("input", () => {
    say();
    turn(Number(input.value));
  });
  say();
  label.append(words, input);
  return label;
}
