"""What a store has computed that is no run, and has its place on another page: races of
architectures, and heads that learn a relationship that was typed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import streamlit as st

from explorer.runs import jobs
from explorer.runs.record import Job
from explorer.spec import LinearSpec, link_text
from explorer.theory.architectures.race import Race
from explorer.theory.relation import Relation
from explorer.ui import address, controls, registry
from explorer.ui.pages import PAGES
from explorer.ui.words import as_code
from explorer.views.text import number

TITLE = "Races, and heads of a typed H"
LISTED = 50
TAPS = 4
"""Of a kernel, in its words."""


class Found(NamedTuple):
    """What a job was about, and where its result is shown."""

    words: str
    page: str
    link: dict[str, str]
    """Parameters of that page's address."""


def _race(job: Job) -> Found:
    race = Race.parse(job.subject)
    asked = {
        "race_by": race.by,
        "race_size": race.size,
        "race_sequences": race.sequences and race.coupled is None,
        "race_coupling": race.coupled is not None,
    }
    view, size = json.dumps(asked), f"{race.size} {race.by} of each"  # whole: it is open there
    if race.coupled:
        link = {"view": view, "design": race.coupled.spec}
        return Found(f"Race at {size}, on a coupling", "order", link)
    first = ", ".join(map(number, race.kernel[:TAPS]))
    spec = LinearSpec(tau=len(race.kernel), kernel="taps", taps=race.kernel)
    words = f"Race at {size}, ρ = {first}, … of {spec.tau} lags"
    return Found(words, "order", {"view": view, "spec": link_text(spec)})


def _heads(job: Job) -> Found:
    relation = Relation.parse(job.subject)
    view = json.dumps({"relation": relation.formula, "places": relation.tau})
    words = f"Heads of H(x) = {as_code(relation.formula)}, τ = {relation.tau}"
    return Found(words, "design", {"view": view})


WORK: Mapping[str, Callable[[Job], Found]] = {"race": _race, "heads": _heads}


def section() -> None:
    """What there is, newest first, where there is any."""
    if found := registry.store().jobs(tuple(WORK), LISTED):
        controls.folded(TITLE, _listed, found)


def _listed(found: Sequence[Job]) -> None:
    for job in found:
        with st.container(horizontal=True, vertical_alignment="center"):
            _line(job)


def _line(job: Job) -> None:
    try:
        words, page, link = WORK[job.kind](job)
    except (ValueError, TypeError, KeyError):  # of another version, or taps beyond what is typed
        st.markdown(f"`{job.job}`", width="content")
    else:
        params = address.linkable(link)
        icon = ":material/open_in_full:"
        st.page_link(PAGES[page].file, label=words, icon=icon, query_params=params)
    began = f" · {datetime.fromtimestamp(job.began):%Y-%m-%d %H:%M}" if job.began else ""
    st.caption(f"{job.status}, {job.done} of {job.total or '…'}{began}", width="content")
    if not job.at_work:
        st.button(
            "Delete",
            icon=":material/delete:",
            key=f"forget {job.job}",
            type="tertiary",
            on_click=jobs.forget,
            args=(registry.store(), job.job),
        )
