"""The run that a page shows, and the buttons that steer it: of a coupling on the Train page, of an
attention task on the Attention page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

import streamlit as st

from explorer.runs.database import StoreError
from explorer.runs.record import RESUMABLE, Record, RunRow
from explorer.runs.store import RunError
from explorer.spec import (
    AnySpec,
    CouplingSpec,
    SpecError,
    amended,
    design_fields,
    full_json,
    spec_id,
)
from explorer.ui import address, chrome, live, registry, samples, state
from explorer.ui.pages import page_of, trainer
from explorer.ui.words import escape_markdown, said

BUTTONS = (
    ("pause", "Pause", ":material/pause:", ("running", "queued"), "P"),
    ("resume", "Resume", ":material/play_arrow:", RESUMABLE, "P"),
    ("step", "One step", ":material/skip_next:", RESUMABLE, None),
    ("stop", "Stop", ":material/stop:", ("running", "queued", "paused", "interrupted"), None),
)
"""Command, label, icon, the statuses that allow it, shortcut."""
WIDTHS = {"pause": 120, "resume": 120, "pin": 92}
"""Pixels of the buttons that change their label: the others stay where they are."""


def shipped() -> str:
    """The shipped run that a page shows when the address names none: of its task, if of one."""
    assets, spec = _shipped_runs(), state.current()
    fields = {name: getattr(spec, name) for name in spec.telling_fields}
    return _nearest(assets, **fields)


def _nearest(assets: Sequence[str], **fields: Any) -> str:
    """The shipped run that has most of the fields, the first ones before the others."""
    specs = {run: find(run).spec for run in assets}
    return max(
        assets,
        key=lambda run: [
            getattr(specs[run], name, None) == value for name, value in fields.items()
        ],
    )


def _shipped_runs() -> tuple[str, ...]:
    """The shipped runs of the page's kind of target."""
    return trainer(address.page().topic).shipped


def _is_shipped(run: str) -> bool:
    return run in _shipped_runs()


def linked() -> AnySpec | None:
    """The specification of the run that the address names, if it is here."""
    run = address.param("run")
    row = find(run) if run else None
    return row and row.spec


def shown() -> tuple[str, RunRow]:
    """The run of the address, or the shipped one: what the picture calls it, and its row."""
    run = address.param("run")
    row = find(run) if run else None
    if row is None:
        run = shipped()
        row = find(run)
    return run, row


def opening(*params: str) -> tuple[str, RunRow]:
    """The question with the badge of the run shown, and what is wrong with specification and other
    `params`; the run, as `shown`.

    Call it in the fragment that draws the run, so that all of it follows the run, and let that draw
    the row it returns: another reading of the store may find the run at another turn.
    """
    run, row = shown()
    chrome.question(_badge(run, row))
    state.show_problems(state.SPEC, *params)
    with st.container():  # always there, so that a message moves nothing
        _explain_unknown()
    return run, row


def _explain_unknown() -> None:
    """Say it where the address names runs that are not in this store, and how to have them here."""
    run, pin = (address.param(name) for name in ("run", "pin"))
    if run and (row := _elsewhere(run)):
        st.info(
            f"The run `{_shortened(run)}` belongs to the {page_of(row.spec).title} page: it learns "
            f"{_learns(row)}.",
            icon=":material/info:",
        )
    elif run and not find(run):
        st.warning(
            f"The run `{_shortened(run)}` is not in this store, or another version wrote it. "
            + _way_back(run),
            icon=":material/search:",
        )
    if pin and not find(pin):
        st.caption(f"The pinned run `{_shortened(pin)}` is not in this store: nothing is compared.")
    for name, value in zip(("at", "t"), selected_step_and_token(), strict=True):
        if value is None and (text := address.param(name)) is not None:
            st.caption(f"`{name} = {_shortened(text)}`: allowed is a whole number; passed over.")


def _way_back(run: str) -> str:
    """How a run of a link comes into this store; its id says whose specification it had."""
    if run.startswith(f"{spec_id(state.current())}-"):
        return "Its link holds its specification: press *Train* to train it here again."
    return (
        "Its zip brings it here by *Import* on the Runs page; *Train* trains the settings at the "
        "left, which are not its own."
    )


