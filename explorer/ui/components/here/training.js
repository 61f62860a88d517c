// One run of the kernel: its steps, what is kept of them, and what can be seen of it (runs/execute.py, analysis/couplings.py).

import { Kernel } from "./kernel.js";
import { keepsHistory, keepsPicture } from "./journal.js";

/** @import { Begin, Picture, Progress } from "./types.js" */

const CELLS = 48; // a side of the picture of ρ̂
const LOOKED = 256; // points a side of which the kernel gives ρ̂ at once
const MOST = 512; // nodes a side of a quadrature
const SUBSPACES = 16; // that are compared
const [FRESH, TRAINED_ON] = [0, 1]; // sequences that the kernel evaluates on

/** A loss, weight or error is no number any more. */
export class Diverged extends Error {}

export class Training {
  /** @param {Begin} begin @param {Progress} progress it goes on from there */
  constructor({ wasm, local, arrays }, progress) {
    const module = new WebAssembly.Module(/** @type {BufferSource} */ (wasm));
    const valuesOf = (/** @type {string} */ name) =>
      /** @type {Float32Array} */ (arrays[name].values);
    this.local = local;
    this.tokens = valuesOf("tokens");
    this.kernel = new Kernel(module, local.settings, valuesOf("numbers"));
    this.variance = this.kernel.floats("units_of", 3)[2];
    this.done = progress;
    /** @type {ReturnType<Training["spectrum"]> | null} */
    this.lastSpectrum = null;
    this.nodes = [valuesOf("u"), valuesOf("v")];
    this.weights = valuesOf("w_v");
    this.takeNodes([valuesOf("u"), valuesOf("v"), valuesOf("w_u"), valuesOf("w_v")]);
    if ("left" in arrays) this.takeDesigned([valuesOf("left"), valuesOf("right")]);
    else this.kernel.call("design", valuesOf("u").length, valuesOf("v").length, local.tied.length);
    if (progress.state) this.goOn(progress.step, progress.state);
  }

  /** @param {Float32Array[]} quadrature */
  takeNodes(quadrature) {
    const at = this.kernel.floats("quadrature_of", 4 * MOST);
    quadrature.forEach((row, i) => at.set(i < 2 ? row : row.map(Math.sqrt), i * MOST));
  }

  /** @param {Float32Array[]} designed rows of √w φ_k, and of √w ψ_k */
  takeDesigned(designed) {
    const rows = this.kernel.floats("designed_of", 2 * SUBSPACES * MOST);
    for (const [side, values] of designed.entries()) {
      const count = this.nodes[side].length;
      for (let k = 0; k < this.local.tied.length; k++)
        rows.set(values.subarray(k * count, (k + 1) * count), (side * SUBSPACES + k) * MOST);
    }
  }

  /** @param {number} step @param {Float32Array} state */
  goOn(step, state) {
    this.kernel.call("set_step", step);
    this.kernel.floats("state_of", state.length).set(state);
  }

  /** Parameters, moments, and SOAP's factors and bases. */
  state() {
    return this.kernel.floats("state_of", this.kernel.call("state_size")).slice();
  }

  /** By name, without the padding of the kernel, which keeps a matrix transposed. */
  parameters() {
    const flat = this.kernel.floats("state_of", this.kernel.call("size_of"));
    /** @type {Record<string, {shape: number[], values: Float32Array}>} */
    const named = {};
    for (const [name, which, ...shape] of this.local.layers) {
      if (name === "W_Q" || name === "W_K") shape[0] = this.width;
      const [weight, bias, wide] = [0, 1, 2].map((what) =>
        this.kernel.call("layer_of", which, what),
      );
      const values =
        shape.length === 1
          ? flat.slice(bias, bias + shape[0])
          : Float32Array.from(
              { length: shape[0] * shape[1] },
              (_, i) => flat[weight + (i % shape[1]) * wide + Math.floor(i / shape[1])],
            );
      named[name] = { shape, values };
    }
    return named;
  }

  get width() {
    const { m_h, wide, started_until: until } = this.local;
    return Math.max(this.done.step, 1) > until ? m_h : wide;
  }

  /** A browser compiles what is called for the first time: the first step waits for none of it. */
  rehearse() {
    this.kernel.call("differentiate");
    this.picture();
  }

