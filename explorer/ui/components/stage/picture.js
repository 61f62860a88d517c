// The picture of a step: the page's own component in a shadow root, with the panels of the step alone.

import { still } from "../core/canvas.js";
import { element } from "../core/element.js";
import { gridsDiffer } from "../core/grids.js";
import { KeptRun, mountHere, runIn } from "../file/kept.js";
import { GLIDE, glideOf } from "./glide.js";
import { LiveRun } from "./live.js";

export const FADE = 180; // milliseconds in which a picture makes place for the next
const WORDS_FIRST = 50; // until it does, where it glides: the words have a frame without its work
const GROWTH = 2500; // in which one is uncovered from left to right
const HEAD = 15; // per cent of it from above, which are its heading

/** Width by height at which a panel is best seen; the others at USUAL. @type {Record<string, number>} */
const ASPECTS = {
  ...{ plane: 1.35, matrix: 0.65, graph: 3, heads: 1, maps: 1.15, coupling: 0.9, figure: 1.6 },
  ...{ query: 1, key: 1, product: 1, weights: 1, answer: 1, singular: 0.72 },
  ...{ spectrum: 1.5, functions: 3.4, error: 1.8, tokens: 3, filter: 3, errors: 2, layers: 2 },
  ...{ kernels: 3, states: 3, channels: 3 },
};
const USUAL = 1.4;
/** The same in a row of its own, of squares: their share beside another is no measure. @type {Record<string, number>} */
const BY_ITSELF = { plane: 1.2, matrix: 1.2 };
const UPRIGHT = 0.9; // what is narrower beside another needs no more height than this below it
const aspectOf = (/** @type {string} */ panel) => ASPECTS[panel] ?? USUAL;

/** @import { Shown } from "./card.js" */
/** @import { Scene, Step } from "./store.js" */

/** What a component gets that opens a WebSocket. @param {string | null} live the run that trains */
const socketOf = (live) =>
  function (/** @type {URL} */ url) {
    return runIn(url) === live ? new LiveRun(url) : new KeptRun(url);
  };

/** What is uncovered of a panel up to a place across, in per cent. */
const uncovered = (/** @type {number} */ x) =>
  `polygon(0 0, 100% 0, 100% ${HEAD}%, ${x}% ${HEAD}%, ${x}% 100%, 0 100%)`;

/** @param {string} name */
const markupOf = (name) =>
  /** @type {HTMLTemplateElement} */ (document.querySelector(`template[data-component="${name}"]`));

/** What every shadow root of the deck has. */
export const insideStyle = () =>
  element("style", {}, document.querySelector("[data-inside]")?.textContent ?? "");

/**
 * Leaves of a component what a step shows: the controls in a line, and the panels.
 * @param {ShadowRoot} root
 * @param {string[]} panels
 * @param {string} controls
 */
function arrange(root, panels, controls) {
  const line = element("div", { className: "controls" });
  if (controls) line.append(...root.querySelectorAll(controls));
  /** @type {Set<Element>} */
  const shown = new Set([line]);
  for (const canvas of root.querySelectorAll("canvas")) {
    const at = panels.indexOf(canvas.dataset.panel ?? "");
    if (at < 0) continue;
    canvas.classList.add("on");
    shown.add(canvas);
  }
  for (const element of root.querySelectorAll("*")) {
    const around = [...shown].some((each) => element.contains(each));
    if (!shown.has(element)) element.classList.add(around ? "through" : "off");
  }
  root.append(line);
}

// Tenfold: of fractions whose sum is below one a part stays empty.
const shares = (/** @type {number[]} */ parts) =>
  parts.map((each) => `minmax(0, ${10 * each}fr)`).join(" ");

const sumOfAll = (/** @type {number[]} */ parts) => parts.reduce((all, each) => all + each, 0);

/** By the width, of each row of panels. @type {(lines: string[][]) => number[]} */
const heightsOf = (lines) => lines.map((line) => 1 / Math.max(acrossOf(line), UPRIGHT));

const acrossOf = (/** @type {string[]} */ line) =>
  line.length > 1 ? sumOfAll(line.map(aspectOf)) : (BY_ITSELF[line[0]] ?? aspectOf(line[0]));

/**
 * The panels of a step in the room: below each other, side by side, or the last below the others, as each is seen larger.
 * @param {HTMLElement} host
 * @param {string[]} panels
 * @param {boolean} rows below each other in any case
 * @returns {Record<string, string>} the grid area of each
 */
function share(host, panels, rows) {
  const room = host.clientWidth / (host.clientHeight || 1);
  const column = panels.map((panel) => [panel]);
  const over = panels.length > 1 ? [[panels.slice(0, -1), panels.slice(-1)]] : [];
  const off = (/** @type {string[][]} */ lines) => ratio(1 / sumOfAll(heightsOf(lines)), room);
  const [lines] = (rows ? [column] : [column, [panels], ...over]).sort((a, b) => off(a) - off(b));
  host.style.gridTemplateColumns = shares(lines[0].map(aspectOf));
  host.style.gridTemplateRows = `auto ${shares(heightsOf(lines))}`;
  const across = (/** @type {string[]} */ line, /** @type {number} */ i) =>
    line.length > 1 ? i + 1 : "1 / auto / -1";
  const areas = lines.flatMap((line, y) =>
    line.map((panel, i) => [panel, `${y + 2} / ${across(line, i)}`]),
  );
  return Object.fromEntries(areas);
}

