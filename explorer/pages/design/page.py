"""What goes with the picture of a design: what it reports, its exact σ_k, its figures as files; the
parts that open on demand, whose contents are imported once the page's mathematics is unfolded; what
a browser sees that was never here: the picture, some couplings to try, a field for one's own,
the guided tour, while the controls come when they are asked for."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.coupling import singular_values
from explorer.families import FREE_LIST
from explorer.pages.design import controls as coupling
from explorer.pages.design import gallery, parts
from explorer.pages.design.view import CLAIMED, DesignView, latex, schema
from explorer.pages.design.view_drawing import Drawing, spec_changes
from explorer.slow import pd
from explorer.spec import CouplingSpec
from explorer.spec.folded import DIGITS, rounded
from explorer.theory.design import Design
from explorer.ui import (
    address,
    chrome,
    controls,
    exchange,
    mathematics,
    selection,
    specs,
    tour,
    transport,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.opening import FIRST_VISIT, VISITS
from explorer.ui.part import part
from explorer.ui.selection import Selection
from explorer.views import anew
from explorer.views.glossary import explained, typeset

TABLE, TO_OPEN = "exact table", "run to open"
ALL = "all controls"
THEORY, SAMPLED, REPRESENTATION, SEVERAL = "theory", "sampled", "representation", "several"
PARTS = {
    THEORY: ("Theorem 4.1: what it says about this coupling", "functions"),
    SAMPLED: ("σₖ from random tokens", "grain"),
    REPRESENTATION: ("Does every H have such a form?", "all_inclusive"),
    SEVERAL: ("Tokens of several numbers", "grid_view"),
}
"""What each part that opens on demand is called, and its icon."""


def begin() -> tuple[CouplingSpec, Selection]:
    """Call first in the page: the design and its pictures, with what the reader has turned to; what
    a link names is opened."""
    specs.begin()
    selection.current()
    _take_typed()
    if run := st.session_state.pop(TO_OPEN, None):
        address.turn_to("train", run=run, at=None, t=None)
    for picture in ("design", "theorem", "slices"):
        exchange.take(picture, _reported)
    selected = selection.current()
    mathematics.open_for({selected.ff, selected.along} != {None}, THEORY)
    mathematics.open_for(selected.relation is not None, REPRESENTATION)
    several = selected.several is not None or selected.several_from != "formula"
    mathematics.open_for(several, SEVERAL)
    return specs.of_couplings(), selected


def is_first() -> bool:
    """Whether it is a first visit: the address was bare, and nobody has asked for all controls."""
    if tour.NEW not in st.session_state:
        new = st.context.cookies.get(VISITS) == FIRST_VISIT
        st.session_state[tour.NEW] = new and not address.params()
    if st.session_state.get(ALL):
        st.session_state[tour.NEW] = False
    return st.session_state[tour.NEW]


def first_ways_on() -> None:
    """Those of a first visit."""
    if st.button("Show me (2 minutes)", type="primary", key="show me"):
        tour.go_to(1)
    st.button(
        "All controls", key=ALL, type="tertiary", icon=":material/tune:", help="Kept for next time."
    )


def beside_first(spec: CouplingSpec) -> DeltaGenerator:
    """The place of the picture; beside it some of the gallery, and the field for one's own."""
    with st.container(key="first visit"):
        picture, strip = st.columns((4, 1), gap="medium")
    with strip:
        coupling.formula_field(spec, "")
        gallery.strip(spec)
    return picture


def _reported(report: Mapping[str, Any]) -> None:
    """What the reader has changed on a canvas."""
    pictures = {name: report[name] for name in Selection.model_fields if name in report}
    with address.one_step():
        if "edit" in report:
            specs.change(spec_changes(report["edit"]))
        if pictures or "at" in report:
            selection.change(**pictures, **report.get("at", {}))


def opened() -> None:
    """A press on a trained run opens it; a callback, so that the next run of the script turns."""
    run = (st.session_state.get("design") or {}).get("open") or ""
    st.session_state[TO_OPEN] = run.removesuffix(CLAIMED)


def all_controls(spec: CouplingSpec) -> None:
    """Of the sidebar."""
    gallery.choice(spec)
    coupling.controls_of(spec)
    controls.picture("centred", st.toggle, "centred", help=explained("centred"))
    controls.folded("More", _more)


def _more() -> None:
    """m once more, whose handle is below the maps, and which error is wanted."""
    label = "m, terms kept = width $m_h$ of a head"
    controls.field("m_h", st.slider, label, 1, 32, help=explained("rho-m", "m_h"))
    controls.norm("wanted error", {"mse": "nMSE", "mae": "MAE"})
    parts.controls_of()


