// Runs that this browser has trained, kept by it (IndexedDB) until their reader or a lack of room removes them. In a frame
// of another site, or a private window, it may keep nothing.

/** @import { Kept, KeptModel } from "./types.js" */

const SHELF = "runs trained here";
const MODELS = "models of sweeps trained here";
const PATIENCE = 4000; // milliseconds after which a shelf that does not open is none: browsers have let it hang
const WAS_CLOSED = ["InvalidStateError", "UnknownError"]; // what is said where the browser has closed it

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
const answerOf = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** @returns {Promise<never>} */
const late = () =>
  new Promise((_, reject) => setTimeout(() => reject(new Error("it does not open")), PATIENCE));

/** @type {Promise<IDBDatabase> | undefined} */
let opened;

/** @returns {Promise<IDBDatabase>} */
function database() {
  opened ??= (async () => {
    const request = indexedDB.open("explorer", 2);
    request.onupgradeneeded = () => {
      const made = request.result;
      for (const name of [SHELF, MODELS])
        if (!made.objectStoreNames.contains(name)) made.createObjectStore(name, { keyPath: "id" });
    };
    const db = await Promise.race([answerOf(request), late()]);
    db.onclose = () => (opened = undefined);
    db.onversionchange = () => {
      db.close();
      opened = undefined;
    };
    return db;
  })();
  opened.catch(() => (opened = undefined));
  return opened;
}

/**
 * What a store answers, once more where the browser has closed it unheard.
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {string} name
 * @param {(store: IDBObjectStore) => Promise<T>} question
 */
async function asked(mode, name, question) {
  const ask = async () => question((await database()).transaction(name, mode).objectStore(name));
  try {
    return await ask();
  } catch (error) {
    if (!WAS_CLOSED.includes(/** @type {Error} */ (error).name)) throw error;
    opened = undefined;
    return ask();
  }
}

/** What is kept of a specification. @param {string} id @returns {Promise<Kept | undefined>} */
export async function onShelf(id) {
  try {
    return await asked("readonly", SHELF, (runs) => answerOf(runs.get(id)));
  } catch {
    return undefined;
  }
}

/** All that is kept, the newest first. @returns {Promise<Kept[]>} */
export async function shelf() {
  /** @type {Kept[]} */
  const runs = await asked("readonly", SHELF, (all) => answerOf(all.getAll()));
  return runs.sort((a, b) => b.changed - a.changed);
}

/** What is kept of these models. @param {string[]} ids @returns {Promise<KeptModel[]>} */
export async function modelsOnShelf(ids) {
  try {
    const records = await asked("readonly", MODELS, (models) =>
      Promise.all(ids.map((id) => answerOf(models.get(id)))),
    );
    return records.filter(Boolean);
  } catch {
    return [];
  }
}

/** How many models of sweeps are kept. */
export const countOfModels = () => asked("readonly", MODELS, (models) => answerOf(models.count()));

/** All of them go. */
export const clearModels = () => asked("readwrite", MODELS, (models) => answerOf(models.clear()));

/** Keeps a run; why it could not, else "". @param {Kept} run */
export const putOnShelf = (run) => put(SHELF, run);

/** The same of a model of a sweep. @param {KeptModel} model */
export const putModelOnShelf = (model) => put(MODELS, model);

/** @param {string} name @param {Kept | KeptModel} record */
async function put(name, record) {
  try {
    await asked("readwrite", name, (store) => answerOf(store.put(record)));
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
  await asked("readwrite", SHELF, (runs) => answerOf(runs.delete(id)));
}
