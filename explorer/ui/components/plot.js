// Drawing primitives shared by the canvas components. Nothing here keeps state.

// ---- messages: uint32 length of the JSON header, the header, little-endian float32 (runs/frames.py)

function unpack(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const arrays = {};
  for (const [name, shape, offset] of header.arrays) {
    const count = shape.reduce((a, b) => a * b, 1);
    arrays[name] = { shape, values: new Float32Array(buffer, 4 + length + 4 * offset, count) };
  }
  return { header, arrays };
}

// ---- numbers

const SUPERSCRIPTS = {
  "-": "⁻",
  0: "⁰",
  1: "¹",
  2: "²",
  3: "³",
  4: "⁴",
  5: "⁵",
  6: "⁶",
  7: "⁷",
  8: "⁸",
  9: "⁹",
};
const superscript = (n) => String(n).replace(/./g, (c) => SUPERSCRIPTS[c]);
const minus = (text) => text.replace("-", "−");

// Two significant digits: 0.50, 31, 310, 3.1·10⁻⁷.
function fmt(x) {
  if (x === null || x === undefined || !Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(1).split("e");
  if (exponent >= 3 || exponent < -2)
    return minus(mantissa) + "·10" + superscript(Number(exponent));
  return minus(Number(x.toPrecision(2)).toFixed(Math.max(0, 1 - exponent)));
}

function fmtInteger(n) {
  const digits = String(Math.round(n));
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

function fmtSeconds(s) {
  if (s === null || s === undefined || !Number.isFinite(s)) return "–";
  if (s < 9.5) return s.toFixed(1) + " s";
  if (s < 119.5) return Math.round(s) + " s";
  if (s < 7200) return Math.round(s / 60) + " min";
  return (s / 3600).toFixed(1) + " h";
}

function powerOfTen(exponent) {
  return exponent >= 0 && exponent <= 3 ? fmtInteger(10 ** exponent) : "10" + superscript(exponent);
}

function oneDigit(m, exponent) {
  return Math.abs(exponent) <= 3
    ? String(Number(`${m}e${exponent}`))
    : `${m}·10${superscript(exponent)}`;
}

const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
const round = (x, digits) => Number(x.toPrecision(digits));

// y = start + slope x through [x, y] points; rest: the sum of the squares that are left.
function leastSquares(points) {
  const n = points.length,
    mean = (i) => points.reduce((sum, p) => sum + p[i], 0) / n,
    x = mean(0),
    y = mean(1);
  const slope =
    points.reduce((sum, p) => sum + (p[0] - x) * p[1], 0) /
    points.reduce((sum, p) => sum + (p[0] - x) ** 2, 0);
  const start = y - slope * x,
    rest = points.reduce((sum, p) => sum + (p[1] - start - slope * p[0]) ** 2, 0);
  return { slope, start, rest };
}

// ---- ticks: [{value, label}], label "" for the small ones

function logTicks(lo, hi, room) {
  const first = Math.ceil(Math.log10(lo) - 1e-9),
    last = Math.floor(Math.log10(hi) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, room)));
  const between = last - first < 2 && Math.log10(hi / lo) * 3 <= room ? [2, 5] : [];
  const ticks = [];
  for (let e = first - 1; e <= last; e++) {
    const decade = between.length ? oneDigit(1, e) : powerOfTen(e);
    ticks.push({ value: 10 ** e, label: (last - e) % every === 0 ? decade : "" });
    if (every > 1) continue;
    for (let m = 2; m < 10; m++)
      ticks.push({ value: m * 10 ** e, label: between.includes(m) ? oneDigit(m, e) : "" });
  }
  return ticks.filter((t) => t.value >= lo * 0.999 && t.value <= hi * 1.001);
}

function linearTicks(lo, hi, room) {
  const raw = (hi - lo) / Math.max(1, room),
    unit = 10 ** Math.floor(Math.log10(raw));
  const step = unit * [1, 2, 5, 10].find((m) => m * unit >= raw * 0.999);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + 1e-9 * step; i++) {
    ticks.push({ value: i * step, label: minus((i * step).toFixed(i === 0 ? 0 : digits)) });
  }
  return ticks;
}

