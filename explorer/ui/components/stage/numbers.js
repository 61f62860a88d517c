// Numbers within the words of a step: those of the picture beside them, also of what is tried by hand.

/**
 * Words follow the picture that is shown, whenever it is drawn.
 * @param {ParentNode} words
 * @param {() => unknown} shown its probe: one that has been left may still be drawn
 */
export function followNumbers(words, shown) {
  window.addEventListener("explorer-drawn", (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (detail !== shown()) return;
    const numbers = detail.numbers();
    for (const place of words.querySelectorAll("[data-number]")) {
      const text = numbers[/** @type {HTMLElement} */ (place).dataset.number ?? ""];
      if (text !== undefined && place.textContent !== text) place.textContent = text;
    }
  });
}

/** Whether words have numbers that follow. @param {ParentNode} words */
export const followsNumbers = (words) => words.querySelector("[data-number]") !== null;
