"""One head of a real model opened, on the shipped example or on the reader's own text or picture.

A worker loads the model and computes; this process reads what it has kept.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.charts.walking import walking_chart
from explorer.pages.real import answers as real_answers
from explorer.pages.real import view_head as view
from explorer.pages.real import work as real_work
from explorer.pages.real.chart import maps_chart, terms_chart
from explorer.pages.real.page import change, linked
from explorer.pages.real.view_look import Look
from explorer.pretrained import seen
from explorer.pretrained.catalogue import ModelError
from explorer.pretrained.seen import Input, Seen
from explorer.runs import looks
from explorer.runs.database import StoreError
from explorer.theory import sampled
from explorer.ui import chrome, components, controls, exchange, exports, page_visit, registry
from explorer.ui.callbacks import uninterrupted
from explorer.ui.part import part
from explorer.ui.words import as_sentence
from explorer.views import sampled as walking

PICTURE = "opened head"
LONGEST = 2000  # characters of a text: more than a model looks at
PICTURES = ["png", "jpg", "jpeg", "webp", "gif", "bmp", "tiff"]


def begin() -> None:
    """Call first in the page: takes what the reader has done in the head's picture."""
    exchange.take(PICTURE, _kept)


def way() -> None:
    """The button to it from the top of the page: it comes into view."""
    st.button(
        "Look into one head",
        icon=":material/search:",
        type="primary",
        on_click=chrome.bring,
        args=(PICTURE,),
        help="Its coupling before and after softmax, with k of its terms.",
    )


def panel(now: Look, k: int, is_looked_at: bool) -> None:
    """The head that is chosen, on what it is shown, and what the model says with k terms."""
    st.subheader("One head opened", anchor=False)
    _input(now)
    if observation := _seen(now, is_looked_at):
        _head(now, view.head_view(now, observation), k)


def _input(now: Look) -> None:
    """Own text or picture, where the model is here; what is shown now is said."""
    here = real_work.here(now.pretrained)
    kind = now.pretrained.reads
    with st.container(horizontal=True, vertical_alignment="center"):
        own = now.own_input
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
            _picture() if kind == "picture" else _text(now)


@uninterrupted
def _example() -> None:
    change(text=None, picture=None)


def _text(now: Look) -> None:
    controls.draw(
        st.text_area,
        "head text",
        now.text or "",
        "text",
        max_chars=LONGEST,
        on_change=_typed,
        label_visibility="collapsed",
        placeholder="Type some words, then press Ctrl + Enter",
        help=f"The first {seen.MOST_TOKENS} tokens are looked at, by a worker on this machine.",
    )


@uninterrupted
def _typed() -> None:
    change(text=st.session_state["head text"].strip() or None)


def _picture() -> None:
    file = page_visit.uploader(
        "picture",
        PICTURES,
        key="head picture",
        max_upload_size=looks.LARGEST_PICTURE // 10**6,
        label_visibility="collapsed",
        help="Its middle square is looked at, by a worker on this machine.",
    )
    if file is None or file.file_id == st.session_state.get("head picture taken"):
        return
    try:
        sha = looks.put_picture(registry.store(), file.getvalue())
    except (ModelError, StoreError) as error:
        st.session_state["head picture taken"] = file.file_id
        st.error(as_sentence(error), icon=":material/warning:")
        return
    change(picture=sha)
    st.session_state["head picture taken"] = file.file_id  # not before: the next press may cut it
    st.rerun()


def is_looked_at(now: Look) -> bool:
    """Whether a worker has looked at what is shown, for all parts of a page: they are of the same
    moment."""
    return looks.file_of(registry.store().home, view.input_of(now)).exists()


def _seen(now: Look, is_looked_at: bool) -> Seen | None:
    """What the model did with it; None while a worker is at it, or where it cannot be."""
    if not (now.own_input or now.pretrained.own):
        return view.shipped_head(now.model)
    asked = view.input_of(now)
    file = looks.file_of(registry.store().home, asked)
    if not is_looked_at:
        part(_looking)(asked, file)
        return None
    try:
        return seen.read(file)
    except ModelError as error:
        file.unlink(missing_ok=True)
        st.error(as_sentence(error), icon=":material/warning:")
        return None


