import test from "node:test";

import { close } from "../../../../tests/vectors.js";
import { errorRange } from "./errors.js";

test("the axis of errors ends where the data do", () => {
  for (const { errors, ends } of [
    { errors: [0.0301, 0.0526, 0.0988], ends: [0.01, 0.2] },
    { errors: [0.0301, 0.0526, 0.0988, 1.1e-5], ends: [1e-6, 0.2] },
    { errors: [0.0988, 1e-14], ends: [1e-8, 0.2] },
    { errors: [1], ends: [0.1, 2] },
    { errors: [0.7, 0.9], ends: [0.1, 2] },
    { errors: [], ends: [2e-8, 2e-7] },
  ]) {
    const { low, high } = errorRange(errors);
    close([low, high], ends, { relative: 1e-6 });
  }
});
