"""What a worker is asked on the page on real attention: the newest wish of a session alone."""

from typing import Any, TypeVar

import streamlit as st

from explorer.pretrained.catalogue import Pretrained
from explorer.pretrained.fetch import is_here
from explorer.pretrained.seen import Asked, Cutting, Reordering
from explorer.runs import jobs
from explorer.ui import registry
from explorer.ui.awaited import awaited, submit
from explorer.ui.words import as_sentence

KEPT = "models said"
MOST = 100
"""Answers that a session keeps."""
Shown = TypeVar("Shown", Cutting, Reordering)


def here(model: Pretrained) -> bool:
    """Whether a model is on this machine."""
    return is_here(registry.store().models, model)


def told() -> dict[str, tuple[Asked, dict[str, Any]]]:
    """By its id what was asked and answered in this session, the newest last."""
    return st.session_state.setdefault(KEPT, {})


def last_of(asked: Shown) -> tuple[Shown, dict[str, Any]] | None:
    """The answer, or the newest of its kind on the same input until it is there."""
    known = told()
    if asked.id in known:
        return asked, known[asked.id][1]
    alike = (
        (other, answer)
        for other, answer in reversed([*known.values()])  # a script that ends may still add one
        if isinstance(other, type(asked))
    )
    return next((each for each in alike if each[0].shown == asked.shown), None)


def answering(kind: jobs.Kind, asked: Asked, what: str) -> jobs.Job | None:
    """The worker's job and how far it is; None where it has answered, and `told` has it."""
    known = told()
    if asked.id in known:
        return None
    work = at_work(kind, asked, what)
    if work and work.status == "finished":
        known[asked.id] = asked, work.result
        if len(known) > MOST:
            del known[next(iter(known))]
    return work


def at_work(kind: jobs.Kind, asked: Asked, what: str) -> jobs.Job | None:
    """The job that computes it, asked for unless it was: where it is, or why it failed. What draws
    this is drawn anew as the job moves on."""
    job = latest(kind, asked)
    with awaited(kind, job):
        work = jobs.get(registry.store(), job)
        if work and work.at_work:
            waits = work.status == "queued"
            st.caption(f"{what} Waiting for a free worker…" if waits else f"{what} A moment…")
        elif work and work.status != "finished":
            st.error(as_sentence(work.message or "It was stopped."), icon=":material/warning:")
            st.button("Try again", key=f"again {kind}", on_click=submit, args=(_ask, kind, asked))
    return work


def latest(kind: jobs.Kind, asked: Asked) -> str:
    """The job of the newest wish, which is asked for unless it was; an older one of this session is
    let go, so that none queue up."""
    store, key, job = registry.store(), f"asked {kind}", f"{kind}-{asked.id}"
    before = st.session_state.get(key)
    if before not in (None, job):
        jobs.stop(store, before)
        jobs.forget(store, before)
    work = jobs.get(store, job)
    gone = work is not None and kind == "look" and work.status == "finished"  # its file was
    stopped = work is not None and work.status == "stopped"  # let go, and wished for again
    if work is None or gone or stopped or (before != job and work.status == "interrupted"):
        submit(_ask, kind, asked)
    st.session_state[key] = job
    return job


def _ask(store: Any, kind: jobs.Kind, asked: Asked) -> None:
    jobs.forget(store, f"{kind}-{asked.id}")
    jobs.ask(store, kind, asked.id, asked.json())
