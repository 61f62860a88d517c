// The files of the browser's code in which something is still `any` because nothing says what it is.
// The list only shrinks: another file with such an error fails, and so does one that has none any more.
// Once it is empty, `noImplicitAny` of tsconfig.json is true and this file goes.

import { spawnSync } from "node:child_process";
import process from "node:process";

const UNTYPED = [
  ...["attention", "tools"].map((name) => `attention/${name}.js`),
  ...["design", "hands", "model"].map((name) => `design/${name}.js`),
  ...["order", "tried"].map((name) => `order/${name}.js`),
];

const { stdout } = spawnSync("tsc", ["--noImplicitAny", "true"], { encoding: "utf-8" });
const errors = [...stdout.matchAll(/^explorer\/ui\/components\/(.*?)\(.*$/gm)];
const more = errors.filter(([, file]) => !UNTYPED.includes(file)).map(([line]) => line);
const done = UNTYPED.filter((file) => !errors.some(([, other]) => other === file));
for (const line of more) console.error(line);
for (const file of done) console.error(`${file} is typed whole: take it out of tests/untyped.js`);
process.exitCode = more.length || done.length ? 1 : 0;
