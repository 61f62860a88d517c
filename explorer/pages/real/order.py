"""Tokens in any order, by hand, by name or as a list, and what the models of Table 1 say of it; by
the worker for short jobs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import streamlit as st

from explorer.pages.real import view_order as view
from explorer.pages.real import work as real_work
from explorer.pages.real.chart import orders_chart
from explorer.pages.real.chart_labelled import order_chart
from explorer.pages.real.page import change, linked
from explorer.pages.real.view_look import Look, model_of
from explorer.pretrained.seen import AS_WRITTEN, Reordering
from explorer.targets.alterations import ORDERS
from explorer.ui import chrome, components, controls, exchange
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About, Build
from explorer.ui.part import part
from explorer.ui.words import as_sentence

TITLE = "The tokens in an order of your own"
PICTURE, REFUSED = "reordered tokens", "text order refused"
LIST = "text order list"
LONGEST = 600  # characters of a list of positions: more than an order has
NAMED = {AS_WRITTEN: "as it is", **{name: name for name in ORDERS}}


def begin() -> None:
    """Call first in the page: takes what the reader has done with the tokens."""
    exchange.take(PICTURE, _moved)


@uninterrupted
def _moved(told: Mapping[str, Any]) -> None:
    """The worker begins while the page is drawn."""
    now = linked().read()
    seed = now.order_seed if told["seed"] is None else told["seed"]
    change(order=told["name"] or tuple(told["order"]), order_seed=seed)
    asked = view.reordering_of(linked().read())
    if asked.id not in real_work.told():
        real_work.latest("order", asked)


def panel(now: Look) -> None:
    """The choice of an order, and what a model says of it."""
    _whose(now)
    if why := view.lacking(now, real_work.here(model_of(view.NAME))):
        st.caption(why)
        return
    asked = view.reordering_of(now)
    last = real_work.last_of(asked)
    known = asked.id in real_work.told()
    tokens = view.tokens_of(asked, last and last[1])
    misfit = view.misfit(asked, tokens)
    if not (known or misfit):
        real_work.latest("order", asked)
    _choices(now)
    if misfit:
        st.error(f"{as_sentence(misfit)} The tokens stand as they are.", icon=":material/warning:")
    if tokens:
        _tokens(now, asked, tokens, last)
    if not misfit:
        part(_waiting)(asked)
    if last and "refused" not in last[1]:
        _answer(now, *last)
    _listed(asked, tokens)


def _whose(now: Look) -> None:
    """Which of the models is asked; a list is of one of them alone."""
    whose = "Your text" if now.text else "The example text"
    titles = {**view.TITLES, "text": f"{whose}, {view.TITLE}"}
    controls.draw(
        st.segmented_control,
        "reordered",
        now.reordered,
        "whose tokens",
        titles,
        format_func=titles.__getitem__,
        on_change=_model_chosen,
        required=True,
    )


@uninterrupted
def _model_chosen() -> None:
    named = isinstance(linked().read().order, str)
    change(reordered=st.session_state["reordered"], **({} if named else {"order": AS_WRITTEN}))


def _choices(now: Look) -> None:
    """An order by its name; where it was chosen otherwise, what the browser still says is not taken
    for a press."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = now.order if isinstance(now.order, str) else None
        controls.draw(
            st.segmented_control,
            "text order",
            name,
            "order",
            NAMED,
            format_func=NAMED.__getitem__,
            on_change=_chosen,
            args=("order", "text order"),
        )
        if name == "random":
            controls.draw(
                st.number_input,
                "text order seed",
                now.order_seed,
                "its seed",
                0,
                2**31 - 1,
                step=1,
                on_change=_chosen,
                args=("order_seed", "text order seed"),
                width=160,
            )


@uninterrupted
def _chosen(name: str, key: str) -> None:
    if (value := st.session_state[key]) is not None:
        change(**{name: value})


def _tokens(
    now: Look,
    asked: Reordering,
    tokens: tuple[str, ...],
    last: tuple[Reordering, Mapping[str, Any]] | None,
) -> None:
    """Under the reader's hand."""
    figures = partial(_figures, now, *last) if last and "refused" not in last[1] else dict
    words = (
        f"**{view.TITLES[now.reordered].capitalize()}**, in the order: {view.order_named(asked)}."
    )
    drawing = view.order_drawing(asked, tokens, last)
    components.below("reorder", *drawing, words=words, figures=figures, key=PICTURE)


def _listed(asked: Reordering, tokens: tuple[str, ...]) -> None:
    """The positions, as the reader has typed them where they were refused."""
    order_id = asked.id if tokens else ""
    of_order, why = st.session_state.get(REFUSED, ("", ""))
    if of_order != order_id:
        st.session_state.pop(REFUSED, None)
        why = ""
    if not why:
        places = view.places_of(asked, tokens) if tokens else ()
        controls.show(LIST, " ".join(map(str, places)))
    st.text_area(
        "positions: at place t the model sees token p(t), counted from 0",
        st.session_state.get(LIST, ""),
        key=LIST,
        max_chars=LONGEST,
        height=90,
        disabled=not tokens,
        on_change=_read,
        args=(order_id,),
        help="Change it, then press Ctrl + Enter. For another text, type one at “One head opened” "
        f"with {view.TITLE} as the model.",
    )
    if why:
        st.error(as_sentence(why), icon=":material/warning:")


@uninterrupted
def _read(order_id: str) -> None:
    st.session_state.pop(REFUSED, None)
    try:
        change(order=view.parse_order(st.session_state[LIST]))
    except ValueError as error:
        st.session_state[REFUSED] = order_id, str(error)


def _waiting(asked: Reordering) -> None:
    """How far the worker is; draws no fragment, since it is drawn anew by itself."""
    with st.container(key="order-says"):
        waited = asked.id not in real_work.told()
        work = real_work.answering("order", asked, f"Order: {view.order_named(asked)}.")
        if waited and work and not work.at_work and work.status == "finished":
            st.rerun()


def _answer(now: Look, asked: Reordering, result: Mapping[str, Any]) -> None:
    sentence = (
        view.order_sentence(asked, result)
        if now.reordered == "text"
        else view.share_sentence(now.reordered, asked, result)
    )
    chrome.text(sentence)
    ((build, about),) = _figures(now, asked, result).values()
    what = "Its perplexity" if now.reordered == "text" else "What is right"
    chrome.chart(build, "text order chart", about, f"**{what}**")


def _figures(
    now: Look, asked: Reordering, result: Mapping[str, Any]
) -> dict[str, tuple[Build, About]]:
    named = view.order_named(asked)
    if now.reordered == "text":
        table = view.order_table(asked, result)
        title = f"{view.TITLE}: a text in another order, {named}"
        about = About("text-order", title, f"{len(result['tokens'])} tokens", table)
        return {"text order": (partial(orders_chart, table), about)}
    table = view.share_table(now.reordered, asked, result)
    title = f"Table 1, {view.DATA[now.reordered]}: {named}"
    about = About(f"{now.reordered}-order", title, f"seed {view.SEED}", table)
    return {"text order": (partial(order_chart, table), about)}
