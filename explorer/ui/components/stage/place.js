// Where the talk is, in the address: a reload comes back to it. In the app after "?", in a file after "#".

/** @typedef {{scene: number, step: number}} Place from 0 */

const inFile = () => location.protocol === "file:";

/**
 * @param {string} text "scene=3&step=2", counted from 1
 * @param {{steps: unknown[]}[]} scenes
 * @returns {Place} the nearest that there is
 */
function placeIn(text, scenes) {
  const params = new URLSearchParams(text);
  const number = (/** @type {string} */ name, /** @type {number} */ most) =>
    Math.min(Math.max(parseInt(params.get(name) ?? "", 10) || 1, 1), most) - 1;
  const scene = number("scene", scenes.length);
  return { scene, step: number("step", scenes[scene].steps.length) };
}

const written = () => (inFile() ? location.hash : location.search).slice(1);

/** @param {{steps: unknown[]}[]} scenes */
export const readPlace = (scenes) => placeIn(written(), scenes);

/** Whether this window is the speaker's. */
export const isSpeaker = () => new URLSearchParams(written()).has("speaker");

/** Whether this window is a hand-out. */
export const isHandout = () => new URLSearchParams(written()).has("handout");

/** The code of the room whose speaker is followed here; null where none is. */
export const followedRoom = () => new URLSearchParams(written()).get("room");

/** A socket of the server that this deck came from. @param {string} path @param {Record<string, string>} query */
export function toSocket(path, query) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  url.search = String(new URLSearchParams(query));
  return url;
}

/** @param {Place} place */
export function writePlace({ scene, step }) {
  const mark = inFile() ? "#" : "?";
  const params = new URLSearchParams(written());
  params.set("scene", String(scene + 1));
  params.set("step", String(step + 1));
  history.replaceState(null, "", `${mark}${params}`);
}

/**
 * The step after (+1) or before (−1); where there is none, the same.
 * @type {(place: Place, by: number, scenes: {steps: unknown[]}[]) => Place}
 */
export function beside({ scene, step }, by, scenes) {
  const next = step + by;
  if (next >= 0 && next < scenes[scene].steps.length) return { scene, step: next };
  const other = scene + by;
  if (other < 0 || other >= scenes.length) return { scene, step };
  return { scene: other, step: by > 0 ? 0 : scenes[other].steps.length - 1 };
}
