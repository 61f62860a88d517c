// The buttons and sliders of a component; one of the buttons opens the list of mouse and keys: a popover, so that a click outside and Esc
// close it too.

/** @typedef {CanvasView & {history: {can(by: number): boolean}, step(by: number): void}} Undoable */

const GAP = 6; // pixels between the button and the list

/** What a press does, by the `data-act` of each button. @type {(view: CanvasView, acts: Record<string, () => void>) => void} */
export function listenToButtons(view, acts) {
  for (const [name, act] of Object.entries(acts)) view.button(name).addEventListener("click", act);
  listenToHelp(view.button("keys"), view.root.querySelector(".keys"));
}

/** @param {Undoable} view */
export const undoAndRedo = (view) => ({ undo: () => view.step(-1), redo: () => view.step(1) });

/** Whether there is something to undo and redo, unless all is locked. @type {(view: Undoable, locked?: boolean) => void} */
export function syncUndo(view, locked = false) {
  view.button("undo").disabled = locked || !view.history.can(-1);
  view.button("redo").disabled = locked || !view.history.can(1);
}

/**
 * Puts the list of the markup below its button, or above where there is more room: its right end
 * at the button's.
 * @type {(button: HTMLElement, list: HTMLElement) => void}
 */
function listenToHelp(button, list) {
  const place = () => {
    const { top, right, bottom } = button.getBoundingClientRect();
    const below = bottom <= window.innerHeight - top;
    const room = below ? window.innerHeight - bottom : top;
    list.style.top = below ? `${bottom + GAP}px` : "auto";
    list.style.bottom = below ? "auto" : `${window.innerHeight - top + GAP}px`;
    list.style.right = `${document.documentElement.clientWidth - right}px`;
    list.style.maxWidth = `${right - GAP}px`;
    list.style.maxHeight = `${room - 2 * GAP}px`;
  };
  list.addEventListener("beforetoggle", ({ newState }) => {
    if (newState === "open") place();
    const change = newState === "open" ? "addEventListener" : "removeEventListener";
    for (const moved of ["scroll", "resize"]) window[change](moved, place, true);
  });
}

/**
 * A slider of the markup, which `follow` hears of while it is moved, and the view once it is let go.
 * @type {(view: {root: any, commit(): void}, place: string, follow: (value: number) => void) => HTMLInputElement}
 */
export function sliderOf(view, place, follow) {
  const slider = /** @type {HTMLInputElement} */ (view.root.querySelector(place));
  slider.addEventListener("input", () => follow(slider.valueAsNumber));
  slider.addEventListener("change", () => view.commit());
  return slider;
}
