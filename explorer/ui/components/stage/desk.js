// Steps drawn out of sight, in the room that a picture has on a stage of 1280 × 720, or on paper.

import { element } from "../core/element.js";
import { painted } from "./mirror.js";
import { Picture } from "./picture.js";

/** @import { Pieces, Scene, Step } from "./store.js" */

const DRAWS = 250; // milliseconds in which a picture is drawn

/** A tab that is hidden draws nothing: it begins once it is seen. */
export async function untilDrawn() {
  do {
    await new Promise(requestAnimationFrame);
    await new Promise((done) => setTimeout(done, DRAWS));
  } while (document.hidden);
}

/**
 * @param {Scene} scene that has a picture
 * @param {Step} step
 * @param {Pieces} pieces
 * @param {"stagelike" | "paperlike"} room
 */
export async function drawnOutOfSight(scene, step, pieces, room = "stagelike") {
  const keptStep = { ...step, live: null };
  const data = await pieces.frame(keptStep);
  const desk = element("div", { className: `picture desk ${room}` });
  if (room === "paperlike") desk.dataset.theme = "light";
  document.body.append(desk);
  const picture = new Picture(desk, scene, keptStep, data, () => {});
  await untilDrawn();
  const image = painted(picture, desk);
  picture.remove();
  desk.remove();
  return image;
}
