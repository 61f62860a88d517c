// Where the bound is lost: a bar for each step of the proof with its factor, and above them the σ_k that are dragged.

import { axisX, axisY, heading, headingRows, lineKey, plotBox } from "../core/axes.js";
import { dot, polyline, scale, stroke, vertical } from "../core/canvas.js";
import { fmt } from "../core/numbers.js";
import { measure, write } from "../core/text.js";
import { logTicks, spacedTicks } from "../core/ticks.js";
import { bySize } from "./proof.js";

/** @import { Hand } from "./hand.js" */
/** @import { Row } from "./proof.js" */
/** @import { Theorem } from "./theorem.js" */
/** @typedef {{box: Box, x: Scale, y: Scale}} Spectrum */
/** @typedef {{box: Box, x: Scale, ends: number[], row: number, isLow: boolean}} Frame: of low rows the equation's number alone stands, beside its bar */

export const ROW = 2.9; // sizes of text that a step takes: its words, below them its bar
const BAR = 11;
const NUMBER = 6; // sizes of text that an equation's number takes
const ROOM = 0.08; // of the axis, left free on either side
const FACTOR = 0.995; // below it two digits of a factor say enough
const K = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/** By what a step is. @type {(theme: Theme, kind: string) => string} */
const colourOf = (theme, kind) =>
  ({ proved: theme.ink, slip: theme.second, trained: theme.accent })[kind] ?? theme.grey;

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Theorem) => string} */
export function drawSigmas(ctx, theme, w, h, { hand }) {
  if (!hand) return "";
  heading(ctx, theme, "σ_k: drag one, and the proof follows", 0, w);
  const spectrum = (hand.spectrum = spectrumOf(theme, w, h, hand));
  const { box, x, y } = spectrum;
  axisY(ctx, theme, box, y, logTicks(hand.ends[0], hand.ends[1], box.h / (2 * theme.size)));
  const labels = K.filter((k) => k <= hand.sigma.length);
  axisX(ctx, theme, box, x, spacedTicks(theme, x, labels), "k");
  vertical(ctx, box, x(hand.proof.m + 0.5), theme.grey, 1, [2, 4]);
  drawDots(ctx, theme, spectrum, hand);
  const named = `σ_{${hand.term + 1}} = ${fmt(hand.sigma[hand.term], 3)}`;
  const at = x(hand.term + 1);
  const isRight = at > box.x + 0.6 * box.w;
  write(ctx, theme, named, at + (isRight ? -12 : 12), box.y + theme.size, {
    ...{ align: isRight ? "right" : "left", weight: 700, colour: theme.accent, halo: true },
  });
  return `${named}; the first ${hand.proof.m} by size are kept`;
}

/** @type {(theme: Theme, w: number, h: number, hand: Hand) => Spectrum} */
function spectrumOf(theme, w, h, { sigma, ends: [low, high] }) {
  const box = plotBox(theme, w, h, { left: 4.2 });
  const x = scale(0.9, 1.12 * Math.max(sigma.length, 2), box.x, box.x + box.w, true);
  return { box, x, y: scale(low, high, box.y + box.h, box.y, true) };
}

/** Those that are kept are full; where one was before it is a ring. @type {(ctx: Ctx, theme: Theme, at: Spectrum, hand: Hand) => void} */
function drawDots(ctx, theme, { x, y }, { proof, sigma, term }) {
  const largest = new Set(bySize(sigma).slice(0, proof.m));
  sigma.forEach((value, k) => {
    const px = x(k + 1);
    const own = proof.sigma[k];
    if (value !== own) dot(ctx, px, y(own), 4, { line: theme.grey, width: 1 });
    const fill = largest.has(k) ? theme.ink : theme.paper;
    if (k !== term) dot(ctx, px, y(value), 5, { fill, line: theme.ink });
  });
  dot(ctx, x(term + 1), y(sigma[term]), 7, { fill: theme.accent, line: theme.paper });
}

