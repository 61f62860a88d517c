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


def panel(view: RealView) -> None:
    """A line that unfolds."""
    controls.folded(controls.PAPER, _more, view)


def _more(view: RealView) -> None:
    if not view.choice.pretrained.own:  # theirs are shipped
        controls.folded("Which heads tolerate which k", _budget, view.choice)
    page.layers_panel(view)
    controls.folded(width.TITLE, width.panel, view.choice)
    trained_here.panel(view.choice)


def _budget(now: Look) -> None:
    """Which heads of a real model tolerate which k, from shipped numbers."""
    name, tolerance = now.model, budget.shipped()[now.model]
    chrome.text(f"{budget.sentence(name, tolerance)} {budget.budget_sentence(name, tolerance)}")
    terms = [int(k) for k in tolerance.terms]
    k = st.segmented_control("k of the head that is cut", terms, default=terms[0], required=True)
    footer = now.signature(f"{len(tolerance.own)} {now.pretrained.reads}s")
    heads, together = budget.head_table(name, tolerance, k), budget.budget_table(name, tolerance)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        title = f"Loss added by each head alone with k = {k}"
        about = About(f"{name}-heads-k{k}", f"{now.pretrained.title}: {title}", footer, heads)
        build = partial(loss_map, heads, budget.LOSSES[name])
        chrome.chart(
            build, "head losses", about, f"**One head cut to k = {k}**, {len(tolerance.own)} inputs"
        )
    with right:
        about = About(
            f"{name}-budget", f"{now.pretrained.title}: all heads cut together", footer, together
        )
        build = partial(budget_chart, together, budget.LOSSES[name])
        chrome.chart(build, "head budget", about, "**All heads cut**: one k, or each its own")
    chrome.command_line(anew.of_figure("rank-cut"))
