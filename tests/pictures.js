// What components draw, as text: reads {folder, themes: {light, dark}, pictures: {name: {component, parts}}} as JSON,
// where the folder holds the components, a theme is its CSS variables and parts are bytes in base64; answers
// {name: text}. Where the themes differ, both colours stand side by side.

import { Buffer } from "node:buffer";
import process from "node:process";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

import { openPage } from "./recorder.js";

const COLOUR = /^(#|gradient)/;
const NOTHING = "H4sIAAAAAAACAwMAAAAAAAAAAAA="; // packed: nobody trains here
globalThis.__explorerEngine = { wasm: NOTHING, worker: NOTHING, watched: NOTHING };

const { folder, themes, pictures } = JSON.parse(await text(process.stdin));
const componentIn = (file) => import(new URL(file, pathToFileURL(`${folder}/`)));

/** What is drawn in one theme, in lines. */
async function drawn(component, parts, theme) {
  const { KeptRun } = await componentIn("file/kept.js");
  KeptRun.parts = new Map(
    Object.entries(parts).map(([name, part]) => [name, bytesOf(part).buffer]),
  );
  const { root, settle } = openPage(theme, KeptRun);
  const { default: mount } = await componentIn(`${component}/${component}.js`);
  const told = () => {};
  const host = { setStateValue: told, setTriggerValue: told };
  const close = mount({ data: bytesOf(parts.data), parentElement: root, ...host });
  await settle();
  close();
  return [...root.drawn()].flatMap(([canvas, lines]) => [`== ${canvas}`, ...lines]);
}

const bytesOf = (part) => new Uint8Array(Buffer.from(part, "base64"));

/** One line in both themes; throws where they differ in more than colours. */
function both(light = "", dark = "") {
  const [one, other] = [light.split(" "), dark.split(" ")];
  const same = (word, i) => word === other[i] || (COLOUR.test(word) && COLOUR.test(other[i]));
  if (one.length !== other.length || !one.every(same))
    throw new Error(`${light}\nis in the dark theme\n${dark}`);
  return one.map((word, i) => (word === other[i] ? word : `${word}|${other[i]}`)).join(" ");
}

const written = {};
for (const [name, { component, parts }] of Object.entries(pictures)) {
  const light = await drawn(component, parts, themes.light);
  const dark = await drawn(component, parts, themes.dark);
  const count = Math.max(light.length, dark.length);
  written[name] = Array.from({ length: count }, (_, i) => both(light[i], dark[i]) + "\n").join("");
}
process.stdout.write(JSON.stringify(written), () => process.exit()); // replays have timers