def seen_of_own(now: Look, is_looked_at: bool) -> Seen | None:
    """What the model did with the reader's own text or picture, where a worker has looked and the
    heads are those of the map; the page below says what is wrong with its file."""
    if not (now.own_input and is_looked_at):
        return None
    file = looks.file_of(registry.store().home, view.input_of(now))
    try:
        observation = seen.read(file)
        heads = now.pretrained.layers, now.pretrained.heads
        return (
            observation
            if all(sigma.shape[:2] == heads for sigma in observation.sigma.values())
            else None
        )
    except ModelError:
        return None


def _looking(asked: Input, file: Path) -> None:
    if not file.exists():
        real_work.at_work("look", asked, "The model looks at it.")
    if file.exists():  # since then, too: nobody would wait for it any more
        st.rerun()


def _head(now: Look, head: view.HeadView, k: int) -> None:
    k = min(k, len(head.terms.sigma))
    chosen = "" if now.one else " Click a cell of the map above for another."
    left = f" {head.seen.note[:1].upper()}{head.seen.note[1:]}." if head.seen.note else ""
    hatched = " Hatched: later tokens, which the mask hides." if head.mask else ""
    words, figures = (
        f"**{head.title.capitalize()}.** {head.sentence}{hatched}{left}",
        partial(_figures, now, head, k),
    )
    chrome.text(f"{words}{chosen}")
    drawing = view.head_drawing(head, k)
    components.below("head", *drawing, words=words, figures=figures, key=PICTURE)
    if head.mask:
        with st.expander("What zeros instead of a mask would cost"):
            chrome.note(head.mask)
    part(_menu)(figures)
    _sampled(now, head)
    controls.folded(real_answers.SAID, real_answers.panel, now, head.seen, k)


def _sampled(now: Look, head: view.HeadView) -> None:
    """How much of its spectrum fewer tokens tell."""
    place = st.expander("Its σₖ from fewer tokens", on_change="rerun", key="head sampled")
    if not place.open:
        return
    if len(head.logits) < sampled.LEAST:
        place.markdown(f"A text of {sampled.LEAST} tokens or more says something of fewer.")
        return
    estimates = sampled.of_tokens(head.logits, walking.SHOWN, centred=now.centred)
    exact = estimates.sigma[-1, 0]
    table, words = walking.table(estimates, exact), walking.of_head_said(estimates, exact)
    footer = f"{now.signature_of_one}\n{estimates.sigma.shape[1]} draws, seed 0"
    name, title = (
        f"{now.model}-head-sampled",
        f"{now.pretrained.title}, {head.title}: σ_k from τ tokens",
    )
    with place:
        about = exports.About(name, title, footer, table, words)
        chrome.chart(partial(walking_chart, table), "head sampled chart", about)
        chrome.text(words)


def _menu(figures: Callable[[], dict[str, Any]]) -> None:
    with st.container(horizontal=True, horizontal_alignment="right"):
        chrome.figures_menu(figures, "head")


def _figures(now: Look, head: view.HeadView, k: int) -> dict[str, Any]:
    made = {}
    for name, build, table in (
        ("maps", maps_chart, view.map_table(head, k)),
        ("terms", terms_chart, view.terms_table(head)),
    ):
        title, footer = (
            f"{now.pretrained.title}, {head.title}: {name}",
            f"{now.signature_of_one}, k = {k}",
        )
        about = exports.About(f"{now.model}-head-{name}", title, footer, table)
        made[f"head {name}"] = partial(build, table), about
    return made | real_answers.figures(now, head.seen, k)


@uninterrupted
def _kept(report: dict) -> None:
    """The worker begins while the page is drawn."""
    k = report.get("k")
    if isinstance(k, int) and 1 <= k <= linked().read().pretrained.width:
        change(k=k)
        real_answers.ask(linked().read(), k)
