// The link to what is on the screen, to copy; and one entry of the history for each step of the reader.

const SAID = 4000; // milliseconds that "copied" stays

/** @typedef {{spec: string | null, unread: string | null, longest: number, mark: string}} Said of the address */

// The address with the specification, where a page was opened without one or could not read it; a
// mark stands for a specification that would make the link longer than `longest` characters. What is
// seen on the guided tour is passed on without the tour, and the design that waits for its end.
/** @type {(address: string, said: Said) => string} */
export function completeLink(address, { spec, unread, longest, mark }) {
  const url = new URL(address);
  if (url.searchParams.has("tour"))
    for (const name of ["tour", "design"]) url.searchParams.delete(name);
  const held = url.searchParams.get("spec");
  if (!spec || (held !== null && held !== unread)) return url.href;
  url.searchParams.set("spec", spec);
  if (url.pathname.length + url.search.length > longest) url.searchParams.set("spec", mark);
  return url.href;
}

// The parameters of a link that stayed in this session.
/** @type {(link: string, said: {prefix: string}) => string[]} */
export function leftOut(link, { prefix }) {
  const params = [...new URL(link).searchParams];
  return params.filter(([, text]) => text.startsWith(prefix)).map(([name]) => name);
}

// Streamlit turns a page in two writes, the page and what it carries, in either order. They are one step.
export function joinPageTurns(/** @type {any} */ window) {
  const { history, location } = window;
  const push = history.pushState;
  if (history.explorerWrote !== undefined) return;
  history.explorerWrote = ""; // the last write of this step: a "page", or "parameters"
  for (const event of ["pointerdown", "keydown"])
    window.addEventListener(
      event,
      () => {
        history.explorerWrote = "";
      },
      true,
    );
  /** @type {(state: unknown, title: string, address: string) => void} */
  history.pushState = (state, title, address) => {
    const turns = new URL(address, location.href).pathname !== location.pathname;
    const other = turns ? "parameters" : "page";
    if (history.explorerWrote === other) history.replaceState(state, title, address);
    else push.call(history, state, title, address);
    history.explorerWrote = turns ? "page" : "parameters";
  };
}

/**
 * @param {string} link
 * @param {string[]} missing
 * @param {{label: HTMLElement, status: HTMLElement, field: HTMLInputElement}} parts
 */
async function copy(link, missing, { label, status, field }) {
  const without = missing.length ? `, without ${missing.join(" and ")}: too long` : "";
  try {
    await navigator.clipboard.writeText(link);
    field.hidden = true;
    label.textContent = status.textContent = `Link copied${without}`;
    setTimeout(() => {
      label.textContent = "Copy link";
      status.textContent = "";
    }, SAID);
  } catch {
    // the browser keeps its clipboard to itself
    status.textContent = `The link is in the field, to be copied from there${without}`;
    Object.assign(field, { value: link, hidden: false });
    field.focus();
    field.select();
  }
}

/** @param {import("../core/canvas-view.js").Mount} mount */
export default function ({ data, parentElement: root }) {
  joinPageTurns(window);
  const part = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (root.querySelector(name));
  const [button, label, status] = ["button", "[data-label]", "[role=status]"].map(part);
  const field = /** @type {HTMLInputElement} */ (part("input"));
  button.onclick = () => {
    const link = completeLink(window.location.href, data);
    copy(link, leftOut(link, data), { label, status, field });
  };
}
