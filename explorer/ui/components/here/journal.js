// What a run writes down depends on the step alone (runs/journal.py, training/schedule.py): its loss curve, its pictures;
// and its pace.

const HISTORY_PER_DECADE = 100;
const PICTURES_PER_DECADE = 8;

// The small shift keeps exact powers on their own side.
const indexOf = (/** @type {number} */ step, /** @type {number} */ perDecade) =>
  step > 0 ? Math.floor(perDecade * Math.log10(step) + 1e-9) : -1;
const isLogSpaced = (/** @type {number} */ step, /** @type {number} */ perDecade) =>
  indexOf(step, perDecade) > indexOf(step - 1, perDecade);

/** Whether the loss of a step is kept. @type {(step: number, steps: number) => boolean} */
export const keepsHistory = (step, steps) =>
  step === steps || isLogSpaced(step, HISTORY_PER_DECADE);

/** Whether a picture of it is kept. @type {(step: number, steps: number) => boolean} */
export const keepsPicture = (step, steps) =>
  step === steps || isLogSpaced(step, PICTURES_PER_DECADE);

const CONSTANT = 1000; // milliseconds in which what was measured fades

/** Steps per second of about the last second. */
export class Pace {
  /** @type {number | null} */
  time = null;
  step = 0;
  steps = 0;
  milliseconds = 0;

  update(/** @type {number} */ step, now = performance.now()) {
    const elapsed = this.time === null ? 0 : now - this.time;
    if (this.time === null) [this.time, this.step] = [now, step];
    if (elapsed < 50 || step <= this.step) return;
    const faded = Math.exp(-elapsed / CONSTANT);
    this.steps = this.steps * faded + step - this.step;
    this.milliseconds = this.milliseconds * faded + elapsed;
    [this.time, this.step] = [now, step];
  }

  /** Steps a second, and seconds left; null as long as they are unknown. @param {number} steps in all */
  left(steps) {
    if (!this.milliseconds) return { rate: null, eta: null };
    const rate = (1000 * this.steps) / this.milliseconds;
    return { rate, eta: (steps - this.step) / rate };
  }

  rest() {
    this.time = null;
  }
}
