// What a badge says of something that may change back at once: it keeps still until the change has lasted.

export const HOLD = 1500; // milliseconds

export class Lasting {
  text = "";
  next = "";
  since = 0;

  /** What to say at the time `now`, in milliseconds, while this is so; the first thing at once. */
  textAt(/** @type {string} */ what, /** @type {number} */ now) {
    if (what !== this.next) Object.assign(this, { next: what, since: now });
    if (!this.text || now - this.since >= HOLD) this.text = what;
    return this.text;
  }
}
