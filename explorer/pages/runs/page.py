"""The Runs page: the list, the choice of runs, and the way in for archives.

Which runs are chosen stands in the address (`?runs=`), so that a comparison is a link. The list is
chosen from by position; positions are turned into ids at once, since new runs come in at the top.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from explorer.pages.runs import view
from explorer.pages.runs.comparison import SECONDS
from explorer.runs.database import StoreError
from explorer.runs.home import RUN_ID
from explorer.runs.record import STATUSES, RunRow
from explorer.runs.zips import MAX_ARCHIVE, MB, ArchiveError
from explorer.slow import pd
from explorer.ui import address, controls, page_visit, registry
from explorer.ui.address import Linked
from explorer.ui.awaited import awaited
from explorer.ui.callbacks import uninterrupted
from explorer.ui.part import part
from explorer.ui.words import as_code, escape_markdown, public, told
from explorer.views.text import number, plural

LISTED = 2000  # runs that the filter looks through
STYLED = 300  # rows of a list that is written as on the pages
MAX_FILTER = 200  # characters of the filter
CHANGED, TABLE, SAID = "runs changed", "runs table", "runs said"


def rows() -> list[RunRow]:
    """The newest runs of the store."""
    return registry.store().list(LISTED)


def badge(runs: Sequence[RunRow]) -> str | None:
    """How many runs there are, and how many of them are at work or wait."""
    active = {name: sum(row.status == name for row in runs) for name in ("running", "queued")}
    parts = [plural(len(runs), "run")]
    return " · ".join(parts + [f"{count} {name}" for name, count in active.items() if count])


def summary(runs: Sequence[RunRow]) -> str:
    """What the store says while no run is chosen, names and all as plain text."""
    return told(view.summary(runs))


# The choice


def _parse_runs(text: str) -> tuple[list[str], tuple[str, ...]]:
    words = [word for word in dict.fromkeys(text.split(",")) if word]
    bad = [word for word in words if not RUN_ID.fullmatch(word)]
    problems = (f"runs: {word[:40]} is not the id of a run" for word in bad[:5])
    return [word for word in words if word not in bad][: view.SHOWN], tuple(problems)


def _parse_filter(text: str) -> tuple[str, tuple[str, ...]]:
    long = f"filter: {len(text)} characters, {MAX_FILTER} are read"
    return text[:MAX_FILTER], (long,) if len(text) > MAX_FILTER else ()


def _parse_statuses(text: str) -> tuple[list[str], tuple[str, ...]]:
    words = text.split(",")
    bad = [word for word in words if word and word not in STATUSES]
    allowed = " | ".join(STATUSES)
    problems = (f"status = {word[:40]}: allowed is {allowed}" for word in bad[:5])
    return [name for name in STATUSES if name in words], tuple(problems)


def _joined(words: Sequence[str]) -> str | None:
    return ",".join(words) or None


CHOSEN = Linked("runs", _parse_runs, _joined, list)
"""The runs that the reader has chosen."""
WORDS = Linked("filter", _parse_filter, lambda text: text or None, str)
CHECKED = Linked("status", _parse_statuses, _joined, list)
"""The words and the statuses that narrow the list."""


@uninterrupted
def choose(runs: Sequence[str]) -> None:
    """Another choice."""
    CHOSEN.write(list(runs[: view.SHOWN]))


def known(runs: Sequence[str]) -> list[RunRow]:
    """The chosen runs that are in this store; the others are said to be missing."""
    by_run = {run: registry.store().get(run) for run in runs}
    if missing := [run for run, row in by_run.items() if row is None]:
        st.warning(
            f"Not in this store: {', '.join(f'`{run}`' for run in missing)}. "
            "An archive (zip) brings a run here: *Import* takes it.",
            icon=":material/search:",
        )
    return [row for row in by_run.values() if row]


# The list


ROW, ROWS = 35, 10
"""The height of a row of Streamlit's table in pixels, and how many are shown at once."""


@uninterrupted
def _narrow() -> None:
    with address.one_step():
        WORDS.write(st.session_state["runs text"])
        CHECKED.write(st.session_state["runs statuses"])


def filters(runs: Sequence[RunRow]) -> None:
    """What narrows the list, where there is one, and the way in for archives."""
    shown = controls.show("runs text", WORDS.read()), controls.show("runs statuses", CHECKED.read())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if runs:
            _filters(*shown)
        with st.popover("Import", icon=":material/upload:"):
            _uploader()


def _filters(text: str, statuses: Sequence[str]) -> None:
    st.text_input(
        "filter",
        text,
        key="runs text",
        max_chars=MAX_FILTER,
        width=320,
        on_change=_narrow,
        placeholder="e.g. formula seed=3",
        help="Every word must be in the name, id, status, design or device; also `seed=3`, "
        "`m_h=4`, `tau=16`, `soap`.",
    )
    st.multiselect(
        "status", STATUSES, statuses, key="runs statuses", placeholder="all", on_change=_narrow
    )


