// Colours and sizes, read from the page's theme at every draw.

export const SMALLEST = 12; // pixels: subscripts stay readable too

/** @typedef {ReturnType<typeof readTheme>} Theme */

export function rgb(/** @type {string} */ colour) {
  const hex = /^#([0-9a-f]{6})/i.exec(colour.trim());
  if (hex) return [0, 2, 4].map((i) => parseInt(hex[1].slice(i, i + 2), 16));
  return (colour.match(/[\d.]+/g) || [128, 128, 128]).slice(0, 3).map(Number);
}

export const css = (/** @type {number[]} */ c) => `rgb(${c.map(Math.round).join(" ")})`;
/** @type {(a: number[], b: number[], t: number) => number[]} */
export const blend = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);

/**
 * Streamlit hands the theme of .streamlit/config.toml down as CSS variables.
 * @param {any} root of a component's markup: a shadow root, or the element itself
 */
export function readTheme(root) {
  const element = root.host ?? root;
  const style = getComputedStyle(element);
  const read = (/** @type {string} */ name) => style.getPropertyValue("--st-" + name).trim();
  const growth = Math.max(1, Math.min(2, element.clientWidth / 1150));
  const usual = (parseFloat(read("base-font-size")) || 16) * 0.8125 * growth;
  const size = parseFloat(read("text-size")) || usual; // the stage says how large it writes
  return {
    ...themeColours(read),
    unit: parseFloat(read("unit")) || 1, // and draws as large as the screen is
    size: Math.max(SMALLEST, size),
    font: read("font") || "sans-serif",
  };
}

function themeColours(/** @type {(name: string) => string} */ read) {
  const colours = (/** @type {string} */ name) =>
    read(name)
      .split(/,(?![^(]*\))/)
      .map(rgb);
  const ink = rgb(read("text-color"));
  const paper = rgb(read("background-color"));
  const accent = rgb(read("primary-color"));
  const categories = colours("chart-categorical-colors").map(css);
  const stops = colours("chart-diverging-colors");
  return {
    ink: css(ink),
    paper: css(paper),
    accent: css(accent),
    second: categories[1], // a compared run
    pale: css(blend(accent, paper, 0.4)),
    grey: css(blend(ink, paper, 0.38)),
    line: css(blend(ink, paper, 0.72)),
    grid: css(blend(ink, paper, 0.89)),
    categories,
    sequential: colours("chart-sequential-colors"),
    diverging: [...stops.slice(0, stops.length / 2), paper, ...stops.slice(stops.length / 2)], // zero is the paper
  };
}

// 256 colours as one Uint32 each, in the byte order of ImageData.
export function lookup(/** @type {number[][]} */ stops) {
  const table = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(Math.floor(at), stops.length - 2);
    table.set([...blend(stops[k], stops[k + 1], at - k), 255], 4 * i);
  }
  return new Uint32Array(table.buffer);
}
