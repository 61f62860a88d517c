// A value that two hands change: the reader's, here, and any other (a widget, a link, Back), in Python. Each change of
// the reader has a number, and is told until a drawing answers it: Python takes it once (ui/exchange.py). A drawing
// counts once nothing of the reader is under way or held, so that neither hand undoes what the other did last.

const UNHEARD = 10_000; // milliseconds after which what no drawing has answered is told again, and twice as long after that
const MOST_DOUBLED = 8; // times: three quarters of an hour

/** @typedef {Record<string, unknown>} Change fields and their values */
/** @typedef {{visit: string, rev: number}} Answers all of this visit up to this number was taken */
/** @typedef {{visit: string, told: number, changes: [number, Change][]}} Report each is another message */
/**
 * @template Drawing
 * @typedef {object} Side the component
 * @property {(name: string, report: Report) => void} setStateValue tells Python
 * @property {(drawing: Drawing) => void} adopt takes over what a drawing says of the value
 * @property {() => boolean} holding whether a hand is changing it: that will be reported, or let go
 */

/**
 * Whether `later` sets all that `earlier` does.
 * @type {(later: unknown, earlier: unknown) => boolean}
 */
const covers = (later, earlier) =>
  !(hasFields(later) && hasFields(earlier)) ||
  Object.keys(earlier).every((name) => name in later && covers(later[name], earlier[name]));

/** @param {unknown} value @returns {value is Change} */
const hasFields = (value) => value instanceof Object && !Array.isArray(value);

/**
 * The fields of `now` that are not as they were `before`.
 * @type {(now: Change, before: Change) => Change}
 */
export const differing = (now, before) =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]),
    ),
  );

/** @template Drawing */
export class Exchange {
  /** Since the component was mounted: one that is mounted anew counts from 1 again. */
  visit = Math.random().toString(36).slice(2);
  /** The number of the last change. */
  rev = 0;
  /** How often they were told. */
  told = 0;
  /** Changes that no drawing has answered; not those that a later one covers. @type {Report["changes"]} */
  unanswered = [];
  /** The last drawing, where something was held when it came. @type {Drawing | null} */
  waiting = null;
  /** How often they were told by the clock: the line was down, and no drawing came. */
  unheard = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  timer = undefined;

  /** @param {Side<Drawing>} side @param {string} name under which the component tells its changes */
  constructor(side, name = "report") {
    this.side = side;
    this.name = name;
  }

  /** Up to this number all is answered. */
  get answered() {
    return this.unanswered.length ? this.unanswered[0][0] - 1 : this.rev;
  }

  /** The reader has changed something. @param {Change} change */
  report(change) {
    this.rev += 1;
    const before = this.unanswered.filter(([, earlier]) => !covers(change, earlier));
    this.unanswered = [...before, [this.rev, structuredClone(change)]];
    this.waiting = null;
    this.unheard = 0;
    this.repeat();
  }

  repeat() {
    this.told += 1;
    const { visit, told, unanswered: changes } = this;
    this.side.setStateValue(this.name, { visit, told, changes });
    clearTimeout(this.timer);
    this.timer = setTimeout(
      () => {
        this.unheard = Math.min(this.unheard + 1, MOST_DOUBLED);
        this.repeat();
      },
      UNHEARD * 2 ** this.unheard,
    );
  }

  /**
   * A drawing is here: "mine" answers the last report, "other" is of another hand, and "late" was made
   * before Python had that report, which may have been lost, and is repeated.
   * @param {Drawing} drawing
   * @param {Answers} [answers]
   */
  answer(drawing, answers) {
    const asked = this.unanswered.length > 0;
    const upTo = answers?.visit === this.visit ? answers.rev : 0;
    this.unanswered = this.unanswered.filter(([rev]) => rev > upTo);
    if (this.unanswered.length) {
      this.repeat();
      return "late";
    }
    clearTimeout(this.timer);
    this.waiting = drawing;
    this.settle();
    return asked ? "mine" : "other";
  }

  /** What was held has been let go: a drawing that came meanwhile counts, unless a change was reported. */
  settle() {
    const drawing = this.waiting;
    if (drawing === null || this.side.holding()) return;
    this.waiting = null;
    this.side.adopt(drawing);
  }

  /** Of another thing than the changes were, or of none any more: what is under way means nothing to it. */
  forget() {
    clearTimeout(this.timer);
    this.unanswered = [];
    this.waiting = null;
  }
}
