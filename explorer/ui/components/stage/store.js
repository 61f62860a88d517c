// What the deck's file holds: scenes and steps, and for each step what its component is given.

import { KeptRun, bytesOf, partElements } from "../file/kept.js";

/**
 * @typedef {object} Step
 * @property {string} words HTML of Python's making
 * @property {string[]} panels
 * @property {number[]} lit
 * @property {string | null} press what it presses, as a selector
 * @property {string[]} data parts of a frame, in order
 * @property {string[]} runs
 * @property {string | null} live of them the one that is trained again while it is shown
 * @property {string} badge
 * @property {string} address
 * @typedef {object} Scene
 * @property {string} title
 * @property {string} component
 * @property {string[]} formula MathML
 * @property {boolean} rows
 * @property {number} seconds
 * @property {string} notes
 * @property {string | null} whatIf HTML
 * @property {string} controls
 * @property {Step[]} steps
 * @typedef {{title: string, scenes: Scene[]}} Talk
 */

/** @returns {Talk} */
export const readTalk = () =>
  JSON.parse(document.querySelector("script[data-deck]")?.textContent ?? "null");

/** The pieces of the file, each unpacked once, when it is first wanted. */
export class Pieces {
  elements = partElements();
  /** @type {Map<string, Promise<ArrayBuffer>>} */
  unpacked = new Map();

  /** @param {string} name @returns {Promise<ArrayBuffer>} */
  piece(name) {
    const known = this.unpacked.get(name);
    if (known) return known;
    const element = this.elements.get(name);
    const bytes = element ? bytesOf(element) : Promise.resolve(new ArrayBuffer(0));
    this.unpacked.set(name, bytes);
    return bytes;
  }

  /** What a step's component is given; the runs in it can be followed from then on. */
  async frame(/** @type {Step} */ step) {
    const pieces = await Promise.all(step.data.map((name) => this.piece(name)));
    await Promise.all(step.runs.map((run) => this.run(run)));
    return new Uint8Array(await new Blob(pieces).arrayBuffer());
  }

  async run(/** @type {string} */ run) {
    const names = [...this.elements.keys()].filter((name) => name.startsWith(`${run} `));
    const bytes = await Promise.all(names.map((name) => this.piece(name)));
    names.forEach((name, i) => KeptRun.parts.set(name, bytes[i]));
  }
}
