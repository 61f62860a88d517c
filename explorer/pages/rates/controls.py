"""The sweep of this session: one truth, in the address as `?sweep=` and in the session."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.families import ACTIVATIONS, BASES
from explorer.pages.rates import in_browser
from explorer.runs import sweep_rows
from explorer.runs.database import StoreError
from explorer.spec import (
    DESIGN_FIELDS,
    CouplingSpec,
    SpecError,
    SweepSpec,
    amended,
    design_of,
    link_text,
    spec_id,
)
from explorer.spec.couplings import LARGEST_SET
from explorer.spec.reading import mapping_of
from explorer.targets import coupling_sweep
from explorer.ui import controls, registry, specs
from explorer.ui.address import Linked
from explorer.ui.callbacks import uninterrupted
from explorer.views import sweeps as view
from explorer.views.settings import words_of

DEFAULT = "fig1"
LISTS = {
    "alpha": ("α, decay exponents", r"$\sigma_k=c\,k^{-\alpha}$"),
    "rank": ("r, ranks", "Terms of ρ; ∞ is drawn at 64 terms."),
    "m_h": ("m_h, attention widths", "Width of queries and keys: ρ̂ has rank at most m_h (Eq. 18)."),
    "m_ff": ("m_FF, feed-forward widths", "Width of f̂ and F̂ (Theorem 4.1)."),
    "seed": ("seeds", "Each gives a start and a stream of sequences of its own."),
}
CHOICES = {
    "right_basis": ("ψ_k, right-hand basis", {name: basis.title for name, basis in BASES.items()}),
    "activation": ("activation of f̂", {name: name for name in ACTIVATIONS}),
    "optimizer": ("optimiser", {"soap": "SOAP", "adam": "Adam"}),
}
MINE, TO_SEE = "mine", "sweep to see"
EXAMPLES = {"fig1": "Example: Figure 1"}
"""The shipped sweeps that the page offers to be seen, and what it calls them."""
METHODS = {"independent": "each alone", "top_down": "top-down"}


def _shipped() -> SweepSpec:
    return view.shipped(DEFAULT).sweep


def _parse(text: str) -> tuple[SweepSpec, tuple[str, ...]]:
    """What a link says; where it cannot be read as a whole, Figure 1 and why."""
    try:
        sweep = coupling_sweep(mapping_of(text, "sweep"))
        _build(sweep)
    except StoreError:  # its samples are not here: the page asks for them
        return sweep, ()
    except specs.REFUSED as error:
        lines = (line.removeprefix("sweep: ") for line in specs.reasons(error))
        return _shipped(), (*(f"sweep: {line}" for line in lines), "sweep: Figure 1 in its place")
    return sweep, ()


def _of_the_design() -> SweepSpec:
    """What a page without a sweep in its address opens: the shipped Figure 1 where the coupling of
    this session is in it, trained, else the sweep of that coupling."""
    spec = specs.of_couplings()
    return _shipped() if view.own_target(_shipped(), spec) else _own(spec)


def _own(spec: CouplingSpec) -> SweepSpec:
    """The sweep of a coupling; of one whose samples are not here, as of rank ∞."""
    try:
        rank = specs.design(spec).exact_rank
    except specs.REFUSED:
        rank = None
    return view.sweep_of(spec, rank)


def linked() -> Linked[SweepSpec]:
    """The sweep of this session: that of the address, else that of its coupling."""
    about = design_of(specs.of_couplings())
    return Linked("sweep", _parse, link_text, _of_the_design, about)


def _build(sweep: SweepSpec) -> None:
    """Raise what stands in the way of the sweep, or of one of its couplings."""
    view.check_targets(sweep)
    for member in view.designs_of(sweep).values():
        specs.build(member)


def change(**changes: Any) -> None:
    """Take a changed sweep, if it is valid; else say why, and the last good one stays."""
    try:
        sweep = amended(linked().read(), **changes)
        _build(sweep)
    except specs.REFUSED as error:
        linked().refuse(*specs.reasons(error))
        return
    linked().write(sweep)


def finished(sweep: SweepSpec) -> view.Finished[SweepSpec]:
    """The rows of a sweep: shipped, of this store, or of the reader's browser."""
    if name := view.shipped_name(sweep):
        return view.shipped(name)
    by_id = sweep_rows.read(registry.store(), spec_id(sweep))
    rows = tuple(by_id[key] for key in view.member_ids(sweep) if key in by_id)
    if in_browser.is_chosen(sweep):
        rows = in_browser.rows(sweep)
    return view.Finished(sweep, rows, load_grid=specs.grid_loader())


