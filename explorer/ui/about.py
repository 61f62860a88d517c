"""The About dialog: what this is, the paper, every word in a sentence; and the cards of dotted
words, which its component shows."""

from __future__ import annotations

import streamlit as st

from explorer.ui.components import registered
from explorer.views.glossary import GLOSSARY, Term

_ABOUT = registered("about")
PAPER = "Approximation Rate of the Transformer Architecture for Sequence Modeling"
ARXIV = "https://arxiv.org/abs/2305.18475"
TEXT = f"""
Which relations between sequences can one attention head approximate, and how fast does the error
fall as the head gets wider? These pages let you design such a relation, train a head on it in front
of your eyes, and hold what comes out against the theory of

> Haotian Jiang and Qianxiao Li, *[{PAPER}]({ARXIV})*, arXiv 2305.18475.

Everything is computed on this machine. Where a number of the paper is not found again, the page
says so beside it.
"""


def button() -> str | None:
    """The button, and the cards of all dotted words; the word about which more was asked just now,
    "all" for none in particular."""
    terms = [(key, term.plain, term.where) for key, term in GLOSSARY.items()]
    said = _ABOUT(key="about", data=terms, on_asked_change=lambda: None, width="content")
    return said.get("asked")


@st.dialog("About this explorer", width="medium")
def dialog(asked: str) -> None:
    """The paper and the glossary, the word that was `asked` for first."""
    if asked in GLOSSARY:
        _entry(GLOSSARY[asked])
        st.divider()
    st.markdown(TEXT)
    st.markdown("#### The words")
    for term in GLOSSARY.values():
        _entry(term)


def _entry(term: Term) -> None:
    st.markdown(f"**{term.name}** · {term.plain}  \n${term.formula}$  \n:small[{term.where}]")
