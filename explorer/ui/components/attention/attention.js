// @ts-nocheck
// One head under the reader's hands: points, masses and indices to move, rows to follow, temperature, order and rank to change.

import { mounted } from "../core/canvas-view.js";
import { unpack } from "../core/messages.js";
import { clamp, round } from "../core/numbers.js";
import { RunFeed, shownIn } from "../run/feed.js";
import { drawCurve, drawSingular, drawValues, overPlane } from "./learned.js";
import { networkOf, rowsOf } from "./model.js";
import { drawGraph, drawMatrix, drawPlane, focusOf, tokenAt } from "./panels.js";
import { compared, equivariance, kindOf, solve } from "./task.js";
import { agreement, drawable, fillToken, readout, typed } from "./words.js";

const PANELS = ["plane", "graph", "matrix", "curve", "values", "singular"];
const BOARD = ["plane", "graph", "matrix"];
export const DRAW = {
  plane: drawPlane,
  graph: drawGraph,
  matrix: drawMatrix,
  curve: drawCurve,
  values: drawValues,
  singular: drawSingular,
};
const REACH = 16;
const TOUCH_REACH = 30;
const STEP = 0.01;
const COARSE = 0.1;
export const GRID = 25; // learned values over the plane
const GRID_PAUSE = 500; // milliseconds between two of them while a run is at work
const PLAIN = { temperature: 1, k: null, order: null, positions: "move" };
const HARD = 40;
const EVEN = 20; // places of the slider: hard-max, T = 1

const temperatureAt = (place) => (place >= HARD ? 0 : round(10 ** (1 - place / EVEN), 2));
const placeOf = (temperature) =>
  temperature === 0 ? HARD : Math.round(EVEN * (1 - Math.log10(temperature)));
const copy = (value) => JSON.parse(JSON.stringify(value));

class Attention extends RunFeed {
  constructor(root) {
    super(root, "Attention", PANELS);
    Object.assign(this, {
      subject: null,
      settings: { ...PLAIN },
      hover: null,
      locked: null,
      chosen: 0,
      drag: null,
      rev: 0,
    });
    Object.assign(this, {
      past: [],
      future: [],
      stale: true,
      kept: null,
      live: null,
      confirmed: null,
      refused: false,
    });
    this.listenToPlane();
    this.listenToRows();
    this.listenToKnife();
    this.listenToTools();
  }

  // -- what Python says

  take(bytes) {
    const { header, arrays } = unpack(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
    );
    const subject = JSON.stringify(header.task);
    const another = subject !== this.subject;
    Object.assign(this, {
      task: header.task,
      net: header.net,
      example: header.example,
      kept: networkOf(header.net, arrays),
    });
    if (this.push !== header.feed.push) Object.assign(this, { live: null, grid: null });
    if (another)
      Object.assign(this, {
        subject,
        past: [],
        future: [],
        hover: null,
        rev: header.rev,
        drag: null,
      });
    if (another || (header.rev >= this.rev && !this.drag)) this.adopt(header.board, header.rev);
    this.confirmed =
      header.rev === this.rev && arrays.attention
        ? { attention: rowsOf(arrays.attention), predicted: rowsOf(arrays.predicted) }
        : null;
    this.refused = header.rev === this.rev && header.refused;
    this.follow(header.feed);
    this.change();
  }

  adopt({ board, settings, row }, rev) {
    Object.assign(this, {
      board: copy(board),
      settings: { ...PLAIN, ...settings },
      locked: row,
      rev,
    });
    this.chosen = clamp(this.chosen, 0, board.points.length - 1);
  }

  // The parameters that answer: of the live frame while the run is at work, else of the checkpoint.
  get network() {
    const running = this.run.frame?.status === "running";
    return (running && this.live) || this.kept || this.live;
  }

  receive(message) {
    if (message.header.kind === "frame") {
      const live = networkOf(this.net, message.picture?.arrays ?? {});
      if (live) {
        this.live = live;
        this.stale = true;
      }
    }
    if (message.header.kind === "kept" || this.run.scrub !== null) this.stale = true;
    super.receive(message);
  }

