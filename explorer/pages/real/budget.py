"""Which heads of a real model tolerate which k, from shipped numbers."""

from functools import partial

import streamlit as st

from explorer.pages.real import view_budget as view
from explorer.pages.real.chart_budget import budget_chart, loss_map
from explorer.pages.real.view import inputs_of
from explorer.pages.real.view_look import Look
from explorer.pages.real.view_signature import signature
from explorer.ui import chrome, controls
from explorer.ui.exports import About
from explorer.views import anew


def panel(now: Look) -> None:
    """A line that unfolds."""
    controls.folded("Which heads tolerate which k", _budget, now)


def _budget(now: Look) -> None:
    name, of = now.model, view.shipped()[now.model]
    chrome.text(f"{view.sentence(name, of)} {view.budget_sentence(name, of)}")
    terms = [int(k) for k in of.terms]
    k = st.segmented_control("k of the head that is cut", terms, default=terms[0], required=True)
    footer = signature(now, f"{len(of.own)} {inputs_of(now.of)}")
    heads, budget = view.head_table(name, of, k), view.budget_table(name, of)
    left, right = st.columns([5, 6], gap="medium")
    with left:
        title = f"Loss added by each head alone with k = {k}"
        about = About(f"{name}-heads-k{k}", f"{now.of.title}: {title}", footer, heads)
        build = partial(loss_map, heads, view.LOSSES[name])
        chrome.chart(
            build, "head losses", about, f"**One head cut to k = {k}**, {len(of.own)} inputs"
        )
    with right:
        about = About(f"{name}-budget", f"{now.of.title}: all heads cut together", footer, budget)
        build = partial(budget_chart, budget, view.LOSSES[name])
        chrome.chart(build, "head budget", about, "**All heads cut**: one k, or each its own")
    chrome.command_line(anew.of_figure("rank-cut"))
