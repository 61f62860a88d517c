"""The run that a page shows: that of the address, else a shipped one; the runs beside it; and what
is said of those that are not here."""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import streamlit as st

from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import AnySpec, CouplingSpec, SpecError, design_fields, spec_id
from explorer.ui import address, live, registry, specs
from explorer.ui.pages import page_of, trainer
from explorer.ui.shown import note_problems
from explorer.ui.topics import view_of

PINS = 3  # ghosts that are told apart
HERE = "here"
"""What the address calls the run of its settings in the reader's browser (ui/here.py)."""


class NothingToShow(LookupError):
    """The address names no run, and no shipped run of the page's kind of target is here."""


def shipped() -> str:
    """The shipped run that a page shows when the address names none: of its task, if of one.
    Raises NothingToShow."""
    if not (runs := _shipped_runs()):
        raise NothingToShow
    return nearest(runs)


def nearest(assets: Sequence[str]) -> str:
    """The shipped run with most of the settings that tell, the first ones before the others."""
    spec, known = specs.current(), {run: shipped_row(run).spec for run in assets}
    return max(
        assets,
        key=lambda run: [
            getattr(known[run], name, None) == getattr(spec, name) for name in spec.telling_fields
        ],
    )


def _shipped_runs() -> tuple[str, ...]:
    """The shipped runs of the page's kind of target that are here."""
    return tuple(filter(is_shipped, trainer(address.page().topic).shipped))


def is_shipped(run: str | None) -> bool:
    """Whether a run comes with the explorer, of the page's kind of target, and is here."""
    page = trainer(address.page().topic)
    file = live.asset_file(run) if run in (*page.shipped, *page.ready) else None
    return file is not None and file.exists()


def missing() -> list[Path]:
    """The files of shipped runs of the page's kind of target that are not here."""
    page = trainer(address.page().topic)
    files = map(live.asset_file, (*page.shipped, *page.ready))
    return [file for file in files if file and not file.exists()]


def shipped_row(run: str) -> RunRow:
    """The row of a shipped run."""
    return live.open_stream(run).record.row


def named() -> tuple[str, RunRow] | None:
    """The run that the address names, if it is here: what the picture calls it, and its row."""
    run = address.param("run")
    row = find(run) if run else None
    return (run, row) if run and row else None


def linked() -> AnySpec | None:
    """The specification of the run that the address names, if it is here."""
    pair = named()
    return pair and pair[1].spec


def shown() -> tuple[str, RunRow]:
    """The run of the address, or the shipped one that is nearest; raises NothingToShow."""
    return named() or ((run := shipped()), shipped_row(run))


def find(run: str) -> RunRow | None:
    """A run of the store of the page's kind of target, or a shipped one; None where it is missing
    or cannot be read here."""
    if is_shipped(run):
        return shipped_row(run)
    row = stored(run)
    return row if row and row.spec.topic == address.page().topic else None


def stored(run: str) -> RunRow | None:
    """A run of the store that can be read here."""
    with suppress(StoreError, SpecError):
        row = registry.store().get(run)
        return row if row and row.spec else None
    return None


def pins() -> list[str]:
    """The runs that the address names to compare with, by commas."""
    return [pin for pin in (address.param("pin") or "").split(",") if pin]


def pinned(run: str) -> dict[str, RunRow]:
    """The runs to compare with, at most three of them, less the one shown."""
    rows = {pin: find(pin) for pin in pins() if pin != run}
    return dict([(pin, row) for pin, row in rows.items() if row][:PINS])


def step_of(run: str | None) -> int | None:
    """The kept step at which the address looks at a run; None where it names another one."""
    return selected_step_and_token()[0] if address.param("run") in (None, run or HERE) else None


def selected_step_and_token() -> tuple[int | None, int | None]:
    """The kept step (None = the newest picture) and the token t that the address asks for."""
    texts = [address.param(name) or "" for name in ("at", "t")]
    step, t = (int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else None for text in texts)
    return step, t


def shipped_rows() -> dict[str, RunRow]:
    """The shipped runs of the page's kind of target, by name."""
    return {name: shipped_row(name) for name in _shipped_runs()}


def trained(spec: CouplingSpec) -> list[RunRow]:
    """The shipped runs, and all of the store that have finished on the coupling of a
    specification."""
    rows = [*shipped_rows().values()]
    design = {name: getattr(spec, name) for name in design_fields(spec)}
    try:
        return [*rows, *registry.store().finished(design)]
    except StoreError:
        return rows


def explain() -> None:
    """Say it where the address names runs that are not in this store, or a shipped one is missing,
    and how to have them here."""
    explain_missing(missing())
    run = address.param("run")
    row = stored(run) if run and not is_shipped(run) else None
    if row and row.spec.topic != address.page().topic:  # another page shows it
        st.info(
            f"The run `{_shortened(row.run)}` belongs to the {page_of(row.spec).title} page: it "
            f"learns {view_of(row.spec).learns(row.spec)}.",
            icon=":material/info:",
        )
    elif run and run != HERE and not find(run):
        note_problems(f"the run {_shortened(run)} is not in this store")
        st.warning(
            f"The run `{_shortened(run)}` is not in this store, or another version wrote it. "
            + _way_back(run),
            icon=":material/search:",
        )
    for pin in pins():
        if not find(pin):
            note_problems(f"the pinned run {_shortened(pin)} is not in this store")
            st.caption(f"The pinned run `{_shortened(pin)}` is not in this store.")
    for name, value in zip(("at", "t"), selected_step_and_token(), strict=True):
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
