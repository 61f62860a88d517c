// A run as the browser follows it over the WebSocket of ui/live.py: its curves and newest picture, the kept ones that
// the reader scrubs to, its status line. A component that draws runs extends RunStream.

import { CanvasView } from "../core/canvas-view.js";
import { Exchange } from "../core/exchange.js";
import { Line } from "../core/line.js";
import { unpack } from "../core/messages.js";
import { fmt, fmtInteger, fmtSeconds } from "../core/numbers.js";

const REPLAY = 140; // milliseconds a kept picture stays while they are replayed
const REST = 250; // milliseconds after which what the reader looks at is told

// ---- what is known of the run

/** @import { RunFrame } from "../payloads.js" */
/**
 * @typedef {Map<number, number>} Rows of a curve, by step
 * @typedef {{steps: number, seed: number}} DrawnOver what a drawing of any kind says, and its arrays
 * @typedef {RunFrame & Partial<Record<"rate" | "eta" | "loss" | "nmse", number | null>>} Row of a run, and what its worker measured
 */
/**
 * @template {DrawnOver} [Over=any]
 * @typedef {object} Run
 * @property {boolean} followed
 * @property {Over | null} drawing header and arrays of what the run is compared with
 * @property {any} range of the colours of its pictures, once they were drawn
 * @property {Row | null} header what is said of it
 * @property {Row & Record<string, any> | null} frame the newest picture, and what is said of it
 * @property {Rows} loss
 * @property {Rows} evals
 * @property {Record<string, Rows>} metrics
 * @property {Map<number, Record<string, any>>} kept pictures by their steps
 * @property {number | null} scrub the step that is looked back at
 */
/**
 * @template {DrawnOver} Over
 * @typedef {Run<Over> & {drawing: Over}} Drawn a run of which it is known what it is compared with
 */
/**
 * @typedef {{step: number | null, t: number | null}} Selection what the reader chose to see of it
 * @typedef {object} Followed what Python says of the run to follow
 * @property {string | null} push
 * @property {string | null} run
 * @property {Turn} [turn]
 * @property {Pinned[]} [pins]
 * @property {Selection & {answers?: import("../core/exchange.js").Answers}} [selection]
 */

/** @type {Selection} */
const NEWEST = { step: null, t: null };
const same = (/** @type {Selection} */ a, /** @type {Selection} */ b) =>
  a.step === b.step && a.t === b.t;

/** @returns {Run} */
export function emptyRun() {
  return {
    followed: true, // a run, and not what nobody has trained
    drawing: null,
    range: null,
    header: null,
    frame: null,
    loss: new Map(),
    evals: new Map(),
    metrics: {},
    kept: new Map(),
    scrub: null,
  };
}

/** Whether it is known what a run is compared with. @type {<Over extends DrawnOver>(run: Run<Over>) => run is Drawn<Over>} */
export function isDrawn(run) {
  return run.drawing !== null;
}

/** @type {(rows: Rows, steps?: Packed, values?: Packed) => void} */
function mergeRows(rows, steps, values) {
  if (!steps || !values) return;
  for (const [i, step] of steps.values.entries()) rows.set(step, values.values[i]);
}

// A run resumed from its checkpoint takes the steps after it again: what was drawn of them goes.
/** @type {(rows: Map<number, unknown>, step: number) => void} */
function forgetAfter(rows, step) {
  for (const known of rows.keys()) if (known > step) rows.delete(known);
}

/**
 * What the pictures show: the kept step the reader scrubbed to, as soon as it is here, else the newest.
 * @param {Run} run
 */
export const shownIn = (run) => (run.scrub !== null && run.kept.get(run.scrub)) || run.frame;

// The rows of the curves that come with a message, or with the picture of a run at work.
/** @type {(run: Run, arrays: Record<string, Packed>) => void} */
function takeRows(run, arrays) {
  mergeRows(run.loss, arrays.loss_step, arrays.loss);
  mergeRows(run.evals, arrays.eval_step, arrays.eval_nmse);
  for (const [name, values] of Object.entries(arrays)) {
    // what a task measures beside the error
    if (name.startsWith("metric_"))
      mergeRows((run.metrics[name.slice(7)] ??= new Map()), arrays.eval_step, values);
  }
}

// What the worker says of a picture; what the run's row says comes in the message around it.
const measuredIn = ({ rate = null, eta = null, loss = null, nmse = null }) => ({
  rate,
  eta,
  loss,
  nmse,
});

