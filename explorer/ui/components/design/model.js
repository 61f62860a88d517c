// What is designed: σ_k by a law or one by one, what the law of a list would be, and the states of the page.
// Nothing here draws.

import { differing } from "../core/exchange.js";
import { clamp, fmt, leastSquares, round } from "../core/numbers.js";
import { FREE_LIST, LAWS, PARAMETERS, TERMS, lawOf } from "./laws.js";

/** @import { Change } from "../core/exchange.js" */
/** @import { DesignDrawing } from "../payloads.js" */
/** @import { Design } from "./design.js" */
/** @import { Parameter } from "./laws.js" */
/** @typedef {Pick<DesignDrawing, "spectrum" | "list" | Parameter | "c" | "rank" | "m">} Fields that are designed */
/**
 * The spectrum as it is drawn: its fields, the σ_k, their `family`, the rank of a given coupling in words,
 * and the `order` in which they stand.
 * @typedef {Fields & Pick<DesignDrawing, "sigma" | "family" | "whole"> & {order: number[]}} Spectrum
 */
/**
 * Every choice: of the design, of its pictures, and `rest` and `shown`, what else makes the design and
 * is chosen on the page. A list of σ_k is kept digit by digit; a law is its numbers alone.
 * @typedef {Fields & Pick<DesignDrawing, "error" | "k" | "map" | "rest" | "shown"> & {at: Spot, tolerance: number | null}} State
 * @typedef {{u: number, v: number}} Spot of the pictures
 * @typedef {Pick<Spectrum, "family" | "c" | Parameter>} ByLaw what gives σ_k
 * @typedef {[number, number]} Pair
 */

const ENDLESS = "infinitely many";
const FIT_FROM = 4; // the leading σ_k rarely follow the law of the others
/** @type {(keyof Fields)[]} */
const OF_SIGMA = ["spectrum", "list", ...PARAMETERS, "c", "rank"];
/** @type {(keyof Fields)[]} */
const DESIGN = [...OF_SIGMA, "m"];
export const LOOKS = ["tolerance", "error", "k", "at", "map"];

/** What is designed of a drawing or of a state. @type {(from: Fields) => Fields} */
export const fieldsOf = (from) =>
  /** @type {Fields} */ (Object.fromEntries(DESIGN.map((name) => [name, from[name]])));

/** @type {(design: ByLaw, count: number) => number[]} */
export function sigmaOf(design, count) {
  const law = lawOf(design.family);
  const sigma = law.sigma(design.c, design[law.parameter]);
  return Array.from({ length: count }, (_, i) => sigma(i + 1));
}

// The terms from the largest σ_k down, the earlier ones first where they tie.
export const orderOf = (/** @type {number[]} */ sigma) =>
  [...sigma.keys()].sort((a, b) => sigma[b] - sigma[a] || a - b);

/** From which m on nothing is left: all σ_k that are not 0; null for a law without end. @type {(design: Pick<Spectrum, "family" | "rank" | "sigma">) => number | null} */
export const exactOf = ({ family, rank, sigma }) =>
  family !== FREE_LIST && rank === null ? null : sigma.filter((s) => s > 0).length;

/** The first m of them are kept. @type {(sigma: number[], m: number) => boolean[]} */
export function keptOf(sigma, m) {
  const isKept = new Array(sigma.length).fill(false);
  for (const i of orderOf(sigma).slice(0, m)) isKept[i] = true;
  return isKept;
}

/** @type {(sigma: number[], chosen: (i: number) => boolean) => number} */
const energy = (sigma, chosen) => sigma.reduce((sum, s, i) => (chosen(i) ? sum + s * s : sum), 0);

/** @type {(sigma: number[], isKept: boolean[], beyond: number) => {tail: number, share: number}} */
export function leftOut(sigma, isKept, beyond) {
  const tail = beyond + energy(sigma, (i) => !isKept[i]);
  const all = beyond + energy(sigma, () => true);
  return { tail, share: all > 0 ? tail / all : 0 };
}

// The σ_k above the tolerance; and all that are not 0, where that is another number: of a given coupling in words, as `whole`.
/** @type {(design: Pick<Spectrum, "sigma" | "family" | "rank" | "whole">, tolerance: number) => string} */
export function rankText({ sigma, family, rank, whole }, tolerance) {
  const above = sigma.filter((s) => s > tolerance).length;
  /** @type {Record<string, string | number>} */
  const count = { given: whole, [FREE_LIST]: sigma.filter((s) => s > 0).length };
  const terms = family in count ? count[family] : rank;
  const all = String(terms ?? ENDLESS).replace("∞", ENDLESS);
  if (all === ENDLESS && above === TERMS) return "infinite";
  if (String(above) === all) return all;
  const more = all === "unknown" && above === TERMS ? " or more" : "";
  return `${above}${more} above ${fmt(tolerance).replace("1.0·", "")} (${all} in all)`;
}

