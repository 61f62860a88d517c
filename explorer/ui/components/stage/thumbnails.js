// What a deck has drawn of its scenes, small, for the list of them (components/scenes): of the newest talk alone.

import { recall, remember } from "../core/remember.js";

const PICTURES = "explorer-talk-pictures";
const ACROSS = 464; // pixels: twice what the list gives them

/** @returns {Record<string, string>} the sources of images by the scenes' ids */
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

/** @param {HTMLCanvasElement} image of a scene @returns {string} the source of a small one */
export function shrunk(image) {
  const small = document.createElement("canvas");
  small.width = ACROSS;
  small.height = Math.round((ACROSS * image.height) / image.width);
  const ctx = /** @type {CanvasRenderingContext2D} */ (small.getContext("2d"));
  ctx.imageSmoothingQuality = "high";
  ctx.drawImage(image, 0, 0, small.width, small.height);
  return small.toDataURL("image/webp", 0.8);
}
