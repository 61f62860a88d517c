// What a browser keeps for the next visit ("localStorage") or for this tab ("sessionStorage"). In a frame of another
// site it may keep nothing: then this page alone remembers, until it is left.

/** @typedef {"localStorage" | "sessionStorage"} Where */

/** What could not be kept. @type {Map<string, string>} */
const here = new Map();

/** @type {(where: Where, name: string) => string | null} */
export function recall(where, name) {
  if (here.has(name)) return here.get(name) ?? null;
  try {
    return globalThis[where].getItem(name);
  } catch {
    return null;
  }
}

/** @type {(where: Where, name: string, text: string) => void} */
export function remember(where, name, text) {
  here.delete(name);
  try {
    globalThis[where].setItem(name, text);
  } catch {
    here.set(name, text);
  }
}

/** @type {(where: Where, name: string) => void} */
export function unremember(where, name) {
  here.delete(name);
  try {
    globalThis[where].removeItem(name);
  } catch {
    // nothing is kept there
  }
}

/** All names and texts that are kept. @type {(where: Where) => Record<string, string>} */
export function storedIn(where) {
  try {
    return { ...globalThis[where] };
  } catch {
    return {};
  }
}