def ways_on(spec: CouplingSpec) -> None:
    """To have this width trained, and to what the theorem says."""
    pressed = st.button(
        typeset(f"Train at m_h = {spec.m_h} ▸"),
        icon=":material/play_circle:",
        shortcut="T",
        type="primary",
        help="Train a head of this width on this coupling, and watch it.",
    )
    st.button(
        "Theorem 4.1 ↓",
        type="tertiary",
        width="content",
        on_click=_come,
        help="What the paper's bound says about this coupling.",
    )
    if pressed and (run := transport.created(spec)):
        address.turn_to("train", run=run, at=None, t=None)


@uninterrupted
def _come() -> None:
    """The theorem opens, and comes into view."""
    mathematics.unfold()
    st.session_state[THEORY] = True
    chrome.bring(THEORY)


def computed(
    design: Design, view: DesignView, facts: Mapping[str, str], selected: Selection
) -> None:
    """The schema, what is computed of the coupling, and what Theorem 4.1 says of it."""
    from explorer.pages.design import representation, several, theory

    with st.container(key="schema"):
        chrome.steps(schema(design))
        chrome.formulas(latex(design))
    for sentence in filter(None, (view.cliff, view.gauge)):
        chrome.note(sentence)
    chrome.facts(facts)
    _part(THEORY, theory.section, specs.of_couplings(), selected)
    _part(SAMPLED, several.estimates, design, selected.centred)
    _part(REPRESENTATION, representation.section, selected)
    _part(SEVERAL, several.section, design.spec, selected)


def _part(key: str, draw: Callable[..., None], *args: Any) -> None:
    """One that opens on demand; `draw` is called with the `args` where it is open."""
    title, icon = PARTS[key]
    place = st.expander(title, on_change="rerun", key=key, icon=f":material/{icon}:")
    if place.open:
        with place:
            draw(*args)


def exact_table(spec: CouplingSpec) -> None:
    """σ_k to be typed: the second way to edit a spectrum given by bases.

    The table is one and the same for as long as it is open and only it changes σ_k: drawn anew, it
    would swallow what is being typed.
    """
    if spec.formula or spec.grid:
        return
    section = st.expander(
        typeset("Exact values of σ_k"), on_change="rerun", key="exact", icon=":material/table:"
    )
    table = st.session_state.setdefault(TABLE, {"number": 0, "gives": None})
    if not section.open:
        table["gives"] = None  # what was typed into it is forgotten with it
        return
    sigma = singular_values(spec).tolist()
    if spec.sigma is None:  # what leaves a law does so as it is shown
        sigma = rounded(sigma)
    if sigma != table["gives"]:
        table |= {"number": table["number"] + 1, "starts": sigma, "typed": sigma, "gives": sigma}
    with section:
        st.caption("Type a value, or add and delete rows: the spectrum becomes a free list.")
        _editor(table)


def _editor(table: dict[str, Any]) -> None:
    """The values that it starts from, to be typed over."""
    index = pd.RangeIndex(1, len(table["starts"]) + 1, name="k")
    rows = pd.DataFrame({"σ_k": table["starts"]}, index=index)
    st.data_editor(
        rows,
        key=_key(table),
        num_rows="dynamic",
        width="content",
        column_config={
            "σ_k": st.column_config.NumberColumn(
                "σₖ", min_value=0.0, max_value=100.0, format=f"%.{DIGITS}g", required=True
            )
        },
    )


def _key(table: Mapping[str, Any]) -> str:
    return f"exact {table['number']}"


def _take_typed() -> None:
    """What has been typed since the last look. Not a callback: one that the next change cuts short
    is not called again, while a run of the page that is cut short leaves this to the next."""
    table = st.session_state.get(TABLE)
    if table is None or not (edits := st.session_state.get(_key(table))):
        return
    sigma = typed(table["starts"], edits)
    if sigma != table["typed"]:
        if specs.change({"spectrum": FREE_LIST.name, "rank": None, "sigma": sigma}):
            table["gives"] = sigma
        table["typed"] = sigma


def typed(before: Sequence[float], edits: Mapping[str, Any]) -> list[float]:
    """The σ_k of a table that began with those of `before`, after what `st.data_editor` says of
    its edits: changed, deleted and added rows."""
    sigma = dict(enumerate(before))
    sigma |= {int(i): row["σ_k"] for i, row in edits["edited_rows"].items() if "σ_k" in row}
    remaining = [value for i, value in sigma.items() if i not in edits["deleted_rows"]]
    return remaining + [row["σ_k"] for row in edits["added_rows"] if row.get("σ_k") is not None]


@part
def take_home(spec: CouplingSpec, drawing: Drawing) -> None:
    """The specification, the command that computes the same, and every figure with its data."""
    pod = anew.of_coupling(spec, bool(drawing[0]["centred"]))
    chrome.take_home(spec, pod, partial(_figures, spec, drawing), "design")


def _figures(spec: CouplingSpec, drawing: Drawing) -> dict[str, Any]:
    from explorer.pages.design.figures import figures  # charts, made when their menu is opened

    return figures(spec, drawing)
