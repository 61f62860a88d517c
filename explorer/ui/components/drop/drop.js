// A file of samples that is dropped anywhere on the page. What has a place for files of its own keeps them.

const TAKER = "[data-testid=stFileUploaderDropzone]";

/** @typedef {{name: string, size: number, data: string}} Dropped its bytes in base64, none of a file that is too large */

/** Whether files are dragged that nothing else takes. @param {DragEvent} event */
const mine = ({ target, dataTransfer }) =>
  Boolean(dataTransfer?.types.includes("Files")) &&
  !(/** @type {Element} */ (target).closest?.(TAKER));

/** @param {Blob} file @returns {Promise<string>} */
const base64 = (file) =>
  new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });

/** `most` bytes are taken. @param {{parentElement: ParentNode, data: {most: number},
 * setTriggerValue: (name: string, value: Dropped) => void}} mount */
export default function ({ parentElement: root, data: { most }, setTriggerValue }) {
  const sign = /** @type {HTMLElement} */ (root.querySelector(".drop"));
  const over = (/** @type {DragEvent} */ event) => {
    sign.hidden = !mine(event);
    if (!sign.hidden) event.preventDefault(); // else the browser opens the file
  };
  const leave = (/** @type {DragEvent} */ { relatedTarget }) => {
    if (!relatedTarget) sign.hidden = true;
  };
  const drop = async (/** @type {DragEvent} */ event) => {
    sign.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (!file || !mine(event)) return;
    event.preventDefault();
    const data = file.size > most ? "" : await base64(file);
    setTriggerValue("file", { name: file.name, size: file.size, data });
  };
  const heard = { dragover: over, dragleave: leave, drop };
  for (const [name, hear] of Object.entries(heard))
    window.addEventListener(name, /** @type {EventListener} */ (hear));
  return () => {
    for (const [name, hear] of Object.entries(heard))
      window.removeEventListener(name, /** @type {EventListener} */ (hear));
  };
}
