"""Whose the numbers of a page are: of which run, sweep or model, and in what that is not what the
settings say.

A page asks once while it is drawn. Its chip, the line above the picture, its verdict, its picture
and its files take it from there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import streamlit as st

from explorer.runs.jobs import Job
from explorer.runs.record import RunRow
from explorer.spec import AnySpec, SweepSpec, spec_id
from explorer.ui import address, shown_run, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.words import escape_markdown
from explorer.views.settings import differing_fields, words_of
from explorer.views.sweeps import Finished, member_ids, numbers_text

UNTRAINED = "not trained yet"
AT_WORK = {"running": "live", "queued": "queued"}


@dataclass(frozen=True)
class Owner:
    """The reader's settings, and the run whose numbers are shown; None where nobody has trained
    what is shown."""

    settings: AnySpec
    run: str | None = None
    row: RunRow | None = None
    ghost: tuple[str, RunRow] | None = None
    """A run on another target, which is shown as such."""

    @property
    def apart(self) -> list[str]:
        """The fields in which the run is not of the settings. An example that was only trained for
        longer than they ask is what they stand for."""
        if self.row is None:
            return []
        fields, more = differing_fields([self.row.spec, self.settings]), self.row.steps
        longer = fields == ["steps"] and more >= getattr(self.settings, "steps", more)
        return [] if longer and shown_run.is_shipped(self.run) else fields

    @property
    def chip(self) -> str:
        """Where the picture comes from: live while the run is at work, else an example or yours."""
        if self.row is None:
            return UNTRAINED
        row, shipped = self.row, shown_run.is_shipped(self.run)
        created = datetime.fromtimestamp(row.created)
        today = created.date() == datetime.now().date() and not shipped
        when = f"{created:%H:%M}" if today else created.date().isoformat()
        at_rest = "example" if shipped else "imported" if row.claimed else "yours"
        origin = AT_WORK.get(row.status, at_rest) + " of other settings" * bool(self.apart)
        return f"{origin}, {when} · seed {row.spec.seed} · {row.device or 'cpu'}"


def of_settings() -> Owner:
    """The run of the address, or the shipped one that has these very settings; none where nobody
    has trained them."""
    spec, shipped = specs.current(), shown_run.shipped_rows()
    alike = ((run, row) for run, row in shipped.items() if row.spec_id == spec_id(spec))
    run, row = shown_run.named() or next(alike, (None, None))
    return Owner(spec, run, row)


def nearest() -> Owner:
    """The run of the address, or the shipped one that is nearest: what it learned is shown."""
    run, row = shown_run.shown()
    return Owner(specs.current(), run, row)


def of_target(learns: Callable[[AnySpec], bool], resembles: Callable[[AnySpec], bool]) -> Owner:
    """The run of the address, or a shipped one, that learns the target of the settings. Of another
    target the one of the address stays as a ghost, or a shipped one on a target that `resembles`
    this."""
    named, shipped = shown_run.named(), shown_run.shipped_rows()
    mine = [run for run, row in shipped.items() if learns(row.spec)]
    if named and learns(named[1].spec):
        return Owner(specs.current(), named[0], named[1])
    if mine:
        run = shown_run.nearest(mine)
        return Owner(specs.current(), run, shipped[run])
    alike = [run for run, row in shipped.items() if resembles(row.spec)]
    if named is None and alike:
        run = shown_run.nearest(alike)
        return Owner(specs.current(), ghost=(run, shipped[run]))
    return Owner(specs.current(), ghost=named)


def chip_of_sweep(finished: Finished[SweepSpec], work: Job | None) -> str:
    """Where the points of a sweep come from: an example, or yours, live while a worker is at it;
    how many of its models there are, and by which seeds and devices."""
    seeds, models = f"seeds {numbers_text(finished.sweep.seed)}", len(member_ids(finished.sweep))
    if finished.made:
        return f"example, {finished.made} · {seeds}"
    origin = AT_WORK.get(work.status) if work else None
    if not (finished.rows or origin):
        return UNTRAINED
    some = [f"{len(finished.rows)} of {models} models"] * (len(finished.rows) < models)
    devices = sorted({row["device"] for row in finished.rows})
    return " · ".join([origin or "yours", *some, seeds, *devices])


def chip_of_model(inputs: str, here: bool) -> str:
    """Where the numbers of a model that others have trained come from; `here`: measured on this
    machine."""
    return f"{'measured here' if here else 'measured · shipped'} · {inputs}"


def strip(owner: Owner) -> None:
    """Where the run has other settings than those at the left, both, and the way to its own."""
    with st.container(horizontal=True, vertical_alignment="center", key="whose"):
        if owner.apart and owner.run and owner.row:
            both(owner)
            _its_settings(owner.run, owner.row.spec)


def both(owner: Owner) -> None:
    """The settings of the run shown, and the reader's, as far as they differ."""
    if owner.row is not None:
        shown, mine = (
            escape_markdown(words_of(spec, owner.apart))
            for spec in (owner.row.spec, owner.settings)
        )
        st.markdown(f"Shown: **{shown}** · your settings: **{mine}**", width="content")


def ghost(owner: Owner, name: str, what: str) -> None:
    """What a run on another target is called, and the way to its settings."""
    with st.container(horizontal=True, vertical_alignment="center", key="whose ghost"):
        if owner.ghost:
            st.markdown(f"Shown in grey: **{escape_markdown(name)}**, not {what}", width="content")
            _its_settings(owner.ghost[0], owner.ghost[1].spec)


def _its_settings(run: str, spec: AnySpec) -> None:
    st.button(
        "Its settings",
        key="its settings",
        icon=":material/undo:",
        type="tertiary",
        on_click=_take,
        args=(run, spec),
        help="Those of the run shown, at the left and in the picture. *Train* trains yours.",
    )


@uninterrupted
def _take(run: str, spec: AnySpec) -> None:
    linked = run if address.param("run") == run or not shown_run.is_shipped(run) else None
    specs.replace(spec, run=linked, at=None)
    st.session_state["altered"] = True  # the controls at the left follow
