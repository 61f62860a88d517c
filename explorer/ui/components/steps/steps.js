// The steps of a scene as a film: what each shows, by the picture that a deck has drawn of it. Each can be carried to
// another place, duplicated, deleted and worded; it goes on showing what it shows.

import { Arranged, nearest } from "../core/arranged.js";
import { listenToButtons, undoAndRedo } from "../core/buttons.js";
import { mounted } from "../core/mount.js";
import { element } from "../core/element.js";
import { unpackBytes } from "../core/messages.js";
import { clamp } from "../core/numbers.js";
import { listenToKeys, reorderKey, reorderable, reordered } from "../core/reorder.js";
import { bareWords, picturesKept } from "../stage/thumbnails.js";

/** @typedef {{words: string, notes: string, panels: string[]} & Record<string, unknown>} Told a step as talk.json has it, its panels named */
/** @typedef {{step: Told, id: string}} Held and the id of its picture */
/** @typedef {{subject: string, steps: Held[], answers: import("../core/exchange.js").Answers}} Drawing of pages/talk/editor.py */

const MOST_STEPS = 20; // steps of a scene
/** @type {("words" | "notes")[]} */
const FIELDS = ["words", "notes"];

/** @extends {Arranged<Drawing, {steps: Held[]}>} */
class Steps extends Arranged {
  /** @type {Record<string, HTMLTextAreaElement>} */
  fields = {};

  /** @param {any} root of the markup */
  constructor(root) {
    super(root, "Steps", { steps: [] });
    const film = this.part("film");
    reorderable(this, film, {
      grab: () => ({ rects: this.rectsIn("film") }),
      placeUnder: (at) => nearest(this.drag?.rects ?? this.rectsIn("film"), at),
    });
    listenToKeys(this, film, (event) => reorderKey(event, this, this.count));
    listenToButtons(this, {
      ...undoAndRedo(this),
      duplicate: () => this.duplicate(),
      remove: () => this.edit(() => this.remove()),
    });
    for (const name of FIELDS) {
      this.fields[name] = root.querySelector(`[data-field=${name}]`);
      this.fields[name].addEventListener("change", () => this.typed(name));
    }
    this.fields.words.addEventListener("keydown", (event) => this.enter(event));
    window.addEventListener("storage", this.drawn); // the stage in another tab
  }

  drawn = () => this.write();

  get count() {
    return this.now.steps.length;
  }

  /** @param {Uint8Array} bytes */
  take(bytes) {
    const { header } = unpackBytes(bytes);
    this.about(header.subject);
    this.exchange.answer(header, header.answers);
  }

  /** @param {Drawing} drawing */
  stateIn({ steps }) {
    return { steps };
  }

  holding() {
    return super.holding() || FIELDS.some((name) => isTyped(this.fields[name]));
  }

  told() {
    return { subject: this.subject, steps: this.now.steps.map(({ step }) => step) };
  }

  /** What is being typed stays with its step: a press on another one comes before the field tells. @param {number} t */
  choose(t) {
    for (const name of FIELDS) if (isTyped(this.fields[name])) this.typed(name);
    super.choose(t);
  }

  /** The chosen step to another place. @param {number} to */
  carry(to) {
    if (to !== this.chosen) this.arrange({ steps: reordered(this.now.steps, this.chosen, to) }, to);
  }

  /** Once more after it, where its words can be typed over. */
  duplicate() {
    if (this.count >= MOST_STEPS) return;
    const { steps } = this.now;
    const at = this.chosen + 1;
    this.edit(() =>
      this.arrange({ steps: [...steps.slice(0, at), steps[at - 1], ...steps.slice(at)] }, at),
    );
    this.fields.words.focus();
    this.fields.words.select();
  }

  remove() {
    const steps = this.now.steps.filter((_, t) => t !== this.chosen);
    if (steps.length) this.arrange({ steps }, clamp(this.chosen, 0, steps.length - 1));
  }

  /** @param {"words" | "notes"} name of the field that has been typed in */
  typed(name) {
    this.edit(() => this.read(name));
    this.exchange.settle();
  }

  /** What stands in a field; a step without words is none. @param {"words" | "notes"} name */
  read(name) {
    const field = this.fields[name];
    const text = field.value.trim();
    field.defaultValue = field.value;
    if (name === "words" && !text) return;
    const steps = this.now.steps.map((held, t) =>
      t === this.chosen ? { ...held, step: { ...held.step, [name]: text } } : held,
    );
    this.arrange({ steps }, this.chosen);
  }

  /** @param {KeyboardEvent} event */
  enter(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.typed("words");
    if (this.chosen === this.count - 1) return this.duplicate();
    this.choose(this.chosen + 1);
    this.fields.words.select();
  }

  write() {
    const { count } = this;
    const { steps } = this.now;
    if (!count) return;
    const chosen = clamp(this.chosen, 0, count - 1);
    Object.assign(this, { chosen });
    const pictures = picturesKept();
    this.part("film").replaceChildren(
      ...steps.map((held, t) => frameOf(held, pictures[held.id], t === chosen)),
    );
    for (const name of FIELDS) put(this.fields[name], steps[chosen].step[name]);
    this.button("duplicate").disabled = count >= MOST_STEPS;
    this.button("remove").disabled = count < 2;
    const sentence = `Step ${chosen + 1} of ${count}: ${bareWords(steps[chosen].step.words)}`;
    this.sayPlace("film", count, `${sentence} Left and right choose, with Shift they move it`);
    this.invalidate();
  }

  close() {
    window.removeEventListener("storage", this.drawn);
    super.close();
  }
}

/** Whether somebody types in it. @param {HTMLTextAreaElement} field */
const isTyped = ({ value, defaultValue }) => value !== defaultValue;

/** @param {HTMLTextAreaElement} field @param {string} text */
function put(field, text) {
  if (isTyped(field)) return;
  field.defaultValue = text;
  if (field.value !== text) field.value = text;
}

/** @param {Held} held @param {string | undefined} image @param {boolean} isChosen */
function frameOf({ step }, image, isChosen) {
  const picture = image
    ? element("img", { src: image, alt: "" })
    : element("span", {}, step.panels.join(", "));
  const words = element("figcaption", {}, bareWords(step.words));
  return element("figure", { className: isChosen ? "chosen" : "" }, picture, words);
}

export default mounted(Steps);
