"""What a store has computed that is no run, and has its place on another page: races of
architectures, and heads that learn a relationship that was typed."""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

import numpy as np
import streamlit as st

from explorer.runs import jobs
from explorer.runs.record import Job
from explorer.spec import LinearSpec, link_text
from explorer.theory.architectures.race import Race
from explorer.theory.relation import Relation
from explorer.ui import address, controls, registry
from explorer.ui.awaited import MAX_NAMES, awaited, submit
from explorer.ui.pages import PAGES
from explorer.ui.part import part
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
    size = f"Race at {race.size} {race.by} of each"
    if race.coupled:  # of a session that has a coupling of its own only that page takes another
        words = f"{size}, on a coupling, which is raced on Order once it is on Design"
        return Found(words, "design", {"spec": race.coupled.spec})
    asked = {"race_by": race.by, "race_size": race.size, "race_sequences": race.sequences}
    taps = tuple(np.trim_zeros(race.kernel, "b"))  # 0 beyond
    spec = LinearSpec(tau=len(race.kernel), kernel="taps", taps=taps)
    first = ", ".join(map(number, race.kernel[:TAPS]))
    words = f"{size}, ρ = {first}, … of {spec.tau} lags"
    return Found(words, "order", {"view": json.dumps(asked), "spec": link_text(spec)})


def _heads(job: Job) -> Found:
    relation = Relation.parse(job.subject)
    view = json.dumps({"relation": relation.formula, "places": relation.tau})
    words = f"Heads of H(x) = {as_code(relation.formula)}, τ = {relation.tau}"
    return Found(words, "design", {"view": view})


WORK: Mapping[str, Callable[[Job], Found]] = {"race": _race, "heads": _heads}


def section() -> None:
    """What there is, newest first, where there is any."""
    if _newest():
        controls.folded(TITLE, part(_listed))


def _newest() -> Sequence[Job]:
    return registry.store().jobs(tuple(WORK), LISTED)


def _listed() -> None:
    if not (newest := _newest()):
        st.rerun()  # the last was deleted, and its fold goes
    at_work = [job.job for job in newest if job.at_work][:MAX_NAMES]
    with awaited("work", *(at_work or [job.job for job in newest[:1]])):
        for job in _newest():  # once more: it is waited for now
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
    far = "" if job.status == "finished" else f", {job.done} of {job.total or '…'}"
    began = f" · {datetime.fromtimestamp(job.began):%Y-%m-%d %H:%M}" if job.began else ""
    st.caption(f"{job.status}{far}{began}", width="content")
    if not job.at_work:
        st.button(
            "Delete",
            icon=":material/delete:",
            key=f"forget {job.job}",
            type="tertiary",
            on_click=submit,
            args=(jobs.forget, job.job),
        )
