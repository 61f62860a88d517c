// One head under the reader's hands: points, masses and indices to move, rows to follow, temperature, order and rank to change.

import { mounted } from "../core/mount.js";
import { Exchange } from "../core/exchange.js";
import { History } from "../core/history.js";
import { unpackBytes } from "../core/messages.js";
import { clamp, inWords, minus } from "../core/numbers.js";
import { RunStream, shownIn } from "../run/stream.js";
import { round4 } from "./vectors.js";
import { drawCurve } from "./curve.js";
import { focusOf } from "./focus.js";
import { drawGraph } from "./graph.js";
import { listen } from "./hands.js";
import { drawMatrix } from "./matrix.js";
import { networkOf, rowsOf } from "./model.js";
import { drawPlane } from "./plane.js";
import { ROWS } from "./row.js";
import { drawSingular } from "./singular.js";
import { compared, equivariance, kindOf, solve } from "./task.js";
import { listenToTools, syncTools } from "./tools.js";
import { drawValues, overPlane } from "./values.js";
import { agreement } from "./words.js";

/** @import { AttentionDrawing } from "../payloads.js" */
/** @import { Solution } from "./task.js" */
/** @import { Board, Cells, Draw, Focus, Frame, Graph, Heights, Knife, Network, Settings, Task } from "./types.js" */

/** Panels. @type {Record<string, Draw>} */
export const DRAW = {
  plane: drawPlane,
  graph: drawGraph,
  matrix: drawMatrix,
  curve: drawCurve,
  values: drawValues,
  singular: drawSingular,
  ...ROWS,
};
const BOARD = ["plane", "graph", "matrix", ...Object.keys(ROWS)];
export const GRID = 25; // learned values over the plane
const GRID_PAUSE = 500; // milliseconds between two of them while a run is at work
/** @type {Settings} */
const PLAIN = { temperature: 1, k: null, order: null, positions: "move" };

/** @extends {RunStream<import("../payloads.js").TaskRunDrawing>} */
export class Attention extends RunStream {
  drawings = DRAW;
  /** The task as JSON: another one has a board and a history of its own. */
  subject = "";
  /** @type {Task} */
  task = { target: "", tau: 1 };
  /** The task in plain words. */
  sentence = "";
  /** @type {AttentionDrawing["net"] | null} */
  net = null;
  /** The board that the page gives for the task. @type {Board} */
  example = { points: [] };
  /** The parameters that answer: of the checkpoint, and of the newest frame. @type {Network | null} */
  checkpoint = null;
  /** @type {Network | null} */
  live = null;
  /** @type {Board} */
  board = { points: [] };
  settings = { ...PLAIN };
  /** The board whose weights the head keeps; null: those of what it sees. @type {Board | null} */
  held = null;
  /** @type {Exchange<Message>} */
  exchange = new Exchange(this);
  /** What Python computed for the board as it is, and whether it refused it. @type {Record<"attention" | "predicted", ArrayLike<number>[]> | null} */
  confirmed = null;
  refused = false;
  /** Something is being moved or turned: Python hears of it once it is let go. */
  moving = false;
  /** The row that stays lit; the one under the pointer, with its column. @type {number | null} */
  locked = null;
  /** @type {Focus | null} */
  hover = null;
  /** The point that keys move. */
  chosen = 0;
  /** What is held: a point, or the knife. @type {{what: string} | null} */
  drag = null;
  /** @type {History<{board: Board, settings: Settings, held: Board | null}>} */
  history = new History();
  /** Something changed since the board was solved, by these parameters, now or looking back. */
  stale = true;
  /** @type {Network | null} */
  solvedBy = null;
  solvedBack = false;
  /** The board that is drawn, what is known of it, and which of its points is marked. */
  shown = this.board;
  /** @type {Solution} */
  solution = { tokens: [], looked: [], ideal: [], answer: [] };
  marked = 0;
  /** Learned values over the plane. @type {Heights & {network: Network, at: number} | null} */
  grid = null;
  /** Where the panels are, once they were drawn. @type {(Frame & {spots: [number, number][]}) | null} */
  plane = null;
  /** @type {Graph | null} */
  graph = null;
  /** @type {Cells | null} */
  matrix = null;
  /** @type {Knife | null} */
  knife = null;

  constructor(/** @type {ShadowRoot} */ root) {
    super(root, "Attention", Object.keys(DRAW));
    listen(this);
    listenToTools(this);
  }

