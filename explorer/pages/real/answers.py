"""What a real model says with k terms of its heads: by a worker where the model is here, else what
was shipped of the example."""

from functools import partial
from typing import Any

import streamlit as st

from explorer.charts.axes import SIZES
from explorer.pages.real import view_head as view
from explorer.pages.real import work as real_work
from explorer.pages.real.chart import answers_chart
from explorer.pages.real.page import change
from explorer.pages.real.view_look import Look
from explorer.pretrained.seen import Seen
from explorer.ui import chrome, controls
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.part import part

CUTS = {"head": "this head", "layer": "its layer", "all": "all heads"}
SAID = "What the model says with k terms"


def panel(now: Look, observation: Seen, k: int) -> None:
    """What is said with k terms of the heads that are chosen, beside what the whole model says."""
    controls.draw(
        st.segmented_control,
        "head cut",
        now.cut,
        "keep k terms of",
        CUTS,
        format_func=CUTS.__getitem__,
        on_change=_cut_chosen,
        required=True,
    )
    if not real_work.here(now.pretrained):
        _shipped(now, observation, k)
        return
    ask(now, k)
    part(_cutting)(now, k)


def figures(now: Look, observation: Seen, k: int) -> dict[str, Any]:
    """What is said as a figure; none while it is waited for."""
    told = real_work.told().get(view.cutting_of(now, k).id)
    at = (k, told[1]) if told else view.shipped_answer(observation, now, k)
    if at is None:
        return {}
    sentence, table = view.answer_sentence(now, *at), view.answer_table(at[1])
    title, footer = f"{now.pretrained.title}: {sentence}", now.signature_of_one
    about = About(f"{now.model}-answers", title, footer, table)
    return {"answers": (partial(answers_chart, table, view.SAYS[now.pretrained.says]), about)}


@uninterrupted
def _cut_chosen() -> None:
    if cut := st.session_state["head cut"]:  # None where it has gone with the head that it is below
        change(cut=cut)


def _shipped(now: Look, observation: Seen, k: int) -> None:
    """The answers that came with the example."""
    at = view.shipped_answer(observation, now, k)
    if at is None:
        st.caption(
            "What the model says with one head or layer cut needs the model: fetch it below."
        )
        return
    chrome.text(view.answer_sentence(now, *at))
    _chart(now, at[1])


def ask(now: Look, k: int) -> None:
    """Let the worker begin, which need not wait until the page is drawn; unless it is said already,
    or the model is not here."""
    asked = view.cutting_of(now, k)
    if asked.id not in real_work.told() and real_work.here(now.pretrained):
        real_work.latest("cut", asked)


def _cutting(now: Look, k: int) -> None:
    """Draws no fragment: what is drawn anew by itself must not hold another."""
    asked = view.cutting_of(now, k)
    with st.container(key="head-says"):
        real_work.answering("cut", asked, f"The model answers with k = {asked.k}.")
        if told := real_work.told().get(asked.id):
            chrome.text(view.answer_sentence(now, k, told[1]))
    if last := real_work.last_of(asked):
        _chart(now, last[1])


def _chart(now: Look, result: dict[str, Any]) -> None:
    chart = answers_chart(
        view.answer_table(result), view.SAYS[now.pretrained.says], chrome.palette()
    )
    st.markdown("**What the model says**, whole and cut")
    st.altair_chart(chart.configure(**SIZES), width="stretch", key="head answers")
