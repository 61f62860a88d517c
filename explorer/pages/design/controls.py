"""The controls of a coupling: by singular values and bases, by a formula, by samples."""

from base64 import b64decode
from typing import Any

import streamlit as st

from explorer.coupling import FormulaError, GridError, parse_formula
from explorer.coupling.grid import MAX_BYTES
from explorer.families import BASES, FREE_LIST, PARAMETERS, SPECTRA, Spectrum
from explorer.pages.design.view import formula_notes
from explorer.runs.costs import MEGA
from explorer.runs.database import StoreError
from explorer.spec import DESIGN_FIELDS, PART_FIELDS, CouplingSpec
from explorer.spec.folded import rounded
from explorer.ui import chrome, controls, formulas, page_visit, registry, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.components import registered
from explorer.ui.words import as_code
from explorer.views.glossary import GLOSSARY, explained

_DROP = registered("drop")
MOST_OF_A_MESSAGE = 2_500_000
"""Bytes of a file that fit, in base64, into what a visitor's page says at once (guard.py)."""
LONGEST_NAME = 255  # characters that are kept of a dropped file's name
WAYS = {"spectrum": "bases", "formula": "formula", "samples": "file"}
RANKS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, None)
EXAMPLE = "-8*(u - v)**2"
FIELD = "field formula"
OF_PSI = (
    "Without the constant, which softmax cannot see. The half shift keeps the pairs $s=t$ from "
    r"adding up coherently: with $\psi=\phi$, $\rho(u,u)=\sum_k\sigma_k\phi_k(u)^2$ hides the rate."
)


def controls_of(spec: CouplingSpec) -> None:
    """ρ in one of three ways: by singular values and bases, by a formula, by samples."""
    way = "formula" if spec.formula else "samples" if spec.grid else "spectrum"
    if st.session_state.get("way seen") != (way, spec.formula, spec.grid):
        st.session_state["way seen"] = (way, spec.formula, spec.grid)
        st.session_state["way"] = way
    st.session_state["way"] = st.session_state.get("way") or way  # a page turn drops it
    st.segmented_control(
        "ρ(u, v) from",
        WAYS,
        format_func=WAYS.__getitem__,
        key="way",
        on_change=_turn,
        required=True,
        width="stretch",
        help=explained("pod", more="Or by a formula in u and v, or by a file of samples."),
    )
    {"formula": formula_field, "samples": _samples}.get(st.session_state["way"], _spectrum)(spec)
    controls.field("tau", st.slider, "τ, sequence length", 2, 64, help=explained("tau"))


@uninterrupted
def _turn() -> None:
    """Another way was chosen; samples wait for a file."""
    way = st.session_state["way"]
    if way == "spectrum":
        specs.change({"formula": None, "grid": None})
    elif way == "formula":
        specs.change(_given(formula=EXAMPLE))
        chrome.bring(FIELD)


def _given(**given: str) -> dict[str, Any]:
    """A coupling by formula or grid, with the spectrum and bases, now without effect, at their
    defaults: one target has one id."""
    plain = CouplingSpec()
    in_effect = {"tau", *PART_FIELDS}
    return {name: getattr(plain, name) for name in DESIGN_FIELDS if name not in in_effect} | given


def _spectrum(spec: CouplingSpec) -> None:
    controls.draw(
        st.selectbox,
        "field spectrum",
        spec.spectrum,
        "spectrum σ_k",
        SPECTRA,
        format_func=lambda name: SPECTRA[name].title,
        on_change=_family,
        help=explained("sigma"),
    )
    if SPECTRA[spec.spectrum].law:
        _law(SPECTRA[spec.spectrum])
    else:
        _free_list(spec)
    for name, label, about in (
        ("left_basis", "φ_k(u)", explained("phi-psi")),
        ("right_basis", "ψ_k(v)", OF_PSI),
    ):
        controls.field(
            name, st.selectbox, label, [*BASES], format_func=lambda k: BASES[k].title, help=about
        )


def _law(spectrum: Spectrum) -> None:
    """The numbers of a law, and where it ends."""
    for name in spectrum.fields:
        at = PARAMETERS[name]
        about = explained(name) if name in GLOSSARY else at.help
        controls.field(name, st.slider, at.label, at.low, at.high, step=at.step, help=about)
    controls.choice(
        "rank",
        "r, rank",
        RANKS,
        format_func=lambda r: "∞" if r is None else str(r),
        help=explained("rank", more="∞ is cut at 64 terms."),
    )


