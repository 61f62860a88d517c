// What is designed: σ_k by a law or one by one, the sums Σ w_k φ_k ψ_k, and the way back. Nothing here draws.

import { clamp, fmt, leastSquares, minus, round } from "../core/numbers.js";

const LAWS = {
  power: (c, alpha) => (k) => c * k ** -alpha,
  exponential: (c, decay) => (k) => c * decay ** (k - 1),
};
const FIT_FROM = 4; // the leading σ_k rarely follow the law of the others
const TERMS = 64; // as many are kept of a law that does not end
export const DESIGN = ["spectrum", "list", "alpha", "decay", "c", "rank", "m"];
export const LOOKS = ["tolerance", "error", "k", "at", "map"];

export function sigmaOf({ family, alpha, decay, c }, count) {
  const law = LAWS[family](c, family === "power" ? alpha : decay);
  return Array.from({ length: count }, (_, i) => law(i + 1));
}

// The m largest σ_k are kept, the earlier ones where they tie: with a descending list, k ≤ m.
export function keptOf(sigma, m) {
  const kept = new Array(sigma.length).fill(false);
  const order = [...sigma.keys()].sort((a, b) => sigma[b] - sigma[a] || a - b);
  for (const i of order.slice(0, m)) kept[i] = true;
  return kept;
}

const energy = (sigma, chosen) => sigma.reduce((sum, s, i) => (chosen(i) ? sum + s * s : sum), 0);

export function leftOut(sigma, kept, beyond) {
  const tail = beyond + energy(sigma, (i) => !kept[i]);
  const all = beyond + energy(sigma, () => true);
  return { tail, share: all > 0 ? tail / all : 0 };
}

// The σ_k above the tolerance; and `whole`, all that are not 0, which may be ∞ (null), where they differ.
export function rankText({ sigma, spectrum, family, rank, whole }, tolerance) {
  const above = sigma.filter((s) => s > tolerance).length;
  const law = family === spectrum && spectrum !== "list";
  const found = family === "given" ? whole : law ? rank : sigma.filter((s) => s > 0).length;
  const all = found < TERMS ? (found ?? "∞") : "∞";
  if (above === (all === "∞" ? TERMS : all)) return String(all);
  return `${above} above ${fmt(tolerance).replace("1.0·", "")} (${all} in all)`;
}

// ---- the decay line: the law itself, or the straighter of two fits to σ_k above the tolerance

export function fitLaw(sigma, tolerance, skip = -1) {
  const all = [...sigma.entries()]
    .filter(([i, s]) => s > tolerance && i !== skip)
    .map(([i, s]) => [i + 1, Math.log(s)]);
  const later = all.filter(([k]) => k >= FIT_FROM);
  const points = later.length > 3 ? later : all;
  const sure = later.length > 7;
  if (points.length < 3) return null;
  const power = leastSquares(points.map(([k, y]) => [Math.log(k), y]));
  const exponential = leastSquares(points.map(([k, y]) => [k - 1, y]));
  return exponential.rest < 0.5 * power.rest
    ? {
        kind: "exponential",
        sure,
        decay: Math.exp(exponential.slope),
        at: (k) => Math.exp(exponential.start + exponential.slope * (k - 1)),
      }
    : {
        kind: "power",
        sure,
        alpha: -power.slope,
        at: (k) => Math.exp(power.start + power.slope * Math.log(k)),
      };
}

export function lineOf({ family, alpha, decay, c, sigma }, tolerance, skip) {
  if (family === "power")
    return { kind: family, alpha, at: LAWS.power(c, alpha), law: true, grab: true };
  if (family === "exponential")
    return { kind: family, decay, at: LAWS.exponential(c, decay), law: true, grab: true };
  const fit = fitLaw(sigma, tolerance, skip);
  return fit && { ...fit, grab: family === "list" };
}

// α or decay of the law through σ at place k > 1.
export function lawThrough({ family, c }, k, sigma, limits) {
  return family === "power"
    ? {
        alpha: clamp(Math.round((-100 * Math.log(sigma / c)) / Math.log(k)) / 100, ...limits.alpha),
      }
    : { decay: clamp(Math.round(100 * (sigma / c) ** (1 / (k - 1))) / 100, ...limits.decay) };
}

// A list whose decay line is turned about k = 1 to another α or decay: σ_k keeps its distance to the line.
export function turned(sigma, line, { alpha, decay }, most) {
  const factor =
    line.kind === "power"
      ? (k) => k ** (line.alpha - alpha)
      : (k) => (decay / line.decay) ** (k - 1);
  return sigma.map((s, i) =>
    factor(i + 1) === 1 ? s : Math.min(round(s * factor(i + 1), 6), most),
  );
}

// What the line says: of the σ_k, and of the squared error that m terms leave. With ψ = φ that has no law: every token meets itself on the diagonal u = v, of which L²(I×I) knows nothing.
export function rateTexts(line) {
  if (!line || !(line.law || line.sure)) return null;
  const about = line.law ? "=" : "≈";
  const two = (x) => minus(x.toFixed(2));
  if (line.kind === "exponential")
    return {
      slope: `σ_{k+1}/σ_k ${about} ${two(line.decay)}`,
      mse: `MSE × ${two(line.decay ** 2)} per term`,
    };
  const { alpha } = line;
  const rate =
    line.apart === false
      ? "MSE: no law where ψ = φ"
      : alpha > 0.5
        ? `MSE −(2α−1) ${about} ${two(1 - 2 * alpha)}`
        : "MSE: no rate for α ≤ ½";
  return { slope: `−α ${about} ${two(-alpha)}`, mse: rate };
}

