"""The Runs page: what to do with the chosen runs."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from explorer.pages.runs import view
from explorer.pages.runs.page import CHOSEN, choose, say
from explorer.runs.database import StoreError
from explorer.runs.record import RESUMABLE, RunRow
from explorer.runs.store import MAX_NAME
from explorer.spec import link_text
from explorer.ui import address, exports, registry, shown_run
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import download, show_failures
from explorer.ui.live import asset_file
from explorer.ui.pages import PAGES, page_of
from explorer.ui.part import part
from explorer.ui.topics import figures_of
from explorer.ui.words import as_code, public

STOPPABLE = ("queued", "running", "paused", "interrupted")
DOOMED = "runs to delete"


def actions(rows: Sequence[RunRow]) -> None:
    """Open, take home, name, resume, stop, delete."""
    with st.container(horizontal=True, vertical_alignment="center"):
        if len(rows) == 1:
            _open_link(rows[0])
            _rename(rows[0])
        _order_button("resume", ":material/play_arrow:", RESUMABLE, rows)
        _order_button("stop", ":material/stop:", STOPPABLE, rows)
        _take_home(rows)
        st.button(
            "Delete…",
            icon=":material/delete:",
            on_click=_ask_delete,
            args=([r.run for r in rows],),
        )
        st.button(
            "Clear choice", icon=":material/close:", type="tertiary", on_click=choose, args=([],)
        )
    if st.session_state.get(DOOMED):
        _confirm()


def train_first() -> None:
    """The way to where a first run is trained."""
    if st.button("Train a first one", icon=":material/play_circle:", type="primary"):
        address.turn_to("train")


def examples() -> None:
    """While the store is empty: a shipped run of each page that trains, to be seen there."""
    st.caption("Or see a finished run that comes with the explorer:")
    for page in PAGES.values():
        here = (run for run in page.shipped if (file := asset_file(run)) and file.exists())
        if run := next(here, None):
            spec = shown_run.shipped_row(run).spec
            st.page_link(
                page.file,
                label=f"{page.title}: {page.question}",
                icon=":material/open_in_full:",
                query_params=address.linkable({"run": run, "spec": link_text(spec)}),
            )


def _open_link(row: RunRow) -> None:
    spec = view.readable(row)
    page = page_of(spec) if spec else PAGES["train"]
    st.page_link(
        page.file,
        label=f"Open on {page.title}",
        icon=":material/open_in_full:",
        disabled=spec is None,
        query_params=address.linkable({"run": row.run, "spec": link_text(spec) if spec else ""}),
    )


def _rename(row: RunRow) -> None:
    key = f"name {row.run}"
    st.session_state[key] = row.name
    with st.popover("Rename", icon=":material/edit:"):
        st.text_input(
            "name",
            key=key,
            max_chars=MAX_NAME,
            on_change=_renamed,
            args=(row.run, key),
            help="Up to 80 characters; figures and tables call the run by it.",
        )


@uninterrupted
def _renamed(run: str, key: str) -> None:
    try:
        registry.store().rename(run, " ".join(st.session_state[key].split()))
    except StoreError as error:
        say(_problem(error))


def _problem(error: StoreError) -> tuple[str, str]:
    return "error", as_code(public(error))


def _order_button(
    command: str, icon: str, statuses: tuple[str, ...], rows: Sequence[RunRow]
) -> None:
    runs = [row.run for row in rows if row.status in statuses]
    count = f" ({len(runs)})" if len(rows) > 1 and runs else ""
    st.button(
        command.capitalize() + count,
        icon=icon,
        disabled=not runs,
        on_click=_order,
        args=(runs, command),
        key=f"runs {command}",
    )


def _order(runs: Sequence[str], command: str) -> None:
    """All that it does to the store is done before it looks into the session."""
    problems = []
    for run in runs:
        try:
            registry.store().request(run, command)
        except StoreError as error:
            problems.append(_problem(error))
    registry.wake()
    uninterrupted(say)(*problems)


@part
def _take_home(rows: Sequence[RunRow]) -> None:
    if len(rows) == 1 and view.readable(rows[0]):
        record = registry.record_of(rows[0].run)
        if record:
            exports.run_menu(record, partial(figures_of, record))
        return
    with st.popover("Take home", icon=":material/download:"):
        for row in rows:
            if view.readable(row):
                show_failures(_zip_button(row), instead=exports.RELOAD)
            else:
                st.caption(f"{row.run}: {view.UNREADABLE}, and cannot be exported here")


def _zip_button(row: RunRow) -> str:
    """Why the run could not be taken home when it was pressed, or ""."""
    running = row.status == "running"
    return download(
        f"{row.run} (zip)",
        partial(exports.stored_archive, row.run),
        f"{row.run}.zip",
        "application/zip",
        key=f"zip of {row.run}",
        disabled=running,
        help="Running: pause or stop it first." if running else None,
    )


# Deletion


@uninterrupted
def _ask_delete(runs: Sequence[str]) -> None:
    st.session_state[DOOMED] = list(runs)


@uninterrupted
def _cancel_delete() -> None:
    st.session_state.pop(DOOMED, None)


@st.dialog("Delete for good?", on_dismiss=_cancel_delete)
def _confirm() -> None:
    if DOOMED not in st.session_state:  # one of its buttons was pressed
        st.rerun()
    doomed = [row for run in st.session_state[DOOMED] if (row := registry.store().get(run))]
    for row in doomed[:10]:
        name = f"{as_code(row.name)}, " if row.name else ""
        st.markdown(f"- {name}`{row.run}`, {row.status}, step {row.step} of {row.steps}")
    if len(doomed) > 10:
        st.markdown(f"- and {len(doomed) - 10} more")
    st.caption("Curves, pictures and checkpoint go. An exported zip brings a run back.")
    with st.container(horizontal=True):
        st.button(
            "Delete",
            icon=":material/delete:",
            key="delete now",
            on_click=_delete,
            args=([row.run for row in doomed],),
        )
        st.button("Keep", key="keep", on_click=_cancel_delete)


def _delete(doomed: Sequence[str]) -> None:
    """Delete what can be, before a look into the session; a run at work is refused, and said."""
    gone, messages = [], []
    for run in filter(registry.store().get, doomed):  # another hand may have been faster
        try:
            registry.store().delete(run)
            gone.append(run)
        except StoreError as error:
            messages.append(_problem(error))
    if gone:
        messages.append(("success", f"Deleted {', '.join(f'`{run}`' for run in gone)}."))
    _deleted(gone, messages)


@uninterrupted
def _deleted(gone: Sequence[str], messages: Sequence[tuple[str, str]]) -> None:
    _cancel_delete()
    choose([run for run in CHOSEN.read() if run not in gone])
    say(*messages)