// ---- the decay line over the places of the terms: the law itself, or a fit to σ_k above the tolerance, a power law unless another leaves less than half its squares

/** @type {(sigma: number[], tolerance: number, skip?: number) => Omit<Line, "grab"> | null} */
export function fitLaw(sigma, tolerance, skip = -1) {
  const all = [...sigma.entries()]
    .filter(([i, s]) => s > tolerance && i !== skip)
    .map(([i, s]) => /** @type {Pair} */ ([i + 1, Math.log(s)]));
  const later = all.filter(([k]) => k >= FIT_FROM);
  const points = later.length > 3 ? later : all;
  if (points.length < 3) return null;
  const fits = Object.keys(LAWS).map((kind) => fitOf(kind, points));
  const straightest = fits.reduce((best, fit) => (fit.rest < best.rest ? fit : best));
  const { rest, ...line } = straightest.rest < 0.5 * fits[0].rest ? straightest : fits[0];
  return { ...line, sure: later.length > 7 };
}

/** @type {(kind: string, points: Pair[]) => Omit<Line, "grab"> & {rest: number}} */
function fitOf(kind, points) {
  const { x, value } = LAWS[kind];
  const { slope, start, rest } = leastSquares(points.map(([k, y]) => [x(k), y]));
  return { kind, value: value(slope), at: (k) => Math.exp(start + slope * x(k)), rest };
}

/**
 * What the decay line is; null where nothing can be said.
 * @typedef {object} Line
 * @property {string} kind
 * @property {number} value of the law's parameter
 * @property {(k: number) => number} at
 * @property {boolean} [law] itself, no fit
 * @property {boolean} [sure] a fit to enough values
 * @property {boolean} grab it can be turned
 * @property {boolean} [apart] φ and ψ differ
 */
/** @type {(design: ByLaw & {sigma: number[], order?: number[]}, tolerance: number, skip?: number) => Line | null} */
export function lineOf({ family, c, sigma, order, ...design }, tolerance, skip) {
  if (family !== FREE_LIST && family !== "given") {
    const law = lawOf(family);
    const value = design[law.parameter];
    return { kind: family, value, at: law.sigma(c, value), law: true, grab: true };
  }
  const placed = order ? order.map((i) => sigma[i]) : sigma;
  const fit = fitLaw(placed, tolerance, skip);
  return fit && { ...fit, grab: family === FREE_LIST };
}

/** C₁ = max_k σ_k k^α of Eq. 12, at the α of a power law: how complex the target is. @type {(sigma: number[], line: Line | null) => string} */
export function complexityText(sigma, line) {
  if (line?.kind !== "power" || !(line.law || line.sure)) return "not known";
  return fmt(Math.max(...orderOf(sigma).map((k, i) => sigma[k] * (i + 1) ** line.value)), 3);
}

// The parameter of the law through σ at place k > 1.
/** @type {(law: Pick<ByLaw, "family" | "c">, k: number, sigma: number, limits: DesignDrawing["limits"]) => Partial<Record<Parameter, number>>} */
export function lawThrough({ family, c }, k, sigma, limits) {
  const { parameter, x, value } = lawOf(family);
  const hundredths = Math.round(100 * value(Math.log(sigma / c) / x(k)));
  const [low, high] = limits[parameter];
  return { [parameter]: clamp(hundredths / 100, low, high) };
}

// A list whose decay line is turned about its first place to another value of its parameter: σ_k keeps its distance to the line.
/** @type {(sigma: number[], line: Line, to: Partial<Record<Parameter, number>>, most: number, order?: number[]) => number[]} */
export function turned(sigma, line, to, most, order = orderOf(sigma)) {
  const { parameter, x, slope } = LAWS[line.kind];
  const change = slope(to[parameter] ?? line.value) - slope(line.value);
  return sigma.map((s, i) => {
    const factor = Math.exp(change * x(order.indexOf(i) + 1));
    return factor === 1 ? s : Math.min(round(s * factor, 6), most);
  });
}

