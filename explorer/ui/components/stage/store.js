// What the deck's file holds: scenes and steps, and for each step what its component is given.

import { KeptRun, bytesOf, partElements } from "../file/kept.js";

/**
 * @typedef {object} Pictured
 * @property {string[]} data parts of a frame, in order
 * @property {string[]} runs
 * @property {string} badge
 * @property {string} address
 * @typedef {object} StepAlone
 * @property {string} id of what its picture shows
 * @property {string} words HTML of Python's making
 * @property {string[]} panels
 * @property {string | null} whatIf what may be tried, as HTML
 * @property {string} controls that it needs, as a selector
 * @property {number[]} lit
 * @property {string | null} press what it presses, as a selector
 * @property {string | null} grows the panel that is uncovered from left to right
 * @property {string} notes of the speaker, who alone has them
 * @property {string | null} live of its runs the one that is trained again while it is shown
 * @typedef {Pictured & StepAlone} Step
 * @typedef {object} Scene
 * @property {string} id of what its picture shows
 * @property {string} title
 * @property {"page" | "title" | "text" | "end"} kind
 * @property {string | null} component null where it is words alone
 * @property {string[]} formula MathML
 * @property {string[]} opens for its parts the page of the same server that a press shows, or ""
 * @property {boolean} rows
 * @property {number} seconds
 * @property {string | null} letter MathML of what a slider turns
 * @property {(Pictured & {name: string})[]} ready what it turns to
 * @property {{address: string, image: string} | null} code its address on the web
 * @property {string} image the source of a small picture, or ""
 * @property {Step[]} steps
 * @typedef {{title: string, scenes: Scene[]}} Talk
 */

/** What a script element of the file holds. @param {string} name @returns {any} */
const held = (name) =>
  JSON.parse(document.querySelector(`script[data-${name}]`)?.textContent ?? "null");

/** @returns {Talk} */
export function readTalk() {
  /** @type {[Talk, string[][]]} */
  const [talk, notes] = [held("deck"), held("notes") ?? []];
  talk?.scenes.forEach(({ steps }, /** @type {number} */ i) =>
    steps.forEach((step, j) => (step.notes = notes[i]?.[j] ?? "")),
  );
  return talk;
}

/** In one; a Blob would take them through another process, and a step would wait. */
function joined(/** @type {ArrayBuffer[]} */ pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(new Uint8Array(piece), end);
    end += piece.byteLength;
  }
  return bytes;
}

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
  async frame(/** @type {Pictured} */ step) {
    const pieces = await Promise.all(step.data.map((name) => this.piece(name)));
    await Promise.all(step.runs.map((run) => this.run(run)));
    return joined(pieces);
  }

  async run(/** @type {string} */ run) {
    const names = [...this.elements.keys()].filter((name) => name.startsWith(`${run} `));
    const bytes = await Promise.all(names.map((name) => this.piece(name)));
    names.forEach((name, i) => KeptRun.parts.set(name, bytes[i]));
  }
}
