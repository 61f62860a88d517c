// Which lines a sweep's figure names: those that it was given.

import assert from "node:assert/strict";
import { test } from "node:test";

import { figureKey } from "./figure.js";
import { heightRange } from "./model.js";

const theme = { grey: "grey", size: 12 };
const pair = (error) => [[2, error]];
const series = { points: [], floor: pair(0.1), on_own: [], optimum: [], tail: [], theory: -1 };
const viewOf = (one) => ({ panels: [{ title: "", series: [one] }], range: [1e-4, 1] });
const names = (one) => figureKey(theme, viewOf(one)).map(({ text }) => text);

test("truncation and theory are named alone", () => {
  assert.deepEqual(names(series), ["truncation · first m terms alone", "theory"]);
});

test("what is drawn besides is named, what lies outside is not", () => {
  const more = { ...series, optimum: pair(0.05), tail: pair(0.6) };
  assert.deepEqual(names(more).slice(1, 3), ["rank-optimal", "exact tail of ρ"]);
  assert.equal(names({ ...more, tail: pair(2) }).length, 3);
});

test("a tail that is not drawn does not stretch the axis", () => {
  const { panels } = viewOf(series);
  const more = viewOf({ ...series, tail: pair(0.6) }).panels;
  assert.ok(heightRange(panels, null)[1] < heightRange(more, null)[1]);
});
