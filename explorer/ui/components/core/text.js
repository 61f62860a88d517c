// Text on a canvas: "m_h" and "Σ_{k>m}" are drawn with a subscript, "τ-long" as it is; so is all that is data.

import { SMALLEST } from "./theme.js";

/**
 * @typedef {object} Style
 * @property {number} [scale] of the theme's size
 * @property {number} [weight]
 * @property {boolean} [italic]
 * @property {"left" | "center" | "right"} [align]
 * @property {CanvasTextBaseline} [baseline]
 * @property {string} [colour]
 * @property {boolean} [halo] paper around the letters
 * @property {boolean} [plain] no subscripts: it is data
 */

export function runs(/** @type {string} */ text) {
  return text
    .split(/_(\{[^}]*\}|[A-Za-z0-9])/)
    .map((part, i) => ({ part: part.replace(/^\{|\}$/g, ""), sub: i % 2 === 1 }))
    .filter((r) => r.part);
}

/** @type {(text: string, style: Style) => {part: string, sub: boolean}[]} */
const signsOf = (text, { plain }) => (plain ? [{ part: text, sub: false }] : runs(text));

/** Of a number beside an axis, and of one below it. @type {(theme: Theme) => Style} */
export const besideAxis = (theme) => ({ align: "right", baseline: "middle", colour: theme.grey });
/** @type {(theme: Theme) => Style} */
export const belowAxis = (theme) => ({ align: "center", baseline: "top", colour: theme.grey });

const SUB = 0.78; // of its text: 28 pixels on a screen of 1920

/** @typedef {Box & {text: string}} Written */

/** @type {Written[]} */
let written = [];

/** The boxes of all that is written from now on. */
export function noteTexts() {
  written = [];
  return written;
}

/** @type {(theme: Theme, style?: Style, sub?: boolean) => string} */
function fontOf(theme, { scale = 1, weight = 400, italic = false } = {}, sub = false) {
  const size = Math.max(SMALLEST, theme.size * scale * (sub ? SUB : 1));
  return `${italic ? "italic " : ""}${weight} ${size}px ${theme.font}`;
}

// Measuring a text takes longer than writing it, and a picture writes much the same in every frame.
const MEASURED = 4000;
/** @type {Map<string, TextMetrics>} */
const measured = new Map();
globalThis.document?.fonts?.addEventListener("loadingdone", () => measured.clear());

/** @type {(ctx: Ctx, font: string, text: string, baseline?: CanvasTextBaseline) => TextMetrics} */
function metricsOf(ctx, font, text, baseline = "alphabetic") {
  const key = `${font}|${baseline}|${text}`;
  const known = measured.get(key);
  if (known) return known;
  if (measured.size >= MEASURED) measured.clear();
  ctx.font = font;
  ctx.textBaseline = baseline;
  const metrics = ctx.measureText(text);
  measured.set(key, metrics);
  return metrics;
}

/** @type {(ctx: Ctx, theme: Theme, text: string, style?: Style) => number} */
export function measure(ctx, theme, text, style = {}) {
  const widthOf = (/** @type {{part: string, sub: boolean}} */ { part, sub }) =>
    metricsOf(ctx, fontOf(theme, style, sub), part).width;
  return signsOf(text, style).reduce((sum, run) => sum + widthOf(run), 0);
}

/**
 * Writes the text at x, y; its width.
 * @type {(ctx: Ctx, theme: Theme, text: string, x: number, y: number, style?: Style) => number}
 */
export function write(ctx, theme, text, x, y, style = {}) {
  const { align = "left", baseline = "alphabetic", colour = theme.ink, halo = false } = style;
  const width = measure(ctx, theme, text, style);
  let at = x - (align === "right" ? width : align === "center" ? width / 2 : 0);
  if (ctx.globalAlpha) written.push(boxOf(ctx, theme, text, at, y, width, style));
  ctx.textAlign = "left";
  ctx.textBaseline = baseline;
  for (const { part, sub } of signsOf(text, style)) {
    const font = fontOf(theme, style, sub);
    const wide = metricsOf(ctx, font, part).width;
    ctx.font = font;
    const drop = sub ? theme.size * 0.22 : 0;
    if (halo) {
      ctx.strokeStyle = theme.paper;
      ctx.lineWidth = 4;
      ctx.lineJoin = "round";
      ctx.strokeText(part, at, y + drop);
    }
    ctx.fillStyle = colour;
    ctx.fillText(part, at, y + drop);
    at += wide;
  }
  return width;
}

/** @type {(ctx: Ctx, theme: Theme, text: string, x: number, y: number, w: number, style: Style) => Written} */
function boxOf(ctx, theme, text, x, y, w, style) {
  const metrics = metricsOf(ctx, fontOf(theme, style), text, style.baseline);
  const { actualBoundingBoxAscent: up = 0, actualBoundingBoxDescent: down = 0 } = metrics;
  return { text, x, y: y - up, w, h: up + down };
}