function integerTicks(lo, hi, room) {
  const every = [1, 2, 4, 8, 16, 32].find((m) => (hi - lo + 1) / m <= room) ?? 64;
  const ticks = [];
  for (let k = lo; k <= hi; k++)
    ticks.push({ value: k, label: every === 1 || k % every === 0 || k === lo ? String(k) : "" });
  return ticks;
}

function niceCeiling(x) {
  const unit = 10 ** Math.floor(Math.log10(x));
  return unit * [1, 1.5, 2, 3, 4, 5, 7, 10].find((m) => m * unit >= x * 0.999);
}

// ---- colours, read from the theme at every draw

function rgb(colour) {
  const hex = /^#([0-9a-f]{6})/i.exec(colour.trim());
  if (hex) return [0, 2, 4].map((i) => parseInt(hex[1].slice(i, i + 2), 16));
  return (colour.match(/[\d.]+/g) || [128, 128, 128]).slice(0, 3).map(Number);
}

const css = (c) => `rgb(${c.map(Math.round).join(" ")})`;
const blend = (a, b, t) => a.map((x, i) => x + (b[i] - x) * t);

// Streamlit hands the theme of .streamlit/config.toml down as CSS variables.
function readTheme(root) {
  const style = getComputedStyle(root.host ?? root);
  const read = (name) => style.getPropertyValue("--st-" + name).trim();
  const colours = (name) =>
    read(name)
      .split(/,(?![^(]*\))/)
      .map(rgb);
  const ink = rgb(read("text-color")),
    paper = rgb(read("background-color")),
    accent = rgb(read("primary-color"));
  const categories = colours("chart-categorical-colors").map(css),
    stops = colours("chart-diverging-colors");
  const growth = Math.max(1, Math.min(1.25, (root.host ?? root).clientWidth / 1150));
  const size = (parseFloat(read("base-font-size")) || 16) * 0.8125 * growth;
  return {
    ink: css(ink),
    paper: css(paper),
    accent: css(accent),
    second: categories[1], // a compared run
    pale: css(blend(accent, paper, 0.4)),
    grey: css(blend(ink, paper, 0.38)),
    line: css(blend(ink, paper, 0.72)),
    grid: css(blend(ink, paper, 0.89)),
    categories,
    size: Math.max(SMALLEST, size),
    font: read("font") || "sans-serif",
    diverging: [...stops.slice(0, stops.length / 2), paper, ...stops.slice(stops.length / 2)], // zero is the paper
  };
}

// 256 colours as one Uint32 each, in the byte order of ImageData.
function lookup(stops) {
  const table = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1),
      k = Math.min(Math.floor(at), stops.length - 2);
    table.set([...blend(stops[k], stops[k + 1], at - k), 255], 4 * i);
  }
  return new Uint32Array(table.buffer);
}

// ---- text: "m_h" and "Σ_{k>m}" are drawn with a subscript, "τ-long" as it is

function runs(text) {
  return text
    .split(/_(\{[^}]*\}|[A-Za-z0-9])/)
    .map((part, i) => ({ part: part.replace(/^\{|\}$/g, ""), sub: i % 2 === 1 }))
    .filter((r) => r.part);
}

const SMALLEST = 12; // pixels: subscripts stay readable too

function setFont(ctx, theme, { scale = 1, weight = 400, italic = false } = {}, sub = false) {
  const size = Math.max(SMALLEST, theme.size * scale * (sub ? 0.75 : 1));
  ctx.font = `${italic ? "italic " : ""}${weight} ${size}px ${theme.font}`;
}

function measure(ctx, theme, text, style = {}) {
  let width = 0;
  for (const { part, sub } of runs(text)) {
    setFont(ctx, theme, style, sub);
    width += ctx.measureText(part).width;
  }
  return width;
}

