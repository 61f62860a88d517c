// Keys on a picture.

/** What a key does is what `act` returns for it. @type {(part: HTMLElement, act: (event: KeyboardEvent) => (() => void) | null | undefined) => void} */
export function onKeys(part, act) {
  part.addEventListener("keydown", (event) => {
    const acts = act(event);
    if (!acts) return;
    event.preventDefault();
    acts();
  });
}

/** Whether a key is meant for something else than a picture. */
export const isForOthers = (/** @type {KeyboardEvent} */ { ctrlKey, metaKey, altKey }) =>
  ctrlKey || metaKey || altKey;

/** Where a key of a slider leads from a place, if anywhere. @type {(key: string, at: number, first: number, last: number) => number | undefined} */
export const placeByKey = (key, at, first, last) =>
  ({
    ...{ ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1 },
    ...{ Home: first, End: last },
  })[key];
