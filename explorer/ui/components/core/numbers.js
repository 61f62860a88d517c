// Numbers: how they are written, and a little arithmetic.

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
export const minus = (text) => text.replace("-", "−");

// A number with so many significant digits, as `number` of views/text.py writes it: 0.0050, 31, 1200,
// 3.1·10⁻⁷; 0 and ∞ as such, and a dash for what there is not.
export function fmt(x, digits = 2) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(digits - 1).split("e");
  if (exponent < -3 || exponent >= Math.max(digits, 4))
    return minus(mantissa) + "·10" + superscript(Number(exponent));
  return minus(Number(`${mantissa}e${exponent}`).toFixed(Math.max(0, digits - 1 - exponent)));
}

export function fmtInteger(n) {
  const digits = String(Math.round(n));
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

export function fmtSeconds(s) {
  if (s === null || s === undefined || !Number.isFinite(s)) return "–";
  if (s < 9.5) return s.toFixed(1) + " s";
  if (s < 119.5) return Math.round(s) + " s";
  if (s < 7200) return Math.round(s / 60) + " min";
  return (s / 3600).toFixed(1) + " h";
}

export function powerOfTen(exponent) {
  return exponent >= 0 && exponent <= 3 ? fmtInteger(10 ** exponent) : "10" + superscript(exponent);
}

export function oneDigit(m, exponent) {
  return Math.abs(exponent) <= 3
    ? String(Number(`${m}e${exponent}`))
    : `${m}·10${superscript(exponent)}`;
}

export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
export const round = (x, digits) => Number(x.toPrecision(digits));

// y = start + slope x through [x, y] points; rest: the sum of the squares that are left.
export function leastSquares(points) {
  const n = points.length;
  const mean = (i) => points.reduce((sum, p) => sum + p[i], 0) / n;
  const x = mean(0);
  const y = mean(1);
  const slope =
    points.reduce((sum, p) => sum + (p[0] - x) * p[1], 0) /
    points.reduce((sum, p) => sum + (p[0] - x) ** 2, 0);
  const start = y - slope * x;
  const rest = points.reduce((sum, p) => sum + (p[1] - start - slope * p[0]) ** 2, 0);
  return { slope, start, rest };
}

export function largest(values) {
  let top = 0;
  for (const value of values) if (Number.isFinite(value)) top = Math.max(top, Math.abs(value));
  return top;
}
