"""The Order page: a target reordered and filtered by hand, its floors, what has been trained."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st

from explorer.coupling import FormulaError
from explorer.families import KERNELS
from explorer.pages.order import figures as order_figures
from explorer.pages.order import known as order_known
from explorer.pages.order import paper as order_paper
from explorer.pages.order import view
from explorer.pages.order import view_trained as known
from explorer.pages.order.view_kinds import VIEWS
from explorer.pages.order.view_tables import MODELS
from explorer.runs.record import RunRow
from explorer.spec import (
    AlterableSpec,
    CouplingSpec,
    LinearSpec,
    SpecError,
    alterable_spec,
    amended,
)
from explorer.spec.alterations import LONGEST
from explorer.spec.fields import of_each
from explorer.targets import PRESETS
from explorer.targets.coupling import altered_words
from explorer.theory.propositions import Verdict
from explorer.ui import (
    chrome,
    components,
    controls,
    exchange,
    formulas,
    live,
    mathematics,
    owner,
    page_visit,
    selection,
    shown_run,
    specs,
    transport,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.owner import Owner
from explorer.ui.part import part
from explorer.views import anew
from explorer.views.equations import KERNEL, TARGET
from explorer.views.glossary import explained
from explorer.views.selection import Racing

PICTURE = "order picture"
PARTNER = "order partner"
"""What a session calls the picture, and the run that is trained beside the one shown."""
STEPS = (300, 600, 1000, 2000, 3000, 5000)
HIDDEN = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64, 128)


def controls_of(spec: AlterableSpec) -> None:
    """The sidebar: the kernel, who learns it, and how."""
    with st.sidebar:
        CONTROLS[spec.target](spec)
        controls.choice("steps", "steps", STEPS, help="One step is one update of the parameters.")
        controls.field(
            "seed", st.number_input, "seed", 0, 2**31 - 1, step=1, help=explained("seed")
        )
        controls.folded("More", _more, spec)
        if not known.altered_alike(spec, specs.of_couplings()):
            st.button(
                "Alter my coupling",
                icon=":material/swap_horiz:",
                key="my coupling",
                on_click=order_paper.alter,
                help="The coupling of the Design page instead, in another order and through a "
                "filter.",
            )


def _linear(spec: LinearSpec) -> None:
    controls.draw(
        st.selectbox,
        "order kernel",
        spec.kernel,
        "kernel ρ(s)",
        KERNELS,
        format_func=lambda name: KERNELS[name].title,
        on_change=_kernel,
        help=r"$y_t=\sum_{s\le t}\rho(s)\,x(t-s)$ with $x\sim U[0,1]$ (Eq. 75).",
    )
    for name in KERNELS[spec.kernel].fields:
        _kernel_field(name, spec)
    controls.field("tau", st.slider, "τ, sequence length", 4, LONGEST)
    _learner(spec)


def _learner(spec: LinearSpec) -> None:
    controls.field(
        "model",
        st.segmented_control,
        "who learns it",
        list(MODELS),
        format_func=MODELS.__getitem__,
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
            "length of a learned filter in front",
            0,
            9,
            help="A causal convolution, learned with the rest: it can undo a filter before "
            "attention sees it. 0 is none.",
        )


@uninterrupted
def _kernel() -> None:
    """Another family; what another one needs starts from an example."""
    family = st.session_state["order kernel"]
    none = {name: None for kernel in KERNELS.values() for name in kernel.example}
    specs.change(none | {"kernel": family, **KERNELS[family].example})


def _kernel_field(name: str, spec: LinearSpec) -> None:
    """The control of a field that a kernel reads."""
    match name:
        case "rate":
            controls.field(name, st.slider, "rate", 0.0, 4.0, step=0.05)
        case "alpha":
            controls.field(name, st.slider, "α", 0.1, 4.0, step=0.05)
        case "lag":
            controls.field(name, st.slider, "ℓ, lag", 0, spec.tau - 1)
        case "kernel_seed":
            controls.field(name, st.number_input, "kernel seed", 0, 2**31 - 1, step=1)
        case "taps":
            _taps(spec)
        case "formula":
            formulas.field(
                "order formula",
                "ρ(s) =",
                spec.formula or "",
                view.formula_note,
                partial(_formula_typed, spec),
                formulas.Variables("s = 0, 1, 2, …", "exp(-2s/9)"),
            )
        case _:
            raise KeyError(f"{name}: no control of this field of a kernel")


def _taps(spec: LinearSpec) -> None:
    key, text = "order taps", ", ".join(f"{tap:.6g}" for tap in spec.taps or ())
    shown = controls.show_text(key, text)
    st.text_input("ρ(0), ρ(1), …", shown, key=key, on_change=_taps_typed, max_chars=1000)
    page_visit.uploader(
        "or a file of numbers",
        type=["csv", "txt"],
        max_upload_size=1,
        key="kernel file",
        on_change=_taps_brought,
        help="Between them commas, spaces or new lines; τ grows to hold them all.",
    )


@uninterrupted
def _taps_typed() -> None:
    _take_taps(st.session_state["order taps"])


@uninterrupted
def _taps_brought() -> None:
    if file := st.session_state["kernel file"]:
        _take_taps(file.getvalue().decode("utf-8", "replace"))


def _take_taps(text: str) -> None:
    """The ρ of a list of numbers."""
    words = text.replace(",", " ").split()
    if len(words) > LONGEST:
        return specs.refuse(f"taps: {len(words):,} numbers, at most {LONGEST} are allowed")
    try:
        taps = [float(word) for word in words]
    except ValueError as error:
        return specs.refuse(f"taps: numbers are needed, {str(error)[:80]}")
    tau = max(len(taps), alterable_spec(specs.current()).tau)
    specs.change({"taps": taps, "tau": tau})


@uninterrupted
def _formula_typed(spec: LinearSpec, key: str) -> None:
    formula = formulas.read(key, spec.formula or "", ("s",), partial(_check_kernel, spec))
    if formula is not None:
        specs.change({"formula": formula})


def _check_kernel(spec: LinearSpec, formula: str) -> None:
    """Raise FormulaError where the formula gives no kernel of these lengths."""
    try:
        specs.build(amended(spec, formula=formula))
    except SpecError as error:
        raise FormulaError(", ".join(specs.reasons(error))) from error


def _coupling(spec: CouplingSpec) -> None:
    """An altered target of Eq. 8; its coupling is made on the Design page."""
    st.caption(
        f"A coupling (Eq. 8), {', '.join(altered_words(spec))}. The Design page makes "
        "couplings; here they are altered."
    )
    controls.field("m_h", st.slider, "m_h, width of queries and keys", 1, 32)
    controls.field("tau", st.slider, "τ, sequence length", 2, 64)
    st.button(
        "Back to linear targets",
        on_click=uninterrupted(specs.replace),
        args=(PRESETS["table2"][1],),
        kwargs={"run": None, "at": None},
        key="linear targets",
    )


CONTROLS: dict[str, Callable[[Any], None]] = of_each(
    "controls of alterable targets", VIEWS, {"linear": _linear, "coupling": _coupling}
)


def _more(spec: AlterableSpec) -> None:
    controls.field("permutation_seed", st.number_input, "seed of a random order", 0, 2**31 - 1)
    controls.field("filter_seed", st.number_input, "seed of a random filter", 0, 2**31 - 1)
    controls.field("filter_length", st.number_input, "taps of a named filter", 1, LONGEST)
    controls.choice("lr", "learning rate", controls.RATES, format_func=lambda rate: f"{rate:g}")
    controls.optimiser()
    if spec.model == "transformer":
        controls.field("batch", st.number_input, "batch, fresh sequences a step", 1, 4096, step=8)
        controls.field("m_ff", st.number_input, "m_FF, width of f̂ and F̂", 1, 1024, step=16)


@part
def main_panel() -> None:
    """Question, pictures, buttons, verdict: redrawn at a turn of the run."""
    exchange.take(PICTURE, _reported)
    mathematics.open_for(selection.is_asked(Racing), f"unfolded {order_paper.REMEMBERS}")
    if st.session_state.pop("started", False) or st.session_state.pop("altered", False):
        st.rerun()
    spec = alterable_spec(specs.current())
    owner_, runs, sweeps = order_known.whose(spec), order_known.runs(), order_known.sweeps()
    transport.hear(PICTURE, owner_.run)
    both = partial(_train_both_button, spec)
    steer = partial(transport.buttons, owner_.run, owner_.row, more=both)
    transport.head(owner_.chip, "view", action=steer)
    shown = owner_.row and owner_.row.run
    trained = order_known.trained_on(spec, runs, shown, sweeps)
    owner.strip(owner_)
    ghosts = order_known.ghosts(owner_, runs, sweeps)
    header = _picture(spec, owner_, trained, runs, ghosts)
    owner.ghost(owner_, ghosts["name"] if ghosts else "", "this target")  # here it moves no picture
    of_run = view.run_verdict(owner_.row) if owner_.row else view.UNTRAINED
    told = view.verdict(spec, trained) or of_run
    chrome.verdict(told, lines=2, **view.beside_a_constant(spec))
    before = order_known.trained_on(view.in_order(spec), runs, shown, sweeps)
    verdicts = view.propositions(spec, trained, before)
    learned = KERNEL if header["kernel"] else TARGET
    mathematics.fold(
        partial(order_paper.propositions, spec, trained, verdicts), formulas=(learned,)
    )
    _take_home(owner_, header, verdicts)


def _take_home(owner_: Owner, header: Mapping[str, Any], verdicts: Sequence[Verdict]) -> None:
    """The run and its figures; of what nobody has trained its specification and its floors."""
    figures, spec = partial(order_figures.figures, header, verdicts), owner_.settings
    if owner_.run and owner_.row:
        transport.remarks(owner_.row)
        transport.take_home(owner_.run, owner_.row, shown_run.step_of(owner_.run), figures)
        return
    chrome.take_home(spec, anew.of_run(spec), partial(figures, None, None), "order")


def _picture(
    spec: AlterableSpec,
    owner_: Owner,
    trained: Sequence[known.Known],
    runs: Mapping[str, RunRow],
    ghosts: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Draw the component, and return what it is given."""
    run, row = owner_.run, owner_.row
    partner = _at_work_beside(run, spec)
    stream = transport.stream(PICTURE, run, row, pins=partner)
    other = _beside(row, runs) if row else None
    header = view.drawing(spec, stream, trained, row is not None, other, ghosts)
    header["tried"] = order_known.tried(spec)
    header["remembered"] = selection.current().remembered
    components.order(header, key=PICTURE)
    return header


