// States to go back and forth between: undo and redo.

const MOST = 200;

/** @template State */
export class History {
  /** @type {State[]} */
  states = [];
  at = -1;

  /**
   * The state as it is now, unless it is the newest known; whether it is another one. What was
   * undone before it is forgotten.
   * @param {State} state
   */
  note(state) {
    if (this.at >= 0 && JSON.stringify(state) === JSON.stringify(this.states[this.at]))
      return false;
    this.states = [...this.states.slice(0, this.at + 1), state].slice(-MOST);
    this.at = this.states.length - 1;
    return true;
  }

  /** The present state as it is known now. @param {State} state */
  amend(state) {
    this.at = Math.max(0, this.at);
    this.states[this.at] = state;
  }

  /**
   * The state before (−1) or after (+1), from now on the present one; null at the end.
   * @param {number} by
   */
  go(by) {
    const state = this.states[this.at + by] ?? null;
    if (state) this.at += by;
    return state;
  }

  can(/** @type {number} */ by) {
    return this.states[this.at + by] !== undefined;
  }
}

/**
 * The step that a key asks for, −1 (undo) or 1 (redo), else undefined.
 * @param {{key: string, shiftKey: boolean, ctrlKey: boolean, metaKey: boolean}} event
 */
export function historyKey({ key, shiftKey, ctrlKey, metaKey }) {
  if (!ctrlKey && !metaKey) return undefined;
  const letter = key.toLowerCase();
  if (letter === "z") return shiftKey ? 1 : -1;
  return letter === "y" ? 1 : undefined;
}
