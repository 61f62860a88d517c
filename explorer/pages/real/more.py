"""What the Real attention page has for who goes on reading: folded, and drawn when unfolded."""

from functools import partial

import streamlit as st

from explorer.pages.real import page, trained_here, width
from explorer.pages.real import view_budget as budget
from explorer.pages.real.chart import budget_chart, loss_map
from explorer.pages.real.view import RealView
from explorer.pages.real.view_look import Look
from explorer.ui import chrome, controls
from explorer.ui.exports import About
from explorer.views import anew


def panel(found: RealView) -> None:
    """A line that unfolds."""
    controls.folded(controls.PAPER, _more, found)


def _more(found: RealView) -> None:
    if not found.look.of.own:  # theirs are shipped
        controls.folded("Which heads tolerate which k", _budget, found.look)
    page.layers_panel(found)
    controls.folded(width.TITLE, width.panel, found.look)
    trained_here.panel(found.look)


def _budget(now: Look) -> None:
    """Which heads of a real model tolerate which k, from shipped numbers."""
    name, of = now.model, budget.shipped()[now.model]
    chrome.text(f"{budget.sentence(name, of)} {budget.budget_sentence(name, of)}")
    terms = [int(k) for k in of.terms]
    k = st.segmented_control("k of the head that is cut", terms, default=terms[0], required=True)
    footer = now.signature(f"{len(of.own)} {now.of.reads}s")
    heads, together = budget.head_table(name, of, k), budget.budget_table(name, of)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        title = f"Loss added by each head alone with k = {k}"
        about = About(f"{name}-heads-k{k}", f"{now.of.title}: {title}", footer, heads)
        build = partial(loss_map, heads, budget.LOSSES[name])
        chrome.chart(
            build, "head losses", about, f"**One head cut to k = {k}**, {len(of.own)} inputs"
        )
    with right:
        about = About(f"{name}-budget", f"{now.of.title}: all heads cut together", footer, together)
        build = partial(budget_chart, together, budget.LOSSES[name])
        chrome.chart(build, "head budget", about, "**All heads cut**: one k, or each its own")
    chrome.command_line(anew.of_figure("rank-cut"))