@uninterrupted
def _family() -> None:
    """Another spectrum; a free list starts from the values of the one before."""
    family = st.session_state["field spectrum"]
    spec = specs.of_couplings()
    changes = {"spectrum": family, "sigma": None}
    if family == FREE_LIST.name:
        shown = specs.design(spec).decomposition(centred=False).sigma
        sigma = rounded([s for s in shown[:8] if s > 1e-6], 4) or [1.0]
        changes |= {"sigma": sigma, "rank": None}  # a rank would cut the list unseen
    specs.change(changes)


def _free_list(spec: CouplingSpec) -> None:
    key = "field sigma"
    st.text_input(
        "σ₁, σ₂, …",
        controls.show_text(key, ", ".join(map(repr, spec.sigma or ()))),
        key=key,
        on_change=_list_typed,
        args=(key,),
        help="Up to 64 numbers from 0 to 100, by commas or spaces.",
    )


@uninterrupted
def _list_typed(key: str) -> None:
    try:
        sigma = [float(word) for word in st.session_state[key].replace(",", " ").split()]
    except ValueError as error:
        specs.refuse(f"sigma: numbers are needed, {error}")
        return
    specs.change({"sigma": sigma})


def formula_field(spec: CouplingSpec, otherwise: str = EXAMPLE) -> None:
    """The field of ρ as a formula; it holds another text where ρ is given in another way."""
    formulas.field(
        FIELD,
        "ρ(u, v) =",
        spec.formula or otherwise,
        formula_notes,
        _formula_typed,
        formulas.COUPLING,
    )


def refusal(spec: CouplingSpec) -> tuple[str, FormulaError] | None:
    """The text that was typed for the formula of a specification and not taken, and why."""
    return formulas.refusal(FIELD, spec.formula)


@uninterrupted
def _formula_typed(key: str) -> None:
    before = specs.of_couplings().formula or ""
    formula = formulas.read(key, before, ("u", "v"), parse_formula)
    if formula is not None:
        specs.change(_given(formula=formula))


def _samples(spec: CouplingSpec) -> None:
    file = page_visit.uploader(
        "samples of ρ",
        type=["npy", "csv"],
        max_upload_size=20,
        key="samples",
        help="Rows are u, columns v, at cell centres (i+½)/N; 2 to 512 each way, bilinear between.",
    )
    if file is None:
        if spec.grid:
            name = registry.store().grid_name(spec.grid)
            st.caption(f"{as_code(name or spec.grid[:12] + '…')}, kept in the store")
        return
    if file.file_id == st.session_state.get("samples taken"):
        return
    _take(file.getvalue(), file.name)  # again where the next press cuts it short
    st.session_state["samples taken"] = file.file_id
    st.rerun()


def dropped() -> None:
    """Samples may be dropped anywhere on the page. Call it last: nothing is drawn but while a file
    is held over the page."""
    most = MOST_OF_A_MESSAGE if registry.is_public() else MAX_BYTES
    upload: Any = _DROP(key="drop", data={"most": most}, on_file_change=lambda: None).get("file")
    if file := file_of(upload):
        data, name = file
        if data or not upload.get("size"):
            _take(data, name)
        else:
            room = f"the {most / MEGA:g} MB that can be dropped"
            specs.refuse(f"{name}: more than {room}; choose it as the samples of ρ instead")
        st.rerun()


def file_of(upload: Any) -> tuple[bytes, str] | None:
    """Bytes and name of a file as the browser says them, in base64; None for anything else. Halves
    of characters, which JSON can hold and nothing else can, are shown as ?."""
    try:
        name = str(upload["name"])[-LONGEST_NAME:].encode("utf-8", "replace").decode()
        return b64decode(upload["data"], validate=True), name
    except (KeyError, TypeError, ValueError):
        return None


def _take(data: bytes, name: str) -> None:
    """The samples of a file become the coupling; where they cannot, it stays and why is said."""
    try:
        sha = registry.store().put_grid(page_visit.grid(data, name), name)
    except (GridError, StoreError) as error:
        specs.refuse(f"{name}: {error}")
    else:
        specs.change(_given(grid=sha))
