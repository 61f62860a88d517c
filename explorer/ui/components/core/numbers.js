// Numbers: how they are written, and a little arithmetic.

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const superscript = (/** @type {number} */ n) =>
  String(n).replace(/./g, (c) => (c === "-" ? "⁻" : SUPERSCRIPTS[Number(c)]));
export const minus = (/** @type {string} */ text) => text.replace("-", "−");

/**
 * A number with so many significant digits, as `number` of views/text.py writes it: 0.0050, 31, 1200,
 * 3.1·10⁻⁷; 0 and ∞ as such, and a dash for what there is not.
 * @type {(x: number | null | undefined, digits?: number) => string}
 */
export function fmt(x, digits = 2) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  if (x === 0) return "0";
  const [mantissa, power] = x.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent < -3 || exponent >= Math.max(digits, 4))
    return minus(mantissa) + "·10" + superscript(exponent);
  return minus(Number(`${mantissa}e${exponent}`).toFixed(Math.max(0, digits - 1 - exponent)));
}

export function fmtInteger(/** @type {number} */ n) {
  const digits = String(Math.round(n));
  return digits.length < 5 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, "\u2009");
}

export function fmtSeconds(/** @type {number | null | undefined} */ s) {
  if (s === null || s === undefined || !Number.isFinite(s)) return "–";
  if (s < 9.5) return s.toFixed(1) + " s";
  if (s < 119.5) return Math.round(s) + " s";
  if (s < 7200) return Math.round(s / 60) + " min";
  return (s / 3600).toFixed(1) + " h";
}

export function powerOfTen(/** @type {number} */ exponent) {
  return exponent >= 0 && exponent <= 3 ? fmtInteger(10 ** exponent) : "10" + superscript(exponent);
}

/** @type {(m: number, exponent: number) => string} */
export function oneDigit(m, exponent) {
  return Math.abs(exponent) <= 3
    ? String(Number(`${m}e${exponent}`))
    : `${m}·10${superscript(exponent)}`;
}

/** @type {(x: number, low: number, high: number) => number} */
export const clamp = (x, low, high) => Math.max(low, Math.min(high, x));
/** @type {(x: number, digits: number) => number} */
export const round = (x, digits) => Number(x.toPrecision(digits));

/**
 * y = start + slope x through [x, y] points; rest: the sum of the squares that are left.
 * @param {number[][]} points
 */
export function leastSquares(points) {
  const n = points.length;
  const mean = (/** @type {number} */ i) => points.reduce((sum, p) => sum + p[i], 0) / n;
  const x = mean(0);
  const y = mean(1);
  const slope =
    points.reduce((sum, p) => sum + (p[0] - x) * p[1], 0) /
    points.reduce((sum, p) => sum + (p[0] - x) ** 2, 0);
  const start = y - slope * x;
  const rest = points.reduce((sum, p) => sum + (p[1] - start - slope * p[0]) ** 2, 0);
  return { slope, start, rest };
}

export function largest(/** @type {Iterable<number>} */ values) {
  let top = 0;
  for (const value of values) if (Number.isFinite(value)) top = Math.max(top, Math.abs(value));
  return top;
}

/** @type {string[]} */
const WORDS = [
  ...["no", "one", "two", "three", "four", "five", "six", "seven"],
  ...["eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen"],
];

/** A count as a sentence has it. */
export const inWords = (/** @type {number} */ count) => WORDS[count] ?? String(count);

/** Of two, of three and so on. */
const UNITS = ["half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** A share as a sentence has it: the unit fraction that it is about, else with two digits. */
export function partInWords(/** @type {number} */ share) {
  const unit = UNITS[Math.round(1 / share) - 2];
  const near = Math.abs(share * Math.round(1 / share) - 1) < 0.15;
  return unit && near ? `${unit === "eighth" ? "an" : "a"} ${unit}` : fmt(share, 2);
}