/** @type {(run: Run, message: Message) => void} */
export function take(run, message) {
  const { header, arrays, picture } = message;
  if (header.kind === "kept") return void run.kept.set(header.step, picture?.arrays ?? {});
  if (header.kind === "drawing")
    Object.assign(run, { drawing: { ...header, ...arrays }, range: null });
  for (const rows of [picture?.arrays ?? {}, arrays]) takeRows(run, rows);
  if (header.kind !== "frame") return;
  for (const rows of [run.loss, run.evals, ...Object.values(run.metrics), run.kept])
    forgetAfter(rows, header.step);
  const row = { ...run.header, ...(picture && measuredIn(picture.header)), ...header };
  run.header = row;
  run.frame = { ...run.frame, ...row, ...picture?.arrays };
}

/** @type {(rows: Rows) => [number, number][]} */
export const sorted = (rows) => [...rows].filter(([, y]) => y > 0).sort((a, b) => a[0] - b[0]);

// ---- the turns of a run (RunRow.drawn_state): the one that Python has drawn, the newest, and the last that Python was told

/** @typedef {string | null} Turn */
/** @typedef {{drawn: Turn, now: Turn, told: Turn}} Turns */
/** @typedef {{push: string, label: string, turn: Turn}} Pinned */
/** @returns {Turns} */
const emptyPage = () => ({ drawn: null, now: null, told: null });

// ---- the status line

/** @type {Record<string, string>} */
const SHAPES = {
  running: "▶",
  paused: "❚❚",
  queued: "…",
  finished: "✓",
  diverged: "✕",
  failed: "✕",
  stopped: "■",
  interrupted: "■",
  "not trained yet": "○",
};

/** @param {Run} run @param {string} note */
export function statusTexts(run, note) {
  const f = run.frame;
  const steps = f?.steps ?? run.drawing?.steps;
  const comes = run.followed && !f; // a run that there is, whose picture is on its way
  const status = f?.status ?? (comes ? "loading" : "not trained yet");
  const wait = f?.wait ? `, about ${fmtSeconds(f.wait)}` : "";
  const place = status === "queued" && f?.position ? `, ${f.position} in the queue${wait}` : "";
  const evaluated = sorted(run.evals).at(-1)?.[1] ?? f?.nmse;
  return {
    status: `${SHAPES[status] ?? "…"} ${status}${place}`,
    step: comes ? "" : `step ${fmtInteger(f?.step ?? 0)} of ${steps ? fmtInteger(steps) : "–"}`,
    rate: status === "running" && f?.rate ? `${fmtInteger(f.rate)} steps/s` : "",
    eta: status === "running" && f?.eta ? `${fmtSeconds(f.eta)} left` : "",
    nmse: f ? `nMSE ${fmt(evaluated)}` : "",
    seed: run.drawing ? `seed ${run.drawing.seed}` : "",
    note: note || (status !== "finished" && f?.message) || "",
  };
}

// ---- the socket, the scrub bar and the status line

/** @type {(view: RunStream) => Exchange<Selection>} */
export const selectionsOf = (view) =>
  new Exchange(
    {
      setStateValue: (name, report) => view.setStateValue(name, report),
      adopt: (selection) => view.select(selection),
      holding: () => !same(view.selection, view.knownSelection),
    },
    "selection",
  );

/** @template {DrawnOver} [Over=any] */
export class RunStream extends CanvasView {
  /** @type {Run<Over>} */
  run = emptyRun();
  /** The runs to compare with. @type {{push: string, label: string, run: Run<Over>, line: Line}[]} */
  pins = [];
  /** The query of the example sequence that the reader chose. @type {number | null} */
  t = null;
  note = "";
  /** The address of the run's socket, and the run. @type {string | null} */
  push = null;
  /** @type {string | null} */
  runId = null;
  /** @type {ReturnType<RunStream["lineTo"]> | null} */
  line = null;
  /** A frame came that is not yet drawn: the server waits for its acknowledgement. */
  ackPending = false;
  page = emptyPage();
  /** Kept steps that the server was asked for. @type {Set<number>} */
  asked = new Set();
  /** The selection that Python knows, or was told. @type {Selection} */
  knownSelection = NEWEST;
  selections = selectionsOf(this);
  /** @type {number | undefined} */
  replayTimer;
  /** @type {number | undefined} */
  reportTimer;

