// On paper: a page for each scene, with its last picture and the words of its steps; no notes.

import { painted } from "./mirror.js";
import { Picture } from "./picture.js";

/** @import { Pieces, Scene, Talk } from "./store.js" */

const DRAWN = 250; // milliseconds in which a picture is drawn

const rest = () => new Promise((done) => setTimeout(done, DRAWN));

/** @param {string} tag @param {string} html of Python's making */
function made(tag, html) {
  const element = document.createElement(tag);
  element.innerHTML = html;
  return element;
}

/** @param {Scene} scene @param {number} index @param {HTMLImageElement} image */
function pageOf(scene, index, image) {
  const title = document.createElement("h2");
  title.textContent = `${index + 1}  ${scene.title}`;
  const words = made("ol", scene.steps.map((step) => `<li>${step.words}</li>`).join(""));
  const address = document.createElement("small");
  address.textContent = scene.steps[scene.steps.length - 1].address;
  const page = document.createElement("article");
  page.append(title, made("p", scene.formula.join(" ")), image, words, address);
  return page;
}

/**
 * Fills the paper section; the pictures are drawn out of sight.
 * @param {Talk} talk
 * @param {Pieces} pieces
 */
export async function layOut(talk, pieces) {
  const desk = document.createElement("div");
  desk.className = "picture desk";
  document.body.append(desk);
  const { dataset } = document.documentElement;
  const { theme } = dataset;
  dataset.theme = "light"; // as paper is
  const pages = [];
  for (const [index, scene] of talk.scenes.entries()) {
    const last = { ...scene.steps[scene.steps.length - 1], live: null };
    const picture = new Picture(desk, scene, last, await pieces.frame(last), () => {});
    await rest();
    const image = new Image();
    image.src = painted(picture, desk).toDataURL("image/png");
    picture.remove();
    pages.push(pageOf(scene, index, image));
  }
  desk.remove();
  dataset.theme = theme;
  document.querySelector("[data-over=paper]")?.replaceChildren(...pages);
  await Promise.all([...document.images].map((image) => image.decode()));
}
