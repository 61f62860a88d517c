"""One head of a real model opened, on the shipped example or on the reader's own text or picture.

A worker loads the model and computes; this process reads what it has kept.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.pretrained import seen
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.fetch import is_here
from explorer.pretrained.seen import Cutting, Input, Seen
from explorer.runs import jobs, looks
from explorer.runs.database import StoreError
from explorer.ui import chrome, components, controls, registry
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.real import LOOK
from explorer.ui.sweeps import submit
from explorer.ui.words import said
from explorer.views import real_head as view
from explorer.views.real import Look

LIVE_SECONDS = 0.25
LONGEST = 2000  # characters of a text: more than a model looks at
PICTURES = ["png", "jpg", "jpeg", "webp", "gif", "bmp", "tiff"]
CUTS = {"head": "this head", "layer": "its layer", "all": "all heads"}


def begin() -> int:
    """Call first in the page: the number of the report of the head's picture that it answers."""
    return components.take("opened head", "report", _kept)


def panel(now: Look, k: int, rev: int) -> None:
    """The head that is chosen, on what it is shown, and what the model says with k terms; `rev` is
    the report that this answers."""
    st.subheader("One head opened", anchor=False)
    _input(now)
    if found := _seen(now):
        _head(now, view.head_view(now, found), k, rev)


def _change(**changes: Any) -> None:
    LOOK.write(Look(**(LOOK.read().model_dump() | changes)))


# What the model is shown


def _input(now: Look) -> None:
    """Own text or picture, where the model is here; what is shown now is said."""
    here = is_here(registry.store().models, now.of)
    kind = now.of.reads
    with st.container(horizontal=True, vertical_alignment="center"):
        own = view.is_own(now)
        st.markdown(
            f"Shown: your {kind}." if own else f"Shown: the example {kind}.", width="content"
        )
        if own:
            st.button("Back to the example", key="head example", on_click=_example, type="tertiary")
        if not here:
            st.caption(f"For a {kind} of your own, fetch the model at the end of this page.")
            return
    with st.expander(f"A {kind} of your own", key="head own", on_change="rerun") as section:
        pass
    if section.open:
        with section:
            (_picture if kind == "picture" else _text)(now)


@uninterrupted
def _example() -> None:
    _change(text=None, picture=None)


def _text(now: Look) -> None:
    controls.show("head text", now.text or "")
    st.text_area(
        "text",
        key="head text",
        max_chars=LONGEST,
        on_change=_typed,
        label_visibility="collapsed",
        placeholder="Type some words, then press Ctrl + Enter",
        help=f"The first {seen.MOST_TOKENS} tokens are looked at, by a worker on this machine.",
    )


@uninterrupted
def _typed() -> None:
    _change(text=st.session_state["head text"].strip() or None)


def _picture(now: Look) -> None:
    file = st.file_uploader(
        "picture",
        PICTURES,
        key="head picture",
        max_upload_size=looks.LARGEST_PICTURE // 10**6,
        label_visibility="collapsed",
        help="Its middle square is looked at, by a worker on this machine.",
    )
    if file is None or file.file_id == st.session_state.get("head picture taken"):
        return
    st.session_state["head picture taken"] = file.file_id
    try:
        sha = looks.put_picture(registry.store().home, file.getvalue())
    except (ModelError, StoreError) as error:
        st.error(said(error), icon=":material/warning:")
        return
    _change(picture=sha)
    st.rerun()


def _seen(now: Look) -> Seen | None:
    """What the model did with it; None while a worker is at it, or where it cannot be."""
    if not (view.is_own(now) or now.of.own):
        return view.shipped_head(now.model)
    asked = view.input_of(now)
    file = looks.file_of(registry.store().home, asked)
    if not file.exists():
        st.fragment(_looking, run_every=LIVE_SECONDS)(asked, file)
        return None
    try:
        return seen.read(file)
    except ModelError as error:
        file.unlink(missing_ok=True)
        st.error(said(error), icon=":material/warning:")
        return None


def _looking(asked: Input, file: Path) -> None:
    if file.exists():
        st.rerun()
    _at_work("look", asked, "The model looks at it.")


def _at_work(kind: jobs.Kind, asked: Input | Cutting, what: str) -> jobs.Job | None:
    """The job that computes it, asked for unless it was: where it is, or why it failed."""
    work = _latest(kind, asked)
    if work and work.at_work:
        waits = work.status == "queued"
        st.caption(f"{what} Waiting for a free worker…" if waits else f"{what} A moment…")
    elif work and work.status != "finished":
        st.error(said(work.message or "It was stopped."), icon=":material/warning:")
        st.button("Try again", key=f"again {kind}", on_click=submit, args=(_ask, kind, asked))
    return work


