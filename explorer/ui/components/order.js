// A target in another order and through a filter: what no model can do about it, at once; what training does, live.

const PANELS = ["tokens", "errors", "filter", "kernels", "learning", "maps"];
const TARGET = ["tokens", "errors", "filter", "kernels", "maps"];
const DRAW = { tokens: drawTokens, errors: drawErrors, filter: drawFilter, kernels: drawKernels, learning: drawLearning, maps: drawMaps };
const DRAW_COUPLING = { errors: drawCouplingErrors, kernels: drawAnswers, maps: drawAttention };
const STEP = 0.05, COARSE = 0.25, MOST_TAP = 1000;
const copy = (value) => JSON.parse(JSON.stringify(value));
const round3 = (x) => Math.round(1e3 * x) / 1e3;
const identity = (tau) => Array.from({ length: tau }, (_, t) => t);

class Order extends RunFeed {
  constructor(root) {
    super(root, PANELS, (window.__explorerOrder = { places: () => placesIn(this) }));
    Object.assign(this, { subject: null, chosen: 0, tap: null, drag: null, rev: 0, past: [], future: [], holder: {} });
    this.listenToTokens();
    this.listenToFilter();
    this.listenToTools();
  }

  // -- what Python says

  take(bytes) {
    const { header } = unpack(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
    const subject = JSON.stringify([header.kernel, header.tau]), another = subject !== this.subject;
    Object.assign(this, { kernel: header.kernel, tau: header.tau, presets: header.presets, trained: header.trained, same: header.same });
    if (another) Object.assign(this, { subject, past: [], future: [], drag: null, rev: header.rev });
    if (another || (header.rev >= this.rev && !this.drag)) {
      Object.assign(this, { order: header.order ?? identity(this.tau), taps: header.taps, mode: header.mode, names: header.names, rev: header.rev });
      this.settled = this.mark();
    }
    this.chosen = clamp(this.chosen, 0, this.tau - 1);
    this.follow(header.feed);
    this.change();
  }

  // What makes the target; trained values belong to the one that Python knows.
  mark() { return JSON.stringify([this.order, this.taps, this.taps ? this.mode : null]); }

  get comparable() { return this.mark() === this.settled ? this.trained : []; }

  // What the run has learned, where it learns just this target.
  pictures() { return this.same && this.mark() === this.settled ? shownIn(this.run) : null; }

  // A coupling has no kernel, and no floors that are known.
  change(...panels) {
    const { kernel, order, taps, mode } = this;
    this.matrix = kernel && targetMatrix({ kernel, order: isPlain(order) ? null : order, taps, mode });
    this.floors = kernel && floorsOf(this.matrix);
    this.invalidate(...panels);
  }

  draw(now) {
    if (!this.order) { this.raf = null; return; }
    super.draw(now);
    this.dress();
  }

  paint(panel, ctx, theme, w, h) { return ((!this.kernel && DRAW_COUPLING[panel]) || DRAW[panel])(ctx, theme, w, h, this); }

  describe(panel, sentence) {
    const canvas = this.canvas[panel], slider = canvas.getAttribute("role") === "slider", name = slider ? "aria-valuetext" : "aria-label";
    if (canvas.getAttribute(name) !== sentence) canvas.setAttribute(name, sentence);
    if (!slider) return;
    const [at, most] = panel === "tokens" ? [this.chosen, this.tau - 1] : [this.tap ?? 0, (this.filter?.count ?? 1) - 1];
    canvas.setAttribute("aria-valuenow", at);
    canvas.setAttribute("aria-valuemax", most);
  }

  // -- telling Python, undo

  state() { return copy({ order: this.order, taps: this.taps, mode: this.mode, names: this.names }); }

  remember() {
    this.past.push(this.state());
    if (this.past.length > 100) this.past.shift();
    this.future = [];
  }

  tell() {
    this.rev += 1;
    const { order, taps, mode, names } = this;
    this.setStateValue("alteration", { rev: this.rev, order: isPlain(order) ? null : [...order], taps: taps && [...taps], mode, names: { ...names } });
    this.invalidate();
  }

  travel(from, to) {
    const there = from.pop();
    if (!there) return;
    to.push(this.state());
    Object.assign(this, there);
    this.change();
    this.tell();
  }

  edit(act) {
    this.remember();
    act();
    this.change(...TARGET);
    this.tell();
  }

  // -- the order

  listenToTokens() {
    const canvas = this.canvas.tokens, on = (name, act) => canvas.addEventListener(name, act);
    const placeAt = (e) => this.tokens && Math.floor((e.clientX - canvas.getBoundingClientRect().left - this.tokens.left) / this.tokens.cell);
    on("pointerdown", (e) => {
      const t = placeAt(e), y = e.clientY - canvas.getBoundingClientRect().top;
      if (e.button !== 0 || !(t >= 0 && t < this.tau) || y < this.tokens.top) return;
      canvas.setPointerCapture(e.pointerId);
      this.remember();
      this.drag = { from: this.mark() };
      this.set({ chosen: t }, "tokens");
    });
    on("pointermove", (e) => {
      canvas.style.cursor = this.drag ? "grabbing" : "grab";
      if (this.drag) this.carry(clamp(placeAt(e), 0, this.tau - 1));
    });
    for (const name of ["pointerup", "pointercancel"]) on(name, () => this.drop());
    on("keydown", (e) => this.keyOnTokens(e));
  }

  carry(to) {
    if (to === this.chosen) return;
    Object.assign(this, { order: reordered(this.order, this.chosen, to), chosen: to, names: { ...this.names, order: "own" } });
    this.change(...TARGET);
  }

  drop() {
    const { drag } = this;
    this.drag = null;
    if (!drag) return;
    if (this.mark() !== drag.from) this.tell();
    else this.past.pop();
    this.invalidate();
  }

  keyOnTokens(event) {
    if (this.undoKey(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event, by = { ArrowLeft: -1, ArrowRight: 1 }[key], end = { Home: 0, End: this.tau - 1 }[key];
    if (by === undefined && end === undefined) return;
    event.preventDefault();
    const to = clamp(end ?? this.chosen + by, 0, this.tau - 1);
    if (!shiftKey) return this.set({ chosen: to }, "tokens");
    if (to !== this.chosen) this.edit(() => this.carry(to));
  }

  undoKey(event) {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey)) return false;
    event.preventDefault();
    if (event.shiftKey) this.travel(this.future, this.past);
    else this.travel(this.past, this.future);
    return true;
  }

  // -- the filter

  listenToFilter() {
    const canvas = this.canvas.filter, on = (name, act) => canvas.addEventListener(name, act);
    const at = (e) => { const box = canvas.getBoundingClientRect(); return [e.clientX - box.left, e.clientY - box.top]; };
    const move = (e) => this.setTap(this.tap, round3(clamp(this.filter.y.invert(at(e)[1]), -this.filter.reach, this.filter.reach)));
    on("pointerdown", (e) => {
      const s = this.filter && Math.round(this.filter.x.invert(at(e)[0]));
      if (e.button !== 0 || !(s >= 0 && s < this.filter.count)) return;
      canvas.setPointerCapture(e.pointerId);
      this.remember();
      Object.assign(this, { tap: s, drag: { from: this.mark() } });
      move(e);
    });
    on("pointermove", (e) => this.drag && move(e));
    for (const name of ["pointerup", "pointercancel"]) on(name, () => this.drop());
    on("keydown", (e) => this.keyOnFilter(e));
    on("blur", () => this.set({ tap: null }, "filter"));
  }

  setTap(s, value) {
    const taps = [...(this.taps ?? [1])];
    while (taps.length <= s) taps.push(0);
    taps[s] = value;
    const found = trimmed(taps, this.mode);
    this.taps = found && !(found.length === 1 && found[0] === 1) ? found : null;
    this.names = { ...this.names, filter: this.taps ? "own" : "none" };
    this.change(...TARGET);
  }

  keyOnFilter(event) {
    if (this.undoKey(event) || event.ctrlKey || event.metaKey || event.altKey || !this.filter) return;
    const s = this.tap ?? 0, by = event.shiftKey ? COARSE : STEP, now = (this.taps ?? [1])[s] ?? 0, most = this.filter.count - 1;
    const put = (value) => () => this.edit(() => this.setTap(s, round3(clamp(value, -MOST_TAP, MOST_TAP))));
    const acts = {
      ArrowLeft: () => this.set({ tap: Math.max(0, s - 1) }, "filter"), ArrowRight: () => this.set({ tap: Math.min(most, s + 1) }, "filter"),
      ArrowUp: put(now + by), ArrowDown: put(now - by), Delete: put(0), Backspace: put(0),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    this.tap ??= s;
    acts[event.key]();
  }

  // -- the lists and buttons

  listenToTools() {
    const on = (act, then) => this.root.querySelector(`[data-act=${act}]`).addEventListener("click", then);
    on("undo", () => this.travel(this.past, this.future));
    on("redo", () => this.travel(this.future, this.past));
    on("keys", (e) => {
      const keys = this.root.querySelector(".keys");
      keys.hidden = !keys.hidden;
      e.target.setAttribute("aria-expanded", String(!keys.hidden));
    });
    const pick = (name, then) => this.root.querySelector(`[data-${name}]`).addEventListener("change", (e) => this.edit(() => then(e.target.value)));
    pick("order", (name) => Object.assign(this, { order: [...(this.presets.orders[name] ?? identity(this.tau))], names: { ...this.names, order: name } }));
    pick("filter", (name) => Object.assign(this, { taps: this.presets.filters[name] ?? null, names: { ...this.names, filter: name } }));
    pick("mode", (mode) => { this.mode = mode; });
  }

  dress() {
    this.root.querySelector("[data-act=undo]").disabled = !this.past.length;
    this.root.querySelector("[data-act=redo]").disabled = !this.future.length;
    const show = (name, value) => { this.root.querySelector(`[data-${name}]`).value = value; };
    show("order", this.names.order);
    show("filter", this.names.filter);
    show("mode", this.mode);
    this.root.querySelector("[data-mode]").disabled = !this.taps;
    const hint = this.root.querySelector("[data-text=hint]"), text = this.hint();
    if (hint.textContent !== text) hint.textContent = text;
  }

  hint() {
    if (!this.kernel) return "a coupling of content: no floor is known" + (this.mark() === this.settled ? "" : " · let go to see what has been trained on it");
    const { causal, time_invariant, constant } = this.floors, zero = (error) => (error < 1e-12 ? "0" : fmt(error));
    const learned = this.pictures()?.taps?.values, known = learned && this.taps ? ` · learned taps against θ: |cos| = ${cosine(learned, this.taps).toFixed(3)}` : "";
    const text = `best causal model ${zero(causal)} · best time-invariant model (linear RNN) ${zero(time_invariant)} · a constant ${fmt(constant)}`;
    return text + known + (this.mark() === this.settled ? "" : " · let go to see what has been trained on it");
  }
}

// Where things are, for tests.
function placesIn(view) {
  const { order, taps, mode, floors, rev, tokens, filter, chosen, names } = view;
  return {
    order, taps, mode, rev, chosen, names, floors: floors && { ...floors, kernel: [...floors.kernel] }, comparable: view.comparable,
    tokens: tokens ?? null, filter: filter && { box: filter.box, count: filter.count, reach: filter.reach, zero: filter.y(0), x: identity(filter.count).map(filter.x) },
    undo: view.past.length, settled: view.mark() === view.settled, learned: Boolean(view.pictures()?.matrix_hat),
  };
}

const MOUNTED = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let view = MOUNTED.get(root);
  if (!view) MOUNTED.set(root, (view = new Order(root)));
  view.setStateValue = setStateValue;
  view.take(data);
  return () => { view.close(); MOUNTED.delete(root); };
}
