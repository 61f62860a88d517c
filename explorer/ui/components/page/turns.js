// One entry of the history for each step of the reader: Streamlit turns a page in two writes, the page and what it
// carries, in either order.

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
