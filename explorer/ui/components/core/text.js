// Text on a canvas: "m_h" and "Σ_{k>m}" are drawn with a subscript, "τ-long" as it is.

import { SMALLEST } from "./theme.js";

/** @import { Ctx } from "./canvas.js" */
/** @import { Theme } from "./theme.js" */

/**
 * @typedef {object} Style
 * @property {number} [scale] of the theme's size
 * @property {number} [weight]
 * @property {boolean} [italic]
 * @property {"left" | "center" | "right"} [align]
 * @property {CanvasTextBaseline} [baseline]
 * @property {string} [colour]
 * @property {boolean} [halo] paper around the letters
 */

export function runs(/** @type {string} */ text) {
  return text
    .split(/_(\{[^}]*\}|[A-Za-z0-9])/)
    .map((part, i) => ({ part: part.replace(/^\{|\}$/g, ""), sub: i % 2 === 1 }))
    .filter((r) => r.part);
}

/** @typedef {import("./plot-box.js").Box & {text: string}} Written */

/** @type {Written[]} */
let written = [];

/** The boxes of all that is written from now on. */
export function noteTexts() {
  written = [];
  return written;
}

/** @type {(ctx: Ctx, theme: Theme, style?: Style, sub?: boolean) => void} */
function setFont(ctx, theme, { scale = 1, weight = 400, italic = false } = {}, sub = false) {
  const size = Math.max(SMALLEST, theme.size * scale * (sub ? 0.75 : 1));
  ctx.font = `${italic ? "italic " : ""}${weight} ${size}px ${theme.font}`;
}

/** @type {(ctx: Ctx, theme: Theme, text: string, style?: Style) => number} */
export function measure(ctx, theme, text, style = {}) {
  let width = 0;
  for (const { part, sub } of runs(text)) {
    setFont(ctx, theme, style, sub);
    width += ctx.measureText(part).width;
  }
  return width;
}

/**
 * Writes the text at x, y; its width.
 * @type {(ctx: Ctx, theme: Theme, text: string, x: number, y: number, style?: Style) => number}
 */
export function write(ctx, theme, text, x, y, style = {}) {
  const { align = "left", baseline = "alphabetic", colour = theme.ink, halo = false } = style;
  const width = measure(ctx, theme, text, style);
  let at = x - (align === "right" ? width : align === "center" ? width / 2 : 0);
  ctx.textAlign = "left";
  ctx.textBaseline = baseline;
  if (ctx.globalAlpha) written.push(boxOf(ctx, theme, text, at, y, width, style));
  for (const { part, sub } of runs(text)) {
    setFont(ctx, theme, style, sub);
    const drop = sub ? theme.size * 0.22 : 0;
    if (halo) {
      ctx.strokeStyle = theme.paper;
      ctx.lineWidth = 4;
      ctx.lineJoin = "round";
      ctx.strokeText(part, at, y + drop);
    }
    ctx.fillStyle = colour;
    ctx.fillText(part, at, y + drop);
    at += ctx.measureText(part).width;
  }
  return width;
}

/** @type {(ctx: Ctx, theme: Theme, text: string, x: number, y: number, w: number, style: Style) => Written} */
function boxOf(ctx, theme, text, x, y, w, style) {
  setFont(ctx, theme, style);
  const { actualBoundingBoxAscent: up = 0, actualBoundingBoxDescent: down = 0 } =
    ctx.measureText(text);
  return { text, x, y: y - up, w, h: up + down };
}