  scrub(place) {
    this.stale = true;
    super.scrub(place);
  }

  // -- what is shown

  backwards() {
    return this.run.scrub !== null && this.run.kept.has(this.run.scrub);
  }

  pictures() {
    return shownIn(this.run);
  }

  // Looking back, the picture that was kept, of the example; else the board, answered by the newest parameters.
  solve() {
    Object.assign(this, { stale: false, solvedBy: this.network, shown: this.board });
    if (!this.backwards()) {
      this.found = solve(this.task, this.board, this.network, this.settings);
      return;
    }
    const kept = this.run.kept.get(this.run.scrub);
    const rows = (name) => rowsOf(kept[name]).map((row) => [...row]);
    this.shown = kindOf(this.task).board(this.task, rows("tokens"));
    this.found = Object.fromEntries(
      ["tokens", "ideal", "answer", "attention", "predicted"].map((name) => [name, rows(name)]),
    );
  }

  // Learned values over the plane, (GRID, GRID) rows y, columns x.
  heights() {
    const { network, task } = this;
    const now = performance.now();
    if (!network) return null;
    if (
      this.grid &&
      (this.grid.network === network || (network === this.live && now - this.grid.at < GRID_PAUSE))
    )
      return this.grid;
    this.grid = { network, at: now, size: GRID, grid: overPlane(task, network, GRID) };
    return this.grid;
  }

  change(...panels) {
    this.stale = true;
    this.invalidate(...panels);
  }

  ready() {
    return Boolean(this.task);
  }

  animate() {
    if (this.stale || this.solvedBy !== this.network || this.wasBack !== this.backwards())
      this.solve();
    this.wasBack = this.backwards();
  }

  afterDraw(now) {
    super.afterDraw(now);
    this.dress();
  }

  places() {
    return placesIn(this);
  }

  paint(panel, ctx, theme, w, h) {
    const { task, found, hover, locked, chosen, run, settings, network } = this;
    const view = {
      task,
      found,
      hover,
      locked,
      run,
      settings,
      network,
      board: this.shown,
      chosen: this.backwards() ? -1 : chosen,
    };
    const seen = Object.create(this, Object.getOwnPropertyDescriptors(view));
    const sentence = DRAW[panel](ctx, theme, w, h, seen);
    for (const name of ["plane", "graph", "matrix", "curve", "knife"])
      if (Object.hasOwn(seen, name)) this[name] = seen[name];
    return sentence;
  }

  attributes(panel, sentence) {
    if (this.canvas[panel].getAttribute("role") !== "slider") return { "aria-label": sentence };
    const [at, most] = {
      plane: [this.chosen, this.board.points.length - 1],
      matrix: [focusOf(this)?.t ?? 0, this.task.tau - 1],
      singular: [this.settings.k ?? this.knife?.count ?? 1, this.knife?.count ?? 1],
    }[panel];
    return { "aria-valuetext": sentence, "aria-valuenow": at, "aria-valuemax": most };
  }

  // -- telling Python, undo

  // Before a change: what undo goes back to.
  remember() {
    this.past.push(copy({ board: this.board, settings: this.settings }));
    if (this.past.length > 100) this.past.shift();
    this.future = [];
  }

  tell(board = this.board) {
    this.rev += 1;
    this.confirmed = null;
    this.setStateValue("board", {
      rev: this.rev,
      board: copy(board),
      settings: copy(this.settings),
      row: this.locked,
    });
    this.invalidate(...BOARD);
  }

  travel(from, to) {
    const there = from.pop();
    if (!there) return;
    to.push(copy({ board: this.board, settings: this.settings }));
    Object.assign(this, there);
    this.change();
    this.tell();
  }

  edit(change) {
    this.remember();
    change();
    this.change();
    this.tell();
  }

  // -- the plane

