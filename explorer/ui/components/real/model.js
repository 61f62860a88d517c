// What is known of a model's couplings, and what is read off it at a head and at k. Nothing here draws.

import { fmt } from "../core/numbers.js";

/** @import { RealCut, RealDrawing, RealWords } from "../payloads.js" */
/** @typedef {"raw" | "centred"} Gauge */
/** @typedef {[number, number] | null} One layer and head, from 0; null: all heads */
/** @typedef {{centred: boolean, one: One, k: number, words: boolean}} Look */
/** @typedef {{low: number[], middle: number[], high: number[], weights: number[]}} Spectrum of σ_k / σ_1 */
/** @typedef {{rank: number, spread: number, weights: number}} Ranks that hold 99 % */
/** @typedef {{text: string, other: boolean}} Token `other`: the whole model would have written another text by here */
/** @typedef {{prompt: string, tokens: Token[]}} Written after a text */

const NOTHING = { raw: [], centred: [] };
/** Before Python has said anything. @type {RealDrawing} */
const EMPTY = {
  ...{ model: "", title: "", inputs: "", answer: "", own: 0, steps: 50 },
  ...{ layers: 0, heads: 0, width: 1 },
  look: { centred: false, one: null, k: 1, words: false },
  cuts: NOTHING,
  words: null,
};

/** A drawing of pages/real/view_drawing.py. */
export class Couplings {
  /** @param {RealDrawing} header @param {Record<string, Packed>} arrays */
  constructor(header = EMPTY, arrays = {}) {
    this.header = header;
    this.arrays = arrays;
  }

  /** The row of a head in the arrays. @param {One} one */
  row(one) {
    return one ? 1 + one[0] * this.header.heads + one[1] : 0;
  }

  /** @param {Look} choice @returns {Spectrum} */
  spectrum({ centred, one }) {
    const { width } = this.header;
    const row = this.row(one);
    const each = (/** @type {string} */ name, /** @type {number} */ at) =>
      this.sigma(name, at * width, width);
    const [low, middle, high] = [0, 1, 2].map((i) => each(gaugeOf(centred), 3 * row + i));
    return { low, middle, high, weights: each("weights", row) };
  }

  /** Numbers that were kept in a byte each. @param {string} name @param {number} from @param {number} count */
  sigma(name, from, count) {
    const { buffer, byteOffset } = this.arrays[name].values;
    const codes = new Uint8Array(buffer, byteOffset + from, count);
    return Array.from(codes, (code) => 10 ** (-code / this.header.steps));
  }

  /** @param {boolean} centred @param {One} one @returns {Ranks} */
  ranks(centred, one) {
    const row = this.row(one);
    const at = (/** @type {string} */ name) => this.arrays[name].values[row];
    const gauge = gaugeOf(centred);
    return {
      rank: at(`${gauge}_rank`),
      spread: at(`${gauge}_spread`),
      weights: at("weights_rank"),
    };
  }

  /** Answers against k. @param {boolean} centred @returns {RealCut[]} */
  cuts(centred) {
    return this.header.cuts[gaugeOf(centred)];
  }

  /** What the model writes with k terms after each text; nothing where that is not known. @param {Pick<Look, "centred" | "k">} choice @returns {Written[]} */
  written({ centred, k }) {
    const { words } = this.header;
    return words ? writtenWith(words, gaugeOf(centred), words.k.indexOf(k)) : [];
  }

  /** The k at which answers were measured. */
  get measured() {
    return this.header.cuts.raw.map(([k]) => k);
  }

  /** The one of them that is nearest to k on a log axis. @param {number} k */
  nearest(k) {
    const far = (/** @type {number} */ at) => Math.abs(Math.log(at / Math.max(k, 0.5)));
    return this.measured.reduce((a, b) => (far(b) < far(a) ? b : a), this.measured[0] ?? 1);
  }

  /** The median answer at a measured k. @param {boolean} centred @param {number} k */
  answer(centred, k) {
    return this.cuts(centred).find(([at]) => at === k)?.[2] ?? NaN;
  }
}

/** @type {(centred: boolean) => Gauge} */
export const gaugeOf = (centred) => (centred ? "centred" : "raw");

/** @type {(one: Look["one"]) => string} */
export const nameOf = (one) => (one ? `Layer ${one[0] + 1}, head ${one[1] + 1}` : "All heads");

