// The runs that this browser has trained and keeps: to be opened, exported and deleted.

import { element } from "../core/element.js";
import { fmt, fmtInteger } from "../core/numbers.js";
import { forget, foundHere, handOver } from "../here/run.js";
import { clearModels, countOfModels, offShelf, shelf } from "../here/shelf.js";
import { forgetSweeps } from "../here/sweep.js";

/** @import { Kept } from "../here/types.js" */

/** What is said of a run. @param {Kept} kept */
function wordsOf({ begin: { local }, progress: { step, status, pictures } }) {
  const nmse = pictures.at(-1)?.header.nmse;
  const error = nmse === undefined ? "" : ` · nMSE ${fmt(nmse)}`;
  const at = status === "running" ? "interrupted" : status;
  const steps = `step ${fmtInteger(step)} of ${fmtInteger(local.steps)}`;
  return `${local.label} · m_h = ${local.m_h} · ${at}, ${steps}${error}`;
}

/** @param {string} textContent @param {() => void} onclick */
const button = (textContent, onclick) =>
  element("button", { type: "button", textContent, onclick });

/** A button that is pressed twice. @param {() => void} remove */
function deleting(remove) {
  const made = button("Delete", () => {
    if (made.textContent === "Delete") made.textContent = "Delete for good?";
    else remove();
  });
  return made;
}

/** @param {string} words @param {...Node} more */
const itemOf = (words, ...more) => element("li", {}, element("span", {}, words), ...more);

class Shelved {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.read();
  }

  /** @param {string} text */
  say(text) {
    const place = /** @type {HTMLElement} */ (this.root.querySelector("[data-text=said]"));
    place.textContent = text;
  }

  async read() {
    const runs = await shelf().catch(() => []);
    const models = await countOfModels().catch(() => 0);
    const list = /** @type {HTMLElement} */ (this.root.querySelector("[data-list]"));
    const rows = runs.map((run) => this.row(run));
    list.replaceChildren(...rows, ...(models ? [this.rowOfSweeps(models)] : []));
    const isEmpty = !runs.length && !models;
    /** @type {HTMLElement} */ (this.root.querySelector("section")).hidden = isEmpty;
  }

  /** @param {Kept} run */
  row(run) {
    const href = run.begin.local.address;
    return itemOf(
      wordsOf(run),
      element("a", { href, textContent: "Open", target: "_self" }),
      button("Zip", () => this.zip(run)),
      deleting(() => this.remove(run.id)),
    );
  }

  /** @param {number} count of models */
  rowOfSweeps(count) {
    const words = `Models of sweeps, which Rates draws: ${fmtInteger(count)}`;
    return itemOf(
      words,
      deleting(() => this.removeSweeps()),
    );
  }

  async removeSweeps() {
    await forgetSweeps();
    await clearModels().catch(() => this.say("This browser could not delete them."));
    this.read();
  }

  /** @param {Kept} kept */
  async zip({ id }) {
    try {
      const run = await foundHere(id);
      if (!run) throw new Error("this browser keeps it no longer");
      await handOver(run);
      this.say("");
    } catch (error) {
      this.say(`No zip was made: ${/** @type {Error} */ (error).message}.`);
    }
  }

  /** @param {string} id */
  async remove(id) {
    forget(id);
    await offShelf(id).catch(() => this.say("This browser could not delete it."));
    this.read();
  }
}

/** @param {import("../core/mount.js").Mount} mount */
export default function ({ parentElement: root }) {
  const list = /** @type {any} */ (root);
  (list.shelved ??= new Shelved(root)).read();
  return () => delete list.shelved;
}