  listenToPlane() {
    const canvas = this.canvas.plane;
    const on = (name, act) => canvas.addEventListener(name, act);
    on("pointerdown", (e) => this.grab(e));
    on("pointermove", (e) => (this.drag !== null ? this.pull(e) : this.look(e)));
    on("pointerup", () => this.drop());
    on("pointercancel", () => this.drop());
    on("pointerleave", () => this.drag === null && this.point(null));
    on("keydown", (e) => this.key(e));
    on("wheel", (e) => this.weigh(e));
  }

  inside({ clientX, clientY }, canvas) {
    const box = canvas.getBoundingClientRect();
    return [clientX - box.left, clientY - box.top];
  }

  under(event) {
    const [x, y] = this.inside(event, this.canvas.plane);
    const reach = event.pointerType === "touch" ? TOUCH_REACH : REACH;
    const away = (this.plane?.spots ?? []).map((spot) => Math.hypot(spot[0] - x, spot[1] - y));
    const least = Math.min(...away);
    return least <= reach ? away.indexOf(least) : null;
  }

  look(event) {
    const i = this.under(event);
    this.canvas.plane.style.cursor = i === null ? "default" : "grab";
    if (i === null) return this.point(null);
    const t = tokenAt({ task: this.task, board: this.shown }, i);
    this.point(kindOf(this.task).pointed(this.task, i, t));
  }

  grab(event) {
    if (event.button !== 0 || this.backwards()) return;
    const i = this.under(event);
    if (i === null) return this.set({ locked: null }, ...BOARD);
    this.canvas.plane.setPointerCapture(event.pointerId);
    this.remember();
    this.set({ chosen: i, drag: { moved: false } }, ...BOARD);
    this.look(event);
  }

  pull(event) {
    const [px, py] = this.inside(event, this.canvas.plane);
    const { x, y, low, high } = this.plane;
    const point = this.board.points[this.chosen];
    point[0] = round4(clamp(x.invert(px), low, high));
    if (point.length > 1) point[1] = round4(clamp(y.invert(py), low, high));
    this.drag.moved = true;
    this.change(...BOARD);
  }

  drop() {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (drag.moved) this.tell();
    else this.past.pop();
    this.invalidate(...BOARD);
  }

  weigh(event) {
    const i = this.under(event);
    if (i === null || !this.board.masses || this.backwards()) return;
    event.preventDefault();
    this.chosen = i;
    this.edit(() => this.setMass(i, this.board.masses[i] - Math.sign(event.deltaY) * 0.05));
  }

  setMass(i, mass) {
    this.board.masses[i] = round4(clamp(mass, 0.01, 10));
  }

