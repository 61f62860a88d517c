// One or two matrices over [0, 1]² on one diverging scale, with a row u to choose: drag, click or arrow keys.

const MOST_SIDE = 460, LEAST_SIDE = 130;

// Side by side, or one above the other where they would be too small.
function layout(theme, w, count) {
  const left = 2.2 * theme.size, bar = 6.1 * theme.size, gap = 1.3 * theme.size, top = 2.4 * theme.size, foot = 4.4 * theme.size;
  const fit = (across) => Math.floor(Math.min((w - left - bar - (across - 1) * gap) / across, MOST_SIDE));
  const stacked = count > 1 && fit(count) < LEAST_SIDE, side = fit(stacked ? 1 : count);
  const place = (i) => (stacked ? { x: left, y: top + i * (side + foot) } : { x: left + i * (side + gap), y: top });
  const squares = Array.from({ length: count }, (_, i) => ({ ...place(i), side }));
  return { squares, height: Math.ceil(squares.at(-1).y + side + foot) };
}

function chosenRow(ctx, theme, { x, y, side }, u) {
  const at = crisp(y + u * side);
  stroke(ctx, theme.paper, 4, [[x, at], [x + side, at]]);
  stroke(ctx, theme.accent, 2, [[x, at], [x + side, at]]);
  ctx.fillStyle = theme.accent;
  for (const [edge, inward] of [[x, 9], [x + side, -9]]) {
    ctx.beginPath();
    ctx.moveTo(edge + inward, at);
    ctx.lineTo(edge, at - 6);
    ctx.lineTo(edge, at + 6);
    ctx.fill();
  }
}

class Heatmap {
  constructor(root) {
    this.root = root;
    this.canvas = root.querySelector("canvas");
    this.u = 0.5; this.given = null; this.sent = []; this.point = null; this.dragging = false; this.squares = [];
    this.sizes = new ResizeObserver(() => this.invalidate());
    this.sizes.observe(this.canvas);
    document.fonts?.ready.then(() => this.invalidate());
    const on = (name, act) => this.canvas.addEventListener(name, act);
    on("pointerdown", (e) => this.grab(e));
    on("pointermove", (e) => this.move(e));
    on("pointerup", () => this.release());
    on("pointercancel", () => this.release());
    on("pointerleave", () => this.set({ point: null }));
    on("keydown", (e) => this.key(e));
    on("keyup", () => this.commit());
  }

  // Python's u counts when Python changed it; an echo of an older one does not pull the line back.
  take(bytes) {
    const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    const { header, arrays } = unpack(data);
    this.matrices = header.arrays.map(([name]) => ({ name, ...arrays[name] }));
    this.range = colourRange(...this.matrices.map((m) => m.values));
    this.pickable = header.u !== null;
    const echo = this.echoes(header.u);
    if (this.pickable && header.u !== this.given && !echo && !this.dragging) this.u = header.u;
    this.given = header.u;
  }

  // Whether Python only repeats one of the u it was sent; those before it will not come any more.
  echoes(u) {
    const at = this.sent.indexOf(u);
    this.sent.splice(0, at + 1);
    return at >= 0;
  }

  set(change) { Object.assign(this, change); this.invalidate(); }

  invalidate() { this.raf ??= requestAnimationFrame(() => this.draw()); }

  grab(event) {
    const at = locate(event, this.canvas, this.squares);
    if (!at || !this.pickable) return;
    this.canvas.setPointerCapture(event.pointerId);
    this.held = at.square;
    this.set({ dragging: true, point: at, u: Math.round(at.u * 1000) / 1000 });
  }

  move(event) {
    if (!this.dragging) return this.set({ point: locate(event, this.canvas, this.squares) });
    const { y, side } = this.held, top = this.canvas.getBoundingClientRect().top;
    const u = Math.max(0, Math.min(1, (event.clientY - top - y) / side));
    this.set({ u: Math.round(u * 1000) / 1000, point: locate(event, this.canvas, this.squares) });
  }

  release() {
    if (!this.dragging) return;
    this.dragging = false;
    this.commit();
  }

  commit() {
    if (!this.pickable || this.u === (this.sent.at(-1) ?? this.given)) return;
    this.sent.push(this.u);
    this.setStateValue("u", this.u);
  }

  key(event) {
    const step = { ArrowDown: 0.01, ArrowRight: 0.01, ArrowUp: -0.01, ArrowLeft: -0.01, PageDown: 0.1, PageUp: -0.1, Home: -1, End: 1 }[event.key];
    if (!step || !this.pickable) return;
    event.preventDefault();
    this.set({ u: Math.round(1000 * Math.max(0, Math.min(1, this.u + step))) / 1000 });
  }

  draw() {
    this.raf = null;
    const theme = readTheme(this.root), plan = layout(theme, this.canvas.clientWidth, this.matrices.length);
    this.canvas.style.height = plan.height + "px";
    const { ctx, w } = fit(this.canvas);
    if (!w) return;
    this.squares = plan.squares;
    const table = lookup(theme.diverging);
    this.matrices.forEach((matrix, i) => this.drawOne(ctx, theme, table, matrix, plan.squares[i], i));
    const last = plan.squares.at(-1);
    colourBar(ctx, theme, this.range, last.x + last.side + 12, last.y, last.side);
    this.readout(ctx, theme, plan.squares[0].x, last.y + last.side);
  }

  drawOne(ctx, theme, table, matrix, square, i) {
    write(ctx, theme, matrix.name, square.x, square.y - 1.05 * theme.size, { weight: 600, scale: 1.08 });
    heatmap(ctx, this, i, matrix, this.range.limit, table, square.x, square.y, square.side, square.side);
    unitAxes(ctx, theme, square, { left: square.x === this.squares[0].x });
    if (this.pickable) chosenRow(ctx, theme, square, this.u);
    if (this.point && !this.dragging) crosshair(ctx, theme, square, this.point.u, this.point.v);
    else if (this.point) crosshair(ctx, theme, square, null, this.point.v);
  }

  readout(ctx, theme, x, bottom) {
    const { u, v } = this.point ?? {}, at = this.dragging ? this.u : u;
    const values = this.point ? this.matrices.map((m) => `${m.name} = ${fmt(pick(m, at, v))}`).join(",  ") : "";
    const chosen = this.pickable ? `row u = ${this.u.toFixed(2)}` : "";
    const text = this.point ? `u ${at.toFixed(2)}, v ${v.toFixed(2)}:  ${values}` : chosen;
    write(ctx, theme, text, x, bottom + 3.2 * theme.size, { colour: theme.grey });
    const sentence = `${this.matrices.map((m) => m.name).join(" and ")} over u and v, from ${fmt(-this.range.limit)} to ${fmt(this.range.limit)}; ${chosen}`;
    this.canvas.setAttribute("aria-label", sentence);
    this.canvas.setAttribute("aria-valuenow", this.u);
  }

  close() {
    this.sizes.disconnect();
    if (this.raf) cancelAnimationFrame(this.raf);
  }
}

const MOUNTED = new WeakMap();

export default function ({ data, parentElement: root, setStateValue }) {
  let view = MOUNTED.get(root);
  if (!view) MOUNTED.set(root, (view = new Heatmap(root)));
  view.setStateValue = setStateValue;
  view.take(data);
  view.invalidate();
  return () => { view.close(); MOUNTED.delete(root); };
}
