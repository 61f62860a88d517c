// The deck as the speaker's window has it: its pictures painted over, its pointer heard.

import { element } from "../core/element.js";
import { paintControls } from "./controls.js";

/** @import { Shown } from "./card.js" */

const WIDTH = 960; // pixels of the picture that the speaker gets, at most
const POINTER = 4711; // the speaker's, which no hand here has

/** The speaker's pointer cannot be captured, and need not: what it holds gets all it does. */
export function letForwardedPointersBe() {
  const { setPointerCapture } = Element.prototype;
  Element.prototype.setPointerCapture = function (id) {
    if (id !== POINTER) setPointerCapture.call(this, id);
  };
}

/**
 * The canvases and controls of a picture where they stand, on the paper of the theme.
 * @param {Shown} picture
 * @param {Element} place
 */
export function painted(picture, place) {
  const around = place.getBoundingClientRect();
  const scale = Math.min(1, WIDTH / around.width);
  const [width, height] = [around.width, around.height].map((long) => Math.round(long * scale));
  const image = element("canvas", { width, height });
  const ctx = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
  ctx.fillStyle = getComputedStyle(place).getPropertyValue("--st-background-color");
  ctx.fillRect(0, 0, width, height);
  for (const canvas of picture.canvases()) {
    const { x, y, width, height } = canvas.getBoundingClientRect();
    const [left, top] = [(x - around.x) * scale, (y - around.y) * scale];
    if (canvas.width && canvas.height)
      ctx.drawImage(canvas, left, top, width * scale, height * scale);
  }
  ctx.scale(scale, scale);
  ctx.translate(-around.x, -around.y);
  paintControls(ctx, picture.root);
  return image;
}

/**
 * All but what is lit, which the room sees dark.
 * @param {HTMLCanvasElement} image of the picture's place
 * @param {{x: number, y: number, inner: number, outer: number}} lit parts of the image's width
 */
export function shade(image, { x, y, inner, outer }) {
  const { width, height } = image;
  const ctx = /** @type {CanvasRenderingContext2D} */ (image.getContext("2d"));
  ctx.resetTransform();
  const [px, py] = [x * width, y * width];
  const dark = ctx.createRadialGradient(px, py, inner * width, px, py, outer * width);
  dark.addColorStop(0, "#0000");
  dark.addColorStop(1, "#000a");
  ctx.fillStyle = dark;
  ctx.fillRect(0, 0, width, height);
}

/** @type {(image: HTMLCanvasElement) => Promise<ArrayBuffer | null>} */
export async function asBytes(image) {
  const blob = await new Promise((done) => image.toBlob(done, "image/webp", 0.85));
  return blob ? blob.arrayBuffer() : null;
}

/** @typedef {{type: string, x: number, y: number, shift: boolean}} Pointed x and y from 0 to 1 */

/** What the speaker's pointer does to a picture. */
export class ForwardedPointer {
  /** What it holds. @type {Element | null} */
  held = null;

  /** @param {Pointed} pointed @param {Shown} picture @param {Element} place */
  act({ type, x, y, shift }, picture, place) {
    const box = place.getBoundingClientRect();
    const clientX = box.x + x * box.width;
    const clientY = box.y + y * box.height;
    const target = this.held ?? picture.root.elementFromPoint(clientX, clientY);
    if (!target) return;
    if (type === "pointerdown") this.held = target;
    const moving = type === "pointermove";
    const buttons = type === "pointerup" || !this.held ? 0 : 1;
    const where = { clientX, clientY, shiftKey: shift, bubbles: true, composed: true };
    const pointer = { pointerId: POINTER, isPrimary: true, pointerType: "mouse" };
    const button = moving ? -1 : 0;
    target.dispatchEvent(new PointerEvent(type, { ...where, ...pointer, button, buttons }));
    if (target instanceof HTMLInputElement && this.held) slide(target, clientX);
    if (type !== "pointerup") return;
    this.held = null;
    target.dispatchEvent(new MouseEvent("click", where));
    if (target instanceof HTMLInputElement) target.dispatchEvent(new Event("change"));
  }
}

/** A slider goes to where the pointer is. @type {(input: HTMLInputElement, clientX: number) => void} */
function slide(input, clientX) {
  if (input.type !== "range") return;
  const { x, width } = input.getBoundingClientRect();
  const [low, high] = [Number(input.min), Number(input.max)];
  const part = Math.min(Math.max((clientX - x) / width, 0), 1);
  input.value = String(low + part * (high - low));
  input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
}
