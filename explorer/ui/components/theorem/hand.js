// The σ_k under the hand below Theorem 4.1: which one, how large it is now, and the steps of the proof by that.
// Nothing of it is the design: as designed it is again by a press, and with every other drawing.

import { clamp, fmt } from "../core/numbers.js";
import { levelsAt, meansOf, rowsOf } from "./proof.js";

/** @import { ProofDrawing } from "../payloads.js" */
/** @import { Spectrum } from "./losses.js" */
/** @import { Row, Sequences } from "./proof.js" */

const DOWN = 1e-3; // of the least σ_k, to which one can be dragged
const UP = 10; // of the largest

export class Hand {
  /** Where the axes are, once they were drawn. @type {Spectrum | null} */
  spectrum = null;
  /** Which σ_k is held, from 0. */
  term = 0;

  /** @param {ProofDrawing} proof @param {Sequences} sequences */
  constructor(proof, sequences) {
    this.proof = proof;
    this.sequences = sequences;
    this.own = meansOf(sequences, proof.sigma, proof.m);
    this.ends = [DOWN * Math.min(...proof.sigma), UP * Math.max(...proof.sigma)];
    this.sigma = [...proof.sigma];
    /** @type {Row[]} */
    this.atRest = this.rowsAt(this.sigma, trainedRow(proof));
    this.rows = this.atRest;
  }

  get moved() {
    return this.sigma.some((value, k) => value !== this.proof.sigma[k]);
  }

  /** @type {(sigma: number[], before?: Row[]) => Row[]} */
  rowsAt(sigma, before = []) {
    return [
      ...before,
      ...rowsOf(this.proof, levelsAt(this.proof, this.sequences, sigma, this.own)),
    ];
  }

  choose(/** @type {number} */ k) {
    this.term = clamp(Math.round(k), 0, this.sigma.length - 1);
  }

  move(/** @type {number} */ value) {
    this.sigma[this.term] = clamp(value, this.ends[0], this.ends[1]);
    this.rows = this.moved ? this.rowsAt(this.sigma) : this.atRest;
  }

  reset() {
    this.sigma = [...this.proof.sigma];
    this.rows = this.atRest;
  }

  text() {
    const { term, sigma, proof } = this;
    const own =
      sigma[term] === proof.sigma[term] ? "" : `, ${fmt(proof.sigma[term], 3)} as designed`;
    return `k = ${term + 1}: σ = ${fmt(sigma[term], 3)}${own}`;
  }
}

/** Of the best trained run, which is of the design alone. @type {(proof: ProofDrawing) => Row[]} */
function trainedRow({ trained, levels: [truncation] }) {
  if (!trained || !truncation) return [];
  const { words, error } = trained;
  return [{ words, kind: "trained", mended: false, before: error, after: truncation }];
}