  key(event) {
    if (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      return event.shiftKey
        ? this.travel(this.future, this.past)
        : this.travel(this.past, this.future);
    }
    if (event.ctrlKey || event.metaKey || event.altKey || this.backwards()) return;
    const { points, masses } = this.board;
    const step = event.shiftKey ? COARSE : STEP;
    const { low, high } = this.plane;
    const shift = (axis, by) => () =>
      axis < points[0].length &&
      this.edit(() => {
        points[this.chosen][axis] = round4(clamp(points[this.chosen][axis] + by, low, high));
      });
    const choose = (i) => () => this.set({ chosen: (i + points.length) % points.length }, ...BOARD);
    const acts = {
      ArrowLeft: shift(0, -step),
      ArrowRight: shift(0, step),
      ArrowDown: shift(1, -step),
      ArrowUp: shift(1, step),
      PageDown: choose(this.chosen + 1),
      PageUp: choose(this.chosen - 1),
      Home: choose(0),
      End: choose(points.length - 1),
    };
    if (masses)
      for (const [sign, by] of [
        ["+", 0.05],
        ["-", -0.05],
      ])
        acts[sign] = () => this.edit(() => this.setMass(this.chosen, masses[this.chosen] + by));
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  // -- rows: matrix and graph

  listenToRows() {
    const { matrix, graph } = this.canvas;
    for (const [canvas, at] of [
      [matrix, (e) => this.cellAt(e)],
      [graph, (e) => this.nodeAt(e)],
    ]) {
      canvas.addEventListener("pointermove", (e) => this.point(at(e)));
      canvas.addEventListener("pointerleave", () => this.point(null));
      canvas.addEventListener("click", (e) => this.lock(at(e)?.t ?? null));
    }
    matrix.addEventListener("keydown", (e) => this.keyOnMatrix(e));
    matrix.addEventListener("blur", () => this.point(null));
  }

  cellAt(event) {
    const [x, y] = this.inside(event, this.canvas.matrix);
    const m = this.matrix;
    const s = Math.floor((x - m?.x) / m?.cell);
    const t = Math.floor((y - m?.y) / m?.cell);
    const { tau } = this.task;
    return s >= 0 && s < tau && t >= 0 && t < tau ? { t, s } : null;
  }

  nodeAt(event) {
    const [x, y] = this.inside(event, this.canvas.graph);
    const i = Math.round(this.graph?.y.invert(y));
    const [left, right] = this.graph?.x ?? [];
    if (!(i >= 0 && i < this.task.tau)) return null;
    return x < (left + right) / 2 ? { t: i, s: null } : { t: null, s: i };
  }

  point(hover) {
    if (JSON.stringify(hover) !== JSON.stringify(this.hover)) this.set({ hover }, ...BOARD);
  }

  lock(t) {
    this.locked = this.locked === t ? null : t;
    const own =
      t === null ? [] : kindOf(this.task).ofToken({ ...this.task, lengths: this.shown.lengths }, t);
    if (own.length && !own.includes(this.chosen)) this.chosen = own[0];
    this.tell();
  }

  keyOnMatrix(event) {
    const { tau } = this.task;
    const at = focusOf(this) ?? { t: 0, s: 0 };
    const t = at.t ?? 0;
    const s = at.s ?? 0;
    const turn = (i) => (i + tau) % tau;
    const next = {
      ArrowUp: { t: turn(t - 1), s },
      ArrowDown: { t: turn(t + 1), s },
      ArrowLeft: { t, s: turn(s - 1) },
      ArrowRight: { t, s: turn(s + 1) },
    }[event.key];
    if (!next && event.key !== "Enter") return;
    event.preventDefault();
    if (next) this.point(next);
    else this.lock(t);
  }

  // -- the knife

  listenToKnife() {
    const canvas = this.canvas.singular;
    const on = (name, act) => canvas.addEventListener(name, act);
    const move = (e) =>
      this.knife && this.cut(Math.round(this.knife.x.invert(this.inside(e, canvas)[0]) - 0.5));
    on("pointerdown", (e) => {
      if (e.button !== 0 || !this.knife || !this.network?.cut) return;
      canvas.setPointerCapture(e.pointerId);
      this.remember();
      this.cutting = true;
      move(e);
    });
    on("pointermove", (e) => this.cutting && move(e));
    for (const name of ["pointerup", "pointercancel"])
      on(name, () => {
        if (this.cutting) {
          this.cutting = false;
          this.tell();
        }
      });
    on("keydown", (e) => {
      const count = this.knife?.count;
      const k = this.settings.k ?? count;
      const next = {
        ArrowLeft: k - 1,
        ArrowDown: k - 1,
        ArrowRight: k + 1,
        ArrowUp: k + 1,
        Home: 1,
        End: count,
      }[e.key];
      if (next === undefined || !count || !this.network?.cut) return;
      e.preventDefault();
      this.remember();
      this.cut(next);
      this.tell();
    });
  }

  cut(k) {
    const { count } = this.knife;
    const kept = clamp(k, 1, count);
    this.settings.k = kept === count ? null : kept;
    this.change(...BOARD, "singular");
  }

  // -- the buttons and the numbers

  tool(name) {
    return this.root.querySelector(`[data-act=${name}]`);
  }

  listenToTools() {
    const on = (act, then) => this.tool(act).addEventListener("click", then);
    on("sample", () =>
      this.edit(() => {
        this.board = sampled(this.task, this.board);
      }),
    );
    on("example", () =>
      this.edit(() => {
        Object.assign(this, { board: copy(this.example), settings: { ...PLAIN } });
        this.run.scrub = null;
      }),
    );
    on("undo", () => this.travel(this.past, this.future));
    on("redo", () => this.travel(this.future, this.past));
    on("shuffle", () =>
      this.edit(() => {
        this.settings.order = this.settings.order ? null : shuffled(this.task.tau);
      }),
    );
    on("keys", (e) => {
      const keys = this.root.querySelector(".keys");
      keys.hidden = !keys.hidden;
      e.target.setAttribute("aria-expanded", String(!keys.hidden));
    });
    const warmth = this.root.querySelector("[data-temperature]");
    const positions = this.root.querySelector("[data-positions]");
    warmth.addEventListener("pointerdown", () => this.remember());
    warmth.addEventListener("input", () => {
      this.settings.temperature = temperatureAt(Number(warmth.value));
      this.change(...BOARD);
    });
    warmth.addEventListener("change", () => this.tell());
    positions.addEventListener("change", () =>
      this.edit(() => {
        this.settings.positions = positions.value;
      }),
    );
    this.root.querySelector(".token").addEventListener("change", (e) => this.type(e.target));
  }

  dress() {
    const { settings, task } = this;
    const back = this.backwards();
    const busy = (name, off) => {
      this.tool(name).disabled = off;
    };
    busy("undo", !this.past.length || back);
    busy("redo", !this.future.length || back);
    busy("sample", back);
    busy("shuffle", back);
    this.root.querySelector("[data-temperature]").disabled = back;
    this.tool("shuffle").setAttribute("aria-pressed", String(settings.order !== null));
    this.root.querySelector("[data-temperature]").value = placeOf(settings.temperature);
    const positions = this.root.querySelector("[data-positions]");
    positions.value = settings.positions;
    positions.disabled = back || !kindOf(task).positions(task);
    const texts = readout(this);
    for (const [name, text] of Object.entries(texts)) {
      const place = this.root.querySelector(`[data-text=${name}]`);
      if (place.textContent !== text) place.textContent = text;
    }
    fillToken(this);
  }

  // A number of the chosen token was typed; what cannot be drawn is left to Python to refuse.
  type(input) {
    const board = typed(copy(this.board), input.dataset, input.value);
    if (!drawable(this.task, board)) return this.tell(board);
    this.edit(() => {
      this.board = board;
    });
  }
}

const round4 = (x) => Math.round(1e4 * x) / 1e4;

function shuffled(count) {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order.every((p, t) => p === t) ? order.reverse() : order;
}

// Another sequence, drawn as in training; segments stay as they are.
export function sampled(task, board) {
  const { tau, k } = task;
  const [low, high] = kindOf(task).range;
  const draw = () => round4(low + (high - low) * Math.random());
  return {
    ...board,
    points: board.points.map((point) => point.map(draw)),
    ...(board.masses && { masses: board.masses.map(() => round4(0.1 + 0.9 * Math.random())) }),
    ...(board.indices && {
      indices: board.indices.map(() =>
        Array.from({ length: k }, () => Math.floor(tau * Math.random())),
      ),
    }),
  };
}

// Where things are, for tests.
function placesIn(view) {
  const { board, settings, found, locked, rev, chosen } = view;
  const plane = view.plane;
  return {
    board,
    settings,
    locked,
    rev,
    chosen,
    attention: found?.attention ?? null,
    predicted: found?.predicted ?? null,
    spots: plane?.spots ?? [],
    matrix: view.matrix ?? null,
    graph: view.graph && {
      x: view.graph.x,
      y: Array.from({ length: view.task.tau }, (_, t) => view.graph.y(t)),
    },
    knife: view.knife?.box ?? null,
    focus: focusOf(view),
    back: view.backwards(),
    agrees: agreement(view),
    refused: view.refused,
    compared: found && compared(found),
    undo: view.past.length,
    equivariance:
      settings.order && view.network
        ? equivariance(view.task, board, view.network, settings)
        : null,
  };
}

export default mounted(Attention);
