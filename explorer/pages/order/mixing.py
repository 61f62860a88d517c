"""App. D.3 by hand: a coupling mixed, a filter in front, its spectrum before and after, and the
best filter. What is chosen stands in the address."""

from functools import partial
from typing import Any

import streamlit as st

from explorer.coupling import CouplingError, FormulaError
from explorer.pages.order import view_mixing as mixing
from explorer.pages.order.chart import filters_chart, spectra_chart
from explorer.slow import pd
from explorer.spec import CouplingSpec, SpecError, design_of, link_text, spec_id
from explorer.targets import parse
from explorer.theory.mixing import CHOICES, Filtered, MixedSpectrum, mixable, mixed_spectrum
from explorer.ui import address, chrome, controls, selection, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.pages import PAGES
from explorer.ui.part import part

PAPER, MINE = "paper", "mine"


@part
def panel() -> None:
    """Sliders, spectrum and tail of it, and what they say."""
    left, right = st.columns([1, 2], gap="medium")
    with left:
        _sliders()
        _whose()
    at = selection.current()
    spec = _coupling(at.coupling)
    try:
        before = mixed_spectrum(mixable(spec), 0, 1, 0, at.mixing_alpha)
        after = mixed_spectrum(mixable(spec), at.a, at.b, at.c, at.mixing_alpha)
        best = mixing.filters(spec, at.a, at.b, at.mixing_alpha, at.filtered_for)
    except (CouplingError, FormulaError, SpecError) as error:
        right.warning(f"Not mixed: {error}", icon=":material/warning:")
        return
    named = mixing.left_words(at.mixing_alpha, at.filtered_for)
    with right:
        _spectra(before, after, mixing.name_of(at.a, at.b, at.c), _footer(spec))
        _filters(best, named, _footer(spec))
    chrome.text(mixing.words(before, after, at.mixing_alpha))
    _best(spec, best, named)


def _spectra(before: MixedSpectrum, after: MixedSpectrum, words: str, footer: str) -> None:
    sigma, tails = mixing.sigma_table(before, after), mixing.tails_table(before, after)
    if sigma.empty or tails.empty:
        chrome.text("No σ_k of it is above rounding: there is no spectrum to draw.")
        return
    about = About("mixing", f"Spectrum of {words}", footer, sigma)
    chart = partial(spectra_chart, sigma, "σₖ")
    chrome.chart(chart, "mixing", about, rf"**$\sigma_k$** of {words}")
    about = About("mixing-tail", f"Tail of the spectrum of {words}", footer, tails)
    chart = partial(spectra_chart, tails, "Σ σₖ² over k > m")
    chrome.chart(chart, "mixing tail", about, "**What rank m leaves**")


def _filters(search: Filtered, named: str, footer: str) -> None:
    at, table = selection.current(), pd.DataFrame({"c": search.c, "left": search.left})
    about = About("filters", f"{named} of {mixing.name_of(at.a, at.b, 0)}, filtered", footer, table)
    drawn = partial(filters_chart, table, at.c, search.best, named)
    chrome.chart(drawn, "filters", about, "**What a filter in front leaves**, centred")


def _best(spec: CouplingSpec | None, search: Filtered, named: str) -> None:
    """The best filter in front: said, taken by a press, and the way to train behind it."""
    at = selection.current()
    chrome.text(f"{mixing.filter_words(search, named)} {mixing.trained_words()}")
    words = f"Take the best filter, c = {search.best:g}"
    if search.best != at.c:
        take = uninterrupted(selection.change)
        st.button(words, icon=":material/filter_alt:", on_click=take, kwargs={"c": search.best})
    if learned := mixing.learned_instead(spec, at.a, at.b, at.c):
        st.page_link(
            PAGES["train"].file,
            label=f"Train a head on what is left, {mixing.name_of(at.a - at.b * at.c, at.b, 0)}",
            icon=":material/play_circle:",
            query_params=address.linkable({"spec": link_text(learned)}),
        )


def _sliders() -> None:
    def slider(name: str, label: str, low: float, high: float, **more: Any) -> None:
        controls.picture(name, st.slider, label, low, high, step=0.05, **more)

    slider("a", "a, how much of x₁ is mixed in", -2.0, 2.0)
    slider("b", "b, how much of x₂ is left", -2.0, 2.0, help=r"$\rho(x_1,\,a x_1+b x_2)$")
    slider(
        "c",
        "c, of a filter in front",
        *CHOICES,
        help=r"The model is given $x_2+c\,x_1$ in place of $x_2$: $c=a/b$ makes the mixture.",
    )
    slider("mixing_alpha", "α of C₁^(α)", 0.5, 4.0)
    controls.picture(
        "filtered_for",
        st.slider,
        "What the best filter lowers: what rank m leaves (0: C₁^(α))",
        0,
        16,
    )


def _whose() -> None:
    controls.draw(
        st.segmented_control,
        "mixing of",
        MINE if selection.current().coupling else PAPER,
        "coupling",
        (PAPER, MINE),
        required=True,
        on_change=_taken,
        format_func={PAPER: "1 + 2 sin sin", MINE: "mine"}.__getitem__,
        help="ρ = 1 + 2 sin 2πu sin 2πv of App. D.3, or the coupling of the Design page as it is "
        "when this is chosen.",
    )


@uninterrupted
def _taken() -> None:
    """The coupling of the Design page, or the example again."""
    design = specs.of_couplings()
    mine = st.session_state["mixing of"] == MINE
    selection.change(coupling=link_text(design_of(design)) if mine else None)


def _coupling(text: str | None) -> CouplingSpec | None:
    """The coupling of the address; None, the example, where it cannot be read."""
    try:
        return design_of(parse(text)) if text else None
    except SpecError:
        return None


def _footer(spec: CouplingSpec | None) -> str:
    subject = f"spec {spec_id(spec)}" if spec else "ρ = 1 + 2 sin 2πu sin 2πv"
    return f"{subject} · computed, not trained"
