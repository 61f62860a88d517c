// A canvas that writes down what is drawn on it, and as much of a page as components ask for. Places are in whole
// pixels, and nothing hangs on a font: `measureText` says how wide a letter is.

const BLOCKS = 6; // of an image along each side, of which the mean colours are written
const POINTS = 40; // of a path that are written at most
const [WIDE, HIGH] = [640, 360]; // of every canvas
const LETTER = 0.5; // of the size of the letters

const whole = (x) => Math.floor(x + 0.5001); // what is half but for rounding goes one way everywhere
const spot = (x, y) => `${whole(x)},${whole(y)}`;
const short = (x) => String(Number(x.toFixed(2)));

function hex(colour) {
  if (colour.stops) return `gradient(${colour.stops.map(hex).join()})`;
  const channels = Array.isArray(colour) ? colour : colour.match(/^rgb/) && colour.match(/[\d.]+/g);
  if (!channels) return colour;
  return `#${channels.map((c) => Math.round(c).toString(16).padStart(2, "0")).join("")}`;
}

/** Mean colours of the blocks of an image, row by row. */
function blocksOf({ width, height, data }) {
  const cells = Array.from({ length: BLOCKS ** 2 }, () => [0, 0, 0, 0]);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [row, column] = [Math.floor((y / height) * BLOCKS), Math.floor((x / width) * BLOCKS)];
      const cell = cells[row * BLOCKS + column];
      for (const i of [0, 1, 2]) cell[i] += data[4 * (y * width + x) + i];
      cell[3] += 1;
    }
  return cells.map(([r, g, b, n]) => (n ? hex([r / n, g / n, b / n]) : "-")).join(" ");
}

/** Of a long path some points, and how many there are. */
function thinned(path) {
  const every = Math.ceil(path.length / POINTS);
  const points = path.filter((_, i) => i % every === 0 || i === path.length - 1);
  return every > 1 ? `${path.length}: ${points.join(" ")}` : points.join(" ");
}

const STATE = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, globalAlpha: 1, dash: [] };

class Recorder {
  lines = [];
  path = [];
  saved = [];
  how = "";

  constructor(canvas) {
    Object.assign(this, { canvas, font: "10px sans-serif", textBaseline: "alphabetic" }, STATE);
  }

  /** What is done alike, one after the other, stands in one line. */
  write(act, style, what) {
    const alpha = this.globalAlpha === 1 ? "" : ` alpha ${short(this.globalAlpha)}`;
    const how = `${"  ".repeat(this.saved.length)}${act} ${style}${alpha}`;
    if (how === this.how) this.lines.push(`${this.lines.pop()}; ${what}`);
    else this.lines.push(`${how} at ${what}`);
    this.how = how;
  }

  // -- state

  save() {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, dash } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, globalAlpha, dash });
  }

  restore() {
    Object.assign(this, this.saved.pop());
  }

  setLineDash(dash) {
    this.dash = dash;
  }

  setTransform() {
    Object.assign(this, { lines: [], how: "" }); // `fit` begins a drawing
  }

  clearRect() {}

  translate(x, y) {
    this.write("translate", "", spot(x, y));
  }

  rotate(angle) {
    this.write("rotate", "", short(angle));
  }

  // -- paths

  beginPath() {
    this.path = [];
  }

  closePath() {
    this.path.push("close");
  }

  moveTo(x, y) {
    this.path.push(`to ${spot(x, y)}`);
  }

  lineTo(x, y) {
    this.path.push(spot(x, y));
  }

  bezierCurveTo(...at) {
    this.path.push(`bezier ${at.map(whole).join()}`);
  }

  quadraticCurveTo(...at) {
    this.path.push(`quadratic ${at.map(whole).join()}`);
  }

  arc(x, y, r, from, to) {
    const part = to - from < 6.28 ? ` ${short(from)}..${short(to)}` : "";
    this.path.push(`arc ${spot(x, y)} ${short(r)}${part}`);
  }

  rect(x, y, w, h) {
    this.path.push(`rect ${spot(x, y)} ${spot(w, h)}`);
  }

  roundRect(x, y, w, h) {
    this.path.push(`round ${spot(x, y)} ${spot(w, h)}`);
  }

  clip() {
    this.write("clip", "", thinned(this.path));
  }

  fill() {
    this.write("fill", hex(this.fillStyle), thinned(this.path));
  }

  stroke() {
    this.write("stroke", this.pen(), thinned(this.path));
  }

  pen() {
    const dash = this.dash.length ? ` dash ${this.dash.map(short).join()}` : "";
    return `${hex(this.strokeStyle)} ${short(this.lineWidth)}${dash}`;
  }

  fillRect(x, y, w, h) {
    this.write("fill", hex(this.fillStyle), `rect ${spot(x, y)} ${spot(w, h)}`);
  }

  strokeRect(x, y, w, h) {
    this.write("stroke", this.pen(), `rect ${spot(x, y)} ${spot(w, h)}`);
  }

  // -- text

  get size() {
    return Number(/([\d.]+)px/.exec(this.font)[1]);
  }

  measureText(text) {
    const [up, down] = [0.7 * this.size, 0.2 * this.size];
    const bounds = { actualBoundingBoxAscent: up, actualBoundingBoxDescent: down };
    return { width: LETTER * this.size * text.length, ...bounds };
  }

  letters(colour) {
    const style = this.font.replace(/([\d.]+)px.*/, (_, size) => short(Number(size)));
    return `${hex(colour)} ${style} ${this.textBaseline}`;
  }

  fillText(text, x, y) {
    this.write("text", this.letters(this.fillStyle), `${spot(x, y)} "${text}"`);
  }

  strokeText(text, x, y) {
    this.write("halo", this.letters(this.strokeStyle), `${spot(x, y)} "${text}"`);
  }

  // -- images

  createLinearGradient() {
    const stops = [];
    return { stops, addColorStop: (_, colour) => stops.push(colour) };
  }

  createImageData(width, height) {
    return { width, height, data: new Uint8ClampedArray(4 * width * height) };
  }

  putImageData(pixels) {
    this.lines = [`image ${pixels.width}×${pixels.height} ${blocksOf(pixels)}`];
  }

  drawImage(image, x, y, w, h) {
    this.write("draw", `${spot(x, y)} ${spot(w, h)}`, image.getContext().lines.join());
  }
}

