"""The About dialog: what this is, the papers line by line, every word in a sentence; and the cards
of dotted words, which its component shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import streamlit as st

from explorer.ui.components import registered
from explorer.ui.words import as_code, escape_markdown
from explorer.views.glossary import GLOSSARY, Term
from explorer.views.text import as_formulas

if TYPE_CHECKING:  # pandas, which a first page does without
    from explorer.paper import Item, Section

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
    report = _ABOUT(key="about", data=terms, on_asked_change=lambda: None, width="content")
    return report.get("asked")


@st.dialog("About this explorer", width="medium")
def dialog(asked: str) -> None:
    """The paper and the glossary, the word that was `asked` for first."""
    if asked in GLOSSARY:
        _entry(GLOSSARY[asked])
        st.divider()
    st.markdown(TEXT)
    _papers()
    st.markdown("#### The words")
    for term in GLOSSARY.values():
        _entry(term)


def _entry(term: Term) -> None:
    st.markdown(f"**{term.name}** · {term.plain}  \n${term.formula}$  \n:small[{term.where}]")


def _papers() -> None:
    """Every line of the papers with its verdict, once it is unfolded."""
    section = st.expander("The papers, line by line", on_change="rerun", key="papers")
    if section.open:
        from explorer.paper import SECTIONS

        with section:
            _lines(SECTIONS)


def _lines(sections: tuple[Section, ...]) -> None:
    """Those of one verdict, or all: what each says, a link to where it is seen, its commands."""
    counts = Counter(item.verdict for section in sections for item in section.items)
    labels = {verdict: f"{verdict} ({count})" for verdict, count in counts.items()}
    chosen = st.pills("Verdict", labels, format_func=labels.__getitem__, key="verdict of lines")
    st.markdown("`python -m explorer paper --check` computes them anew.")
    for section in sections:
        told = [_told(item) for item in section.items if chosen in (None, item.verdict)]
        if told:
            st.markdown("\n".join([f"**{escape_markdown(section.title)}**", "", *told]))


def _told(item: Item) -> str:
    """As an entry of a list, in Markdown."""
    says = as_formulas(item.says, escape_markdown)
    line = f"{escape_markdown(item.where)} · **{item.verdict}** · {says}"
    commands = "".join(f" · {as_code(command)}" for command in item.commands)
    return f"- {line}  \n  [see it](.{item.link}){commands}"
