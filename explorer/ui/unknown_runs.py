"""What is said where the address names runs that cannot be shown."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from explorer.runs.record import RunRow
from explorer.spec import spec_id
from explorer.ui import address, shown, shown_run, specs
from explorer.ui.pages import page_of
from explorer.ui.topics import view_of


def explain() -> None:
    """Say it where the address names runs that are not in this store, or a shipped one is missing,
    and how to have them here."""
    explain_missing(shown_run.missing())
    run = address.param("run")
    if run and (row := _elsewhere(run)):
        st.info(
            f"The run `{_shortened(run)}` belongs to the {page_of(row.spec).title} page: it learns "
            f"{view_of(row.spec).learns(row.spec)}.",
            icon=":material/info:",
        )
    elif run and run != shown_run.HERE and not shown_run.find(run):
        shown.note_problems(f"the run {_shortened(run)} is not in this store")
        st.warning(
            f"The run `{_shortened(run)}` is not in this store, or another version wrote it. "
            + _way_back(run),
            icon=":material/search:",
        )
    for pin in shown_run.pins():
        if not shown_run.find(pin):
            shown.note_problems(f"the pinned run {_shortened(pin)} is not in this store")
            st.caption(f"The pinned run `{_shortened(pin)}` is not in this store.")
    for name, value in zip(("at", "t"), shown_run.selected_step_and_token(), strict=True):
        if value is None and (text := address.param(name)) is not None:
            st.caption(f"`{name} = {_shortened(text)}`: allowed is a whole number; passed over.")


def explain_missing(files: Sequence[Path]) -> None:
    """Say which shipped files are missing and how they are made."""
    if files:
        names = [file.name for file in files]
        are, them = ("is", "it") if len(names) == 1 else ("are", "them")
        st.caption(
            f"{', '.join(f'`{name}`' for name in names)} {are} not in `assets/`: "
            f"`python -m explorer assets {' '.join(names)}` makes {them}."
        )


def _way_back(run: str) -> str:
    """How a run of a link comes into this store; its id says whose specification it had."""
    if run.startswith(f"{spec_id(specs.current())}-"):
        return "Its link holds its specification: press *Train* to train it here again."
    return (
        "Its zip brings it here by *Import* on the Runs page; *Train* trains the settings at the "
        "left, which are not its own."
    )


def _shortened(run: str) -> str:
    """What an address calls a run, to be shown as code."""
    return run[:40].replace("`", "")


def _elsewhere(run: str) -> RunRow | None:
    """A run of the store that another page shows."""
    row = None if shown_run.is_shipped(run) else shown_run.stored(run)
    return row if row and row.spec.topic != address.page().topic else None