function write(ctx, theme, text, x, y, style = {}) {
  const { align = "left", baseline = "alphabetic", colour = theme.ink, halo = false } = style;
  const width = measure(ctx, theme, text, style);
  let at = x - (align === "right" ? width : align === "center" ? width / 2 : 0);
  ctx.textAlign = "left";
  ctx.textBaseline = baseline;
  for (const { part, sub } of runs(text)) {
    setFont(ctx, theme, style, sub);
    const drop = sub ? theme.size * 0.22 : 0;
    if (halo) {
      ctx.strokeStyle = theme.paper;
      ctx.lineWidth = 4;
      ctx.lineJoin = "round";
      ctx.strokeText(part, at, y + drop);
    }
    ctx.fillStyle = colour;
    ctx.fillText(part, at, y + drop);
    at += ctx.measureText(part).width;
  }
  return width;
}

// ---- canvas and axes

// The reader wants no motion.
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// A canvas as sharp as the screen; the transform maps one unit to one CSS pixel.
function fit(canvas) {
  const ratio = window.devicePixelRatio || 1,
    w = canvas.clientWidth,
    h = canvas.clientHeight;
  if (canvas.width !== Math.round(w * ratio)) canvas.width = Math.round(w * ratio);
  if (canvas.height !== Math.round(h * ratio)) canvas.height = Math.round(h * ratio);
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, w, h);
  return { ctx, w, h };
}

function scale(lo, hi, from, to, log = false) {
  const t = log ? Math.log : (x) => x,
    a = t(lo),
    b = t(hi);
  const map = (x) => from + ((t(x) - a) / (b - a)) * (to - from);
  map.invert = (p) => {
    const y = a + ((p - from) / (to - from)) * (b - a);
    return log ? Math.exp(y) : y;
  };
  return map;
}

function stroke(ctx, colour, width, points, dash = []) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.lineJoin = "round";
  ctx.setLineDash(dash);
  ctx.beginPath();
  for (const [x, y] of points) ctx.lineTo(x, y);
  ctx.stroke();
  ctx.setLineDash([]);
}

// A run that diverges leaves every axis: what is drawn in `draw` is cut off `margin` beyond the box.
function within(ctx, box, margin, draw) {
  ctx.save();
  ctx.beginPath();
  ctx.rect(box.x - margin, box.y - margin, box.w + 2 * margin, box.h + 2 * margin);
  ctx.clip();
  draw();
  ctx.restore();
}

const crisp = (x) => Math.round(x) + 0.5;