// ---- the range of the σ axis: half decades, room to drag, and what fits is left alone

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

// ---- ρ = Σ w_k φ_k ψ_kᵀ: few changed weights are added as rank-one terms, many summed anew

export function mixture(phi, psi, n) {
  return { phi, psi, n, weights: new Array(phi.length).fill(0), values: new Float64Array(n * n) };
}

function addTerm({ phi, psi, n, values }, k, weight) {
  const left = phi[k];
  const right = psi[k];
  for (let i = 0; i < n; i++) {
    const a = weight * left[i];
    const row = i * n;
    for (let j = 0; j < n; j++) values[row + j] += a * right[j];
  }
}

export function mix(mixed, weights) {
  const changed = weights.filter((w, k) => w !== mixed.weights[k]).length;
  const anew = 2 * changed > weights.length;
  if (anew) mixed.values.fill(0);
  weights.forEach((w, k) => {
    const change = anew ? w : w - mixed.weights[k];
    if (change !== 0) addTerm(mixed, k, change);
  });
  mixed.weights = [...weights];
  return { shape: [mixed.n, mixed.n], values: mixed.values };
}

// Rows of (K, fine) functions; every `step`th value from the middle of the first step is a cell of the map.
export function rowsOf({ shape: [count, width], values }, step = 1) {
  return Array.from({ length: count }, (_, k) => {
    const row = values.subarray(k * width, (k + 1) * width);
    return step === 1
      ? row
      : Float64Array.from({ length: width / step }, (_, i) => row[i * step + (step - 1) / 2]);
  });
}

export function rowAt(phi, psi, weights, i) {
  const row = new Float64Array(psi[0]?.length ?? 0);
  weights.forEach((w, k) => {
    const a = w * phi[k][i];
    if (a !== 0) for (let j = 0; j < row.length; j++) row[j] += a * psi[k][j];
  });
  return row;
}

// softmax as a density: 1 where attention is uniform.
export function relativeSoftmax(row) {
  const top = row.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = Float64Array.from(row, (x) => Math.exp(x - top));
  const mean = weights.reduce((a, b) => a + b, 0) / weights.length;
  return weights.map((w) => w / mean);
}

// ---- states of the page, and the steps between them

// Every choice: of the design, of its pictures, and `rest` and `shown`, what else makes the design and
// is chosen on the page. A list of σ_k is kept digit by digit; a law is its numbers alone.
export function stateOf({ design, threshold, error, k, at, choice, rest, shown }) {
  const own = Object.fromEntries(DESIGN.map((name) => [name, design[name]]));
  return structuredClone({ ...own, tolerance: threshold, error, k, at, map: choice, rest, shown });
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

const differing = (now, before) =>
  Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(value, before[name])));

// What Python is told of a step from one state to another: the design's changes as `edit`, those of the pictures.
export function changesOf(now, before) {
  const { rest, shown, ...others } = differing(now, before);
  const looks = Object.entries(others).filter(([name]) => LOOKS.includes(name));
  const { list: sigma, ...law } = Object.fromEntries(
    Object.entries(others).filter(([name]) => DESIGN.includes(name)),
  );
  const edit = {
    ...law,
    ...(sigma === undefined ? {} : { sigma }),
    ...differing(now.rest, before.rest),
  };
  return {
    ...(Object.keys(edit).length ? { edit } : {}),
    ...Object.fromEntries(looks),
    ...differing(now.shown, before.shown),
  };
}

// The σ_k of a state of the same design in other numbers; null where Python has to say them.
export function sigmaIn(state, now, sigma) {
  if (!same([state.rest, state.shown.centred], [now.rest, now.shown.centred])) return null;
  if (
    ["spectrum", "list", "alpha", "decay", "c", "rank"].every((name) =>
      same(state[name], now[name]),
    )
  )
    return sigma;
  if (state.rest.formula || state.rest.grid) return null;
  const other = state.list ?? sigmaOf({ ...state, family: state.spectrum }, state.rank ?? TERMS);
  return other.length === sigma.length ? [...other] : null;
}

// Two reports as one: of what both change the later one counts.
export function joined(first, then) {
  const edit = { ...first.edit, ...then.edit };
  return { ...first, ...then, ...(Object.keys(edit).length ? { edit } : {}) };
}

export class Steps {
  constructor() {
    this.states = [];
    this.at = -1;
  }

  note(state) {
    if (this.at >= 0 && JSON.stringify(state) === JSON.stringify(this.states[this.at])) return;
    this.states = [...this.states.slice(0, this.at + 1), state].slice(-200);
    this.at = this.states.length - 1;
  }

  // The state before (−1) or after (+1), or null at the end.
  go(by) {
    const state = this.states[this.at + by] ?? null;
    if (state) this.at += by;
    return state;
  }

  can(by) {
    return this.states[this.at + by] !== undefined;
  }
}
