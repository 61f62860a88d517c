"""A part of the Design page that opens on demand: σ_k from random tokens."""

from functools import lru_cache, partial

import streamlit as st

from explorer.charts.walking import walking_chart
from explorer.spec import CouplingSpec, spec_id
from explorer.theory import sampled
from explorer.theory.design import Design
from explorer.ui import chrome
from explorer.ui.exports import About
from explorer.views import sampled as view


def section(design: Design, centred: bool) -> None:
    """The estimates that the paper reads real heads by, beside the σ_k that are known here."""
    place = st.expander(
        "σₖ from random tokens", on_change="rerun", key="sampled", icon=":material/grain:"
    )
    if not place.open:
        return
    exact = design.decomposition(centred).sigma[: view.SHOWN]
    with place:
        if not exact.any():
            chrome.text("This coupling is 0 for softmax: there is no spectrum to estimate.")
            return
        found = _estimates(design.bare, len(exact), centred)
        table, words = view.table(found, exact), view.of_coupling_said(found, exact)
        footer = f"{_about(design.spec, centred)}\n{found.sigma.shape[1]} draws, seed 0"
        title = "σ_k from τ random tokens"
        about = About(f"{spec_id(design.spec)}-sampled", title, footer, table, words)
        chrome.chart(partial(walking_chart, table), "sampled", about)
        chrome.text(words)


def _about(spec: CouplingSpec, centred: bool) -> str:
    side = "centred" if centred else "with its mean over v"
    return f"spec {spec_id(spec)} · computed, not trained · ρ {side}"


@lru_cache(maxsize=16)
def _estimates(design: Design, terms: int, centred: bool) -> sampled.Estimates:
    return sampled.of_coupling(design.coupling, terms, centred=centred)
