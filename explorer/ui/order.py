"""The Order page: a target reordered and filtered by hand, its floors, what has been trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import PRESETS, CouplingSpec, LinearSpec, SpecError, amended
from explorer.ui import components, controls, frame, live, registry, state, transport
from explorer.views import mixing, sequences
from explorer.views import order as view

PICTURE = "order picture"
BROUGHT = "order brought"
READ = 300  # newest runs of the store that are looked through for the same target
KERNELS = {
    "exponential": "e^(−rate·s)", "power": "(s+1)^−α", "random": "random, U[0, 1]",
    "taps": "taps", "formula": "formula in s",
}  # fmt: skip
MODELS = {"rnn": "linear RNN", "transformer": "Transformer"}
STEPS = (300, 600, 1000, 2000, 3000, 5000)
HIDDEN = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128)
WITH_CONVOLUTION = "asset-order-filter-conv"
EXAMPLE = "cos(s) * exp(-s / 4)"


# What is learned


def controls_of(spec: LinearSpec | CouplingSpec) -> None:
    """The sidebar: the kernel, who learns it, and how."""
    with st.sidebar:
        if isinstance(spec, CouplingSpec):
            _coupling(spec)
        else:
            _linear(spec)
        controls.choice("steps", "steps", STEPS, help="One step is one update of the parameters.")
        controls.field("seed", st.number_input, "seed", 0, 2**31 - 1, step=1,
                       help="Of the start and of the sequences.")  # fmt: skip
        controls.folded("More", _more, spec)


def _linear(spec: LinearSpec) -> None:
    controls.show("order kernel", spec.kernel)
    st.selectbox(
        "kernel ρ(s)", KERNELS, format_func=KERNELS.get, key="order kernel", on_change=_kernel,
        help=r"$y_t=\sum_{s\le t}\rho(s)\,x(t-s)$ with $x\sim U[0,1]$ (Eq. 75).",
    )  # fmt: skip
    _kernel_numbers(spec)
    controls.field("tau", st.slider, "τ, sequence length", 4, 64)
    controls.field(
        "model", st.segmented_control, "who learns it", list(MODELS), format_func=MODELS.get,
        required=True, width="stretch",
        help="The RNN's error is exact: no sequences are drawn. The Transformer gets x and its "
        "place as cos, sin 2πjt/τ.",
    )  # fmt: skip
    if spec.model == "rnn":
        controls.choice("hidden", "hidden units", HIDDEN, help="n exponentials in its kernel.")
    else:
        controls.field(
            "conv", st.slider, "taps of a learnable convolution in front", 0, 9,
            help="Causal, learned with the rest: it can undo a filter before attention sees it. "
            "0 is none.",
        )  # fmt: skip


def _kernel() -> None:
    """Another family; what another one needs starts from an example."""
    family = st.session_state["order kernel"]
    given: dict[str, Any] = {"kernel": family, "taps": None, "formula": None}
    if family == "formula":
        given["formula"] = EXAMPLE
    elif family == "taps":
        given["taps"] = [1.0, 0.5, 0.25]
    state.change(given)


def _kernel_numbers(spec: LinearSpec) -> None:
    match spec.kernel:
        case "exponential":
            controls.field("rate", st.slider, "rate", 0.0, 4.0, step=0.05)
        case "power":
            controls.field("alpha", st.slider, "α", 0.1, 4.0, step=0.05)
        case "random":
            controls.field("kernel_seed", st.number_input, "kernel seed", 0, 2**31 - 1, step=1)
        case "taps":
            _text("taps", "ρ(0), ρ(1), …", ", ".join(f"{tap:.6g}" for tap in spec.taps))
        case "formula":
            _text("formula", "ρ(s) =", spec.formula)


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
        f"A coupling (Eq. 8), {', '.join(sequences.altered_words(spec))}. The Design page makes "
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
    if not isinstance(spec, LinearSpec) or spec.model == "transformer":
        controls.field("batch", st.number_input, "batch, fresh sequences a step", 1, 4096, step=8)
        controls.field("m_ff", st.number_input, "m_FF, width of f̂ and F̂", 1, 1024, step=16)


# The stage


@st.fragment
def stage() -> None:
    """Pictures, buttons, verdict: redrawn when a run changes its status."""
    rev = components.take(PICTURE, "alteration", _altered)
    if st.session_state.pop("started", False) or st.session_state.pop("altered", False):
        st.rerun()
    with st.container():  # always there, so that a message moves nothing
        transport.explain_unknown()
    spec, (run, row) = state.current(), transport.shown()
    transport.buttons(run, row, pins=False)
    runs = _runs()
    trained = _trained(spec, runs, row)
    _picture(spec, run, row, trained, rev, runs)
    linear = isinstance(spec, LinearSpec)
    frame.verdict(view.verdict(spec, trained) if linear else sequences.verdict(row))
    if spec.filter is not None:
        st.caption(view.CONVENTIONS[spec.filter_mode])
    transport.remarks(row)
    transport.take_home(run, row, transport.looked()[0])


def _picture(
    spec: LinearSpec | CouplingSpec, run: str, row: RunRow, trained: Sequence[view.Trained],
    rev: int, runs: Mapping[str, RunRow],
) -> None:  # fmt: skip
    feed, same = transport.feed(run, row), view.same_target(row.spec, spec)
    header = view.scene(spec, feed, trained, same, rev, _beside(row, runs) if same else None)
    header["brought"] = st.session_state.get(BROUGHT, 0)
    components.order(header, key=PICTURE, on_look=partial(transport.note_look, PICTURE))


def _beside(row: RunRow, runs: Mapping[str, RunRow]) -> dict[str, Any] | None:
    """The run to compare with: with a learned convolution in front, or without one."""
    name = view.counterpart(row, runs)
    with suppress(live.Refused):
        return name and view.beside(live.open_feed(name).record)
    return None  # it has just been deleted


def _trained(
    spec: LinearSpec | CouplingSpec, runs: Mapping[str, RunRow], row: RunRow
) -> list[view.Trained]:
    """What has been trained on a target: the run shown, others, shipped rows, printed values."""
    from explorer.views import order_shipped

    return view.comparable(spec, runs.values(), row.run) + order_shipped.trained(spec)


def _runs() -> dict[str, RunRow]:
    """The run shown, the shipped ones and the newest of the store by name, each once."""
    run, row = transport.shown()
    found = {run: row} | transport.shipped_rows()
    with suppress(StoreError):
        found |= {each.run: each for each in registry.store().list(READ)}
    once = {each.run: name for name, each in found.items()}  # a shipped run may be in the store too
    return {name: found[name] for name in once.values()}


def _altered(said: dict[str, Any]) -> None:
    """The reader let go of a token, a tap or a choice."""
    st.session_state["altered"] = True
    state.change(view.changes(said))  # what is refused is said, and the target stays as it was


# What else is known


def more() -> None:
    """Propositions, units an RNN needs, filters of each sign, content queries, mixing."""
    spec = state.current()
    st.subheader("What the paper says, and the numbers", anchor=False)
    _propositions(spec)
    if isinstance(spec, LinearSpec):
        controls.folded("Complexity measures C₁, C₂, C_RNN (Eq. 76 to 78)", _measures, spec)
        controls.folded("RNN error against hidden units (App. D.1)", _units, spec)
    st.subheader("Is a signed filter harder than a positive one?", anchor=False)
    _signs()
    st.subheader("Does another order leave a coupling as easy? (Prop. 6.2)", anchor=False)
    _content()
    st.subheader("How does mixing move a spectrum? (App. D.3)", anchor=False)
    st.markdown(mixing.D3_NOTE)
    controls.folded("Mix a coupling by hand, and undo it", _mixing)


LABELS = {"predicted": "predicted", "observed": "✓ observed", "disagrees": "✕ disagrees"}


def _propositions(spec: LinearSpec | CouplingSpec) -> None:
    _, row = transport.shown()
    runs = _runs()
    plain = view.best_of(_trained(view.in_order(spec), runs, row), "transformer")
    found = view.propositions(spec, _trained(spec, runs, row), plain and plain.nmse)
    for each in found:
        st.markdown(f"**Prop. {each.name}** · {LABELS[each.label]} · {each.sentence}")
    controls.folded("Tables 2 and 3, measured beside printed", _tables)


def _tables() -> None:
    from explorer.views import order_shipped

    table = order_shipped.tables()
    st.dataframe(table, hide_index=True, height="content", alt="Tables 2 and 3")
    st.caption(
        "5.58 and 5.24 are about the error of a constant: a training failure, since a linear RNN "
        "of 128 units represents every kernel of length 32. The literal block exchange leaves a "
        "time-invariant RNN 0.0526, so that 0.0357 needs another reading (a roll leaves 0.0301). "
        "The paper's filter is not given: its value stands beside the signed ones."
    )
    st.code("python -m explorer reproduce table2", language=None)


def _measures(spec: LinearSpec) -> None:
    st.dataframe(view.measures(spec), hide_index=True, alt="Complexity measures")
    st.caption(
        "Eq. 76 as printed has 1 + γ; then C_RNN ≤ γ of Prop. 6.3 cannot hold for small γ. The "
        "corrected reading is C₁ = γ. An order, or a filter that reads ahead, leaves no kernel: ∞."
    )


def _units(spec: LinearSpec) -> None:
    from explorer.charts.order import law_chart, units_chart
    from explorer.ui.exports import About, of_design

    errors, law = view.states(spec, _runs().values())
    left, right = st.columns(2)
    footer = of_design(spec)
    with left:
        about = About("rnn-units", "RNN error against hidden units", footer, errors)
        frame.chart(partial(units_chart, errors), "rnn units", about, "**MSE against units**")
    with right:
        about = About("rnn-law", "L¹ error of the kernel against App. D.1", footer, law)
        frame.chart(partial(law_chart, law), "rnn law", about, "**L¹ error**")
    st.caption(
        "The best kernel of n exponentials is searched by variable projection; the lower line is "
        "what no kernel of n states can be below (Eckart and Young on its Hankel matrix). Its "
        "error falls much faster than the d·C_RNN/m of App. D.1, an upper bound of Σ|k̂ − ρ| and so "
        "of mean |ŷ − y|, where the trained RNNs are drawn; C_RNN here is "
        "min_β β·max e^{t/β}|ρ(t)| over the window, finite for every kernel."
    )


def _signs() -> None:
    from explorer.views import order_shipped  # pandas

    found = order_shipped.signs()
    st.markdown(found.sentence)
    st.caption(found.convolution)
    st.button(
        "A signed filter, with and without", icon=":material/compare_arrows:",
        key="show convolution", on_click=_show, args=(WITH_CONVOLUTION,),
        help="The same filter, learned with a convolution in front and without one.",
    )  # fmt: skip
    controls.folded("Every trained model, a point each", _points, found)


def _show(shipped: str) -> None:
    """Show a shipped run and its target."""
    _bring(transport.find(shipped).spec)


def _bring(spec: LinearSpec | CouplingSpec) -> None:
    """Another target, asked for further down the page: its pictures come into view."""
    state.replace(spec, run=None, at=None)
    st.session_state[BROUGHT] = st.session_state.get(BROUGHT, 0) + 1


def _points(found: Any) -> None:
    from explorer.charts.order import errors_chart
    from explorer.ui.exports import About

    about = About("order-filters", "Filters of each sign", found.footer, found.points)
    frame.chart(
        lambda p: errors_chart(found.points, found.marks, p).properties(height=230),
        "order filters", about, "**1 − R²**, a point each trained model",
    )  # fmt: skip


def _content() -> None:
    from explorer.views import order_shipped

    st.markdown(order_shipped.content())
    with st.container(horizontal=True):
        st.button("Alter this coupling here", icon=":material/swap_horiz:", key="alter coupling",
                  on_click=_alter, args=(PRESETS["prop62"][1],))  # fmt: skip
        st.button("Alter that of the Design page", icon=":material/swap_horiz:",
                  key="alter design", on_click=_alter)  # fmt: skip


def _alter(spec: CouplingSpec | None = None) -> None:
    """Show an altered coupling: this one, or that of the Design page in reverse order."""
    design = st.session_state.get(state.SPEC, PRESETS["design"][1])
    _bring(spec or amended(design, permutation="reverse", positions=8))


@st.fragment
def _mixing() -> None:
    from explorer.charts.order import spectra_chart, tails_chart
    from explorer.coupling import CouplingError
    from explorer.ui.exports import About

    left, right = st.columns([1, 2], gap="medium")
    with left:
        a, b, c, alpha = _sliders()
        whose = st.segmented_control(
            "coupling", ("paper", "mine"), default="paper", required=True, key="mixing of",
            format_func={"paper": "1 + 2 sin sin", "mine": "mine"}.get,
            help="ρ = 1 + 2 sin 2πu sin 2πv of App. D.3, or the coupling of the Design page.",
        )  # fmt: skip
    spec = st.session_state.get(state.SPEC, PRESETS["design"][1]) if whose == "mine" else None
    try:
        before, after = mixing.spectrum(spec, 0, 1, 0, alpha), mixing.spectrum(spec, a, b, c, alpha)
    except (CouplingError, SpecError) as error:
        right.warning(f"Not mixed: {error}", icon=":material/warning:")
        return
    sigma, tails = mixing.sigma_table(before, after), mixing.tails_table(before, after)
    words, footer = mixing.name_of(a, b, c), "computed, not trained"
    with right:
        about = About("mixing", f"Spectrum of {words}", footer, sigma)
        frame.chart(partial(spectra_chart, sigma), "mixing", about, f"**σ_k** of {words}")
        about = About("mixing-tail", f"Tail of the spectrum of {words}", footer, tails)
        frame.chart(partial(tails_chart, tails), "mixing tail", about, "**What rank m leaves**")
    st.markdown(mixing.words(before, after, alpha))


def _sliders() -> tuple[float, float, float, float]:
    a = st.slider("a, how much of x₁ is mixed in", -2.0, 2.0, 1.0, 0.05, key="mixing a")
    b = st.slider("b, how much of x₂ is left", -2.0, 2.0, 1.0, 0.05, key="mixing b",
                  help=r"$\rho(x_1,\,a x_1+b x_2)$")  # fmt: skip
    c = st.slider("c, deconvolution", -1.0, 2.0, 0.0, 0.05, key="mixing c",
                  help=r"The model is given $x_2-c\,x_1$: $c=a/b$ undoes the mixture.")  # fmt: skip
    alpha = st.slider("α of C₁^(α)", 0.5, 4.0, 1.0, 0.05, key="mixing alpha")
    return a, b, c, alpha
