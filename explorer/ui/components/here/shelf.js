// Runs that this browser has trained, kept by it (IndexedDB) until their reader or a lack of room removes them. In a frame
// of another site, or a private window, it may keep nothing.

/** @import { Kept } from "./types.js" */

const SHELF = "runs trained here";

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const answerOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= (async () => {
    const request = indexedDB.open("explorer", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(SHELF, { keyPath: "id" });
    return answerOf(request);
  })();
  opened.catch(() => (opened = undefined));
  return opened;
}

/** @param {IDBTransactionMode} mode */
const store = async (mode) => (await database()).transaction(SHELF, mode).objectStore(SHELF);

/** What is kept of a specification. @param {string} id @returns {Promise<Kept | undefined>} */
export async function onShelf(id) {
  try {
    return await answerOf((await store("readonly")).get(id));
  } catch {
    return undefined;
  }
}

/** All that is kept, the newest first. @returns {Promise<Kept[]>} */
export async function shelf() {
  const found = /** @type {Kept[]} */ (await answerOf((await store("readonly")).getAll()));
  return found.sort((a, b) => b.changed - a.changed);
}

/** Keeps it; why it could not, else "". @param {Kept} kept */
export async function putOnShelf(kept) {
  try {
    await answerOf((await store("readwrite")).put(kept));
    return "";
  } catch (error) {
    const full = error instanceof DOMException && error.name === "QuotaExceededError";
    return full
      ? "This browser has no room to keep the run: free some, or export it before you leave."
      : "This browser keeps nothing here: the run is lost when the page is left.";
  }
}

/** @param {string} id */
export async function offShelf(id) {
  await answerOf((await store("readwrite")).delete(id));
}