  /** @param {any} root @param {string} name @param {string[]} panels as CanvasView takes them */
  constructor(root, name, panels) {
    super(root, name, panels);
    /** What `probe` says of the run besides. @type {{frames: number, header: Run["header"], shown?: number}} */
    this.probed = Object.assign(this.probe, { frames: 0, header: null });
    /** @type {HTMLInputElement} */
    this.slider = root.querySelector("[data-scrub]");
    /** @type {HTMLButtonElement} */
    this.player = root.querySelector("[data-replay]");
    this.slider.addEventListener("input", () => this.scrub(Number(this.slider.value)));
    this.slider.addEventListener("change", () => this.reportSelection());
    this.player.addEventListener("click", () => this.replay());
  }

  /** @param {Record<string, unknown>} change @param {...string} panels to be drawn for it: none are all */
  set(change, ...panels) {
    Object.assign(this, change);
    this.invalidate(...panels);
  }

  /** What changes with the pointer on a panel, null once it has left; a finger has no place before it is down. */
  /** @type {(panel: string, drawn: string[], change: (event: PointerEvent | null) => Record<string, unknown>) => void} */
  pointing(panel, drawn, change) {
    const at = (/** @type {PointerEvent} */ event) => this.set(change(event), ...drawn);
    const canvas = this.canvas[panel];
    canvas.addEventListener("pointermove", at);
    canvas.addEventListener("pointerdown", at);
    canvas.addEventListener("pointerleave", () => this.set(change(null), ...drawn));
  }

  afterDraw() {
    this.writeStatus();
    this.writeScrub();
    const { scrub, kept: pictures, frame } = this.run;
    this.probed.shown = scrub !== null && pictures.has(scrub) ? scrub : frame?.step;
    if (!this.ackPending) return;
    this.ackPending = false;
    this.probed.frames += 1;
    this.line?.send("ack");
  }

  // The scrub bar has the kept steps in order, and after them "now".
  keptSteps() {
    return sorted(this.run.evals).map((row) => row[0]);
  }

  scrub(/** @type {number} */ place) {
    const steps = this.keptSteps();
    this.run.scrub = place >= steps.length - 1 ? null : steps[place];
    for (const step of steps) this.ask(step);
    this.invalidate();
  }

  get selection() {
    return { step: this.run.scrub, t: this.t };
  }

  // Python hears what the reader looks at once they rest, and writes it into the address.
  reportSelection() {
    clearTimeout(this.reportTimer);
    this.reportTimer = setTimeout(() => {
      if (same(this.selection, this.knownSelection)) return this.selections.settle();
      this.knownSelection = this.selection;
      this.selections.report({ run: this.runId, ...this.knownSelection });
    }, REST);
  }

  // What the address asks for.
  select(/** @type {Selection} */ { step, t }) {
    this.knownSelection = { step, t };
    this.t = t;
    this.run.scrub = step;
    if (step !== null) this.seek(step);
  }

  ask(/** @type {number} */ step) {
    if (this.run.kept.has(step) || this.asked.has(step) || !this.line?.isOpen) return;
    this.asked.add(step);
    this.line.send(`at ${step}`);
  }

  replay() {
    clearInterval(this.replayTimer);
    const end = () => this.keptSteps().length - 1; // a run at work keeps more meanwhile
    let place = this.replayTimer || end() < 1 ? end() : 0;
    this.replayTimer = undefined;
    const next = () => {
      this.slider.value = String(place);
      this.scrub(place);
      if (place++ >= end()) {
        clearInterval(this.replayTimer);
        this.replayTimer = undefined;
        this.invalidate();
        this.reportSelection();
      }
    };
    if (place === 0) this.replayTimer = setInterval(next, REPLAY);
    next();
  }

  writeScrub() {
    const steps = this.keptSteps();
    const last = Math.max(0, steps.length - 1);
    const place = this.run.scrub === null ? last : Math.max(0, steps.indexOf(this.run.scrub));
    this.slider.max = String(last);
    this.slider.disabled = this.player.disabled = last < 1;
    if (Number(this.slider.value) !== place) this.slider.value = String(place);
    const step = this.run.scrub ?? this.run.frame?.step ?? 0;
    const text =
      this.run.scrub === null
        ? `now: step ${fmtInteger(step)}`
        : `looking back at step ${fmtInteger(step)}`;
    this.slider.setAttribute("aria-valuetext", text);
    this.say("scrub", text);
    this.player.textContent = this.replayTimer ? "■ end" : "▶ replay";
  }

