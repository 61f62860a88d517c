"""Any order of a text's tokens, and what the language model says of it; by the worker for short
jobs."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from explorer.pretrained.seen import Reordering
from explorer.targets.alterations import ORDERS
from explorer.ui import chrome, controls, real_work
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.real import change
from explorer.ui.words import said
from explorer.views import real_order as view
from explorer.views.real import Look, model_of

REFUSED = "text order refused"
LONGEST = 600  # characters of a list of positions: more than an order has


def panel(now: Look) -> None:
    """The choice of an order, and three perplexities of the chosen text."""
    whose = "Your text" if now.text else "The example text"
    st.markdown(f"**{whose} in an order of your own**")
    if not real_work.here(model_of(view.NAME)):
        st.caption(
            "SmolLM2-135M answers for any order of any text: fetch it at the end of this page."
        )
        return
    asked = view.reordering_of(now)
    work = None if asked.id in real_work.told() else real_work.latest("order", asked)
    waits = bool(work and work.at_work)
    known = real_work.told().get(asked.id)
    _choices(now, asked, known and known[1])
    st.fragment(_waiting, run_every=real_work.LIVE_SECONDS if waits else None)(asked)
    if last := _last_of(asked):
        _answer(*last)


def _choices(now: Look, asked: Reordering, found: dict[str, Any] | None) -> None:
    """An order by its name, and as the list of its positions, which is there to be changed."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = now.order if isinstance(now.order, str) else None
        controls.show("text order", name)
        st.segmented_control("order", ORDERS, key="text order", on_change=_named)
        if name == "random":
            controls.show("text order seed", now.order_seed)
            st.number_input(
                "its seed",
                0,
                2**31 - 1,
                step=1,
                key="text order seed",
                on_change=_seeded,
                width=160,
            )
    _listed(asked, found)


def _listed(asked: Reordering, found: dict[str, Any] | None) -> None:
    """The positions, a box of its own for each order: what the browser still says of the one before
    is not taken for typing in this one."""
    listed = found["order"] if found else asked.order
    named = isinstance(listed, str)  # until the worker has told the tokens
    key = f"text order {'waits' if named else asked.id}"
    st.text_area(
        "positions: at place t the model sees token p(t), counted from 0",
        "" if named else " ".join(map(str, listed)),
        key=key,
        max_chars=LONGEST,
        height=90,
        disabled=named,
        on_change=_typed,
        args=(asked, key),
        help="Change it, then press Ctrl + Enter. For another text, type one at “One head opened” "
        "with SmolLM2-135M as the model.",
    )
    of, why = st.session_state.get(REFUSED, ("", ""))
    if of == asked.id:
        st.error(said(why), icon=":material/warning:")


@uninterrupted
def _named() -> None:
    if name := st.session_state["text order"]:
        change(order=name)


@uninterrupted
def _seeded() -> None:
    change(order_seed=st.session_state["text order seed"])


@uninterrupted
def _typed(asked: Reordering, key: str) -> None:
    st.session_state.pop(REFUSED, None)
    try:
        change(order=view.parse_order(st.session_state[key]))
    except ValueError as error:
        st.session_state[REFUSED] = asked.id, str(error)


def _waiting(asked: Reordering) -> None:
    """How far the worker is; draws no fragment, since it is drawn anew by itself."""
    with st.container(key="order-says"):
        waited = asked.id not in real_work.told()
        work = real_work.answering("order", asked, f"Order: {view.order_named(asked)}.")
        if waited and work and not work.at_work and work.status == "finished":
            st.rerun()


def _last_of(asked: Reordering) -> tuple[Reordering, dict[str, Any]] | None:
    """The answer, or the last one on the same text until it is there."""
    if known := real_work.told().get(asked.id):
        return asked, known[1]
    told = reversed(real_work.told().values())
    orders = ((of, result) for of, result in told if isinstance(of, Reordering))
    return next((each for each in orders if each[0].shown == asked.shown), None)


def _answer(asked: Reordering, result: dict[str, Any]) -> None:
    from explorer.charts.real import orders_chart

    chrome.text(view.order_sentence(asked, result))
    st.caption("As the model sees it:")
    st.text(view.seen_text(result))
    table = view.order_table(asked, result)
    title = f"SmolLM2-135M: a text in another order, {view.order_named(asked)}"
    about = About("text-order", title, f"{len(result['tokens'])} tokens", table)
    chrome.chart(partial(orders_chart, table), "text order chart", about, "**Its perplexity**")
