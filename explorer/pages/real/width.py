"""Any attention as a coupling: a matrix that is edited, pasted or taken from a file, and the width
that one head needs for it. Nothing here is trained, and no model is loaded."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
import streamlit as st

from explorer.coupling.attention import Attention, Kind, checked
from explorer.coupling.grid import GridError
from explorer.pages.design.controls import MOST_OF_A_MESSAGE
from explorer.pages.real.chart import width_chart
from explorer.pages.real.view_head import opens_with
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_width import WidthView, head_example, width_view
from explorer.pretrained.catalogue import MODELS
from explorer.slow import pd
from explorer.ui import chrome, page_visit, registry
from explorer.ui.exports import About
from explorer.ui.words import as_sentence
from explorer.views.anew import Anew

WAYS = {"edit": "edit", "paste": "paste", "file": "file"}
KINDS = {"weights": "weights, rows of sum 1, 0 masks", "logits": "logits, before softmax"}
TITLE = "Any attention as a coupling"
TOKENS = 6
REAL = "a head of a real model"


def _near(n: int = TOKENS) -> np.ndarray:
    place = np.arange(n)
    return -np.abs(place[:, None] - place).astype(float)


EXAMPLES: Mapping[str, np.ndarray] = {
    "the token itself": 4 * np.eye(TOKENS),
    "the token before": 4 * np.eye(TOKENS, k=-1),
    "near tokens": _near(),
    "near tokens, squared": -(_near() ** 2) / 2,
    "two groups": 3.0 * (np.arange(TOKENS)[:, None] % 2 == np.arange(TOKENS) % 2),
    "causal, near tokens": np.where(np.tri(TOKENS, dtype=bool), _near(), -np.inf),
}
"""Logits to begin with."""


Given = tuple[Attention, float | None]
"""A matrix, and up to what its singular values are rounding; None where that is not known."""


def panel(now: Look) -> None:
    """A matrix of the reader's, or the head that the page shows, and what is said of it."""
    chrome.text(
        "A head with the logits $L$ has the weights softmax$(L)$, and $L$ has at most the rank "
        "$m_h$. Backwards: for weights $P > 0$ one head needs the width rank$(\\log P - $ mean of "
        "each row$)$, since softmax cannot see what is added to a row."
    )
    left, right = st.columns([6, 5], gap="medium")
    with left:
        given = _attention(now)
    if given is None:
        return
    with right:
        try:
            view = width_view(*given)
        except GridError as error:
            st.error(as_sentence(error), icon=":material/warning:")
            return
        _answer(view)


def _answer(view: WidthView) -> None:
    for sentence in view.sentences:
        chrome.text(f"{sentence[:1].upper()}{sentence[1:]}.")
    about = About("width", "σ_k of the centred logits", "computed, not trained", view.table)
    build = partial(width_chart, view.table, view.answer["tolerance"])
    chrome.chart(build, "width sigma", about, "**$\\sigma_k$ of the centred logits**")
    chrome.command_line(Anew("python -m explorer width FILE --logits --json"))


def _attention(now: Look) -> Given | None:
    """The matrix that the reader gives; None where there is none (yet), and why is said."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        way = st.segmented_control("matrix", WAYS, default="edit", key="width way", required=True)
        holds = "logits"
        if way != "edit":
            holds = st.segmented_control(
                "it holds",
                KINDS,
                default="weights",
                key="width kind",
                required=True,
                format_func=KINDS.__getitem__,
            )
    kind: Kind = "weights" if holds == "weights" else "logits"
    try:
        if way == "edit":
            return _edited(now)
        attention = _pasted(kind) if way == "paste" else _of_file(kind)
        return attention and (attention, None)
    except GridError as error:
        st.error(as_sentence(error), icon=":material/warning:")
        return None


def _edited(now: Look) -> Given:
    name = st.selectbox("begin with", [*EXAMPLES, REAL], key="width example")
    if name == REAL:
        return _of_model(now)
    names = [f"{s + 1}" for s in range(TOKENS)]
    return _table(EXAMPLES[name], names, name), None


def _of_model(now: Look) -> Given:
    """A shipped head, by default the one that the page shows."""
    with st.container(horizontal=True):
        shown = [*MODELS].index(now.model) if now.model in MODELS else 0
        model = st.selectbox(
            "model", MODELS, shown, format_func=lambda each: MODELS[each].title, key="width model"
        )
        pretrained = MODELS[model]
        first = [at + 1 for at in now.one] if now.one and now.model == model else opens_with(model)
        layer, head = (
            st.selectbox(what, range(1, count + 1), at - 1, key=f"width {what} {model}")
            for what, count, at in zip(
                ("layer", "head"), (pretrained.layers, pretrained.heads), first, strict=True
            )
        )
    example = head_example(model, layer, head)
    st.caption("Shipped in 32,767 steps of its largest entry: σ below that do not count.")
    values = example.attention.values
    return _table(values, example.names, f"{model} {layer} {head}", 380), example.tolerance


def _table(
    values: np.ndarray, names: Sequence[str], key: str, height: int | Literal["auto"] = "auto"
) -> Attention:
    """The matrix, to be edited."""
    st.caption("Logits; an empty cell is a mask. Rows are queries, columns keys.")
    shown = pd.DataFrame(values, index=names, columns=names).replace(-np.inf, np.nan)
    width = "content" if height == "auto" else "stretch"
    edited = st.data_editor(shown, key=f"width edited {key}", width=width, height=height)
    return checked("logits", edited.fillna(-np.inf).to_numpy(float))


def _pasted(kind: Kind) -> Attention | None:
    text = st.text_area(
        "rows of numbers",
        key="width pasted",
        height=180,
        max_chars=MOST_OF_A_MESSAGE if registry.is_public() else None,
        placeholder="0.7, 0.2, 0.1\n0.1, 0.8, 0.1\n0.2, 0.2, 0.6",
        help="A row for each query: numbers with commas, semicolons or spaces; −inf among logits "
        "is a mask.",
    )
    if not text.strip():
        return None
    return page_visit.attention(text.replace("−", "-").encode(), "pasted.csv", kind)


def _of_file(kind: Kind) -> Attention | None:
    file = page_visit.uploader(
        "attention of one head",
        type=["csv", "npy", "npz", "safetensors"],
        max_upload_size=20,
        key="width file",
        help=".csv and .npy: one matrix. .npz and .safetensors: `logits`, `weights`, or `q` and "
        "`k`, tokens × width. Nothing in a file is executed.",
    )
    return file and page_visit.attention(file.getvalue(), file.name, kind)
