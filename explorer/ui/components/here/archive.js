// A run as the zip that the explorer imports (runs/archive.py).

import { pack } from "../core/messages.js";
import { zipOf } from "./zip.js";

/** @import { Training } from "./training.js" */
/** @typedef {{shape: number[], values: Float32Array | BigInt64Array}} Tensor */

const FORMAT = 1;
const INSECURE =
  "a browser makes no zip of a run on a page without https: open the explorer as localhost, or by https";

const utf8 = (/** @type {string} */ text) => new TextEncoder().encode(text);
const json = (/** @type {unknown} */ value) => utf8(JSON.stringify(value, null, 2));

/** @param {Uint8Array[]} parts */
async function sha256(...parts) {
  const whole = new Uint8Array(await new Blob(/** @type {BlobPart[]} */ (parts)).arrayBuffer());
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
  return [...hash].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

const bytesOf = (/** @type {Tensor["values"]} */ { buffer, byteOffset, byteLength }) =>
  new Uint8Array(/** @type {ArrayBuffer} */ (buffer), byteOffset, byteLength);

/**
 * The safetensors file of named tensors.
 * @param {Record<string, Tensor>} tensors
 * @param {Record<string, string>} metadata
 */
function safetensors(tensors, metadata) {
  /** @type {Record<string, unknown>} */
  const header = { __metadata__: metadata };
  let at = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const dtype = values instanceof Float32Array ? "F32" : "I64";
    header[name] = { dtype, shape, data_offsets: [at, at + values.byteLength] };
    at += values.byteLength;
  }
  const text = utf8(JSON.stringify(header));
  const head = utf8(JSON.stringify(header) + " ".repeat((8 - (text.length % 8)) % 8));
  const file = new Uint8Array(8 + head.length + at);
  new DataView(file.buffer).setBigUint64(0, BigInt(head.length), true);
  file.set(head, 8);
  at = 8 + head.length;
  for (const { values } of Object.values(tensors)) {
    file.set(bytesOf(values), at);
    at += values.byteLength;
  }
  return file;
}

/** Hash of the parameters alone (models/named.py). @param {Record<string, Tensor>} weights */
const hashOf = (weights) =>
  sha256(
    ...Object.keys(weights)
      .sort()
      .flatMap((name) => {
        const { shape, values } = weights[name];
        return [utf8(`${name}[${shape.join(", ")}]`), bytesOf(values)];
      }),
  );

/** @param {Training} training */
function checkpointOf(training) {
  const { done } = training;
  const state = training.state();
  /** @type {Record<string, Tensor>} */
  const tensors = {
    step: { shape: [], values: BigInt64Array.of(BigInt(done.step)) },
    loss: { shape: [1], values: Float32Array.of(done.loss ?? NaN) },
    "engine.state": { shape: [state.length], values: state },
  };
  for (const [name, { shape, values }] of Object.entries(training.parameters()))
    tensors[`weights.${name}`] = { shape: [1, ...shape], values };
  return safetensors(tensors, { loss_sum: String(done.sum), loss_count: String(done.count) });
}

/** What the store's row says of a run. @param {Training} training @param {number} created milliseconds */
async function rowOf(training, created) {
  const { done, local } = training;
  const errors = done.status === "finished" ? done.pictures.at(-1)?.header : null;
  const hash = errors && { weights_sha256: await hashOf(training.parameters()) };
  const metrics = errors && { mse: errors.mse, nmse: errors.nmse, mae: errors.mae, r2: errors.r2 };
  return {
    run: `${local.id}-1`,
    name: "",
    status: done.status === "running" ? "stopped" : done.status,
    step: done.step,
    created: created / 1000,
    started: created / 1000,
    ended: done.status === "finished" ? Date.now() / 1000 : null,
    seconds: done.seconds,
    device: "in a browser",
    versions: { engine: "wasm", browser: navigator.userAgent.slice(0, 500) },
    message: done.message,
    metrics: metrics ? { ...metrics, ...hash } : null,
  };
}

/** @param {Training} training @param {number} created milliseconds */
export async function archiveOf(training, created) {
  if (!globalThis.crypto?.subtle) throw new Error(INSECURE);
  const { done, local } = training;
  const members = new Map([
    ["spec.json", utf8(local.spec)],
    ["run.json", json(await rowOf(training, created))],
    [
      "history.csv",
      utf8(["step,loss", ...done.losses.map((row) => row.join(","))].join("\n") + "\n"),
    ],
  ]);
  for (const { header, arrays } of done.pictures) {
    const name = `snapshots/${String(header.step).padStart(9, "0")}.frame`;
    members.set(name, new Uint8Array(pack(header, arrays)));
  }
  if (done.step) members.set("checkpoint.safetensors", checkpointOf(training));
  /** @type {Record<string, string>} */
  const hashes = {};
  for (const [name, bytes] of members) hashes[name] = await sha256(bytes);
  const manifest = json({ format: FORMAT, sha256: hashes });
  return zipOf(new Map([["manifest.json", manifest], ...members]));
}
