// The list of mouse and keys: a popover, so that a click outside and Esc close it too.

const GAP = 6; // pixels between the button and the list

/**
 * Puts the list of the markup below its button, or above where there is more room: its right end
 * at the button's.
 * @param {any} root of the component's markup
 */
export function listenToHelp(root) {
  const button = root.querySelector("[data-act=keys]");
  const list = root.querySelector(".keys");
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
  list.addEventListener("beforetoggle", (/** @type {ToggleEvent} */ { newState }) => {
    if (newState === "open") place();
    const change = newState === "open" ? "addEventListener" : "removeEventListener";
    for (const moved of ["scroll", "resize"]) window[change](moved, place, true);
  });
}