/** How many times one is the other. @type {(a: number, b: number) => number} */
const ratio = (a, b) => Math.max(a / b, b / a);

/** One step, drawn behind what is shown; on the screen from `show` on until the next comes. */
export class Picture {
  gliding = 0;

  /**
   * @param {Element} place
   * @param {Scene} scene
   * @param {Step} step
   * @param {Uint8Array} data
   * @param {() => void} onChange what the reader does to it
   */
  constructor(place, scene, step, data, onChange) {
    this.place = place;
    this.host = element("div", { inert: true });
    this.root = this.host.attachShadow({ mode: "open" });
    this.root.append(markupOf(scene.component ?? "").content.cloneNode(true), insideStyle());
    arrange(this.root, step.panels, step.controls);
    place.prepend(this.host);
    this.panels = step.panels;
    this.scene = scene;
    this.live = step.live;
    this.grows = step.grows;
    this.data = data;
    this.onChange = onChange;
    this.draw();
    this.pressed = step.press && this.root.querySelector(step.press);
    /** @type {HTMLElement | null} */ (this.pressed)?.click();
    this.host.addEventListener("pointerdown", () => this.settle(), { capture: true });
  }

  draw() {
    const areas = share(this.host, this.panels, this.scene.rows);
    for (const canvas of this.canvases()) canvas.style.gridArea = areas[canvas.dataset.panel ?? ""];
    this.rest();
  }

  /** As the step has it. */
  rest() {
    cancelAnimationFrame(this.gliding);
    this.gliding = 0;
    this.give(this.data.slice());
    this.probe.come(null);
  }

  /** @param {Uint8Array} data of the component */
  give(data) {
    // @ts-expect-error they have of a WebSocket what a picture asks for
    window.WebSocket = socketOf(this.live);
    this.close = mountHere(this.scene.component ?? "", data, this.root, this.onChange);
  }

  /** Another one in its place, at once. @param {Uint8Array} data @param {string | null} live */
  replace(data, live) {
    this.data = data;
    this.live = live;
    this.draw();
  }

  /** Above all others, and under the hand. */
  show() {
    this.place.append(this.host);
    this.host.inert = false;
    Object.assign(window, { [`__explorer${this.probe.name}`]: this.probe });
  }

  /** Of its canvases: see core/canvas-view.js. */
  get probe() {
    return /** @type {any} */ (this.root).probe;
  }

  /** The next one stands above it: it goes once that has come. */
  leave() {
    setTimeout(() => this.remove(), WORDS_FIRST + FADE);
  }

  /** @param {Shown} before what stood in its place */
  enter(before) {
    if (still()) return;
    const growing = this.canvases().find(({ dataset }) => dataset.panel === this.grows);
    growing?.animate([{ clipPath: uncovered(HEAD) }, { clipPath: uncovered(100) }], GROWTH);
    const glides =
      before instanceof Picture && before.scene === this.scene && !this.pressed && !this.live;
    const timing = {
      delay: glides ? WORDS_FIRST : 0,
      duration: FADE,
      easing: "ease-out",
      fill: /** @type {const} */ ("backwards"),
    };
    this.host.animate([{ opacity: 0 }, { opacity: 1 }], timing);
    if (!glides) return;
    const from = before.probe.grids();
    const glide = () => this.glide(glideOf(before.data, this.data), from);
    this.gliding = requestAnimationFrame(() => (this.gliding = requestAnimationFrame(glide)));
  }

  /** @param {ReturnType<typeof glideOf>} between @param {import("../core/grids.js").Grids} from */
  glide(between, from) {
    this.gliding = 0;
    if (!between && !gridsDiffer(from, this.probe.grids())) return;
    this.probe.come({ from, t: 0 });
    const began = performance.now();
    const frame = (/** @type {number} */ now) => {
      const t = (now - began) / GLIDE;
      if (t >= 1) return this.rest();
      const eased = Math.max(0, 1 - (1 - t) ** 3);
      if (between) this.give(between(eased));
      this.probe.come({ from, t: eased });
      this.gliding = requestAnimationFrame(frame);
    };
    this.gliding = requestAnimationFrame(frame);
  }

  /** What glides is where it ends. */
  settle() {
    if (this.gliding) this.rest();
  }

  remove() {
    cancelAnimationFrame(this.gliding);
    this.host.remove();
    this.close?.(); // of what is in the page no more
  }

  canvases() {
    return /** @type {HTMLCanvasElement[]} */ ([...this.root.querySelectorAll("canvas.on")]);
  }
}
