"""The Order page: a target reordered and filtered by hand, its floors, what has been trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from explorer.families import KERNELS
from explorer.runs.record import Record, RunRow
from explorer.spec import CouplingSpec, LinearSpec, amended, spec_id
from explorer.targets import PRESETS
from explorer.targets.coupling import altered_words
from explorer.theory.propositions import Verdict
from explorer.ui import (
    chrome,
    components,
    controls,
    live,
    order_known,
    order_mixing,
    selection,
    shown_run,
    state,
    transport,
)
from explorer.views import mixing, sequences
from explorer.views import order as view
from explorer.views import order_trained as known
from explorer.views.glossary import explained

PICTURE = "order picture"
MIXING = "Mix a coupling by hand, and undo it"
SCROLL_REQUEST = "order scroll request"
MODELS = {"rnn": "linear RNN", "transformer": "Transformer"}
STEPS = (300, 600, 1000, 2000, 3000, 5000)
HIDDEN = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128)
WITH_CONVOLUTION = "asset-order-filter-conv"


# What is learned


def controls_of(spec: LinearSpec | CouplingSpec) -> None:
    """The sidebar: the kernel, who learns it, and how."""
    with st.sidebar:
        if spec.has_coupling:
            _coupling(spec)
        else:
            _linear(spec)
        controls.choice("steps", "steps", STEPS, help="One step is one update of the parameters.")
        controls.field(
            "seed",
            st.number_input,
            "seed",
            0,
            2**31 - 1,
            step=1,
            help=explained("seed"),
        )
        controls.folded("More", _more, spec)


def _linear(spec: LinearSpec) -> None:
    controls.show("order kernel", spec.kernel)
    st.selectbox(
        "kernel ρ(s)",
        KERNELS,
        format_func=lambda name: KERNELS[name].title,
        key="order kernel",
        on_change=_kernel,
        help=r"$y_t=\sum_{s\le t}\rho(s)\,x(t-s)$ with $x\sim U[0,1]$ (Eq. 75).",
    )
    for name in KERNELS[spec.kernel].fields:
        _kernel_field(name, spec)
    controls.field("tau", st.slider, "τ, sequence length", 4, 64)
    controls.field(
        "model",
        st.segmented_control,
        "who learns it",
        list(MODELS),
        format_func=MODELS.get,
        required=True,
        width="stretch",
        help="The RNN's error is exact: no sequences are drawn. The Transformer gets x and its "
        "place as cos, sin 2πjt/τ.",
    )
    if spec.model == "rnn":
        controls.choice("hidden", "hidden units", HIDDEN, help="n exponentials in its kernel.")
    else:
        controls.field(
            "conv",
            st.slider,
            "taps of a learnable convolution in front",
            0,
            9,
            help="Causal, learned with the rest: it can undo a filter before attention sees it. "
            "0 is none.",
        )


def _kernel() -> None:
    """Another family; what another one needs starts from an example."""
    family = st.session_state["order kernel"]
    none = {name: None for kernel in KERNELS.values() for name in kernel.example}
    state.change(none | {"kernel": family, **KERNELS[family].example})


def _kernel_field(name: str, spec: LinearSpec) -> None:
    """The control of a field that a kernel reads."""
    match name:
        case "rate":
            controls.field(name, st.slider, "rate", 0.0, 4.0, step=0.05)
        case "alpha":
            controls.field(name, st.slider, "α", 0.1, 4.0, step=0.05)
        case "kernel_seed":
            controls.field(name, st.number_input, "kernel seed", 0, 2**31 - 1, step=1)
        case "taps":
            _text(name, "ρ(0), ρ(1), …", ", ".join(f"{tap:.6g}" for tap in spec.taps))
        case "formula":
            _text(name, "ρ(s) =", spec.formula)
        case _:
            raise KeyError(f"{name}: no control of this field of a kernel")


def _text(name: str, label: str, text: str) -> None:
    key = f"order {name}"
    controls.show_text(key, text)
    st.text_input(label, key=key, on_change=_typed, args=(name, key), max_chars=1000)


def _typed(name: str, key: str) -> None:
    text = st.session_state[key]
    if name == "formula":
        state.change({"formula": text})
        return
    try:
        state.change({"taps": [float(word) for word in text.replace(",", " ").split()]})
    except ValueError as error:
        state.refuse(f"taps: numbers are needed, {error}")


def _coupling(spec: CouplingSpec) -> None:
    """An altered target of Eq. 8; its coupling is made on the Design page."""
    st.caption(
        f"A coupling (Eq. 8), {', '.join(altered_words(spec))}. The Design page makes "
        "couplings; here they are altered."
    )
    controls.field("m_h", st.slider, "m_h, width of queries and keys", 1, 32)
    controls.field("tau", st.slider, "τ, sequence length", 2, 64)
    st.button("Back to linear targets", on_click=_back, key="linear targets")


def _back() -> None:
    state.replace(PRESETS["table2"][1], run=None, at=None)


def _more(spec: LinearSpec | CouplingSpec) -> None:
    controls.field("permutation_seed", st.number_input, "seed of a random order", 0, 2**31 - 1)
    controls.field("filter_seed", st.number_input, "seed of a random filter", 0, 2**31 - 1)
    controls.field("filter_length", st.number_input, "taps of a named filter", 1, 64)
    controls.choice("lr", "learning rate", controls.RATES, format_func=lambda rate: f"{rate:g}")
    controls.field("optimizer", st.selectbox, "optimiser", ["soap", "adam"])
    if not spec.linear or spec.model == "transformer":
        controls.field("batch", st.number_input, "batch, fresh sequences a step", 1, 4096, step=8)
        controls.field("m_ff", st.number_input, "m_FF, width of f̂ and F̂", 1, 1024, step=16)


# The main panel


@st.fragment
def main_panel() -> None:
    """Question, pictures, buttons, verdict: redrawn at a turn of the run."""
    rev = components.take(PICTURE, "alteration", _altered)
    if st.session_state.pop("started", False) or st.session_state.pop("altered", False):
        st.rerun()
    spec, (run, row) = state.current(), transport.opening("view")
    runs, sweeps = order_known.runs(), order_known.sweeps()
    trained = order_known.trained_on(spec, runs, row.run, sweeps)
    chrome.verdict(view.verdict(spec, trained) if spec.linear else sequences.verdict(row), lines=3)
    transport.buttons(run, row, pins=False)
    header = _picture(spec, run, row, trained, rev, runs)
    if spec.filter is not None:
        chrome.note(view.CONVENTIONS[spec.filter_mode])
    transport.apart(row)
    transport.remarks(row)
    verdicts = view.propositions(
        spec, trained, order_known.trained_on(view.in_order(spec), runs, row.run, sweeps)
    )
    transport.take_home(
        run, row, shown_run.selected_step_and_token()[0], partial(_figures, header, verdicts)
    )
    _paper(spec, trained, verdicts)


def _picture(
    spec: LinearSpec | CouplingSpec,
    run: str,
    row: RunRow,
    trained: Sequence[known.Trained],
    rev: int,
    runs: Mapping[str, RunRow],
) -> dict[str, Any]:
    """Draw the component, and return what it is given."""
    feed, same = transport.feed(run, row), known.same_target(row.spec, spec)
    header = view.scene(spec, feed, trained, same, rev, _beside(row, runs) if same else None)
    header["brought"] = st.session_state.get(SCROLL_REQUEST, 0)
    components.order(header, key=PICTURE, on_look=partial(transport.save_selection, PICTURE))
    return header


def _figures(
    header: Mapping[str, Any], verdicts: Sequence[Verdict], record: Record, step: int | None
) -> dict[str, Any]:
    """The pictures of the page, from what the component is given, and the propositions."""
    from explorer.ui import order_figures  # Altair
    from explorer.views.order_tables import Shown

    return order_figures.figures(Shown(header, record, step), verdicts)


def _beside(row: RunRow, runs: Mapping[str, RunRow]) -> dict[str, Any] | None:
    """The run to compare with: with a learned convolution in front, or without one."""
    name = known.counterpart(row, runs)
    with suppress(live.StreamError):
        return name and known.beside(live.open_stream(name).record)
    return None  # it has just been deleted


def _altered(said: dict[str, Any]) -> None:
    """The reader let go of a token, a tap or a choice."""
    st.session_state["altered"] = True
    state.change(view.changes(said))  # what is refused is said, and the target stays as it was


# What else is known


LABELS = {
    "predicted": "predicted",
    "observed": "✓ observed",
    "disagrees": "✕ disagrees",
    "not yet comparable": "not yet comparable",
}


def _paper(
    spec: LinearSpec | CouplingSpec, trained: Sequence[known.Trained], verdicts: Sequence[Verdict]
) -> None:
    """The propositions, measures, units an RNN needs: they follow what is being trained."""
    st.subheader("What the paper says, and the numbers", anchor=False)
    for each in verdicts:
        chrome.text(f"**Prop. {each.name}** · {LABELS[each.label]} · {each.sentence}")
    controls.folded("Tables 2 and 3, measured beside printed", _tables)
    if spec.linear:
        controls.folded("Complexity measures C₁, C₂, C_RNN (Eq. 76 to 78)", _measures, spec)
        controls.folded("RNN error against hidden units (App. D.1)", _units, spec, trained)


def details() -> None:
    """Filters of each sign, content queries, mixing: what does not change with the target."""
    st.subheader("Is a signed filter harder than a positive one?", anchor=False)
    _signs()
    st.subheader("Does another order leave a coupling as easy? (Prop. 6.2)", anchor=False)
    _content()
    st.subheader("How does mixing move a spectrum? (App. D.3)", anchor=False)
    st.markdown(mixing.D3_NOTE)
    if selection.current() != selection.Mixing():  # a link says how it is mixed
        st.session_state.setdefault(f"unfolded {MIXING}", True)
    controls.folded(MIXING, order_mixing.panel)


def _tables() -> None:
    from explorer.views import order_shipped

    table = order_shipped.tables()
    _table(table, "order-tables", "Tables 2 and 3, measured beside printed")
    st.caption(
        "5.58 and 5.24 are about the error of a constant: a training failure, since a linear RNN "
        "of 128 units represents every kernel of length 32. The literal block exchange leaves a "
        "time-invariant RNN 0.0526, so that 0.0357 needs another reading (a roll leaves 0.0301). "
        f"{order_shipped.printed_filter()}"
    )
    st.code("python -m explorer reproduce table2", language=None)


def _table(table: Any, name: str, title: str, of: LinearSpec | None = None) -> None:
    """A table, whole, with its export menu."""
    from explorer.charts.tables import table_chart
    from explorer.ui.exports import About, menu, of_design

    footer = of_design(of) if of else "trained, medians; floors computed · assets/order-table*.csv"
    menu(partial(table_chart, table), title, About(name, title, footer, table))
    st.dataframe(table, hide_index=True, height="content", alt=title)


def _measures(spec: LinearSpec) -> None:
    _table(view.measures(spec), f"{spec_id(spec)}-measures", "Complexity measures", of=spec)
    st.caption(
        "Eq. 76 as printed has 1 + γ; then C_RNN ≥ (1 + γ)|ρ(0)|, and C_RNN ≤ γ of Prop. 6.3 never "
        "holds where ρ(0) = 1. The corrected reading is C₁ = γ. γ is that of the family; of a "
        "formula it is a straight line through log|ρ| on the window. An order, or a filter that "
        "reads ahead, leaves no kernel: ∞."
    )


def _units(spec: LinearSpec, trained: Sequence[known.Trained]) -> None:
    from explorer.charts.order import law_chart, units_chart
    from explorer.ui.exports import About, of_design

    errors, law = view.states(spec, trained)
    left, right = st.columns(2)
    footer = of_design(spec).replace("not trained", "but for the trained RNNs")
    with left:
        about = About("rnn-units", "RNN error against hidden units", footer, errors)
        chrome.chart(partial(units_chart, errors), "rnn units", about, "**MSE against units**")
    with right:
        about = About("rnn-law", "L¹ error of the kernel beside App. D.1", footer, law)
        chrome.chart(partial(law_chart, law), "rnn law", about, "**L¹ error**")
    st.caption(
        "The best kernel of n exponentials is searched by variable projection; what no kernel of "
        "n states can be below is Eckart and Young's bound on its Hankel matrix. In the norm "
        "Σ|k̂ − ρ|, which bounds mean |ŷ − y|, n states that keep the first n taps leave "
        "Σ_{s≥n}|ρ(s)|: a bound on the least error. d·C_RNN/m of App. D.1 is none: it leaves out a "
        "constant factor, and kernels of signed filters lie above it. C_RNN here is "
        "min_β β·max e^{t/β}|ρ(t)| over the window, finite for every kernel. Every trained RNN is "
        "a point, one for each seed, those of a sweep on this target among them."
    )
    st.code("python -m explorer sweep order-units-power", language=None)


def _signs() -> None:
    from explorer.views import order_shipped  # pandas

    found = order_shipped.signs()
    st.markdown(found.sentence)
    st.caption(found.convolution)
    st.button(
        "A signed filter, with and without",
        icon=":material/compare_arrows:",
        key="show convolution",
        on_click=_show,
        args=(WITH_CONVOLUTION,),
        help="The same filter, learned with a convolution in front and without one.",
    )
    controls.folded("Every trained model, a point each", _points, found)


def _show(shipped: str) -> None:
    """Show a shipped run and its target."""
    _bring(shown_run.find(shipped).spec)


def _bring(spec: LinearSpec | CouplingSpec) -> None:
    """Another target, asked for further down the page: its pictures come into view."""
    state.replace(spec, run=None, at=None)
    st.session_state[SCROLL_REQUEST] = st.session_state.get(SCROLL_REQUEST, 0) + 1


def _points(found: Any) -> None:
    from explorer.charts.order import errors_chart
    from explorer.ui.exports import About

    about = About("order-filters", "Filters of each sign", found.footer, found.points)
    chrome.chart(
        lambda p: errors_chart(found.points, found.marks, p).properties(height=230),
        "order filters",
        about,
        "**1 − R²**, a point each trained model",
    )


def _content() -> None:
    from explorer.views import order_shipped

    st.markdown(order_shipped.content())
    with st.container(horizontal=True):
        st.button(
            "Alter this coupling here",
            icon=":material/swap_horiz:",
            key="alter coupling",
            on_click=_alter,
            args=(PRESETS["prop62"][1],),
        )
        st.button(
            "Alter that of the Design page",
            icon=":material/swap_horiz:",
            key="alter design",
            on_click=_alter,
        )


def _alter(spec: CouplingSpec | None = None) -> None:
    """Show an altered coupling: this one, or that of the Design page in reverse order."""
    design = state.of_couplings()
    _bring(spec or amended(design, permutation="reverse", positions=8))
