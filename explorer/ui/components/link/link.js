// The link to what is on the screen, to copy; and one entry of the history for each step of the reader.

const SAID = 4000; // milliseconds that "copied" stays

// The address with the specification, where a page was opened without one or could not read it.
export function completeLink(address, { spec, unread }) {
  const url = new URL(address);
  const held = url.searchParams.get("spec");
  if (spec && (held === null || held === unread)) url.searchParams.set("spec", spec);
  return url.href;
}

// Streamlit turns a page in two writes: the page, then what it carries. They are one step.
export function joinPageTurns(window) {
  const { history, location } = window;
  const push = history.pushState;
  if (history.explorerTurning !== undefined) return;
  history.explorerTurning = false;
  for (const event of ["pointerdown", "keydown"])
    window.addEventListener(
      event,
      () => {
        history.explorerTurning = false;
      },
      true,
    );
  history.pushState = (state, title, address) => {
    const turns = new URL(address, location.href).pathname !== location.pathname;
    if (history.explorerTurning && !turns) history.replaceState(state, title, address);
    else push.call(history, state, title, address);
    history.explorerTurning = turns;
  };
}

async function copy(link, { label, status, field }) {
  try {
    await navigator.clipboard.writeText(link);
    field.hidden = true;
    label.textContent = status.textContent = "Link copied";
    setTimeout(() => {
      label.textContent = "Copy link";
      status.textContent = "";
    }, SAID);
  } catch {
    // the browser keeps its clipboard to itself
    status.textContent = "The link is in the field, to be copied from there";
    Object.assign(field, { value: link, hidden: false });
    field.focus();
    field.select();
  }
}

export default function ({ data, parentElement: root }) {
  joinPageTurns(window);
  const [button, label, status, field] = ["button", "[data-label]", "[role=status]", "input"].map(
    (name) => root.querySelector(name),
  );
  button.onclick = () => copy(completeLink(window.location.href, data), { label, status, field });
}
