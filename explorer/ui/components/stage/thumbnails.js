// What a deck has drawn of its scenes and steps, small, for the lists of them (components/scenes, components/steps): of
// the newest talk alone.

import { element } from "../core/element.js";
import { recall, remember } from "../core/remember.js";

const PICTURES = "explorer-talk-pictures";
const ACROSS = 464; // pixels: twice what the list gives them

/** @returns {Record<string, string>} the sources of images by the ids of scenes and steps */
export function picturesKept() {
  try {
    return JSON.parse(recall("localStorage", PICTURES) ?? "{}");
  } catch {
    return {}; // another hand's
  }
}

/** @param {Record<string, string>} pictures */
export const keepPictures = (pictures) =>
  remember("localStorage", PICTURES, JSON.stringify(pictures));

/** Words of a step where no formula is typeset, and no number follows. @param {string} words */
export const bareWords = (words) =>
  words.replace(/\{\w+=([^{}]*)\}/g, "$1").replace(/\*\*|[$\\]/g, "");

/** @param {HTMLCanvasElement} image @param {number} across in pixels @returns {string} the source of a small one */
export function shrunk(image, across = ACROSS) {
  const height = Math.round((across * image.height) / image.width);
  const small = element("canvas", { width: across, height });
  const ctx = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d"));
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(image, 0, 0, small.width, small.height);
  return small.toDataURL("image/webp", 0.8);
}
