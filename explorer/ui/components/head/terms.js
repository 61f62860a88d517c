// The spectrum of a coupling, and the functions of its k-th term over the tokens.

import { heading, plotBox } from "../core/axes.js";
import { dot, horizontal, polyline, scale, vertical } from "../core/canvas.js";
import { writeLabels } from "../core/labels.js";
import { fmt } from "../core/numbers.js";
import { spectrumAxes, spectrumScales, spectrumValues } from "../core/spectrum.js";
import { write } from "../core/text.js";
import { column, shownToken } from "./model.js";

/** @import { Head } from "./head.js" */

const NAMED = 6; // tokens with the largest values have their names
const DEPTH = 1e-5; // of σ₁ is drawn

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Head) => string} */
export function drawSpectrum(ctx, theme, w, h, view) {
  const { sigma, k, held } = view;
  const box = plotBox(theme, w, h, { right: 0.6 });
  const values = Array.from(sigma.values);
  const top = values[0] || 1;
  const low = Math.max(DEPTH * top, 0.6 * Math.min(...values.filter((value) => value > 0), top));
  const plan = spectrumScales(box, { count: values.length, low, high: 1.6 * top });
  view.spectrum = plan;
  heading(ctx, theme, "Singular values σ_k", 0, w);
  spectrumAxes(ctx, theme, plan);
  spectrumValues(ctx, plan, values, theme.grey, (x, y, i) =>
    dot(ctx, x, y, 3, i < k ? { fill: theme.accent } : { line: theme.grey }),
  );
  const at = plan.x(k + 0.5);
  vertical(ctx, box, at, theme.ink);
  const marks = values.map((value, i) => [plan.x(i + 1), plan.y(Math.max(low, value)), 5]);
  const text = `${fmt(100 * held(k), 3)} % of Σσ²`;
  writeLabels(ctx, theme, [{ text, x: at, y: box.y, sides: ["se", "sw"], leads: false }], {
    bounds: box,
    marks,
  });
  return `Singular values: ${values.length}; the first ${k} hold ${text}`;
}

/** @type {(ctx: Ctx, theme: Theme, w: number, h: number, view: Head, name: "phi" | "psi") => string} */
export function drawTerm(ctx, theme, w, h, view, name) {
  const { term, names, focus } = view;
  const values = column(view[name], term - 1);
  const box = plotBox(theme, w, h, { left: 0.5, right: 1.4, bottom: 1.2 });
  const top = Math.max(...values.map(Math.abs)) || 1;
  const x = scale(-0.5, values.length - 0.5, box.x, box.x + box.w);
  const y = scale(-1.25 * top, 1.25 * top, box.y + box.h, box.y);
  view.stems[name] = x;
  const [letter, role] = name === "phi" ? ["φ", "query"] : ["ψ", "key"];
  const chosen = name === "phi" ? focus.t : focus.s;
  heading(ctx, theme, `${letter}_{${term}} over ${role} tokens`, 0, w);
  horizontal(ctx, box, y(0), theme.line);
  values.forEach((value, i) => {
    const colour = i === chosen ? theme.ink : theme.accent;
    polyline(ctx, colour, i === chosen ? 3 : 1.5, [x(i), y(0)], [x(i), y(value)]);
    dot(ctx, x(i), y(value), 2.5, { fill: colour });
  });
  const spots = values.map((value, i) => [x(i), y(value), 3]);
  const largest = largestOf(values);
  const labels = [...new Set([...(chosen === null ? [] : [chosen]), ...largest])].map((i) =>
    nameOf(names[i], spots[i], values[i] < 0, i === chosen),
  );
  writeLabels(ctx, theme, labels, { bounds: box, marks: spots });
  write(ctx, theme, "0", box.x + box.w + 4, y(0) + 0.35 * theme.size, { colour: theme.grey });
  const named = largest.map((i) => `${shownToken(names[i])} ${fmt(values[i])}`).join(", ");
  return `${letter} ${term} over the ${role} tokens: largest at ${named}`;
}

/** Places of the values that are farthest from 0. @param {number[]} values */
const largestOf = (values) =>
  [...values.keys()].sort((a, b) => Math.abs(values[b]) - Math.abs(values[a])).slice(0, NAMED);

/** @type {(token: string, spot: number[], below: boolean, chosen: boolean) => Label} */
const nameOf = (token, [x, y], below, chosen) => ({
  ...{ text: shownToken(token), x, y, sides: below ? ["s", "se", "sw"] : ["n", "ne", "nw"] },
  ...{ weight: chosen ? 700 : 400, priority: chosen ? 1 : 0, optional: !chosen, leads: false },
});