def _shortened(run: str) -> str:
    """What an address calls a run, to be shown as code."""
    return run[:40].replace("`", "")


def find(run: str) -> RunRow | None:
    """A run of the store of the page's kind of target, or a shipped one; None where it is missing
    or cannot be read here."""
    if _is_shipped(run):
        return live.open_stream(run).record.row
    row = _stored(run)
    return row if row and row.spec.topic == address.page().topic else None


def _stored(run: str) -> RunRow | None:
    """A run of the store that can be read here."""
    with suppress(StoreError, SpecError):
        row = registry.store().get(run)
        return row if row and row.spec else None
    return None


def _elsewhere(run: str) -> RunRow | None:
    """A run of the store that another page shows."""
    row = None if _is_shipped(run) else _stored(run)
    return row if row and row.spec.topic != address.page().topic else None


def _learns(row: RunRow) -> str:
    from explorer.views.runs import design_words  # pandas, which most pages have no need of here

    return "a coupling" if row.spec.topic == "coupling" else design_words(row.spec)


def pinned(run: str) -> str | None:
    """The run to compare with, if there is one and it is not the one shown."""
    pin = address.param("pin")
    return pin if pin and pin != run and find(pin) else None


def selected_step_and_token() -> tuple[int | None, int | None]:
    """The kept step (None = the newest picture) and the token t that the address asks for."""
    found = [address.param(name) or "" for name in ("at", "t")]
    step, t = (int(text) if re.fullmatch(r"[0-9]{1,9}", text, re.ASCII) else None for text in found)
    return step, t


def feed(run: str, row: RunRow) -> dict[str, Any]:
    """What a component needs to follow the run shown, and the kept step to look at."""
    return {
        "push": f"/api/runs/{run}/live",
        "run": run,
        "turn": registry.turn(row),
        "pin": None,
        "look": {"step": selected_step_and_token()[0], "t": None},
    }


def save_selection(picture: str) -> None:
    """The reader looks at another step or token of the run that a component draws."""
    look = (st.session_state.get(picture) or {}).get("look") or {}
    if look.get("run") == shown()[0]:
        seen = {"at": look.get("step"), "t": look.get("t")}
        address.set_params(**{name: None if x is None else str(x) for name, x in seen.items()})


def shipped_rows() -> dict[str, RunRow]:
    """The shipped runs of the page's kind of target, by name."""
    return {name: find(name) for name in _shipped_runs()}


def trained(spec: CouplingSpec) -> list[RunRow]:
    """The shipped runs, and all of the store that have finished on the coupling of a
    specification."""
    found = [*shipped_rows().values()]
    design = {name: getattr(spec, name) for name in design_fields(spec)}
    try:
        return [*found, *registry.store().finished(design)]
    except StoreError:
        return found


def _badge(run: str, row: RunRow) -> str:
    """Where the picture comes from: live while the run is at work, else shipped or yours."""
    when = datetime.fromtimestamp(row.created).date().isoformat()
    at_rest = "shipped" if _is_shipped(run) else "yours"
    origin = {"running": "live", "queued": "queued"}.get(row.status, at_rest)
    return f"{origin} · seed {row.spec.seed} · {when} · {escape_markdown(row.device or 'cpu')}"


def buildable(row: RunRow) -> bool:
    """Whether what a run learns can be drawn here; else it is said, with what to do about it."""
    try:
        state.build(row.spec)
    except state.REFUSED as error:
        st.warning(f"What this run learns cannot be drawn here: {said(error)}")
        if isinstance(error, StoreError) and row.spec.grid:
            samples.ask(row.spec.grid)
        return False
    return True


def remarks(row: RunRow) -> None:
    """Where the settings at the left are others than the run's, and what its end has to say."""
    if spec_id(state.current()) != row.spec_id:
        st.caption(
            "The settings at the left are not those of the run shown: *Train* starts them as a "
            "new run."
        )
    if row.revived is not None:
        st.caption(
            f"This run went on by itself from step {row.revived}, after the process that trained "
            "it had died. It does so once; on a CPU its numbers are those of an undisturbed run."
        )
    if row.claimed:
        st.caption(
            "Imported: its errors are claimed by its zip, not recomputed. *Same start* trains it "
            "here and measures them."
        )
    if message := row.message or registry.held_up(row):
        st.error(said(message), icon=":material/warning:")


