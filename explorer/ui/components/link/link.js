// The link to what is on the screen, to copy.

const SAID = 4000; // milliseconds that "copied" stays

/** @typedef {{spec: string | null, unread: string | null, longest: number, mark: string}} Said of the address */

// The address with the specification, where a page was opened without one or could not read it; a
// mark stands for a specification that would make the link longer than `longest` characters. What is
// seen on the guided tour is passed on without the tour, and the design that waits for its end.
/** @type {(address: string, data: Said) => string} */
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
/** @type {(link: string, data: {prefix: string}) => string[]} */
export function leftOut(link, { prefix }) {
  const params = [...new URL(link).searchParams];
  return params.filter(([, text]) => text.startsWith(prefix)).map(([name]) => name);
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

/** @param {import("../core/mount.js").Mount} mount */
export default function ({ data, parentElement: root }) {
  const part = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (root.querySelector(name));
  const [button, label, status] = ["button", "[data-label]", "[role=status]"].map(part);
  const field = /** @type {HTMLInputElement} */ (part("input"));
  button.onclick = () => {
    const link = completeLink(window.location.href, data);
    copy(link, leftOut(link, data), { label, status, field });
  };
}