def _uploader() -> None:
    """A fresh one after each import: what was taken in is not taken in again."""
    imports = st.session_state.get("runs imports", 0)
    files = page_visit.uploader(
        "archives of runs",
        type="zip",
        accept_multiple_files=True,
        key=f"runs zip {imports}",
        max_upload_size=page_visit.upload(MAX_ARCHIVE // MB),
        help="Zips from *Take home* or `python -m explorer runs export`. What contradicts itself "
        "is refused as a whole.",
    )
    if files:
        done = [import_zip(file.name, file.getvalue()) for file in files]
        _imported(imports + 1, done)
        st.rerun()


@uninterrupted
def _imported(imports: int, done: Sequence[tuple[str | None, str]]) -> None:
    """What was taken in is chosen, and said."""
    st.session_state["runs imports"] = imports
    messages = [("error", problem) for run, problem in done if run is None]
    if taken := [run for run, _ in done if run]:
        choose(taken)
        messages = [("success", f"Imported {', '.join(f'`{run}`' for run in taken)}."), *messages]
    say(*messages)


def import_zip(name: str, data: bytes) -> tuple[str | None, str]:
    """Bring an archive into the store: its run, or None and why not."""
    try:
        return page_visit.import_archive(data), ""
    except (ArchiveError, StoreError) as error:
        return None, f"{as_code(name)} was not imported: {as_code(public(error))}"


def listing(drawn: Sequence[RunRow]) -> None:
    """The list, which follows the runs of the store; a status that is not as `drawn` on the page
    redraws the page."""
    part(_list)({row.run: row.status for row in drawn})


def _list(drawn: Mapping[str, str]) -> None:
    with awaited("runs", rest=SECONDS, even_at_rest=True):
        if st.session_state.pop(CHANGED, False):
            st.rerun()
        runs = rows()
        if {row.run: row.status for row in runs} != drawn:
            st.rerun()
        shown = view.listing(runs, WORDS.read(), CHECKED.read())
        more = f"; the newest {LISTED} of this store" if len(runs) == LISTED else ""
        hidden = [run for run in CHOSEN.read() if run not in shown.runs]
        not_seen = f"; {len(hidden)} of the chosen are not in this list" if hidden else ""
        st.caption(shown.note + more + not_seen)  # above the list, whose own tools appear there
        if shown.runs:
            _table(shown)
        else:
            _nothing_found()


def _nothing_found() -> None:
    """What to do where the filter leaves no run."""
    words, statuses = escape_markdown(WORDS.read()), " or ".join(CHECKED.read())
    wanted = " and ".join(filter(None, [words and f"with all of “{words}”", statuses]))
    st.markdown(f"No run {wanted} is in this store: fewer words find more.")
    st.button("Show all runs", icon=":material/filter_list_off:", on_click=_widen)


@uninterrupted
def _widen() -> None:
    with address.one_step():
        WORDS.write("")
        CHECKED.write([])


def _table(shown: view.Listing) -> None:
    picked = [shown.runs.index(run) for run in CHOSEN.read() if run in shown.runs]
    st.session_state["runs shown"] = shown.runs
    if _ticked() != picked:  # writing it anew each time would come back as another choice
        st.session_state[TABLE] = {"selection": {"rows": picked}}
    column = st.column_config
    st.dataframe(
        _styled(shown.table),
        key=TABLE,
        on_select=_chose,
        height=ROW * (1 + min(len(shown.runs), ROWS)) + 2,  # known before the table is loaded
        selection_mode="multi-row",
        hide_index=True,
        placeholder="–",
        alt="The runs of this store",
        column_config={
            "step": column.NumberColumn(format="%d"),
            "steps": column.NumberColumn("of", format="%d"),
            "nmse": column.NumberColumn("nMSE"),
            "m_h": column.NumberColumn("mₕ", format="%d"),
            "seed": column.NumberColumn(format="%d"),
            "created": column.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
            "name": column.TextColumn(width=140),
            "design": column.TextColumn(width=240),
        },
    )


def _styled(table: pd.DataFrame) -> Any:
    """Errors are written as on the pages, and sorted as numbers; of a long list that would take
    longer than to read it."""
    return table.style.format({"nmse": number}, na_rep="–") if len(table) <= STYLED else table


def _ticked() -> list[int]:
    """The positions that are ticked in the list."""
    return sorted((st.session_state.get(TABLE) or {}).get("selection", {}).get("rows", []))


@uninterrupted
def _chose() -> None:
    shown = st.session_state["runs shown"]
    before = CHOSEN.read()
    hidden = [run for run in before if run not in shown]
    now = hidden + [shown[i] for i in _ticked() if i < len(shown)]
    if set(now) != set(before):
        st.session_state[CHANGED] = True
    choose(now)


# Messages


def say(*messages: tuple[str, str]) -> None:
    """Keep messages, each with its kind, for the next drawing of the page."""
    st.session_state.setdefault(SAID, []).extend(messages)


def messages() -> None:
    """What the last action had to say."""
    for kind, text in st.session_state.get(SAID, []):
        write, icon = {"error": (st.error, "warning"), "success": (st.success, "check")}[kind]
        write(text, icon=f":material/{icon}:")


def end() -> None:
    """Call last: the messages were seen. A run of the page that was cut short does not come here,
    and the next one says them."""
    st.session_state.pop(SAID, None)