/** Every value that has a place on the axis, of these rows and of those at rest. @type {(hand: Hand) => number[]} */
const drawable = ({ proof, rows, atRest }) =>
  [...rows, ...atRest]
    .flatMap(({ before, after }) => [before, after])
    .concat(proof.trivial)
    .filter(Boolean);

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Theorem) => string} */
export function drawLosses(ctx, theme, w, h, { hand }) {
  if (!hand) return "";
  const { rows, atRest, proof } = hand;
  const kinds = [...new Set(atRest.map(({ kind }) => kind))];
  const key = kinds.map((kind) => lineKey(proof.kinds[kind], colourOf(theme, kind), [], 6));
  const lines = headingRows(ctx, theme, "Where the bound is lost", w, key);
  const frame = frameOf(theme, w, h, lines, hand);
  drawGround(ctx, theme, frame, proof.trivial);
  const resting = new Map(atRest.map((row) => [row.words, row]));
  rows.forEach((row, i) => {
    const at = { ...frame, top: frame.box.y + i * frame.row };
    drawRow(ctx, theme, at, row, resting.get(row.words));
  });
  const [first, last] = [rows[0].before, rows[rows.length - 1].after];
  return `From the error ${fmt(first, 3)} to the bound ${fmt(last, 3)}: ${rows.map(rowText).join("; ")}`;
}

/** @type {(theme: Theme, w: number, h: number, lines: number, hand: Hand) => Frame} */
function frameOf(theme, w, h, lines, hand) {
  const values = drawable(hand);
  const whole = plotBox(theme, w, h, { left: 0.3, right: 0.3, top: 2.6 + 1.5 * lines });
  const row = Math.min(ROW * theme.size, whole.h / hand.atRest.length);
  const isLow = row < ROW * theme.size;
  const left = isLow ? NUMBER * theme.size : 0;
  const box = { ...whole, x: whole.x + left, w: whole.w - left };
  const room = Math.max(Math.max(...values) / Math.min(...values), 10) ** ROOM;
  const ends = [Math.min(...values) / room, Math.max(...values) * room];
  return { box, ends, row, isLow, x: scale(ends[0], ends[1], box.x, box.x + box.w, true) };
}

/** @type {(ctx: Ctx, theme: Theme, frame: Frame, trivial: number) => void} */
function drawGround(ctx, theme, { box, ends, x }, trivial) {
  const ticks = logTicks(ends[0], ends[1], box.w / (4 * theme.size));
  axisX(ctx, theme, box, x, ticks, "from the error to the bound on Σ_t |H_t − Ĥ_t|");
  vertical(ctx, box, x(trivial), theme.grey, 1, [2, 4]);
  write(ctx, theme, "τ/2", x(trivial) + 4, box.y + box.h - 4, { colour: theme.grey });
}

/** Its words, below them its bar over that at rest, and its factor on the side with more room. @type {(ctx: Ctx, theme: Theme, at: Frame & {top: number}, row: Row, rest: Row | undefined) => void} */
function drawRow(ctx, theme, { box, x, top, row: high, isLow }, row, rest) {
  const y = top + (isLow ? 0.5 : 0.72) * high;
  const ends = (/** @type {Row} */ { before, after }) => [before ? x(before) : box.x, x(after)];
  const across = (/** @type {number[]} */ pair) => pair.map((px) => [px, y]);
  if (rest) stroke(ctx, theme.line, BAR + 6, across(ends(rest)));
  const [from, to] = ends(row);
  stroke(ctx, colourOf(theme, row.kind), BAR, across([from, to]));
  polyline(ctx, colourOf(theme, row.kind), 3, [to, y - BAR], [to, y + BAR]);
  if (isLow) write(ctx, theme, numberOf(row), box.x - 8, y, { align: "right", baseline: "middle" });
  else write(ctx, theme, row.words, box.x, top + theme.size, { halo: true });
  /** @type {Style} */
  const bold = { weight: 700, halo: true, baseline: "middle" };
  const right = Math.max(from, to) + 8;
  const fits = right + measure(ctx, theme, timesText(row), bold) < box.x + box.w;
  const at = fits ? right : Math.min(from, to) - 8;
  write(ctx, theme, timesText(row), at, y, { ...bold, align: fits ? "left" : "right" });
}

/** Of its equation; "trained" of the run's. */
const numberOf = (/** @type {Row} */ { words, kind }) => words.match(/^\([^)]*\)/)?.[0] ?? kind;

/** @type {(row: Row) => string} */
function timesText({ before, after, mended }) {
  if (!before) return "from 0";
  const factor = after / before;
  return `×${fmt(factor, factor > FACTOR ? 3 : 2)}${mended ? " (×1)" : ""}`;
}

const rowText = (/** @type {Row} */ row) => `${row.words} ${timesText(row)}`;
