"""Any attention as a coupling: a matrix that is edited, pasted or taken from a file, and the width
that one head needs for it. Nothing here is trained, and no model is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from explorer.coupling.attention import Attention, Kind, checked, parse_attention
from explorer.coupling.grid import GridError
from explorer.ui import chrome, controls
from explorer.ui.words import said
from explorer.views.width import WidthView, width_view

WAYS = {"edit": "edit", "paste": "paste", "file": "file"}
KINDS = {
    "weights": "weights, rows of sum 1",
    "logits": "logits, before softmax",
}
TITLE = "Any attention as a coupling"
TOKENS = 6


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


def panel() -> None:
    """A line that unfolds."""
    controls.folded(TITLE, _panel)


def _panel() -> None:
    chrome.text(
        "A head with the logits $L$ has the weights softmax$(L)$, and $L$ has at most the rank "
        "$m_h$. Backwards: for weights $P > 0$ one head needs the width rank$(\\log P - $ mean of "
        "each row$)$, since softmax cannot see what is added to a row."
    )
    left, right = st.columns([6, 5], gap="medium")
    with left:
        attention = _attention()
    if attention is None:
        return
    with right:
        try:
            found = width_view(attention)
        except GridError as error:
            st.error(said(error), icon=":material/warning:")
            return
        _answer(found)


def _answer(found: WidthView) -> None:
    from explorer.charts.real import width_chart
    from explorer.ui.exports import About

    for sentence in found.sentences:
        chrome.text(f"{sentence[:1].upper()}{sentence[1:]}.")
    about = About("width", "σ_k of the centred logits", "computed, not trained", found.table)
    build = partial(width_chart, found.table, found.answer["tolerance"])
    chrome.chart(build, "width sigma", about, "**$\\sigma_k$ of the centred logits**")
    chrome.command_line("python -m explorer width FILE --logits --json")


def _attention() -> Attention | None:
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
            return _edited()
        return _pasted(kind) if way == "paste" else _of_file(kind)
    except GridError as error:
        st.error(said(error), icon=":material/warning:")
        return None


def _edited() -> Attention:
    import pandas as pd

    name = st.selectbox("begin with", EXAMPLES, key="width example")
    st.caption("Logits; an empty cell is a mask. Rows are queries, columns keys.")
    names = [f"{s + 1}" for s in range(TOKENS)]
    values = pd.DataFrame(EXAMPLES[name], index=names, columns=names).replace(-np.inf, np.nan)
    edited = st.data_editor(values, key=f"width edited {name}", width="content")
    return checked("logits", edited.fillna(-np.inf).to_numpy(float))


def _pasted(kind: Kind) -> Attention | None:
    text = st.text_area(
        "rows of numbers",
        key="width pasted",
        height=180,
        placeholder="0.7, 0.2, 0.1\n0.1, 0.8, 0.1\n0.2, 0.2, 0.6",
        help="A row for each query: numbers with commas, semicolons or spaces; −inf among logits "
        "is a mask.",
    )
    if not text.strip():
        return None
    return parse_attention(text.replace("−", "-").encode(), "pasted.csv", kind)


def _of_file(kind: Kind) -> Attention | None:
    file = st.file_uploader(
        "attention of one head",
        type=["csv", "npy", "npz", "safetensors"],
        max_upload_size=20,
        key="width file",
        help=".csv and .npy: one matrix. .npz and .safetensors: `logits`, `weights`, or `q` and "
        "`k`, tokens × width. Nothing in a file is executed.",
    )
    return file and parse_attention(file.getvalue(), file.name, kind)