def choice(sweep: SweepSpec) -> None:
    """Which sweep is shown: a shipped one, one of this store, or the design of this session."""
    stored = _stored()
    options = view.SHIPPED | {key: text for key, (text, _) in stored.items()}
    here = view.shipped_name(sweep) or spec_id(sweep)
    options.setdefault(here, f"this one: {view.described(sweep)}")
    controls.draw(
        st.selectbox,
        "sweep shown",
        here,
        "sweep",
        options,
        format_func=options.__getitem__,
        on_change=_see,
        args=("sweep shown", {key: other for key, (_, other) in stored.items()}),
    )
    st.button(
        "Sweep my design",
        icon=":material/tune:",
        on_click=_sweep_design,
        help="The design and the training settings of the other pages, at several widths.",
        width="stretch",
    )


@uninterrupted
def _see(key: str, stored: Mapping[str, SweepSpec]) -> None:
    """Another sweep was chosen; nothing by a second press on the one that is seen."""
    chosen = st.session_state[key]
    if chosen == MINE:
        _sweep_design()
    elif chosen in view.SHIPPED:
        linked().write(view.shipped(chosen).sweep)
    elif chosen in stored:
        linked().write(stored[chosen])


@uninterrupted
def _sweep_design() -> None:
    try:
        linked().write(_own(specs.of_couplings()))
    except SpecError as error:
        linked().refuse(*error.problems)


def to_see(sweep: SweepSpec) -> None:
    """The coupling of this session, and the shipped figure: which of them is shown, and the way to
    the other."""
    design = specs.of_couplings()
    fields = [name for name in DESIGN_FIELDS if name in ("alpha", "rank", "formula", "grid")]
    offered = {MINE: f"This coupling: {words_of(design, fields)}", **EXAMPLES}
    here = view.shipped_name(sweep)
    own = here not in EXAMPLES and view.own_target(sweep, design) is not None
    controls.draw(
        st.pills,
        TO_SEE,
        MINE if own else here if here in EXAMPLES else None,
        "sweeps to see",
        offered,
        format_func=offered.__getitem__,
        on_change=_see,
        args=(TO_SEE, {}),
        label_visibility="collapsed",
    )


def _stored() -> dict[str, tuple[str, SweepSpec]]:
    """The sweeps of couplings in this store by id, the newest first, less those of another version
    and of too many targets."""
    stored: dict[str, tuple[str, SweepSpec]] = {}
    with suppress(StoreError):
        for key, text, rows in sweep_rows.all_sweeps(registry.store()):
            with suppress(SpecError):
                sweep = coupling_sweep(text)
                view.check_targets(sweep)
                total = len(view.member_ids(sweep))
                share = "" if rows == total else f"{rows} of {total} · "
                stored[key] = f"{share}{view.described(sweep)}", sweep
    return stored


def changes(sweep: SweepSpec) -> None:
    """All that makes a sweep."""
    _lists(sweep)
    controls.folded("More", _settings, sweep)


def _lists(sweep: SweepSpec) -> None:
    """The lists of the sweep as text, and how its models are trained."""
    for name, (label, about) in LISTS.items():
        if name in sweep.idle_fields():
            continue
        key, text = f"sweep {name}", view.numbers_text(getattr(sweep, name))
        about += " As 1, 2, 4 or 1..8."
        controls.draw(
            st.text_input, key, text, label, on_change=_typed, args=(name, key), help=about
        )
    controls.draw(
        st.segmented_control,
        "sweep method",
        sweep.method,
        "training",
        METHODS,
        format_func=METHODS.__getitem__,
        on_change=_set,
        args=("method", "sweep method"),
        required=True,
        width="stretch",
        help="Each model from its own start; or the widest of a target is trained, cut to each "
        r"width (the weighted SVD of $W_Q^\top W_K$ in the metric of $\hat f$) and fine-tuned, "
        "which takes fewer steps in all.",
    )


@uninterrupted
def _typed(name: str, key: str) -> None:
    try:
        change(**{name: view.numbers_of(st.session_state[key])})
    except SpecError as error:
        linked().refuse(*(f"{name}: {problem}" for problem in error.problems))


def _settings(sweep: SweepSpec) -> None:
    """What all models of the sweep share."""
    fields = {
        "steps": ("steps", 1, 1_000_000, 100),
        "fine_tune": ("steps after a cut", 1, 100_000, 100),
        "batch": ("batch, sequences a step", 1, 4096, 8),
        "sequences": ("training sequences, 0 = fresh ones", 0, LARGEST_SET, 32),
    }
    for name, (label, low, high, step) in fields.items():
        if name == "fine_tune" and sweep.method != "top_down":
            continue
        _shared(sweep, name, st.number_input, label, low, high, step=step)
    for name, (label, options) in CHOICES.items():
        _shared(sweep, name, st.selectbox, label, options, format_func=options.__getitem__)


def _shared(sweep: SweepSpec, name: str, widget: Callable, *looks: Any, **kwargs: Any) -> None:
    key, value = f"sweep {name}", getattr(sweep, name)
    controls.draw(widget, key, value, *looks, on_change=_set, args=(name, key), **kwargs)


@uninterrupted
def _set(name: str, key: str) -> None:
    if st.session_state[key] is not None:
        change(**{name: st.session_state[key]})
