// The speaker's window: the deck's picture, which can be dragged there, notes, clock and what comes next.

import { clockText, plannedUntil } from "./clock.js";
import { actAtOnce, listenToKeys } from "./keys.js";
import { Jump } from "./jump.js";
import { Line } from "./link.js";
import { beside } from "./place.js";

/** @import { Talk } from "./store.js" */

const own = (/** @type {string} */ name) =>
  /** @type {HTMLElement} */ (document.querySelector(`[data-speaker=${name}]`));

/** @param {Talk} talk */
export function openSpeaker(talk) {
  document.querySelector("[data-stage]")?.remove();
  own("window").hidden = false;
  /** @type {Record<string, number>} */
  const probe = {};
  Object.assign(window, { __explorerSpeaker: probe });
  const mirror = /** @type {HTMLCanvasElement} */ (own("mirror"));
  const line = new Line(
    (said) => {
      if (said.kind === "state") show(talk, said);
      if (said.kind === "picture") paint(mirror, said.bytes);
      Object.assign(probe, { [said.kind]: (probe[said.kind] ?? 0) + 1 });
    },
    ({ connected }) => {
      own("lost").hidden = connected;
      return { kind: "speaker" };
    },
  );
  const box = /** @type {HTMLElement} */ (document.querySelector("[data-over=jump]"));
  const jump = new Jump(talk.scenes.length, box);
  listenToKeys(
    (act) => perform(act, jump, (asked) => line.say({ kind: "act", act: asked })),
    () => true,
  );
  forward(mirror, line);
  for (const button of document.querySelectorAll("[data-say]"))
    button.addEventListener("click", () =>
      line.say({ kind: "act", act: button.getAttribute("data-say") }),
    );
}

/**
 * The number of a scene is typed here: the room sees where it leads.
 * @param {string} act
 * @param {Jump} jump
 * @param {(act: string) => void} ask of the deck
 */
function perform(act, jump, ask) {
  const [name, number] = act.split(" ");
  if (name === "digit") return jump.digit(number);
  if (act === "ask") return jump.digit("");
  if (act === "enter") {
    const scene = jump.take();
    return scene === null ? undefined : ask(`scene ${scene + 1}`);
  }
  if (jump.forget() && act === "escape") return;
  if (!actAtOnce.includes(act)) ask(act);
}

/** @param {Talk} talk @param {{scene: number, step: number, black: boolean, elapsed: number, runs: boolean, theme: string}} state */
function show(talk, { scene, step, black, elapsed, runs, theme }) {
  const now = talk.scenes[scene];
  const next = beside({ scene, step }, 1, talk.scenes);
  const isLast = next.scene === scene && next.step === step;
  const ahead = plannedUntil(talk.scenes, scene) - elapsed;
  const after = talk.scenes[next.scene];
  own("title").textContent = `${scene + 1} · ${step + 1}/${now.steps.length}  ${now.title}`;
  own("words").innerHTML = now.steps[step].words;
  own("notes").textContent = now.notes || "No notes.";
  own("next").innerHTML = isLast ? "the end" : after.steps[next.step].words;
  own("next-title").textContent = next.scene === scene ? "" : `scene: ${after.title}`;
  own("clock").textContent = clockText(elapsed) + (runs ? "" : " (stopped)");
  own("pace").textContent = `${clockText(ahead)} to the end of this scene`;
  own("pace").classList.toggle("late", ahead < 0);
  own("black").hidden = !black;
  document.documentElement.dataset.theme = theme;
}

/** @param {HTMLCanvasElement} mirror @param {ArrayBuffer} bytes */
async function paint(mirror, bytes) {
  const image = await createImageBitmap(new Blob([bytes]));
  mirror.width = image.width;
  mirror.height = image.height;
  mirror.getContext("2d")?.drawImage(image, 0, 0);
}

/** What the pointer does on the mirror happens on the deck. @param {HTMLCanvasElement} mirror @param {Line} line */
function forward(mirror, line) {
  for (const type of ["pointerdown", "pointermove", "pointerup", "pointerleave"])
    mirror.addEventListener(type, (event) => {
      const { offsetX, offsetY, shiftKey, pointerId } = /** @type {PointerEvent} */ (event);
      if (type === "pointerdown") mirror.setPointerCapture(pointerId);
      const [x, y] = [offsetX / mirror.clientWidth, offsetY / mirror.clientHeight];
      line.say({ kind: "pointer", type, x, y, shift: shiftKey });
    });
}
