// Light or dark: what was chosen last in this tab, else what the machine has.

const CHOSEN = "explorer theme";
const { dataset } = document.documentElement;

/**
 * What was chosen in this tab, after it was changed to `theme`; a frame in a box of its own remembers nothing.
 * @param {string} [theme]
 */
function chosen(theme) {
  try {
    if (theme) sessionStorage.setItem(CHOSEN, theme);
    return sessionStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

export function openTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  dataset.theme = chosen() ?? (dark ? "dark" : "light");
}

export function turnTheme() {
  dataset.theme = dataset.theme === "dark" ? "light" : "dark";
  chosen(dataset.theme);
}