def _latest(kind: jobs.Kind, asked: Input | Cutting) -> jobs.Job | None:
    """The job of the newest wish; an older one of this session is let go, so that none queue up."""
    store, key, job = registry.store(), f"asked {kind}", f"{kind}-{asked.id}"
    before = st.session_state.get(key)
    if before not in (None, job):
        jobs.stop(store, before)
        jobs.forget(store, before)
    work = jobs.get(store, job)
    gone = work is not None and kind == "look" and work.status == "finished"  # its file was
    if work is None or gone or (before != job and work.status in ("stopped", "interrupted")):
        submit(_ask, kind, asked)
        work = jobs.get(store, job)
    st.session_state[key] = job
    return work


def _ask(store: Any, kind: jobs.Kind, asked: Input | Cutting) -> None:
    jobs.forget(store, f"{kind}-{asked.id}")
    jobs.ask(store, kind, asked.id, asked.json())


# The head


def _head(now: Look, found: view.HeadView, k: int, rev: int) -> None:
    from explorer.charts.real_head import maps_chart, terms_chart
    from explorer.ui.exports import menu

    k = min(k, len(found.terms.sigma))
    chosen = "" if now.one else " Click a cell of the map above for another."
    left = f" {found.seen.note[:1].upper()}{found.seen.note[1:]}." if found.seen.note else ""
    chrome.text(f"**{found.title.capitalize()}.** {found.sentence}{left}{chosen}")
    components.head(*view.head_drawing(found, k, rev), key="opened head")
    if found.mask:
        chrome.note(found.mask)
    with st.container(horizontal=True, horizontal_alignment="right"):
        for name, build, table in (
            ("maps", maps_chart, partial(view.map_table, found, k)),
            ("terms", terms_chart, partial(view.terms_table, found)),
        ):
            _menu(menu, now, found, k, name, build, table())
    _answers(now, found, k)


def _menu(
    menu: Any, now: Look, found: view.HeadView, k: int, name: str, build: Any, table: Any
) -> None:
    title = f"{now.of.title}, {found.title}: {name}"
    about = About(f"{now.model}-head-{name}", title, f"{now.gauge}, k = {k}", table)
    menu(partial(build, table), f"head {name}", about, f"As figures: {name}")


@uninterrupted
def _kept(said: dict) -> None:
    k = said.get("k")
    if isinstance(k, int) and 1 <= k <= LOOK.read().of.width:
        _change(k=k)


# What the model says with k terms


def _answers(now: Look, found: view.HeadView, k: int) -> None:
    controls.show("head cut", now.cut)
    st.segmented_control(
        "keep k terms of",
        CUTS,
        format_func=CUTS.__getitem__,
        key="head cut",
        on_change=_cut_chosen,
        required=True,
    )
    if not is_here(registry.store().models, now.of):
        _shipped(now, found, k)
        return
    st.fragment(_cutting, run_every=LIVE_SECONDS if _waits(now, k) else None)(now, k)


@uninterrupted
def _cut_chosen() -> None:
    if cut := st.session_state["head cut"]:  # None where it has gone with the head that it is below
        _change(cut=cut)


def _shipped(now: Look, found: view.HeadView, k: int) -> None:
    """The answers that came with the example."""
    at = view.shipped_answer(found.seen, now, k)
    if at is None:
        st.caption(
            "What the model says with one head or layer cut needs the model: fetch it below."
        )
    else:
        _show(now, *at)


def _waits(now: Look, k: int) -> bool:
    work = jobs.get(registry.store(), f"cut-{view.cutting_of(now, k).id}")
    return work is None or work.at_work


def _cutting(now: Look, k: int) -> None:
    waited = _waits(now, k)
    work = _at_work("cut", view.cutting_of(now, k), f"The model answers with k = {k}.")
    if work and work.status == "finished":
        _show(now, k, work.result)
        if not waited:
            return
    if waited and work and not work.at_work:
        st.rerun()  # without a beat from now on


def _show(now: Look, k: int, result: dict[str, Any]) -> None:
    from explorer.charts.real_head import answers_chart

    sentence, table = view.answer_sentence(now, k, result), view.answer_table(result)
    chrome.text(sentence)
    about = About(f"{now.model}-answers", f"{now.of.title}: {sentence}", now.gauge, table)
    build = partial(answers_chart, table, view.SAYS[now.of.says])
    chrome.chart(build, "head answers", about, "**What the model says**, whole and cut")