// Exponent of m in the squared error that m terms leave, where the line's law has one and the spectrum has no end. With ψ = φ there is none: every token meets itself on the diagonal u = v, of which L²(I×I) knows nothing.
/** @type {(line: Line | null, exact: number | null) => number | null} */
export function errorRate(line, exact) {
  if (!line || line.apart === false || exact !== null) return null;
  return LAWS[line.kind].rate?.(line.value) || null;
}

// What the line says: of the σ_k, and of the squared error that m terms leave; no slope where that is 0 from m = `exact` on.
/** @type {(line: Line | null, exact?: number | null) => {slope: string, mse: string | null} | null} */
export function rateTexts(line, exact = null) {
  if (!line || !(line.law || line.sure)) return null;
  const about = line.law ? "=" : "≈";
  const { words, error, rate } = LAWS[line.kind];
  const slope = words(line.value, about);
  if (rate && exact !== null) return { slope, mse: null };
  const isLawless = rate && line.apart === false;
  return { slope, mse: isLawless ? "no predicted slope where ψ = φ" : error(line.value, about) };
}

/**
 * The range of the σ axis: half decades, room to drag, and what fits is left alone.
 * @typedef {{low: number, high: number, near: boolean}} SigmaRange near: the tolerance is in sight
 * @type {(sigma: number[], tolerance: number, given?: SigmaRange | null) => SigmaRange}
 */
export function rangeOfSigma(sigma, tolerance, given = null) {
  const seen = sigma.filter((s) => s > tolerance / 30);
  const top = Math.max(0, ...seen) || 1;
  const least = Math.min(top, ...seen);
  const near = tolerance * 1e3 >= least;
  const low = Math.min(top * 1e-3, least / 4, near ? tolerance / 4 : Infinity);
  const high = 1.6 * top;
  const fits =
    given &&
    top * 1.1 <= given.high &&
    low * 2 >= given.low &&
    given.high <= 30 * high &&
    given.low * 300 >= low;
  if (fits) return given;
  return {
    low: 10 ** (Math.floor(2 * Math.log10(low)) / 2),
    high: 10 ** (Math.ceil(2 * Math.log10(high)) / 2),
    near,
  };
}

// softmax as a density: 1 where attention is uniform.
export function relativeSoftmax(/** @type {Packed["values"]} */ row) {
  let top = -Infinity;
  for (const x of row) top = Math.max(top, x);
  const weights = Float64Array.from(row, (x) => Math.exp(x - top));
  const mean = weights.reduce((a, b) => a + b, 0) / weights.length;
  return weights.map((w) => w / mean);
}

// ---- states of the page, and the steps between them

/** @typedef {Pick<Design, "design" | "chosenTolerance" | "error" | "k" | "at" | "choice" | "rest" | "shown">} Chosen */
/** @type {(view: Chosen) => State} */
export function stateOf({ design, chosenTolerance, error, k, at, choice, rest, shown }) {
  return structuredClone({
    ...fieldsOf(design),
    tolerance: chosenTolerance,
    error,
    k,
    at,
    map: choice,
    rest,
    shown,
  });
}

/** @type {(a: unknown, b: unknown) => boolean} */
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
/** @type {(changes: Change, names: string[]) => Change} */
const among = (changes, names) =>
  Object.fromEntries(Object.entries(changes).filter(([name]) => names.includes(name)));

// What Python is told of a step from one state to another: the design's changes as `edit`, those of the pictures.
/** @type {(now: State, before: State) => Change} */
export function changesOf(now, before) {
  const changes = differing(now, before);
  const { list: sigma, ...law } = among(changes, DESIGN);
  const edit = {
    ...law,
    ...(sigma === undefined ? {} : { sigma }),
    ...differing({ ...now.rest }, { ...before.rest }),
  };
  return {
    ...(Object.keys(edit).length ? { edit } : {}),
    ...among(changes, LOOKS),
    ...differing(now.shown, before.shown),
  };
}

// The σ_k of a state of the same design in other numbers; null where Python has to say them.
/** @type {(state: State, now: State, sigma: number[]) => number[] | null} */
export function sigmaIn(state, now, sigma) {
  if (!same([state.rest, state.shown.centred], [now.rest, now.shown.centred])) return null;
  if (OF_SIGMA.every((name) => same(state[name], now[name]))) return sigma;
  if (state.rest.formula || state.rest.grid) return null;
  const other = state.list ?? sigmaOf({ ...state, family: state.spectrum }, state.rank ?? TERMS);
  return other.length === sigma.length ? [...other] : null;
}