  /** @param {Uint8Array} bytes a drawing of pages/attention/view.py */
  take(bytes) {
    const message = unpackBytes(bytes);
    const { header, arrays } = message;
    /** @type {AttentionDrawing} */
    const { task, sentence, net, example, stream } = header;
    Object.assign(this, { task, sentence, net, example, checkpoint: networkOf(net, arrays) });
    if (this.push !== stream.push) Object.assign(this, { live: null, grid: null });
    const subject = JSON.stringify(task);
    if (subject !== this.subject) {
      Object.assign(this, { subject, history: new History(), hover: null, drag: null });
      this.moving = false;
      this.exchange.forget();
    }
    Object.assign(this, { confirmed: null, refused: false }); // of an earlier drawing
    this.exchange.answer(message, header.answers);
    this.follow(stream);
    this.change();
  }

  holding() {
    return Boolean(this.drag || this.moving);
  }

  adopt(/** @type {Message} */ { header, arrays }) {
    const { board, settings, row, held = null } = header.board;
    this.confirmed = arrays.attention
      ? { attention: rowsOf(arrays.attention), predicted: rowsOf(arrays.predicted) }
      : null;
    this.refused = Boolean(header.refused);
    this.board = structuredClone(board);
    this.settings = { ...PLAIN, ...settings };
    this.held = held;
    this.locked = row;
    this.chosen = clamp(this.chosen, 0, board.points.length - 1);
    this.history.amend(this.state());
    this.change();
  }

  /** The parameters that answer: of the live frame while the run is at work, else of the checkpoint. */
  get network() {
    const running = this.run.frame?.status === "running";
    return (running && this.live) || this.checkpoint || this.live;
  }

  receive(/** @type {Message} */ message) {
    const { kind } = message.header;
    if (kind === "frame") {
      const live = networkOf(this.net, message.picture?.arrays ?? {});
      if (live) Object.assign(this, { live, stale: true });
    }
    if (kind === "kept" || this.run.scrub !== null) this.stale = true;
    super.receive(message);
  }

  scrub(/** @type {number} */ place) {
    this.stale = true;
    super.scrub(place);
  }

  /** Whether a kept picture is shown, which nobody can change. */
  backwards() {
    return this.run.scrub !== null && this.run.kept.has(this.run.scrub);
  }

  /** @returns {Record<string, Packed> | null} */
  pictures() {
    return shownIn(this.run);
  }

  solveStale() {
    const { stale, solvedBy, solvedBack } = this;
    if (stale || solvedBy !== this.network || solvedBack !== this.backwards()) this.solve();
  }

  // Looking back, the picture that was kept, of the example; else the board, answered by the newest parameters.
  solve() {
    const back = this.backwards();
    Object.assign(this, { stale: false, solvedBy: this.network, solvedBack: back });
    if (back) return this.solveKept(shownIn(this.run) ?? {});
    this.shown = this.board;
    this.solution = solve(this.task, this.board, this.network, this.settings, this.held);
  }

  solveKept(/** @type {Record<string, Packed>} */ arrays) {
    const rows = (/** @type {string} */ name) => rowsOf(arrays[name]).map((row) => [...row]);
    this.shown = kindOf(this.task).board(this.task, rows("tokens"));
    this.solution = {
      tokens: rows("tokens"),
      looked: rows("tokens"),
      ideal: rows("ideal"),
      answer: rows("answer"),
      attention: rows("attention"),
      predicted: rows("predicted"),
    };
  }

  /** Learned values over the plane, (GRID, GRID) rows y, columns x. */
  heights() {
    const { network, task, grid } = this;
    if (!network) return null;
    const at = performance.now();
    const fresh =
      grid?.network === network || (grid && network === this.live && at - grid.at < GRID_PAUSE);
    if (!fresh) this.grid = { network, at, size: GRID, grid: overPlane(task, network, GRID) };
    return this.grid;
  }

  ready() {
    return this.subject !== "";
  }

  animate() {
    this.solveStale();
    this.marked = this.backwards() ? -1 : this.chosen;
  }

  afterDraw() {
    super.afterDraw();
    syncTools(this);
  }

  /** @type {CanvasView["sliders"]} */
  sliders() {
    const count = this.knife?.count ?? 1;
    return {
      plane: [this.chosen, this.board.points.length - 1],
      matrix: [focusOf(this)?.t ?? 0, this.task.tau - 1],
      singular: [this.settings.k ?? count, count],
    };
  }