function dot(ctx, x, y, radius, { fill, line, width = 1.5 }) {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (line) {
    ctx.strokeStyle = line;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

// A mark of a shape: circle, square, diamond or triangle.
function marked(ctx, shape, x, y, r, { fill, line, width = 1.5 }) {
  ctx.beginPath();
  if (shape === "circle") ctx.arc(x, y, r, 0, 2 * Math.PI);
  if (shape === "square") ctx.rect(x - 0.88 * r, y - 0.88 * r, 1.76 * r, 1.76 * r);
  if (shape === "diamond")
    for (const [dx, dy] of [
      [0, -r],
      [r, 0],
      [0, r],
      [-r, 0],
    ])
      ctx.lineTo(x + 1.15 * dx, y + 1.15 * dy);
  if (shape === "triangle")
    for (const [dx, dy] of [
      [0, -r],
      [r, 0.8 * r],
      [-r, 0.8 * r],
    ])
      ctx.lineTo(x + 1.15 * dx, y + 1.15 * dy);
  if (shape === "diamond" || shape === "triangle") ctx.closePath();
  if (fill) {
    ctx.fillStyle = fill;
    ctx.fill();
  }
  if (line) {
    ctx.strokeStyle = line;
    ctx.lineWidth = width;
    ctx.stroke();
  }
}

function axisX(ctx, theme, box, x, ticks, title) {
  stroke(ctx, theme.line, 1, [
    [box.x, crisp(box.y + box.h)],
    [box.x + box.w, crisp(box.y + box.h)],
  ]);
  for (const { value, label } of ticks) {
    const at = crisp(x(value)),
      end = box.y + box.h;
    stroke(ctx, theme.line, 1, [
      [at, end],
      [at, end + (label ? 6 : 3)],
    ]);
    if (label)
      write(ctx, theme, label, at, end + 8, {
        align: "center",
        baseline: "top",
        colour: theme.grey,
      });
  }
  write(ctx, theme, title, box.x + box.w, box.y + box.h + 12 + theme.size, {
    align: "right",
    baseline: "top",
    colour: theme.grey,
    italic: title.length === 1,
  });
}

function axisY(ctx, theme, box, y, ticks) {
  for (const { value, label } of ticks) {
    const at = crisp(y(value));
    if (!label) continue;
    stroke(ctx, theme.grid, 1, [
      [box.x, at],
      [box.x + box.w, at],
    ]);
    write(ctx, theme, label, box.x - 8, at, {
      align: "right",
      baseline: "middle",
      colour: theme.grey,
    });
  }
}

// Title at one baseline in every panel, the key beside it or, where there is no room, left out.
// Whether there was room for the key beside the title.
function heading(ctx, theme, title, left, right, key = []) {
  const baseline = 1.35 * theme.size;
  const used = write(ctx, theme, title, left, baseline, { weight: 600, scale: 1.08 });
  if (right - keyWidth(ctx, theme, key) < left + used + 16) return false;
  keyRow(ctx, theme, key, right, baseline);
  return true;
}

const keyWidth = (ctx, theme, key) =>
  key.reduce((sum, k) => sum + 40 + measure(ctx, theme, k.text), -14);

// The key in one line that ends at the right.
function keyRow(ctx, theme, key, right, baseline) {
  let x = right - keyWidth(ctx, theme, key);
  for (const k of key) {
    k.mark(ctx, x + 9, baseline - 0.32 * theme.size);
    write(ctx, theme, k.text, x + 24, baseline, { colour: theme.grey });
    x += 40 + measure(ctx, theme, k.text);
  }
}

// The key under each other, upwards from the lower left corner of the axes: where its line is full.
function keyInside(ctx, theme, box, key) {
  [...key].reverse().forEach((k, i) => {
    const y = box.y + box.h - (0.8 + 1.45 * i) * theme.size;
    k.mark(ctx, box.x + 14, y - 0.32 * theme.size);
    write(ctx, theme, k.text, box.x + 29, y, { colour: theme.grey, halo: true });
  });
}

// ---- heatmaps

const offscreen = new WeakMap();

// values (rows, cols): row 0 on top, column 0 at the left; [-limit, limit] spans the colours.
function heatmap(ctx, holder, name, { shape: [rows, cols], values }, limit, table, x, y, w, h) {
  const kept = offscreen.get(holder) ?? offscreen.set(holder, {}).get(holder);
  const image = (kept[name] ??= document.createElement("canvas"));
  if (image.width !== cols || image.height !== rows) {
    image.width = cols;
    image.height = rows;
  }
  const pen = image.getContext("2d"),
    pixels = pen.createImageData(cols, rows);
  const words = new Uint32Array(pixels.data.buffer),
    gain = 127.5 / limit;
  for (let i = 0; i < words.length; i++) {
    words[i] = table[Math.max(0, Math.min(255, Math.round(127.5 + gain * values[i])))];
  }
  pen.putImageData(pixels, 0, 0);
  ctx.imageSmoothingEnabled = false;
  ctx.drawImage(image, x, y, w, h);
}

function unitAxes(ctx, theme, square, { left = true } = {}) {
  const { x, y, side } = square;
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.strokeRect(crisp(x) - 1, crisp(y) - 1, side + 1, side + 1);
  for (const [t, label] of [
    [0, "0"],
    [0.5, "0.5"],
    [1, "1"],
  ]) {
    const at = t * side;
    write(ctx, theme, label, x + at, y + side + 7, {
      align: t === 0 ? "left" : t === 1 ? "right" : "center",
      baseline: "top",
      colour: theme.grey,
    });
    if (left)
      write(ctx, theme, label, x - 7, y + at + (t === 0 ? 5 : t === 1 ? -5 : 0), {
        align: "right",
        baseline: "middle",
        colour: theme.grey,
      });
  }
  write(ctx, theme, "v", x + 0.75 * side, y + side + 7, {
    align: "center",
    baseline: "top",
    italic: true,
    scale: 1.1,
  });
  if (left)
    write(ctx, theme, "u", x - 7, y + 0.25 * side, {
      align: "right",
      baseline: "middle",
      italic: true,
      scale: 1.1,
    });
}

// The end of a colour scale of these lists, with the ends beyond which there are values.
function beyond({ limit }, ...lists) {
  const some = (far) => lists.some((list) => list?.some(far));
  return {
    limit,
    below: some((x) => x < -1.000001 * limit),
    above: some((x) => x > 1.000001 * limit),
  };
}

// `below` and `above`: values lie beyond that end; `clipped`: some do.
function colourBar(ctx, theme, { limit, clipped, below = clipped, above = clipped }, x, y, height) {
  const colours = ctx.createLinearGradient(0, y + height, 0, y),
    last = theme.diverging.length - 1;
  theme.diverging.forEach((c, i) => colours.addColorStop(i / last, css(c)));
  ctx.fillStyle = colours;
  ctx.fillRect(x, y, 12, height);
  ctx.strokeStyle = theme.line;
  ctx.lineWidth = 1;
  ctx.strokeRect(crisp(x) - 1, crisp(y) - 1, 13, height + 1);
  for (const t of [1, 0.5, 0, -0.5, -1]) {
    const at = y + ((1 - t) / 2) * height;
    stroke(ctx, theme.line, 1, [
      [x + 12, at],
      [x + 16, at],
    ]);
    const inset = t === 1 ? 5 : t === -1 ? -5 : 0;
    const mark = t === 1 && above ? "≥ " : t === -1 && below ? "≤ " : "";
    write(ctx, theme, mark + fmt(t * limit), x + 20, at + inset, {
      baseline: "middle",
      colour: theme.grey,
    });
  }
}

function crosshair(ctx, theme, square, u, v) {
  const { x, y, side } = square;
  for (const [colour, width] of [
    [theme.paper, 3],
    [theme.ink, 1],
  ]) {
    if (u !== null)
      stroke(ctx, colour, width, [
        [x, crisp(y + u * side)],
        [x + side, crisp(y + u * side)],
      ]);
    if (v !== null)
      stroke(ctx, colour, width, [
        [crisp(x + v * side), y],
        [crisp(x + v * side), y + side],
      ]);
  }
}

function pick({ values, shape: [rows, cols] }, u, v) {
  const i = Math.min(rows - 1, Math.floor(u * rows)),
    j = Math.min(cols - 1, Math.floor(v * cols));
  return values[i * cols + j];
}

// Where in one of the squares the pointer is, as {u, v, square}, or null.
function locate(event, canvas, squares) {
  const box = canvas.getBoundingClientRect();
  const px = event.clientX - box.left,
    py = event.clientY - box.top;
  for (const square of squares) {
    const { x, y, side } = square,
      v = (px - x) / side,
      u = (py - y) / side;
    if (u >= 0 && u < 1 && v >= 0 && v < 1) return { u, v, square };
  }
  return null;
}

// The symmetric range of a colour scale: all values, unless a few are far out (a ridge, a corner): those are clipped.
function colourRange(...lists) {
  const sizes = Float32Array.from(
    lists.flatMap((list) => [...list]).filter(Number.isFinite),
    Math.abs,
  ).sort();
  const top = sizes.at(-1) || 1,
    most = sizes[Math.floor(0.98 * (sizes.length - 1))];
  return top > 1.5 * most && most > 0
    ? { limit: most, clipped: true }
    : { limit: top, clipped: false };
}

function largest(values) {
  let top = 0;
  for (const value of values) if (Number.isFinite(value)) top = Math.max(top, Math.abs(value));
  return top;
}
