// What the model writes after each text with k terms of every coupling, and where that parts from its own words.

import { TITLE, heading } from "../core/axes.js";
import { dot, horizontal, scale, stroke } from "../core/canvas.js";
import { belowAxis, measure, write } from "../core/text.js";
import { SMALLEST, blend, css, rgb } from "../core/theme.js";
import { spacedTicks } from "../core/ticks.js";
import { allWritten, flowed, inPieces, lineOfEach, wordsSentence, wordsTold } from "./model.js";

/** @import { RealWords } from "../payloads.js" */
/** @import { Token } from "./model.js" */
/**
 * @typedef {object} Setting how the rows are set
 * @property {number} size of the words, in the theme's
 * @property {number} small that of the texts
 * @property {number} x where words begin
 * @property {number} width of their lines
 * @property {number} asked width of the texts' lines
 * @property {number} line from line to line, in sizes of what stands there
 * @property {number} apart between rows
 * @property {boolean} beside whether these stand beside the words, not above
 */
/** @typedef {{box: Box, x: Scale, room: Box}} Track of k, and the room of the rows */
/** @typedef {{asked: number[], said: number[][]}} Lengths of a row's pieces, of its text and of all that is written after it */

const LARGEST = 2; // in the theme's size
/** From line to line in sizes of what stands there, and between rows: where letters are larger than the theme's, and where not. */
const AIRY = { line: 1.3, apart: 0.45 };
const TIGHT = { line: 1.15, apart: 0.2 };
const MORE = 1; // in the theme's size, at most, where there is room
const SMALLER = 0.75; // the texts than the words, down to the theme's size
const SIDE = 0.37; // of the width, where texts stand beside words
const FULL = 0.98; // of a line: large letters are not quite as wide as small ones times so much

/** @type {import("./real.js").Draw} */
export function drawWords(ctx, theme, w, h, view) {
  const { words, title } = view.couplings.header;
  if (!words) {
    const absent = `No words of ${title} are kept`;
    write(ctx, theme, absent, 0, 1.35 * theme.size, { plain: true });
    return absent;
  }
  const { couplings, choice } = view;
  const rows = couplings.written(choice);
  const track = trackOf(ctx, theme, w, h, words);
  const { room } = track;
  view.plans.words = track;
  heading(ctx, theme, wordsSentence(rows, choice.k), 0, w);
  drawTrack(ctx, theme, track, words.k, choice.k);
  const { setting, heights } = fitted(theme, room, lengthsOf(ctx, theme, words));
  const left = room.h - heights.reduce((sum, high) => sum + high, 0);
  const more = Math.min(Math.max(left / rows.length, 0), MORE * theme.size);
  let top = room.y;
  rows.forEach(({ prompt, tokens }, at) => {
    drawRow(ctx, theme, setting, top, [{ text: prompt, other: false }], tokens);
    top += heights[at] + more;
  });
  return wordsTold(rows, choice.k);
}

/**
 * k beside the sentence or, where it is narrow, at the foot; what is left for the rows.
 * @type {(ctx: Ctx, theme: Theme, w: number, h: number, words: RealWords) => Track}
 */
function trackOf(ctx, theme, w, h, words) {
  const { size } = theme;
  const sentences = allWritten(words).map(({ rows, k }) => wordsSentence(rows, k));
  const lengths = sentences.map((each) => measure(ctx, theme, each, TITLE));
  const longest = Math.max(...lengths) + 4 * size;
  const beside = w - longest > 16 * size;
  const left = beside ? longest : 1.6 * size;
  const box = { x: left, y: beside ? 0 : h - 3 * size, w: w - size - left, h: 0.9 * size };
  const top = (beside ? 2.9 : 2.2) * size;
  const x = scale(words.k[0], words.k[words.k.length - 1], box.x, box.x + box.w, true);
  return { box, x, room: { x: 0, y: top, w, h: (beside ? h : box.y) - top } };
}

/** @type {(ctx: Ctx, theme: Theme, track: Track, tried: number[], k: number) => void} */
function drawTrack(ctx, theme, { box, x }, tried, k) {
  const { size } = theme;
  const line = box.y + box.h;
  horizontal(ctx, box, line, theme.line, 2);
  write(ctx, theme, "k", box.x - 1.4 * size, line, { italic: true, baseline: "middle" });
  const doublings = tried.filter((each) => Number.isInteger(Math.log2(each)));
  for (const { value, label } of spacedTicks(theme, x, tried, doublings)) {
    const ends = [line - 4, line + 4].map((y) => [x(value), y]);
    stroke(ctx, theme.line, 2, ends);
    if (label) write(ctx, theme, label, x(value), line + 0.6 * size, belowAxis(theme));
  }
  dot(ctx, x(k), line, 0.5 * size, { fill: theme.accent, line: theme.paper, width: 2 });
}

