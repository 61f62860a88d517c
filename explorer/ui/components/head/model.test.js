import assert from "node:assert/strict";
import { test } from "node:test";
import { apart, column, farthest, shownToken, softmax, truncated } from "./model.js";

const packed = (rows) => ({
  shape: [rows.length, rows[0].length],
  values: Float32Array.from(rows.flat()),
});
const near = (a, b) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) < 1e-6, `${a} ${b}`));

test("softmax of a row; later keys get nothing under a causal mask", () => {
  const logits = packed([
    [0, Math.log(3)],
    [0, Math.log(3)],
  ]);
  near([...softmax(logits, false).values], [0.25, 0.75, 0.25, 0.75]);
  near([...softmax(logits, true).values], [1, 0, 0.25, 0.75]);
});

test("all terms are the coupling, one term its first", () => {
  const sigma = { shape: [2], values: Float32Array.from([3, 2]) };
  const one = packed([
    [1, 0],
    [0, 1],
  ]);
  const turned = packed([
    [0, 1],
    [1, 0],
  ]);
  near([...truncated(sigma, one, turned, 2).values], [0, 3, 2, 0]);
  near([...truncated(sigma, one, turned, 1).values], [0, 3, 0, 0]);
  assert.deepEqual(column(turned, 0), [0, 1]);
});

test("attentions apart: 0 of itself, 1 where nothing is shared", () => {
  const [a, b] = [packed([[1, 0], [1, 0]]), packed([[0, 1], [0, 1]])]; // prettier-ignore
  assert.equal(apart(a, a), 0);
  assert.equal(apart(a, b), 1);
});

test("the token that looks most at one that is neither itself nor the first", () => {
  const rows = [[1, 0, 0], [0.1, 0.9, 0], [0.6, 0.3, 0.1]]; // prettier-ignore
  assert.equal(farthest(packed(rows)), 2);
});

test("blanks can be seen", () => {
  assert.deepEqual(["\n", " the", " ", ""].map(shownToken), ["⏎", "the", "␣", "␣"]);
});
