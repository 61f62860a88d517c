// Light or dark: what was chosen last in this tab, else what the machine has.

import { recall, remember } from "../core/remember.js";

const CHOSEN = "explorer theme";
const { dataset } = document.documentElement;

export function openTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = recall("sessionStorage", CHOSEN) ?? (dark ? "dark" : "light");
}

export function turnTheme() {
  dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  remember("sessionStorage", CHOSEN, dataset.theme);
}
