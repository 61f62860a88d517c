// The runs that this browser has trained and keeps: to be opened, exported and deleted.

import { fmt, fmtInteger } from "../core/numbers.js";
import { forget, foundHere, handOver } from "../here/run.js";
import { offShelf, shelf } from "../here/shelf.js";

/** @import { Kept } from "../here/types.js" */

/** What is said of a run. @param {Kept} kept */
function wordsOf({ begin: { local }, progress: { step, status, pictures } }) {
  const nmse = pictures.at(-1)?.header.nmse;
  const error = nmse === undefined ? "" : ` · nMSE ${fmt(nmse)}`;
  const at = status === "running" ? "interrupted" : status;
  const steps = `step ${fmtInteger(step)} of ${fmtInteger(local.steps)}`;
  return `${local.label} · m_h = ${local.m_h} · ${at}, ${steps}${error}`;
}

/** @param {string} text @param {() => void} press */
function button(text, press) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", textContent: text, onclick: press });
  return made;
}

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
    const found = await shelf().catch(() => []);
    const list = /** @type {HTMLElement} */ (this.root.querySelector("[data-list]"));
    list.replaceChildren(...found.map((kept) => this.row(kept)));
    /** @type {HTMLElement} */ (this.root.querySelector("section")).hidden = !found.length;
  }

  /** @param {Kept} kept */
  row(kept) {
    const row = document.createElement("li");
    const text = document.createElement("span");
    text.textContent = wordsOf(kept);
    const open = document.createElement("a");
    Object.assign(open, { href: kept.begin.local.address, textContent: "Open", target: "_self" });
    const away = button("Delete", () => {
      if (away.textContent === "Delete") return void (away.textContent = "Delete for good?");
      this.remove(kept.id);
    });
    row.append(
      text,
      open,
      button("Zip", () => this.zip(kept)),
      away,
    );
    return row;
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

/** @param {import("../core/canvas-view.js").Mount} mount */
export default function ({ parentElement: root }) {
  const list = /** @type {any} */ (root);
  (list.shelved ??= new Shelved(root)).read();
  return () => delete list.shelved;
}