/** How long the pieces of all rows are, one theme's size high. @type {(ctx: Ctx, theme: Theme, words: RealWords) => Lengths[]} */
function lengthsOf(ctx, theme, words) {
  const written = allWritten(words);
  return words.prompts.map((text, row) => ({
    asked: inPieces([{ text, other: false }]).map((piece) => lengthOf(ctx, theme, piece, ASKED)),
    said: written.map(({ rows }) =>
      inPieces(rows[row].tokens).map((piece) => lengthOf(ctx, theme, piece, SAID)),
    ),
  }));
}

/** @type {(token: Token) => Style} */
const ASKED = () => ({ plain: true });
/** @type {(token: Token) => Style} */
const SAID = ({ other }) => ({ plain: true, weight: 600, italic: other });

/** @type {(ctx: Ctx, theme: Theme, piece: Token[], styleOf: (token: Token) => Style) => number} */
const lengthOf = (ctx, theme, piece, styleOf) =>
  piece.reduce((sum, token) => sum + measure(ctx, theme, token.text, styleOf(token)), 0);

/** The largest letters with which all that is ever written finds its place. @type {(theme: Theme, room: Box, rows: Lengths[]) => {setting: Setting, heights: number[]}} */
function fitted(theme, room, rows) {
  const least = Math.min(1, SMALLEST / theme.size);
  for (let size = LARGEST; ; size -= 0.05)
    for (const beside of [true, false]) {
      const setting = set(theme, room.w, Math.max(size, least), beside);
      const heights = rows.map((row) => theme.size * heightOf(setting, row));
      const fits = heights.reduce((sum, high) => sum + high, 0) <= room.h;
      if (fits || (size <= least && !beside)) return { setting, heights };
    }
}

/** @type {(theme: Theme, w: number, size: number, beside: boolean) => Setting} */
function set(theme, w, size, beside) {
  const small = Math.max(SMALLER * size, Math.min(size, 1));
  const x = beside ? SIDE * w : 0;
  const air = size > 1 ? AIRY : TIGHT;
  return { ...air, size, small, x, width: w - x, asked: beside ? x - theme.size : w, beside };
}

/** Of a row, in the theme's size: what the longest needs that is written there, so that it stands still. @type {(setting: Setting, row: Lengths) => number} */
function heightOf({ size, small, line, apart, width, asked, beside }, row) {
  const lines = (/** @type {number[]} */ lengths, /** @type {number} */ wide) =>
    1 + Math.max(...lineOfEach(lengths, wide));
  const counts = row.said.map((lengths) => lines(lengths, (FULL * width) / size));
  const texts = line * small * lines(row.asked, (FULL * asked) / small);
  const words = line * size * Math.max(...counts);
  return apart * size + (beside ? Math.max(texts, words) : texts + words);
}

/** @type {(ctx: Ctx, theme: Theme, setting: Setting, top: number, asked: Token[], tokens: Token[]) => void} */
function drawRow(ctx, theme, setting, top, asked, tokens) {
  const { size, small, line, x, width, beside } = setting;
  const down = beside ? 0.8 * (size - small) * theme.size : 0; // on one line with the words
  const text = { x: 0, y: top + down, width: setting.asked, size: small, line };
  const grey = { styleOf: ASKED, colour: () => theme.grey };
  const lower = drawLines(ctx, theme, asked, { ...text, ...grey });
  const loud = css(blend(rgb(theme.second), rgb(theme.ink), 0.15)); // as dark as text must be
  const colour = (/** @type {Token} */ { other }) => (other ? loud : theme.ink);
  const words = { x, y: beside ? top : lower, width, size, line };
  drawLines(ctx, theme, tokens, { ...words, styleOf: SAID, colour });
}

/**
 * @typedef {object} Place of a text: its corner, how wide its lines run and its size, and how each token is written
 * @property {number} x
 * @property {number} y
 * @property {number} width
 * @property {number} size
 * @property {number} line
 * @property {(token: Token) => Style} styleOf
 * @property {(token: Token) => string} colour
 */

/** Where the next line would be. @type {(ctx: Ctx, theme: Theme, tokens: Token[], place: Place) => number} */
function drawLines(ctx, theme, tokens, { x, y, width, size, line, styleOf, colour }) {
  const pieces = inPieces(tokens);
  const lengths = pieces.map((piece) => lengthOf(ctx, theme, piece, styleOf));
  for (const written of flowed(pieces, lineOfEach(lengths, (FULL * width) / size))) {
    let at = x;
    for (const token of written) {
      const style = { ...styleOf(token), scale: size, colour: colour(token) };
      at += write(ctx, theme, token.text, at, y, { ...style, baseline: "top" });
    }
    y += line * size * theme.size;
  }
  return y;
}
