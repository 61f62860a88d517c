// The rectangle of a panel inside its axes, these, its title and its key.

import { across, crisp, horizontal, polyline, scale, stroke } from "./canvas.js";
import { belowAxis, besideAxis, measure, write } from "./text.js";
import { logTicks } from "./ticks.js";

/** @typedef {{x: number, y: number, w: number, h: number}} Box in CSS pixels */
/** @typedef {{text: string, mark: (ctx: Ctx, x: number, y: number) => void}} KeyEntry */

/**
 * A panel of w × h without its margins, which are in text sizes: left for the labels of the y axis,
 * top for the title, bottom for those of the x axis.
 * @type {(theme: {size: number}, w: number, h: number, margins?: Partial<Record<"left" | "top" | "right" | "bottom", number>>) => Box}
 */
export function plotBox(theme, w, h, { left = 3.4, top = 2.6, right = 1.2, bottom = 3.3 } = {}) {
  const s = theme.size;
  return { x: left * s, y: top * s, w: w - (left + right) * s, h: h - (top + bottom) * s };
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, x: Scale, ticks: Tick[], title: string) => void} */
export function axisX(ctx, theme, box, x, ticks, title) {
  horizontal(ctx, box, box.y + box.h, theme.line);
  for (const { value, label } of ticks) {
    const at = crisp(x(value));
    const end = box.y + box.h;
    polyline(ctx, theme.line, 1, [at, end], [at, end + (label ? 6 : 3)]);
    if (label) write(ctx, theme, label, at, end + 8, belowAxis(theme));
  }
  /** @type {Style} */
  const style = { ...belowAxis(theme), align: "right", italic: title.length === 1 };
  write(ctx, theme, title, box.x + box.w, box.y + box.h + 12 + theme.size, style);
}

/** @type {(ctx: Ctx, theme: Theme, box: Box, y: Scale, ticks: Tick[]) => void} */
export function axisY(ctx, theme, box, y, ticks) {
  for (const { value, label } of ticks) {
    if (!label) continue;
    horizontal(ctx, box, y(value), theme.grid);
    write(ctx, theme, label, box.x - 8, crisp(y(value)), besideAxis(theme));
  }
}

/** A log axis from low to high, with room for a label in so many text sizes; its scale. @type {(ctx: Ctx, theme: Theme, box: Box, low: number, high: number, room?: number) => Scale} */
export function logAxisY(ctx, theme, box, low, high, room = 2.2) {
  const y = scale(low, high, box.y + box.h, box.y, true);
  axisY(ctx, theme, box, y, logTicks(low, high, box.h / (room * theme.size)));
  return y;
}

/** How the title of a panel is written. */
export const TITLE = { weight: 600, scale: 1.08 };

/** As much of a text as there is room for, up to a comma or a colon. @type {(ctx: Ctx, theme: Theme, text: string, room: number, style?: Style) => string} */
export function fitting(ctx, theme, text, room, style = {}) {
  const end = Math.max(text.lastIndexOf(", "), text.lastIndexOf(": "));
  if (end < 0 || measure(ctx, theme, text, style) <= room) return text;
  return fitting(ctx, theme, text.slice(0, end), room, style);
}

/**
 * Title at one baseline in every panel, the key beside it or, where there is no room, left out; whether there was room.
 * @type {(ctx: Ctx, theme: Theme, title: string, left: number, right: number, key?: KeyEntry[]) => boolean}
 */
export function heading(ctx, theme, title, left, right, key = []) {
  const baseline = 1.35 * theme.size;
  const shown = fitting(ctx, theme, title, right - left, TITLE);
  const used = write(ctx, theme, shown, left, baseline, TITLE);
  if (right - keyWidth(ctx, theme, key) < left + used + 16) return false;
  keyRow(ctx, theme, key, right, baseline);
  return true;
}

/**
 * A title with its key beside it or, where there is no room, in rows below it; how many those are.
 * @type {(ctx: Ctx, theme: Theme, title: any, right: number, key: KeyEntry[]) => number}
 */
export function headingRows(ctx, theme, title, right, key) {
  return heading(ctx, theme, title, 0, right, key) ? 0 : keyRows(ctx, theme, right, key);
}

/**
 * The key in rows below a title; how many those are.
 * @type {(ctx: Ctx, theme: Theme, right: number, key: KeyEntry[]) => number}
 */
export function keyRows(ctx, theme, right, key) {
  /** @type {KeyEntry[][]} */
  const rows = [];
  for (const entry of key) {
    const row = rows.at(-1);
    if (row && keyWidth(ctx, theme, [...row, entry]) <= right) row.push(entry);
    else rows.push([entry]);
  }
  rows.forEach((row, i) =>
    keyRow(ctx, theme, row, keyWidth(ctx, theme, row), (2.95 + 1.5 * i) * theme.size),
  );
  return rows.length;
}

/**
 * An entry of a key whose mark is a piece of line.
 * @type {(text: string, colour: string, dash?: number[], width?: number) => KeyEntry}
 */
export const lineKey = (text, colour, dash = [], width = 2) => ({
  text,
  mark: (ctx, x, y) => stroke(ctx, colour, width, across({ x: x - 10, w: 20 }, y), dash),
});

/** @type {(ctx: Ctx, theme: Theme, key: KeyEntry[]) => number} */
export const keyWidth = (ctx, theme, key) =>
  key.reduce((sum, k) => sum + 40 + measure(ctx, theme, k.text), -14);

/**
 * The key in one line that ends at the right.
 * @type {(ctx: Ctx, theme: Theme, key: KeyEntry[], right: number, baseline: number) => void}
 */
export function keyRow(ctx, theme, key, right, baseline) {
  let x = right - keyWidth(ctx, theme, key);
  for (const k of key) {
    k.mark(ctx, x + 9, baseline - 0.32 * theme.size);
    write(ctx, theme, k.text, x + 24, baseline, { colour: theme.grey });
    x += 40 + measure(ctx, theme, k.text);
  }
}

/**
 * The key under each other, upwards from the lower left corner of the axes: where its line is full.
 * @type {(ctx: Ctx, theme: Theme, box: Box, key: KeyEntry[]) => void}
 */
export function keyInside(ctx, theme, box, key) {
  [...key].reverse().forEach((k, i) => {
    const y = box.y + box.h - (0.8 + 1.45 * i) * theme.size;
    k.mark(ctx, box.x + 14, y - 0.32 * theme.size);
    write(ctx, theme, k.text, box.x + 29, y, { colour: theme.grey, halo: true });
  });
}
