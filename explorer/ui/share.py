"""What goes from a page to elsewhere: its link, its picture and figures as files, the ways to show
it on another machine."""

from functools import partial
from urllib.parse import urlsplit

import streamlit as st

from explorer.pages.talk import adding
from explorer.spec import link_text
from explorer.ui import address, exports, shortened, shown, shown_run, specs
from explorer.ui.components import registered
from explorer.ui.exports import download, show_failures

_LINK = registered("link")


def menu(picture: bool) -> None:
    """The one menu of what goes from the page to elsewhere: its link, its `picture` and its figures
    as files, the view as a scene of the talk, and the ways to another machine.

    The browser alone opens and closes it: with `on_change` each run says whether it is open, and
    one that was begun before the click would close it.
    """
    with st.popover("Share", key="share", type="tertiary", icon=":material/share:"):
        with st.container(horizontal=True, vertical_alignment="center"):
            _copy_link()
            failed = [*map(_file, FILES)] if picture else []
        if picture:
            adding.room()
        with st.expander("On another machine", key="elsewhere"):
            _elsewhere(picture)
            failed.append(_run_as_zip())
        show_failures(*failed, instead="Reload the page: it shows what is here now.")


def _copy_link() -> None:
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


def _html(page: shown.Shown) -> bytes:
    from explorer.ui import page_file  # its Markdown and MathML are of no use to a page

    return page_file.html(page)


def _zipped(page: shown.Shown) -> bytes:
    if page.figures is None:
        raise ValueError("Nothing is trained here yet, so there are no figures")
    return exports.everything(page.figures())


FILES = {
    "picture": (
        "Picture",
        _html,
        ".html",
        "text/html",
        "This picture as one HTML file: it draws, drags and replays without this explorer and "
        "without a network. `python -m explorer export-page` with the link makes the same.",
    ),
    "figures": (
        "PDF, CSV",
        _zipped,
        "-figures.zip",
        "application/zip",
        "All figures of this page as PDF and their data as CSV, in one zip. SVG, PNG and single "
        "files are below the pictures.",
    ),
}
"""What a page is as a file: the label of its button, who makes it, how its name ends, its type."""


def _file(which: str) -> str:
    """The button for one of FILES. Why the last press of it failed, or ""."""
    label, make, ending, mime, about = FILES[which]
    name, made = address.page().name, partial(make, shown.shown())
    key, icon = f"{which} of {name}", ":material/download:"
    return download(label, made, f"{name}{ending}", mime, key=key, icon=icon, help=about)


def _elsewhere(picture: bool) -> None:
    """What to pass on where this explorer is not reached: the address, and the command that makes
    the page's `picture` as a file. A press on either selects it: the script that draws `st.code`,
    1.5 MB, would keep the menu shut until it is there, and who presses again shuts it."""
    here, spec = urlsplit(st.context.url or "").netloc, specs.begun()
    text = address.text(spec=spec and link_text(spec))
    st.markdown(
        f"A link opens where this explorer runs, **{here}**. Behind the address of another "
        "explorer this opens the same:"
    )
    st.markdown(f"`{text}`")
    if picture:
        st.markdown("The picture as a file that needs no explorer:")
        command = f'python -m explorer export-page "{text}" --out {address.page().name}.html'
        st.markdown(f"`{command}`".replace('"/', '"'))


def _run_as_zip() -> str:
    """The run that the address names, of the store: a link alone does not bring it along."""
    pair = shown_run.named()
    if pair is None or shown_run.is_shipped(pair[0]):
        return ""
    run, row = pair
    running = row.status == "running"
    st.markdown("The run is in this store alone; *Import* of the Runs page takes its zip:")
    return download(
        "Run (zip)",
        partial(exports.stored_archive, run),
        f"{run}.zip",
        "application/zip",
        key=f"share {run}",
        disabled=running,
        help="Pause or stop it first." if running else None,
    )
