"""The Memory page: what is to be remembered and by which Transformer, a run that learns it live."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

import streamlit as st

from explorer.pages.memory import figures as memory_figures
from explorer.pages.memory import view
from explorer.pages.memory.view_kinds import VIEWS, view_of
from explorer.pages.train.view import labels_of
from explorer.runs.record import Record, RunRow
from explorer.spec import EssentialMemorySpec, FixedMemorySpec, MemorySpec, narrowed
from explorer.spec.fields import of_each
from explorer.spec.memory import SEEN
from explorer.targets import MEMORIES, PRESETS
from explorer.ui import (
    address,
    chrome,
    components,
    controls,
    mathematics,
    owner,
    selection,
    shown_run,
    specs,
    transport,
)
from explorer.ui.callbacks import uninterrupted
from explorer.ui.part import part
from explorer.ui.selection import Remembering
from explorer.views.glossary import explained

PICTURE = "memory picture"
STEPS = (300, 600, 1000, 1500, 2500, 4000)
HEADS = (1, 2, 3, 4, 6, 8, 16, 32, 64)
ENCODINGS = {
    "learned": "learned positions",
    "sinusoidal": "sinusoidal positions",
    "log": "log (RPE)",
    "lin": "lin (RPE)",
    "t5": "a number for each distance (T5)",
    "none": "none",
}
FALLS = {"power": "power", "exponential": "exponential"}
KAPPA = {
    "scaled": "normalised, c in units of Σρ",
    "softmax": "normalised, c of order 1",
    "plain": "plain",
}
MODELS = {"transformer": "Transformer", "heads": "heads alone"}


def current() -> MemorySpec:
    """The specification of this session."""
    return narrowed(specs.current(), MemorySpec)


def controls_of(spec: MemorySpec) -> None:
    """What is remembered, and by whom; how it is trained is folded."""
    controls.draw(
        st.selectbox,
        "memory kind",
        spec.target,
        "what is remembered",
        VIEWS,
        format_func=lambda kind: VIEWS[kind].name,
        on_change=_turn,
        help=explained("memory"),
    )
    _drawn(CONTROLS, spec)
    _network(spec)
    controls.folded("More", _more, spec)


@uninterrupted
def _turn() -> None:
    """Another kind of memory, by its preset; the run shown belonged to the one before."""
    preset = VIEWS[st.session_state["memory kind"]].preset
    specs.replace(PRESETS[preset][1], run=None, pin=None, at=None, t=None)


def _drawn(widgets: Mapping[str, Callable[[], None]], spec: MemorySpec) -> None:
    """What makes the target: a control of each field of its kind."""
    for name, control in widgets.items():
        if spec.uses(name):
            control()


def _lags() -> None:
    lags = narrowed(current(), FixedMemorySpec).lags
    left, right = st.columns([1, 2])
    with left:
        counted = {"on_change": _counted, "args": (lags,)}
        controls.draw(st.number_input, "memory count", len(lags), "M, lags", 1, 16, **counted)
    with right:
        st.text_input(
            "$T_i$, ascending",
            controls.show_text("memory lags", ", ".join(map(str, lags))),
            key="memory lags",
            on_change=_lags_typed,
            max_chars=100,
            help=explained("lag"),
        )


@uninterrupted
def _counted(lags: tuple[int, ...]) -> None:
    """Fewer lags, or more behind the last one, as far apart as the last two."""
    count, new_lags = st.session_state["memory count"], list(lags)
    apart = new_lags[-1] - new_lags[-2] if len(new_lags) > 1 else 4
    while len(new_lags) < count:
        new_lags.append(new_lags[-1] + apart)
    _change_lags(new_lags[:count])


@uninterrupted
def _lags_typed() -> None:
    text = st.session_state["memory lags"]
    try:
        _change_lags([int(word) for word in text.replace(",", " ").split()])
    except ValueError:
        specs.refuse(f'lags: whole numbers are needed, not "{text}"')


def _change_lags(lags: list[int]) -> None:
    """The sequence becomes as long as they need, if it can."""
    longest = max(lags, default=0)
    tau = max(current().tau, min(SEEN, longest + 8))
    specs.change({"lags": tuple(lags), "tau": tau})


def _model() -> None:
    controls.draw(
        st.segmented_control,
        "memory model",
        narrowed(current(), EssentialMemorySpec).model,
        "who learns it",
        list(MODELS),
        format_func=MODELS.__getitem__,
        required=True,
        width="stretch",
        on_change=_model_chosen,
        help="Heads alone learn κ on the exact error ‖ρ − κ‖², without any sequences.",
    )


@uninterrupted
def _model_chosen() -> None:
    """Heads alone have 1000 lags and their own rate; a Transformer what it usually has."""
    spec = narrowed(current(), EssentialMemorySpec)
    alone = narrowed(PRESETS["memory-kernel"][1], EssentialMemorySpec)
    shared = {name: getattr(spec, name) for name in ("fall", "exponent", "time", "heads")}
    if st.session_state["memory model"] == "heads":
        encoding = spec.encoding if spec.encoding in alone.encodings else alone.encoding
        specs.change(alone.model_dump() | shared | {"encoding": encoding})
    else:
        whole = EssentialMemorySpec(**shared, encoding=spec.encoding)
        specs.change(whole.model_dump())


CONTROLS: dict[str, Callable[[], None]] = {
    "lags": _lags,
    "jumps": partial(controls.field, "jumps", st.slider, "K, jumps", 1, 8, help=explained("jump")),
    "fall": partial(
        controls.field,
        "fall",
        st.segmented_control,
        "ρ(s)",
        list(FALLS),
        format_func=FALLS.__getitem__,
        required=True,
        width="stretch",
        help="All lags count, the near ones more: as $s^{-a}$, or as $e^{-s/T}$.",
    ),
    "exponent": partial(controls.field, "exponent", st.slider, "a, exponent", 0.1, 4.0, step=0.1),
    "time": partial(controls.field, "time", st.slider, "T, time", 1.0, 100.0, step=1.0),
    "model": _model,
}
"""Of the fields that make a target, or who learns it."""
MORE: dict[str, Callable[[], None]] = {
    "vocabulary": partial(
        controls.field,
        "vocabulary",
        st.slider,
        "V, different tokens",
        2,
        32,
        help="$x_t$ is uniform in $1,\\dots,V$.",
    ),
    "kappa": partial(
        controls.field,
        "kappa",
        st.selectbox,
        "how heads are written",
        list(KAPPA),
        format_func=KAPPA.get,
        help="$c_h$ times a softmax over the distances, with $c$ of order 1 or in units of "
        r"$\sum_s\rho(s)$, or times $e^{p_h\varphi(s)}$ as it is.",
    ),
}
"""Of those that one looks for under More."""
OF_KINDS = {name for kind in MEMORIES.values() for name in kind.Spec.model_fields}
of_each("controls of memories", OF_KINDS - {*MemorySpec.model_fields}, CONTROLS | MORE)


def _network(spec: MemorySpec) -> None:
    if spec.uses("layers"):
        controls.field("layers", st.slider, "L, layers", 1, 6, help=explained("layer"))
    controls.choice("heads", "H, heads of each layer", HEADS, help=explained("head"))
    controls.field(
        "encoding",
        st.selectbox,
        "positional encoding",
        spec.encodings,
        format_func=ENCODINGS.__getitem__,
        help=explained("rpe", "log-lin"),
    )


def _more(spec: MemorySpec) -> None:
    _drawn(MORE, spec)
    _sequence(spec)
    controls.choice("steps", "steps", STEPS, help="One step is one batch of fresh sequences.")
    controls.field("seed", st.number_input, "seed", 0, 2**31 - 1, step=1, help=explained("seed"))
    controls.choice("lr", "learning rate", controls.RATES, format_func=lambda rate: f"{rate:g}")
    if not spec.uses("batch"):
        return
    controls.field("batch", st.number_input, "batch, fresh sequences a step", 1, 4096, step=16)
    controls.field("m_h", st.number_input, "m_h, width of queries and keys", 1, 256, step=8)
    controls.field("d_v", st.number_input, "d_v, dimension of values", 1, 256, step=8)
    controls.field("n", st.number_input, "n, numbers of a token", 2, 256, step=16)
    controls.field("m_ff", st.number_input, "m_FF, width between", 1, 1024, step=32)


def _sequence(spec: MemorySpec) -> None:
    """What is read, and how; heads alone read no sequence."""
    if spec.uses("values"):
        controls.field("tau", st.slider, "τ, sequence length", 4, 128)
        controls.field(
            "values",
            st.segmented_control,
            "values $b_t$",
            ["signs", "normal"],
            format_func={"signs": "±1", "normal": "normal"}.get,
            required=True,
            width="stretch",
        )
    if spec.uses("dot_product"):
        controls.field(
            "dot_product",
            st.toggle,
            "dot product",
            help="Logits $\\langle W_Qx_t, W_Kx_s\\rangle$, too; without it weights hang on the "
            "distance alone.",
        )
        controls.field("layer_norm", st.toggle, "LayerNorm")


@part
def main_panel() -> None:
    """Question, verdict, buttons, pictures: redrawn at a turn of the run."""
    if st.session_state.pop("started", False) or st.session_state.pop("altered", False):
        st.rerun()
    owner_, run, row = transport.opening("view", drawn=_buttons)
    transport.hear(PICTURE, run)
    spec = narrowed(row.spec, MemorySpec)
    beside = _beside(run, spec)
    owner.strip(owner_)
    labels = labels_of(row, beside)
    t = shown_run.selected_step_and_token()[1]
    pins = {pin: (beside[pin], label) for pin, label in labels.items()}
    components.memory(transport.stream(PICTURE, run, row, pins=pins, t=t), key=PICTURE)
    told = view.verdict(row, beside) + _so_far(run, row, beside)
    chrome.verdict(told, lines=2, **view.left(row, beside))
    formulas = view.formulas(spec)
    mathematics.fold(partial(_mathematics, spec, formulas), formulas=formulas)
    transport.remarks(row)
    figures = partial(_figures, labels, current(), cast(Remembering, selection.current()))
    transport.take_home(run, row, shown_run.selected_step_and_token()[0], figures)


def _mathematics(spec: MemorySpec, formulas: Sequence[str]) -> None:
    """What is to be remembered in letters, and what is known of it."""
    chrome.steps(formulas)
    chrome.note(view.class_line(spec))
    chrome.note(view_of(spec).known(spec))


def _buttons(run: str, row: RunRow) -> dict[str, Any]:
    """Two depths are trained as a pair, where the kind of memory has both."""
    rest = partial(transport.pin_button, run)
    if not current().uses("layers"):
        return {"rest": rest}
    pair = partial(_pair_button, current(), not transport.is_steered(run, row))
    return {"more": pair, "rest": rest, "filled": False}


def _so_far(run: str, row: RunRow, beside: Mapping[str, RunRow]) -> str:
    """The pair at the same step, while one of it is at work or was ended early."""
    if all(each.status == "finished" for each in (row, *beside.values())):
        return ""
    record, *others = map(transport.record_of, (run, *beside))
    return view.so_far(record, filter(None, others)) if record else ""


def _beside(run: str, spec: MemorySpec) -> dict[str, RunRow]:
    """The runs that are pinned; beside a shipped one without pins, that of other layers."""
    pins = shown_run.pinned(run)
    if pins or not shown_run.is_shipped(run) or address.param("pin"):
        return pins
    wanted = view.counterpart(spec)
    rows = shown_run.shipped_rows().items()
    return {name: each for name, each in rows if each.spec == wanted}


def _pair_button(spec: MemorySpec, filled: bool) -> None:
    one, two = sorted((spec, view.counterpart(spec)), key=lambda each: each.layers)
    st.button(
        f"Train {one.layers} and {two.layers} layers",
        icon=":material/compare_arrows:",
        key="train pair",
        type="primary" if filled else "secondary",
        on_click=_train_pair,
        args=(one, two),
        help=f"L = {one.layers} and L = {two.layers}: two runs that differ in nothing else, beside "
        "each other in one picture.",
    )


def _train_pair(one: MemorySpec, two: MemorySpec) -> None:
    """The deeper one is shown, the other beside it; that is queued first, since it is done
    first."""
    layers = {"layers": two.layers}
    transport.start_pair(one, two, layers, lambda partner: transport.pin([partner]))


def _figures(
    labels: Mapping[str, str], spec: MemorySpec, now: Remembering, record: Record, step: int | None
) -> dict[str, Any]:
    """The figures of the run shown and of those beside it, and those below, as they were when the
    page was drawn: a browser asks for them on a thread that has no page."""
    pins = {label: pinned for pin, label in labels.items() if (pinned := transport.record_of(pin))}
    return memory_figures.of_run(record, step, pins) | memory_figures.known(spec, now)
