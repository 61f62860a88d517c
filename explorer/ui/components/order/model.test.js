import assert from "node:assert/strict";
import test from "node:test";

import { close, vectors } from "../../../../tests/vectors.js";
import { identity } from "../core/reorder.js";
import {
  alike,
  complexityOf,
  cosine,
  ended,
  floorsOf,
  leftKernel,
  targetMatrix,
  trimmed,
} from "./model.js";
import { channelsOf, headsOf, sizesFor, statesOf, widthsOf } from "./sizes.js";
import { isRefused } from "./strips.js";

const { maps, complexity, agreement, sizes, spectra } = vectors("order");

test("map and floors are those of Python", () => {
  for (const { matrix, best, floors, ...target } of maps) {
    const drawn = targetMatrix(target);
    const drawnFloors = floorsOf(drawn);
    close(
      drawn.map((row) => [...row]),
      matrix,
    );
    close([...drawnFloors.kernel], best);
    for (const [name, floor] of Object.entries(floors))
      close(drawnFloors[name], floor, { relative: 1e-10, absolute: 1e-14 });
  }
});

test("C₁, C₂, C_RNN and the windowed one are those of Python, before and after", () => {
  for (const { measures, ...target } of complexity) {
    const { kernel, taps, mode } = target;
    const order = target.order ?? identity(kernel.length);
    const kernels = {
      before: kernel,
      after: leftKernel(targetMatrix(target), order, taps, mode),
    };
    for (const [when, expected] of Object.entries(measures)) {
      const rho = kernels[when];
      const constants = rho && complexityOf(rho, target.decay ?? Infinity);
      for (const name of ["c_1", "c_2", "c_rnn", "windowed"])
        close(constants?.[name] ?? Infinity, expected[name]);
    }
  }
});

test("states and channels that a kernel needs at least are those of Python", () => {
  for (const { kernel, error, sizes: least } of sizes)
    assert.deepEqual(sizesFor(kernel, error), least);
  assert.deepEqual(sizesFor([0, 0, 0, 0], 0.01), { states: 1, channels: 1 });
});

test("spectra are those of Python, to the root of what is rounded", () => {
  for (const { kernel, ...expected } of spectra) {
    const drawn = {
      states: statesOf(kernel),
      channels: channelsOf(kernel),
      widths: widthsOf(kernel),
      heads: headsOf(kernel),
    };
    for (const [name, sigmas] of Object.entries(expected)) {
      assert.equal(drawn[name].length, sigmas.length);
      const shares = drawn[name].map(([first, ...rest]) =>
        [first, ...rest].map((x) => x / (first || 1)),
      );
      close(shares, sigmas, { absolute: 1e-7 });
    }
  }
});

test("learned taps agree in the browser as in the table, up to sign and scale", () => {
  for (const pair of agreement)
    close(cosine(pair.learned, pair.taps), pair.agreement, { absolute: 1e-12 });
  const [taps, learned] = [
    [0.5, -0.25, 0.1],
    [-2, 1, -0.4],
  ];
  close(cosine(learned, taps), 1);
  close(alike(learned, taps), taps);
  assert.equal(cosine([1, 0], [0, 1]), 0);
});

test("a kernel ends with its last value", () => {
  assert.deepEqual(ended([1, 0, 2, 0, 0]), [1, 0, 2]);
  assert.deepEqual([ended([0.5]), ended([0, 0, -1])], [[0.5], [0, 0, -1]]);
});

test("a filter ends with its last tap but where zeros count", () => {
  assert.deepEqual(trimmed([0.5, 0, 0], "causal"), [0.5]);
  assert.deepEqual(trimmed([0.5, 0, 0], "centred"), [0.5, 0, 0]);
  for (const mode of ["causal", "centred"]) {
    assert.equal(trimmed([0, 0], mode), null);
    assert.deepEqual(trimmed([0, 1], mode), [0, 1]);
    assert.deepEqual(trimmed([1], mode), [1]);
  }
});

test("a filter without taps is refused, a name that is none never", () => {
  const header = { presets: { filters: { delay: [0, 1] } } };
  for (const name of ["none", "own", "delay"]) assert.equal(isRefused(header, name), false);
  assert.equal(isRefused(header, "difference"), true);
  assert.equal(isRefused(null, "difference"), false);
});
