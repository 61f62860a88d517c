import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Couplings,
  apart,
  flowed,
  inPieces,
  lineOfEach,
  wordsSentence,
  wordsTold,
} from "./model.js";

const texts = (pieces) => pieces.map((piece) => piece.map(({ text }) => text).join(""));
const plain = (...tokens) => tokens.map((text) => ({ text, other: false }));

test("tokens are others from the first that differs on, though a later one is the same", () => {
  const tokens = apart([" a", " b", " c"], [" a", " x", " c"]);
  assert.deepEqual(
    tokens.map(({ other }) => other),
    [false, true, true],
  );
  assert.ok(apart([" a", " b"], [" a", " b"]).every(({ other }) => !other));
});

test("a line breaks before a space or a new line, never within a word", () => {
  const pieces = inPieces(plain(" El", "ara", ".", "\n", "\n", "The", " end"));
  assert.deepEqual(texts(pieces), [" Elara.", "↵", "↵", "The", " end"]);
  const text = inPieces(plain("One, two,\n  three"));
  assert.deepEqual(texts(text), ["One,", " two,", "↵", " ", " three"]);
});

test("a markup is text like another", () => {
  const pieces = inPieces(plain(" <b>", "x_1", "</b>"));
  assert.deepEqual(texts(pieces), [" <b>x_1</b>"]);
});

test("lines are as wide as they may be, and none begins with a space", () => {
  const lengths = [3, 3, 5, 2];
  assert.deepEqual(lineOfEach(lengths, 6), [0, 0, 1, 2]);
  assert.deepEqual(lineOfEach(lengths, 100), [0, 0, 0, 0]);
  assert.deepEqual(lineOfEach([9, 1], 6), [0, 1], "what is wider than a line has one");
  const pieces = inPieces([...plain(" a", " b"), { text: " c", other: true }]);
  const lines = flowed(pieces, [0, 1, 1]);
  assert.deepEqual(lines, [plain("a"), [...plain("b"), { text: " c", other: true }]]);
});

const words = {
  prompts: ["One,", "Two,"],
  k: [1, 2],
  raw: [
    [[" x", " y"], [" c", " x"]],
    [[" a", " b"], [" c", " d"]],
  ], // prettier-ignore
  centred: [
    [[" a", " b"], [" c", " d"]],
    [[" a", " b"], [" c", " d"]],
  ], // prettier-ignore
};

test("the tokens that are the model's own are counted, and all are told", () => {
  const couplings = new Couplings({ ...new Couplings().header, words });
  const with1 = couplings.written({ centred: false, k: 1 });
  assert.equal(wordsSentence(with1, 1), "k = 1: 1 of 4 tokens are the model's own");
  assert.equal(wordsTold(with1, 1), "k = 1: 1 of 4 tokens are the model's own. One, x y. Two, c x");
  for (const choice of [
    { centred: true, k: 1 },
    { centred: false, k: 2 },
  ])
    // prettier-ignore
    assert.match(wordsSentence(couplings.written(choice), choice.k), /all 4 tokens/);
  assert.deepEqual(new Couplings().written({ centred: false, k: 1 }), []);
});
