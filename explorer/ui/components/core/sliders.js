// The sliders of the sidebar while they are moved: Python hears of a value once it is let go.

const SLIDER = '.stSidebar [class*="st-key-field-"]';

/**
 * Tells the field of a slider that is held, and the value it stands at: null for ∞, as words where it is
 * no number. Returns what ends it.
 * @param {(field: string, value: number | string | null) => void} tell
 */
export function followSliders(tell) {
  /** @type {MutationObserver | null} */
  let observer = null;
  const letGo = () => {
    observer?.disconnect();
    observer = null;
  };
  const hold = (/** @type {Event} */ event) => {
    const slider = /** @type {Element} */ (event.target).closest?.(SLIDER);
    const input = slider?.querySelector("input[type=range]");
    const field = /st-key-field-(\w+)/.exec(slider?.className ?? "")?.[1];
    if (!input || !field || observer) return;
    observer = new MutationObserver(() => tell(field, valueOf(input)));
    observer.observe(input, { attributes: true, attributeFilter: ["aria-valuetext"] });
  };
  const heard = { pointerdown: hold, keydown: hold, pointerup: letGo, keyup: letGo };
  for (const [name, hear] of Object.entries(heard)) document.addEventListener(name, hear, true);
  return () => {
    letGo();
    for (const [name, hear] of Object.entries(heard))
      document.removeEventListener(name, hear, true);
  };
}

/** Streamlit says what a slider stands at in words. @param {Element} input */
function valueOf(input) {
  const text = input.getAttribute("aria-valuetext") ?? "";
  return text === "∞" ? null : text === "" || Number.isNaN(Number(text)) ? text : Number(text);
}