def _beside(row: RunRow, runs: Mapping[str, RunRow]) -> dict[str, Any] | None:
    """The run to compare with: with a learned convolution in front, or without one."""
    name = known.counterpart(row, runs)
    with suppress(live.StreamError):
        return known.beside(live.open_stream(name).record) if name else None
    return None  # it has just been deleted


def _train_both_button(spec: AlterableSpec) -> None:
    if spec.uses("model"):
        st.button(
            "Train both",
            icon=":material/compare_arrows:",
            key="train both",
            on_click=_train_both,
            args=(spec,),
            help="Train an RNN and a Transformer on this target, side by side.",
        )


def _train_both(spec: AlterableSpec) -> None:
    """The Transformer is shown, the RNN beside it; it is queued first, since it is done first."""
    rnn, transformer = amended(spec, model="rnn", conv=0), amended(spec, model="transformer")
    beside = partial(st.session_state.__setitem__, PARTNER)
    transport.start_pair(rnn, transformer, transformer.model_dump(mode="json"), beside)


def _at_work_beside(run: str | None, spec: AlterableSpec) -> Mapping[str, tuple[RunRow, str]]:
    """The run that is trained together with the one shown, until it has ended."""
    name = st.session_state.get(PARTNER)
    if not name or name == run:
        return {}
    row = shown_run.find(name)
    if row is None or row.status not in ("queued", "running", "paused"):
        return {}
    return {name: (row, "beside")} if known.same_target(row.spec, spec) else {}


def _reported(report: dict[str, Any]) -> None:
    """The reader let go of a token, a tap or a choice, or asks for a harder order."""
    st.session_state["altered"] = True
    if "hunt" in report:
        order_known.search(alterable_spec(specs.current()))
    else:
        specs.change(view.changes(report))  # what is refused is said, the target stays as it was