  advance() {
    const { done, local } = this;
    done.loss = this.kernel.call("advance", 1) / this.variance;
    done.step += 1;
    done.sum += done.loss;
    done.count += 1;
    if (keepsHistory(done.step, local.steps)) this.closeRow();
  }

  /** Whether a picture of the last step is to be kept. */
  get keepsPicture() {
    return keepsPicture(this.done.step, this.local.steps);
  }

  closeRow() {
    const { done } = this;
    const mean = done.sum / done.count;
    if (!Number.isFinite(mean)) throw new Diverged();
    done.losses.push([done.step, mean]);
    Object.assign(done, { sum: 0, count: 0 });
  }

  keepPicture() {
    const { done, local } = this;
    const errors = this.errors(local.evaluated[done.step === local.steps ? 1 : 0]);
    if (!Number.isFinite(errors.nmse) || !this.state().every(Number.isFinite)) throw new Diverged();
    const header = { kind: "snapshot", step: done.step, loss: done.loss, ...errors };
    if (local.single) done.pictures.length = 0;
    done.pictures.push({ header, arrays: this.picture() });
  }

  /** On so many of the fixed sequences, and of the training set where there is one. @param {number} count */
  errors(count) {
    const [mse, mae, variance] = this.kernel.floats("evaluate", 3, FRESH, count);
    const nmse = mse / variance;
    const errors = { mse, nmse, mae, r2: 1 - nmse };
    const own = Math.min(count, this.local.sequences);
    if (!own) return errors;
    return {
      ...errors,
      train_nmse: this.kernel.floats("evaluate", 3, TRAINED_ON, own)[0] / variance,
    };
  }

  /** With the last spectrum, if it is not to be found `anew`. @returns {Picture["arrays"]} */
  picture(anew = true) {
    const tau = this.tokens.length;
    if (anew || !this.lastSpectrum) this.lastSpectrum = this.spectrum();
    const { sigma, angles } = this.lastSpectrum;
    this.kernel.floats("batch_of", tau, 0).set(this.tokens);
    const attention = this.kernel.floats("attention", tau * tau).slice();
    return {
      rho_hat: { shape: [CELLS, CELLS], values: this.coupling() },
      sigma_hat: { shape: [sigma.length], values: sigma },
      angles: { shape: [angles.length], values: angles },
      attention: { shape: [tau, tau], values: attention },
      tokens: { shape: [tau], values: this.tokens },
    };
  }

  /** ρ̂ at cell centres without its v-mean, which softmax cannot see. */
  coupling() {
    const cells = Float32Array.from({ length: CELLS }, (_, i) => (i + 0.5) / CELLS);
    const means = new Float64Array(CELLS);
    const [, nodes] = this.nodes;
    for (let from = 0; from < nodes.length; from += LOOKED) {
      const some = nodes.subarray(from, from + LOOKED);
      const seen = this.grid(cells, some);
      for (let i = 0; i < CELLS; i++)
        for (let j = 0; j < some.length; j++)
          means[i] += this.weights[from + j] * seen[i * some.length + j];
    }
    return this.grid(cells, cells).map((value, i) => value - means[Math.floor(i / CELLS)]);
  }

  /** @param {Float32Array} u @param {Float32Array} v */
  grid(u, v) {
    const points = this.kernel.floats("points_of", 2 * LOOKED);
    points.set(u);
    points.set(v, LOOKED);
    return this.kernel.floats("grid", u.length * v.length, u.length, v.length).slice();
  }

  /** σ̂_k, and the angles in degrees between leading subspaces; −1 where the designed ones are tied. */
  spectrum() {
    const [{ length: rows }, { length: columns }] = this.nodes;
    const { width } = this;
    const count = Math.min(width, this.local.tied.length);
    const pod = this.kernel.floats("pod", width + count, rows, columns, count).slice();
    const degrees = (/** @type {number} */ cosine) =>
      (180 / Math.PI) * Math.acos(Math.min(cosine, 1));
    const angles = pod.slice(width).map((c, k) => (this.local.tied[k] ? -1 : degrees(c)));
    return { sigma: pod.slice(0, width), angles };
  }
}
