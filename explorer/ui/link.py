"""The link to what a page shows, to copy, and the ways to show it on another machine."""

from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from explorer.pages.talk import adding
from explorer.spec import link_text
from explorer.ui import address, shortened, shown, specs
from explorer.ui.components import registered
from explorer.ui.downloads import download

_LINK = registered("link")


def copy_link() -> None:
    """Copies the address, with the specification of this session where it does not stand there."""
    spec = specs.begun()
    text = spec and link_text(spec)
    data = {
        "spec": text,
        "unread": address.unread(specs.SPEC),
        "longest": shortened.LONGEST,
        "prefix": shortened.MARK,
        "mark": text and shortened.mark_of(text),
    }
    shown.note(address=address.text(spec=text))
    _LINK(key="copy link", data=data, width="content")


def elsewhere(picture: bool) -> str:
    """A menu: the view as a scene of the talk; what to pass on where this explorer is not reached,
    the address, the command that makes the page's `picture` as a file, and the run shown as a zip.
    Why the last press of that failed, or "".

    The browser alone opens and closes it: with `on_change` each run says whether it is open, and
    one that was begun before the click would close it.
    """
    menu = st.popover(
        "Share",
        key="share elsewhere",
        type="tertiary",
        help="Into the talk, or to another machine",
    )
    here, spec = urlsplit(st.context.url or "").netloc, specs.begun()
    text = address.text(spec=spec and link_text(spec))
    with menu:
        if picture:
            adding.button()
        st.markdown(
            f"A link opens where this explorer runs, **{here}**. Behind the address of another "
            "explorer this opens the same:"
        )
        st.code(text, language=None, wrap_lines=True)
        if picture:
            st.markdown("The picture as a file that needs no explorer:")
            command = f'python -m explorer export-page "{text}" --out {address.page().name}.html'
            st.code(command.replace('"/', '"'), language=None, wrap_lines=True)
        return _run_as_zip()


def _run_as_zip() -> str:
    """The run that the address names, of the store: a link alone does not bring it along."""
    from explorer.ui import shown_run

    found = shown_run.named()
    if found is None or shown_run.is_shipped(found[0]):
        return ""
    run, row = found
    running = row.status == "running"
    st.markdown("The run is in this store alone; *Import* of the Runs page takes its zip:")
    return download(
        "Run (zip)",
        partial(_archive, run),
        f"{run}.zip",
        "application/zip",
        key=f"share {run}",
        disabled=running,
        help="Pause or stop it first." if running else None,
    )


def _archive(run: str) -> bytes:
    from explorer.ui import exports  # Altair, which no page waits for

    return exports.stored_archive(run)
