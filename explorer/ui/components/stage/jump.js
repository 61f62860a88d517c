// The number of a scene while it is typed, in the deck or in the speaker's window.

export class Jump {
  /** Null while none is typed. @type {string | null} */
  typed = null;

  /** @param {number} count of scenes @param {HTMLElement} box where it is shown */
  constructor(count, box) {
    this.count = count;
    this.box = box;
  }

  /** One more; where no scene has such a number, it is the first of another. @param {string} digit */
  digit(digit) {
    const longer = `${this.typed ?? ""}${digit}`.replace(/^0+(?=\d)/, "");
    this.typed = Number(longer) > this.count ? digit : longer;
    this.echo(this.typed);
  }

  /** What is typed here, or in the other window; null for nothing. @param {string | null} typed */
  echo(typed) {
    const seen = typed ?? this.typed;
    this.box.textContent = `scene ${seen || "…"} ⏎`;
    this.box.hidden = seen === null;
  }

  /** The scene that was typed, from 0, or null. */
  take() {
    const scene = Number(this.typed) - 1;
    this.forget();
    return scene >= 0 && scene < this.count ? scene : null;
  }

  /** Whether there was one. */
  forget() {
    const was = this.typed !== null;
    this.typed = null;
    this.box.hidden = true;
    return was;
  }
}
