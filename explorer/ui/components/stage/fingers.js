// Steps by finger: the buttons below, and a swipe across the words or over a picture that nothing is dragged in;
// and what is out of the way while no pointer moves.

const SWIPED = 60; // pixels, and more across than up or down
const QUICK = 700; // milliseconds
const STILL = 3000; // likewise, until buttons over a picture are gone

/** @param {HTMLElement} main */
export function hideWhileStill(main) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let hiding;
  const move = () => {
    main.classList.remove("still");
    clearTimeout(hiding);
    hiding = setTimeout(() => main.classList.add("still"), STILL);
  };
  for (const moved of ["pointermove", "pointerdown", "focusin"]) main.addEventListener(moved, move);
  main.classList.add("still");
}

/** @param {HTMLElement} main @param {(act: string) => void} perform */
export function listenToFingers(main, perform) {
  for (const button of main.querySelectorAll("[data-turn]"))
    button.addEventListener("click", () => perform(button.getAttribute("data-turn") ?? ""));
  /** Where a finger has begun, and when. @type {Touch | null} */
  let from = null;
  let since = 0;
  main.addEventListener("touchstart", (event) => {
    from = event.touches.length === 1 && !isDragged(event) ? event.touches[0] : null;
    since = event.timeStamp;
  });
  main.addEventListener("touchend", (event) => {
    const [to] = event.changedTouches;
    if (!from || event.timeStamp - since > QUICK) return;
    const [x, y] = [to.clientX - from.clientX, to.clientY - from.clientY];
    if (Math.abs(x) > SWIPED && Math.abs(x) > 2 * Math.abs(y)) perform(x < 0 ? "next" : "back");
  });
}

/** Whether a finger takes hold of something there: a slider, or a picture that can be dragged. @param {Event} event */
const isDragged = (event) =>
  event
    .composedPath()
    .some((each) => each instanceof Element && each.matches("input, select, [role=slider]"));
