// What beside the canvases a picture has, painted where it stands: buttons, choices, sliders and their words.

/** @typedef {CanvasRenderingContext2D} Ctx in CSS pixels of the window */

/** @param {Ctx} ctx @param {ShadowRoot} root of a picture */
export function paintControls(ctx, root) {
  const line = root.querySelector(".controls");
  if (!line) return;
  for (const control of line.querySelectorAll("button, select, input"))
    if (control.checkVisibility()) paintControl(ctx, /** @type {HTMLElement} */ (control));
  const words = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) paintWords(ctx, words.currentNode);
}

/** @param {Ctx} ctx @param {HTMLElement} control */
function paintControl(ctx, control) {
  const box = control.getBoundingClientRect();
  if (control instanceof HTMLInputElement && control.type === "range")
    return paintSlider(ctx, control, box);
  const style = getComputedStyle(control);
  const isOn = control instanceof HTMLInputElement && control.checked;
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.width, box.height, 4);
  ctx.fillStyle = isOn ? style.accentColor : style.backgroundColor;
  ctx.fill();
  ctx.strokeStyle = style.borderTopColor;
  ctx.lineWidth = 1;
  ctx.stroke();
  if (control instanceof HTMLSelectElement)
    write(ctx, style, control.selectedOptions[0]?.text ?? "", box.x + 8, box);
}

/** @param {Ctx} ctx @param {HTMLInputElement} input @param {DOMRect} box */
function paintSlider(ctx, input, { x, y, width, height }) {
  const { color, accentColor } = getComputedStyle(input);
  const [low, high] = [Number(input.min), Number(input.max)];
  const part = high > low ? (Number(input.value) - low) / (high - low) : 1;
  ctx.fillStyle = ctx.strokeStyle = accentColor === "auto" ? color : accentColor;
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.moveTo(x, y + height / 2);
  ctx.lineTo(x + width, y + height / 2);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(x + part * width, y + height / 2, 8, 0, 2 * Math.PI);
  ctx.fill();
}

/** @param {Ctx} ctx @param {Node} node of text */
function paintWords(ctx, node) {
  const text = (node.textContent ?? "").replace(/\s+/g, " ");
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  const around = node.parentElement;
  if (!text.trim() || !box.width || !around) return;
  if (around.getBoundingClientRect().height <= 1) return; // for screen readers alone: cut to a point
  write(ctx, getComputedStyle(around), text.trim(), box.x, box);
}

/** @param {Ctx} ctx @param {CSSStyleDeclaration} style @param {string} text @param {number} x @param {DOMRect} box */
function write(ctx, style, text, x, box) {
  ctx.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  ctx.fillStyle = style.color;
  ctx.textBaseline = "middle";
  ctx.fillText(text, x, box.y + box.height / 2);
}