/** What components ask of their markup: any selector finds an element, the same one every time. */
class Element {
  dataset = {};
  style = { setProperty() {} };
  classList = { add() {}, remove() {}, toggle() {}, contains: () => false };
  clientWidth = WIDE;
  clientHeight = HIGH;
  children = [];
  options = Object.assign([], { add() {} });
  found = new Map();
  attributes = new Map();

  constructor(tag) {
    this.tag = tag;
  }

  querySelector(selector) {
    if (!this.found.has(selector)) this.found.set(selector, new Element(selector));
    return this.found.get(selector);
  }

  querySelectorAll(tag) {
    const inside = this.children.flatMap((child) => child.querySelectorAll(tag));
    return [...this.children.filter((child) => child.tag === tag), ...inside];
  }

  get nextElementSibling() {
    return this.querySelector("next");
  }

  get parentElement() {
    return this.querySelector("around");
  }

  replaceChildren(...nodes) {
    this.children = [];
    this.append(...nodes);
  }

  append(...nodes) {
    this.children.push(...nodes.filter((node) => node instanceof Element));
  }

  getContext() {
    return (this.context ??= new Recorder(this));
  }

  getRootNode() {
    return {};
  }

  getBoundingClientRect() {
    return { left: 0, top: 0, right: WIDE, bottom: HIGH, width: WIDE, height: HIGH };
  }

  addEventListener() {}
  removeEventListener() {}
  setAttribute(name, value) {
    this.attributes.set(name, value);
  }
  getAttribute(name) {
    return this.attributes.get(name) ?? null;
  }
  hasAttribute(name) {
    return this.attributes.has(name);
  }
  removeAttribute(name) {
    this.attributes.delete(name);
  }
  toggleAttribute(name, on) {
    on ? this.setAttribute(name, "") : this.removeAttribute(name);
  }

  /** What was drawn in it, by canvas. */
  *drawn() {
    if (this.context?.lines.length)
      yield [/panel=(\w+)/.exec(this.tag)?.[1] ?? this.tag, this.context.lines];
    for (const part of [...this.found.values(), ...this.children]) yield* part.drawn();
  }
}

const HEARS_NOTHING = { addEventListener() {}, removeEventListener() {}, dispatchEvent() {} };

/** Makes this process a page in a theme: `values` of its CSS variables. Returns its root, and what draws what is due. */
export function openPage(values, socket) {
  const due = [];
  Object.assign(globalThis, {
    window: globalThis,
    ...HEARS_NOTHING,
    document: {
      ...HEARS_NOTHING,
      createElement: (tag) => new Element(tag),
      documentElement: { classList: { toggle() {}, remove() {} } },
    },
    CustomEvent: class {},
    location: { href: "http://localhost/" },
    devicePixelRatio: 1,
    matchMedia: () => ({ matches: true }),
    ...(globalThis.navigator ? {} : { navigator: { hardwareConcurrency: 8 } }),
    getComputedStyle: () => ({ getPropertyValue: (name) => values[name] ?? "" }),
    ResizeObserver: class {
      observe() {}
      disconnect() {}
    },
    WebSocket: socket,
    requestAnimationFrame: (draw) => due.push(draw),
    cancelAnimationFrame() {},
    Option: class {},
  });
  return { root: new Element("root"), settle: () => drawAll(due) };
}

async function drawAll(due) {
  do {
    await new Promise((done) => setTimeout(done));
    for (const draw of due.splice(0)) draw(0);
  } while (due.length);
}
