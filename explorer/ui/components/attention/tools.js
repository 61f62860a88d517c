// The buttons and fields around the pictures, and the texts beside them.

import { listenToButtons, syncUndo, undoAndRedo } from "../core/buttons.js";
import { round } from "../core/numbers.js";
import { drawable, sampled, shuffled, typed } from "./board.js";
import { kindOf } from "./task.js";
import { fillToken } from "./token.js";
import { readout } from "./words.js";

/** @import { Settings, View } from "./types.js" */

// Places of the slider: hard-max, T = 1.
const HARD = 40;
const EVEN = 20;

const temperatureAt = (/** @type {number} */ place) =>
  place >= HARD ? 0 : round(10 ** (1 - place / EVEN), 2);
const sliderPlace = (/** @type {number} */ temperature) =>
  temperature === 0 ? HARD : Math.round(EVEN * (1 - Math.log10(temperature)));

const partsOf = (/** @type {View} */ { root }) => ({
  temperature: root.querySelector("[data-temperature]"),
  positions: root.querySelector("[data-positions]"),
});

export function listenToTools(/** @type {View} */ view) {
  const { temperature, positions } = partsOf(view);
  const setting = (/** @type {Partial<Settings>} */ change) =>
    view.edit(() => Object.assign(view.settings, change));
  listenToButtons(view, {
    ...undoAndRedo(view),
    sample: () => view.edit(() => (view.board = sampled(view.task, view.board))),
    example: () => view.edit(() => view.showExample()),
    hold: () => view.edit(() => (view.held = view.held ? null : structuredClone(view.board))),
    shuffle: () => setting({ order: view.settings.order ? null : shuffled(view.task.tau) }),
  });
  temperature.addEventListener("input", () =>
    view.setTemperature(temperatureAt(Number(temperature.value))),
  );
  // Let go where it was taken, a slider does not change.
  for (const end of ["pointerup", "change"])
    temperature.addEventListener(end, () => view.moving && view.commit());
  positions.addEventListener("change", () => setting({ positions: positions.value }));
  view.root
    .querySelector(".token")
    .addEventListener("change", (/** @type {{target: HTMLInputElement}} */ { target }) =>
      type(view, target),
    );
}

// A number of the chosen token was typed; what cannot be drawn is left to Python to refuse.
/** @type {(view: View, input: HTMLInputElement) => void} */
function type(view, { dataset: { field = "", place = "" }, value }) {
  const board = typed(view.task, structuredClone(view.board), { field, place }, value);
  if (!drawable(view.task, board)) return view.report(board);
  view.edit(() => (view.board = board));
}

/** What goes with the pictures: which buttons can be pressed, what the fields hold, the readout. */
export function syncTools(/** @type {View} */ view) {
  const { temperature, positions } = partsOf(view);
  const { settings, task } = view;
  const back = view.backwards();
  syncUndo(view, back);
  const [hold, shuffle] = [view.button("hold"), view.button("shuffle")];
  for (const tool of [view.button("sample"), shuffle, hold, temperature]) tool.disabled = back;
  hold.setAttribute("aria-pressed", String(view.held !== null));
  shuffle.setAttribute("aria-pressed", String(settings.order !== null));
  temperature.value = sliderPlace(settings.temperature);
  positions.value = settings.positions;
  positions.disabled = back || !kindOf(task).positions(task);
  const texts = { sentence: view.sentence, ...readout(view) };
  for (const [name, text] of Object.entries(texts)) view.say(name, text);
  fillToken(view);
}