def take_home(
    run: str, row: RunRow, step: int | None, figures: Callable[..., Any] | None = None
) -> None:
    """The specification and its command line; in a menu the run and its figures at the step, those
    that `figures` makes of its record and the step."""
    from explorer.ui import exports  # Altair, which the picture does not wait for
    from explorer.ui.comparison import figures_of

    command = f"python -m explorer train {row.spec_id}.json"
    chrome.take_home(row.spec_id, full_json(row.spec), command)
    if record := record_of(run):
        at = step if step in record.snapshot_steps else None  # else the picture shows no past step
        exports.run_menu(
            record,
            partial(figures or figures_of, record, at),
            stored=not _is_shipped(run),
            inline=True,
            label="Run (zip) and figures" + (f" at step {at}" if at else ""),
        )


def record_of(run: str) -> Record | None:
    """A run with its curves, of the store or a shipped one; None when it has just been deleted."""
    from explorer.ui import comparison

    return live.open_stream(run).record if _is_shipped(run) else comparison.record_of(run)


def buttons(run: str, row: RunRow, pins: bool = True) -> None:
    """Start, steer, and start again, of the run shown; with `pins` it may be kept to compare."""
    spec = state.current()
    with st.container(horizontal=True, vertical_alignment="center", key="transport"):
        st.button(
            "Train",
            icon=":material/play_circle:",
            on_click=_start,
            args=(spec,),
            shortcut="T",
            help="Train these settings as a new run.",
        )
        for command, label, icon, statuses, shortcut in BUTTONS:
            possible = row.status in statuses and not _is_shipped(run)
            if command == ("pause" if _rests(run, row) else "resume"):
                continue
            st.button(
                label,
                icon=icon,
                key=f"do {command}",
                disabled=not possible,
                shortcut=shortcut,
                on_click=_order,
                args=(row.run, command),
                width=WIDTHS.get(command, "content"),
            )
        st.button(
            "Same start",
            icon=":material/replay:",
            on_click=_start,
            args=(row.spec,),
            help="Train the run shown once more from its own start and data: on the CPU of one "
            "machine bit for bit the same numbers.",
        )
        st.button(
            "New seed",
            icon=":material/casino:",
            on_click=_new_seed,
            args=(row.spec,),
            help="Train the run shown from another start and other data: the next seed.",
        )
        if pins:
            _pin_button(run)
    if problem := st.session_state.pop("transport problem", None):
        st.error(said(problem), icon=":material/warning:")


def _pin_button(run: str) -> None:
    pinned_here = address.param("pin") == run
    st.button(
        "Unpin" if pinned_here else "Pin",
        icon=":material/keep:",
        key="pin",
        on_click=_pin,
        args=(None if pinned_here else run,),
        width=WIDTHS["pin"],
        help="Keep the run shown as a ghost to compare the next ones with.",
    )


def _rests(run: str, row: RunRow) -> bool:
    """Whether Resume takes the place of Pause."""
    return not _is_shipped(run) and row.status in RESUMABLE


def _start(spec: AnySpec, changes: Mapping[str, Any] | None = None) -> None:
    """Train a specification; with `changes` it becomes that of the controls too."""
    try:
        state.build(spec)  # a run that no worker can begin is not made
        run = registry.store().create(spec)
    except state.REFUSED as error:
        st.session_state["transport problem"] = f"cannot train this: {error}"
        return
    registry.wake()
    if changes:
        state.change(changes, run=run, at=None)
    else:
        address.set_params(run=run, at=None)
    st.session_state["started"] = True


def _pin(run: str | None) -> None:
    address.set_params(pin=run)


def _new_seed(spec: AnySpec) -> None:
    changed = amended(spec, seed=(spec.seed + 1) % 2**31)
    _start(changed, changed.model_dump(mode="json"))


def _order(run: str, command: str) -> None:
    try:
        registry.store().request(run, command)
    except (RunError, StoreError) as error:
        st.session_state["transport problem"] = str(error)
    registry.wake()
