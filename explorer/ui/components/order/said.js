// What a sentence beside the pictures says of them: it follows what is tried by hand.

import { fmt, inWords } from "../core/numbers.js";
import { floorText } from "./errors.js";

/** @import { Order } from "./order.js" */

const NEARLY_ALL = 0.99; // of Σ ρ(s)²: what the recent inputs hold
const HARDLY_ANY = 0.01; // of what a constant leaves: less is learned
/** @type {Record<string, string>} */
const LEARNERS = { rnn: "an RNN", transformer: "a Transformer" };

/** @type {(view: Order) => Record<string, string>} */
export function saidOfOrder(view) {
  const { kernel, taps, floors, needed } = view;
  const sizes = Object.entries(needed ?? {}).map(([name, size]) => [name, counted(size, name)]);
  return {
    causal: floors ? floorText(floors.causal, floors.constant) : "…",
    memory: memoryWords(kernel),
    recent: kernel ? counted(recentOf(kernel), "inputs") : "…",
    learned: learnersWords(view),
    transformer: errorWords(view),
    signs: signWords(taps),
    ...Object.fromEntries(sizes),
  };
}

/** @type {(size: number, plural: string) => string} */
const counted = (size, plural) => `${inWords(size)} ${size === 1 ? plural.slice(0, -1) : plural}`;

/** What kind of a memory ρ(s) is. @type {(kernel: number[] | null) => string} */
function memoryWords(kernel) {
  if (!kernel) return "A coupling of content";
  const places = kernel.flatMap((rho, s) => (rho ? [s] : []));
  if (places.length === 1)
    return `One moment, ${places[0] ? `${counted(places[0], "steps")} ago` : "now"}`;
  const signs = new Set(kernel.filter(Boolean).map(Math.sign));
  if (signs.size > 1) return "A memory that oscillates";
  const isFading = kernel.every((rho, s) => s === 0 || Math.abs(rho) <= Math.abs(kernel[s - 1]));
  const falls = Math.abs(kernel[kernel.length - 1]) < Math.abs(kernel[0]);
  return isFading && falls ? "A fading memory" : "A memory";
}

/** So many of the newest inputs hold nearly all of Σ ρ(s)². @type {(kernel: number[]) => number} */
function recentOf(kernel) {
  const whole = kernel.reduce((sum, rho) => sum + rho ** 2, 0);
  let held = 0;
  return kernel.findIndex((rho) => (held += rho ** 2) >= NEARLY_ALL * whole) + 1;
}

/** @type {(view: Pick<Order, "comparable" | "floors">) => string} */
function learnersWords({ comparable, floors }) {
  const right = comparable.filter(({ mse }) => mse < HARDLY_ANY * (floors?.constant ?? 0));
  const names = Object.keys(LEARNERS)
    .filter((model) => right.some((run) => run.model === model))
    .map((model) => LEARNERS[model]);
  if (!names.length) return "No model trained here has learned it";
  const [first, ...others] = names.join(" and ");
  return (
    first.toUpperCase() + others.join("") + (names.length > 1 ? " both learn it" : " learns it")
  );
}

/** Of the run shown, else the least. @type {(view: Pick<Order, "comparable">) => string} */
function errorWords({ comparable }) {
  const runs = comparable.filter(({ model }) => model === "transformer");
  const shown = runs.find(({ source }) => source === "this run");
  return runs.length ? fmt(shown?.mse ?? Math.min(...runs.map(({ mse }) => mse))) : "not known";
}

/** @type {(taps: number[] | null) => string} */
function signWords(taps) {
  const signs = new Set((taps ?? []).filter(Boolean).map(Math.sign));
  return ["without taps", "of one sign", "with signs"][signs.size];
}
