/** @import { Progress } from "./types.js" */

/** How far a run is that has not begun. @returns {Progress} */
export const nothingDone = () => ({
  step: 0,
  status: "paused",
  message: "",
  sum: 0,
  count: 0,
  loss: null,
  losses: [],
  pictures: [],
  seconds: 0,
  state: null,
});

/** Whether it can go on, and does not. */
export const isResting = (/** @type {string} */ status) =>
  ["paused", "stopped", "interrupted"].includes(status);