  /** The run of which the status line tells. */
  toldRun() {
    return this.run;
  }

  writeStatus() {
    const told = this.toldRun();
    for (const [name, text] of Object.entries(statusTexts(told, this.note))) this.say(name, text);
    const f = told.frame;
    const done = f ? Math.min(1, f.step / f.steps) : 0;
    this.root.querySelector("[data-progress]").style.transform = `scaleX(${done})`;
  }

  follow(/** @type {Followed} */ { push, run, turn: drawn, pins, selection }) {
    this.followPins(pins ?? []);
    if (this.push !== push) this.turnTo(push, run);
    this.run.followed = Boolean(push);
    this.page.drawn = drawn ?? null;
    this.selections.answer(selection ?? NEWEST, selection?.answers);
    this.tellTurn();
  }

  /** @param {string | null} push @param {string | null} run */
  turnTo(push, run) {
    this.line?.close();
    clearInterval(this.replayTimer);
    Object.assign(this, {
      push,
      runId: run,
      page: emptyPage(),
      run: emptyRun(),
      note: "",
      t: null,
      replayTimer: undefined,
    });
    Object.assign(this, { asked: new Set(), knownSelection: NEWEST });
    this.selections.forget();
    clearTimeout(this.reportTimer);
    this.line = push ? this.lineTo(push) : null;
  }

  /** By which a run is followed. @param {string} push @returns {Pick<Line, "isOpen" | "send" | "close">} */
  lineTo(push) {
    const receive = (/** @type {ArrayBuffer} */ data) => this.receive(unpack(data));
    return new Line(push, receive, this.lost.bind(this));
  }

  /** The first of the pinned runs. @returns {Run<Over> | null} */
  get pin() {
    return this.pins[0]?.run ?? null;
  }

  // Pinned runs are to compare with: their newest curves and pictures, by a socket each.
  followPins(/** @type {Pinned[]} */ wanted) {
    const remaining = this.pins.filter((pin) => wanted.some(({ push }) => push === pin.push));
    for (const pin of this.pins) if (!remaining.includes(pin)) pin.line.close();
    this.pins = wanted.map(({ push, label, turn: drawn }) => {
      const known = remaining.find((pin) => pin.push === push) ?? this.openPin(push, drawn);
      return Object.assign(known, { label });
    });
  }

  /** @param {string} push @param {Turn} drawn the turn that Python has drawn */
  openPin(push, drawn) {
    const run = emptyRun();
    let before = drawn;
    const line = new Line(push, (data) => {
      const message = unpack(data);
      take(run, message);
      this.invalidate();
      if (message.header.kind !== "frame") return;
      line.send("ack");
      const now = message.header.turn ?? null;
      if (now !== before) this.selections.report({ run: this.runId, turn: now }); // the page speaks of it, too
      before = now;
    });
    return { push, run, line, label: "" };
  }

  receive(/** @type {Message} */ message) {
    this.note = "";
    if (message.header.kind === "drawing") this.asked = new Set(this.run.kept.keys()); // a new socket owes nothing
    take(this.run, message);
    if (message.header.kind === "frame") {
      this.ackPending = true;
      this.probed.header = this.run.header;
      if (this.run.scrub !== null) this.seek(this.run.scrub);
      this.page.now = message.header.turn ?? null;
      this.tellTurn();
    }
    this.invalidate();
  }

  // A step of the address may not be among the kept ones of this run, once those are here.
  seek(/** @type {number} */ step) {
    if (this.run.evals.has(step) || !this.run.frame) this.ask(step);
    else this.knownSelection = { ...this.knownSelection, step: (this.run.scrub = null) };
  }

  // Python hears that it has drawn another turn: its fragment then redraws the buttons. A frame may be older than what Python
  // has drawn, so each turn is reported once: what Python then draws is what the store says.
  tellTurn() {
    const { drawn, now, told } = this.page;
    if (drawn === null || now === null || now === drawn || now === told) return;
    this.page.told = now;
    this.selections.report({ run: this.runId, turn: now });
  }

  /** @param {string} reason @param {boolean} isFinal */
  lost(reason, isFinal) {
    this.note = reason || (isFinal ? "this run cannot be shown" : "reconnecting…");
    this.ackPending = false;
    this.invalidate();
  }

  close() {
    this.line?.close();
    for (const { line } of this.pins) line.close();
    clearInterval(this.replayTimer);
    clearTimeout(this.reportTimer);
    this.selections.forget();
    super.close();
  }
}
