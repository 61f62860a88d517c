// The keys of the stage: one table for the deck in the app, as a file, and its help.

/** Keys that belong to whatever has the focus, and to the stage where nothing has. */
const SHARED = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", " ", "Home", "End", "Enter"];
const ALONE = ["Shift", "Control", "Alt", "Meta", "AltGraph", "Tab"];

/** @type {Record<string, string>} */
const ACT_OF_KEY = {
  PageDown: "next",
  n: "next",
  " ": "next",
  ArrowRight: "next",
  PageUp: "back",
  p: "back",
  ArrowLeft: "back",
  Home: "first",
  End: "last",
  Enter: "enter",
  g: "ask",
  o: "overview",
  b: "black",
  v: "black",
  ".": "black",
  F5: "again",
  Escape: "escape",
  s: "speaker",
  l: "spotlight",
  f: "full",
  "+": "larger",
  "=": "larger",
  "-": "smaller",
  "−": "smaller",
  t: "theme",
  q: "clock",
  c: "code",
  d: "curves",
  "?": "help",
};

/** What the help lists: keys, and what they do. */
export const HELP = [
  ["PageDown, N, Space*", "next step"],
  ["PageUp, P, Shift-Space*", "the step before"],
  ["Home*, End*", "first, last scene"],
  ["digits and Enter, G", "go to a scene"],
  ["O", "all scenes"],
  ["B, V, full stop", "black, and back"],
  ["F5", "this scene again"],
  ["Esc", "out of a picture; as the step was; all scenes"],
  ["C", "the scene's link, as a QR code; phones follow"],
  ["D", "what phones drew, over each other"],
  ["S, Q", "the speaker's window; its clock stopped, going on"],
  ["L", "spotlight"],
  ["F, +, −, T", "full screen, type size, light or dark"],
  ["?", "this list"],
];

export const toggleFullScreen = () =>
  document.fullscreenElement
    ? document.exitFullscreen()
    : document.documentElement.requestFullscreen?.();

/** Whether something in a picture has the focus. */
export function widgetHasFocus() {
  /** @type {any} */
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return Boolean(element && element !== document.body && element.tabIndex >= 0);
}

/**
 * What a key asks of the stage, or null where it is for a widget or the browser.
 * @param {{key: string, shiftKey: boolean, ctrlKey: boolean, metaKey: boolean, altKey: boolean}} event
 * @param {boolean} focused whether a widget has the focus
 * @returns {string | null}
 */
function actOf({ key, shiftKey, ctrlKey, metaKey, altKey }, focused) {
  if (ctrlKey || metaKey || altKey || ALONE.includes(key)) return null;
  if (focused && SHARED.includes(key)) return null;
  if (/^[0-9]$/.test(key)) return `digit ${key}`;
  if (key === " " && shiftKey) return "back";
  return ACT_OF_KEY[key.length === 1 ? key.toLowerCase() : key] ?? null;
}

/**
 * Before any widget: a click into one changes no key of the stage.
 * @param {(act: string) => void} perform
 * @param {() => boolean} typing whether a number is being typed, which Enter ends
 */
export function listenToKeys(perform, typing) {
  window.addEventListener(
    "keydown",
    (event) => {
      const act = actOf(event, widgetHasFocus() && !typing());
      if (!act) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      perform(act);
    },
    true,
  );
}
