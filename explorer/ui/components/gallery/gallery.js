// Couplings worth opening, each as its map and its spectrum: a link that a press opens at once.

import { dot, fit, polyline, scale } from "../core/canvas.js";
import { element } from "../core/element.js";
import { diverging, heatmap } from "../core/heatmap.js";
import { unpackBytes } from "../core/messages.js";
import { mounted } from "../core/mount.js";
import { readTheme } from "../core/theme.js";

const MAP = 64; // pixels
const DEEPEST = 1e-3; // of σ_1, that is drawn
const DOT = 1.8;

/** The i-th matrix or row of several. @type {(packed: Packed, i: number) => Packed} */
function part({ shape, values }, i) {
  const [, ...rest] = shape;
  const size = rest.reduce((a, b) => a * b, 1);
  return { shape: rest, values: values.slice(i * size, (i + 1) * size) };
}

/** @typedef {{key: string, group: string, title: string, facts: string, lesson: string, href: string}} Entry */

/** @param {Entry} entry @param {string | null} here */
function cardOf({ key, title, facts, lesson, href }, here) {
  const canvas = element("canvas", { ariaHidden: "true" });
  const words = [element("strong", {}, title), element("small", {}, facts)];
  const card = element("a", { href, title: lesson, ariaLabel: title }, canvas, ...words);
  card.dataset.key = key;
  if (key === here) card.ariaCurrent = "true";
  return card;
}

/** σ_k over σ_1 on a log axis, right of the map. @type {(ctx: Ctx, theme: Theme, w: number, sigma: number[]) => void} */
function drawSpectrum(ctx, theme, w, sigma) {
  const x = scale(1, Math.max(sigma.length, 2), MAP + 14, w - 4);
  const y = scale(DEEPEST, 1, MAP - 4, 4, true);
  polyline(ctx, theme.line, 1, [MAP + 8, MAP - 0.5], [w, MAP - 0.5]);
  sigma.forEach((s, i) => {
    if (s < DEEPEST) return;
    polyline(ctx, theme.line, 1, [x(i + 1), MAP], [x(i + 1), y(s)]);
    dot(ctx, x(i + 1), y(s), DOT, { fill: theme.ink });
  });
}

class Gallery {
  /** @type {Message | null} */
  message = null;
  setTriggerValue = (/** @type {string} */ _name, /** @type {string} */ _key) => {};

  constructor(/** @type {HTMLElement} */ root) {
    this.root = root;
    this.list = /** @type {HTMLElement} */ (root.querySelector(".gallery"));
    this.list.addEventListener("click", (event) => this.press(event));
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.list);
  }

  // With a key held a link is the browser's: another tab. So is every link where nobody hears of a press.
  press(/** @type {MouseEvent} */ event) {
    const card = /** @type {HTMLElement} */ (event.target).closest("a");
    if (this.message?.header.follow) return;
    if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.setTriggerValue("chosen", card.dataset.key ?? "");
  }

  take(/** @type {Uint8Array} */ data) {
    this.message = unpackBytes(data);
    /** @type {{entries: Entry[], here: string | null}} */
    const { entries, here } = this.message.header;
    const groups = [...new Set(entries.map(({ group }) => group))];
    this.list.replaceChildren(
      ...groups.flatMap((group) => {
        const own = entries.filter((entry) => entry.group === group);
        const items = own.map((entry) => element("li", {}, cardOf(entry, here)));
        return [element("h3", {}, group), element("ul", {}, ...items)];
      }),
    );
    this.list.classList.toggle("few", Boolean(this.message.header.few));
    this.draw();
  }

  close() {
    this.sizes.disconnect();
  }

  draw() {
    if (!this.message) return;
    const theme = readTheme(this.root);
    const { rho, sigma } = this.message.arrays;
    this.list.querySelectorAll("canvas").forEach((canvas, i) => {
      const { ctx, w } = fit(canvas);
      const square = { x: 0, y: 0, side: MAP };
      heatmap(ctx, canvas, "rho", part(rho, i), diverging(theme, { limit: 1 }), square);
      ctx.strokeStyle = theme.line;
      ctx.strokeRect(0.5, 0.5, MAP - 1, MAP - 1);
      drawSpectrum(ctx, theme, w, [...part(sigma, i).values]);
    });
  }
}

export default mounted(Gallery);