/** What one head holds, or all. @type {(couplings: Couplings, choice: Pick<Look, "centred" | "one">) => string} */
export function headSentence(couplings, { centred, one }) {
  const { rank, spread, weights } = couplings.ranks(centred, one);
  const { width, inputs } = couplings.header;
  const name = nameOf(one);
  const apart = one ? "over the inputs" : "over the heads";
  const gauge = centred ? ", centred," : "";
  const [plus, why] = Number.isNaN(spread) ? ["", ""] : [` ± ${fmt(spread)}`, ` (± ${apart})`];
  return `${name}: ${fmt(rank)}${plus} of ${width} terms${gauge} hold 99 % on ${inputs}${why}; the weights alone need ${fmt(weights)}`;
}

/** What the model answers with k terms of every head. @type {(couplings: Couplings, choice: Look) => string} */
export function answerSentence(couplings, { centred, k }) {
  const { answer, own } = couplings.header;
  const whole = own > 0 ? `, its own ${fmt(own, 3)}` : "";
  return `${answer} with ${k} term${k === 1 ? "" : "s"}: ${fmt(couplings.answer(centred, k), own > 0 ? 3 : 2)}${whole}`;
}

/** What is written with the k at a place among those that were tried. @type {(words: RealWords, gauge: Gauge, at: number) => Written[]} */
export function writtenWith({ prompts, k, ...words }, gauge, at) {
  const [own, texts] = [k.length - 1, at].map((which) => words[gauge][which]);
  return prompts.map((prompt, i) => ({ prompt, tokens: apart(own[i], texts[i]) }));
}

/** All that is ever written, in both gauges, with its k. @type {(words: RealWords) => {k: number, rows: Written[]}[]} */
export function allWritten(words) {
  const gauges = /** @type {Gauge[]} */ (["raw", "centred"]);
  return gauges.flatMap((gauge) =>
    words.k.map((k, at) => ({ k, rows: writtenWith(words, gauge, at) })),
  );
}

/** Tokens from the first that is not the model's own on are others. @type {(own: string[], texts: string[]) => Token[]} */
export function apart(own, texts) {
  const first = texts.findIndex((text, at) => text !== own[at]);
  return texts.map((text, at) => ({ text, other: first >= 0 && at >= first }));
}

/** How many of all tokens are the model's own. */
export function ownTokens(/** @type {Written[]} */ rows) {
  const tokens = rows.flatMap((row) => row.tokens);
  return { same: tokens.filter(({ other }) => !other).length, all: tokens.length };
}

/** The same as a sentence. @type {(rows: Written[], k: number) => string} */
export function wordsSentence(rows, k) {
  const { same, all } = ownTokens(rows);
  const count = same === all ? `all ${same}` : `${same} of ${all}`;
  return `k = ${k}: ${count} tokens are the model's own`;
}

/** The same, with what is written. @type {(rows: Written[], k: number) => string} */
export function wordsTold(rows, k) {
  const texts = rows.map(({ prompt, tokens }) => [prompt, ...tokens.map(({ text }) => text)]);
  return [wordsSentence(rows, k), ...texts.map((each) => each.join(""))].join(". ");
}

/** What a line may not be broken in: a token with those after it that begin without a space. @type {(tokens: Token[]) => Token[][]} */
export function inPieces(tokens) {
  /** @type {Token[][]} */
  const pieces = [];
  const parts = tokens.flatMap(({ text, other }) =>
    (text.match(/\n|\s?[^\s]+|\s/g) ?? []).map((part) => ({
      text: part.replace("\n", "↵"),
      other,
    })),
  );
  for (const part of parts) {
    const begins = /^[\s↵]/.test(part.text) || pieces.at(-1)?.at(-1)?.text === "↵";
    if (begins || !pieces.length) pieces.push([part]);
    else pieces.at(-1)?.push(part);
  }
  return pieces;
}

/** The line of each piece, from 0, where lines have a width. @type {(lengths: number[], width: number) => number[]} */
export function lineOfEach(lengths, width) {
  let [line, used] = [0, 0];
  return lengths.map((length) => {
    if (used && used + length > width) [line, used] = [line + 1, 0];
    used += length;
    return line;
  });
}

/** Pieces in their lines, none of which begins with a space; neighbours of one kind are one text. @type {(pieces: Token[][], lines: number[]) => Token[][]} */
export function flowed(pieces, lines) {
  /** @type {Token[][]} */
  const rows = [];
  pieces.forEach((piece, at) => {
    rows[lines[at]] ??= [];
    for (const token of piece) joined(rows[lines[at]], token);
  });
  return rows;
}

/** @type {(line: Token[], token: Token) => void} */
function joined(line, { text, other }) {
  const last = line.at(-1);
  if (last && last.other === other) line[line.length - 1] = { text: last.text + text, other };
  else line.push({ text: last ? text : text.trimStart(), other });
}