  /** Of a task that asks for one key: the rows whose largest weight is there. */
  numbers() {
    this.solveStale();
    const hits = compared(this.solution)?.hits ?? 0;
    const all = this.solution.ideal.length;
    const t = focusOf(this)?.t ?? 0;
    const top = Math.max(...(this.solution.attention?.[t] ?? [0])).toFixed(2);
    const [says, wanted] = [this.solution.predicted, this.solution.answer].map((answers) =>
      answers?.[t] ? minus(answers[t][0].toFixed(2)) : "",
    );
    return { find: inWords(hits), all: inWords(all), top, says, wanted };
  }

  places() {
    this.solveStale();
    const { board, settings, held, solution, locked, exchange, chosen, plane, graph, refused } =
      this;
    const shuffled = settings.order && this.network;
    return {
      board,
      settings,
      held,
      locked,
      rev: exchange.rev,
      chosen,
      attention: solution.attention ?? null,
      predicted: solution.predicted ?? null,
      spots: plane?.spots ?? [],
      matrix: this.matrix,
      graph: graph && {
        x: graph.x,
        y: Array.from({ length: this.task.tau }, (_, t) => graph.y(t)),
      },
      knife: this.knife?.box ?? null,
      focus: focusOf(this),
      back: this.backwards(),
      agrees: agreement(this),
      refused,
      compared: compared(solution),
      undo: this.history.at,
      equivariance: shuffled ? equivariance(this.task, board, this.network, settings) : null,
    };
  }

  /** What is drawn of the board is not what it is any more. */
  change(/** @type {string[]} */ ...panels) {
    this.stale = true;
    this.invalidate(...panels);
  }

  /** What Python answered is of another board from now on. */
  move() {
    this.moving = true;
    this.confirmed = null;
  }

  edit(/** @type {() => void} */ change) {
    change();
    this.change();
    this.commit();
  }

  /** A point to another place, as far as the plane goes; one coordinate without y. @type {(i: number, to: number[]) => void} */
  movePoint(i, [x, y]) {
    const [low, high] = kindOf(this.task).range;
    this.move();
    const point = this.board.points[i];
    point[0] = round4(clamp(x, low, high));
    if (point.length > 1) point[1] = round4(clamp(y, low, high));
    this.change(...BOARD);
  }

  /** @type {(i: number, mass: number) => void} */
  setMass(i, mass) {
    if (this.board.masses) this.board.masses[i] = round4(clamp(mass, 0.01, 10));
  }

  setTemperature(/** @type {number} */ temperature) {
    this.move();
    this.settings.temperature = temperature;
    this.change(...BOARD);
  }

  /** How many singular values are kept. */
  cut(/** @type {number} */ k) {
    if (!this.knife) return;
    const { count } = this.knife;
    const rank = clamp(k, 1, count);
    this.move();
    this.settings.k = rank === count ? null : rank;
    this.change(...BOARD, "singular");
  }

  showExample() {
    this.board = structuredClone(this.example);
    this.settings = { ...PLAIN };
    this.held = null;
    this.run.scrub = null;
    this.reportSelection();
  }

  choose(/** @type {number} */ i) {
    this.chosen = i;
    this.invalidate(...BOARD);
  }

  setHover(/** @type {Focus | null} */ hover) {
    if (JSON.stringify(hover) === JSON.stringify(this.hover)) return;
    this.hover = hover;
    this.invalidate(...BOARD);
  }

  unlock() {
    this.locked = null;
    this.invalidate(...BOARD);
  }

  /** Row t stays lit; the one that is locked, or null, does not. */
  lock(/** @type {number | null} */ t) {
    this.locked = this.locked === t ? null : t;
    const { lengths } = this.shown;
    const points = t === null ? [] : kindOf(this.task).ofToken({ ...this.task, lengths }, t);
    if (points.length && !points.includes(this.chosen)) this.chosen = points[0];
    this.report();
  }

  state() {
    return structuredClone({ board: this.board, settings: this.settings, held: this.held });
  }

  /** An edit is done. */
  commit() {
    this.history.note(this.state());
    this.report();
  }

  report(board = this.board) {
    this.confirmed = null;
    this.moving = false;
    const held = this.held && { held: this.held };
    this.exchange.report({ board, settings: this.settings, row: this.locked, ...held });
    this.invalidate(...BOARD);
  }

  /** Back (−1) or forth (1). */
  step(/** @type {number} */ by) {
    const state = this.drag ? null : this.history.go(by);
    if (!state) return;
    Object.assign(this, structuredClone(state));
    this.change();
    this.report();
  }
}

export default mounted(Attention);
