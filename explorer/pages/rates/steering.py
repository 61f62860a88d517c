"""A job of the store under the hand: begun, stopped, gone on with, and how far it is."""

from typing import NamedTuple, Protocol

import streamlit as st

from explorer.pages.rates.controls import submit
from explorer.runs import jobs
from explorer.ui.words import said
from explorer.views.sweeps import progress_text


class Subject(Protocol):
    """What a job is about."""

    @property
    def id(self) -> str: ...

    def text(self) -> str: ...


class Words(NamedTuple):
    """How a kind of job is spoken of."""

    begin: str
    go_on: str
    units: str
    """What is done one by one."""
    icon: str
    help: str


def steer(kind: jobs.Kind, subject: Subject, work: jobs.Job | None, words: Words) -> None:
    """The button that begins it or goes on with it, or while it is at work that which stops it."""
    if work is not None and work.at_work:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button("Stop", key=f"stop {kind}", on_click=submit, args=(jobs.stop, work.job))
            st.caption(progress_text(work, words.units))
        return
    if work is not None and work.status == "finished":
        return
    st.button(
        words.begin if work is None else words.go_on,
        icon=words.icon,
        key=kind,
        on_click=submit,
        args=(jobs.ask, kind, subject.id, subject.text()),
        help=words.help,
    )
    if work and work.message:
        st.error(said(work.message), icon=":material/warning:")
