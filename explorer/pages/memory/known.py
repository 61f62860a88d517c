"""What the Memory page shows beside the run: finished sweeps over depth, heads and encodings, and
those of the reader that are of equal recipe."""

from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.pages.memory import figures as memory_figures
from explorer.pages.memory import view_kernels as kernels
from explorer.pages.memory import view_tables as tables
from explorer.pages.memory.page import current
from explorer.pages.memory.view import asked, rates
from explorer.pages.order.view import formula_note
from explorer.pages.runs.view import readable
from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.spec import MemorySpec
from explorer.targets.memory.falling import READ, check
from explorer.theory.best_heads import MOST
from explorer.ui import chrome, controls, formulas, registry, selection, stored_sweeps
from explorer.ui.awaited import awaited
from explorer.ui.callbacks import uninterrupted
from explorer.ui.part import part
from explorer.views import anew

NEWEST = 300  # newest runs of the store that are looked through
FALLS = {"power": "power", "exponential": "exponential", "mixture": "both", "formula": "formula"}
"""In words: a button of a formula alone has no name for a screen reader."""
NUMBERS = {
    "exponent": ("a, exponent", 0.1, 4.0, 0.1),
    "time": ("T, time", 0.2, 300.0, 0.2),
    "share": ("share of the power", 0.0, 1.0, 0.05),
}
"""Label, range and step of the slider of each number of a kernel."""
BESIDE, FOUND = "Trained, and the best there is", "The best found, without training"
BEST_FOUND = (
    "Trained heads are shipped for $s^{-0.5}$ and $e^{-s/20}$. Where neither encoding suits the "
    "kernel, there are many local minima; this is the lowest that was found."
)


@part
def details() -> None:
    """What is known beside the run, folded; a link that says which kernel unfolds it."""
    if selection.current() != selection.Remembering():
        controls.unfold(controls.PAPER)
    controls.folded(controls.PAPER, _details)


def _details() -> None:
    """Depth, heads, encodings, and what theory says of the target at the left."""
    with awaited("known"):  # a run that ends is one more of its recipe
        _known(_trained(current()))


def _known(trained: list[tables.TrainedHead]) -> None:
    st.subheader("Depth", anchor=False)
    _depth(tables.own(current(), trained, "layers"))
    st.subheader("Heads", anchor=False)
    _heads(tables.own(current(), trained, "heads"))
    st.subheader("Positional encodings", anchor=False)
    _encodings()
    st.subheader("What the theorems say of this target", anchor=False)
    _rates()


def _trained(spec: MemorySpec) -> list[tables.TrainedHead]:
    """What the store has of the same target: runs, and rows of sweeps."""
    rows: list[RunRow] = []
    with suppress(StoreError):
        rows = [row for row in registry.store().list(NEWEST) if readable(row)]
    sweeps = stored_sweeps.newest(lambda sweep: sweep.target == spec.target)
    return [*tables.of_runs(spec, rows), *tables.of_sweeps(sweeps)]


def _chart(figure: memory_figures.Figure, key: str, heading: str) -> None:
    build, about = figure
    chrome.chart(build, key, about, heading)


def _own_note(own: tables.Own, axis: str) -> None:
    if own.note:
        chrome.note(
            f"Your runs of these settings are counted from five seeds on for one number of {axis}: "
            f"{own.note} so far."
        )


def _depth(own: tables.Own) -> None:
    """`own` is what the reader has trained of the settings at the left."""
    trained = tables.depth()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        _chart(memory_figures.jumps(trained), "memory jumps", "**Jumps that layers can follow**")
    with right:
        if whole := [part for part in (trained, own.table) if part is not None and len(part)]:
            figure = memory_figures.depth(pd.concat(whole, ignore_index=True))
            _chart(figure, "memory depth", "**Error against layers**")
        else:
            chrome.text(
                "How far trained models come is a table that the command below makes; a pair of "
                "runs is trained above, live."
            )
    if trained is not None:
        chrome.text(f"{tables.depth_sentence(trained)} {tables.other_way_round(trained)}")
    _own_note(own, "layers")
    chrome.command_line(anew.of_figure("memory-depth"))


def _heads(own: tables.Own) -> None:
    """`own` is what the reader has trained of the settings at the left."""
    left, right = st.columns([6, 5], gap="medium", vertical_alignment="center")
    with left:
        _chart(memory_figures.heads(own.table), "memory heads", "**Error against heads**")
    with right:
        chrome.text(tables.heads_sentence(tables.heads()))
        chrome.text(f"{tables.WHY_THE_LINE} {tables.without_network()}")
        _own_note(own, "heads")
        chrome.command_line(anew.of_figure("memory-heads"))


@part
def _encodings() -> None:
    """A fragment: another kernel, or number of heads, redraws this alone."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.picture(
            "fall",
            st.segmented_control,
            "kernel",
            list(FALLS),
            format_func=FALLS.get,
            required=True,
            help="What the heads are to approximate: a power $s^{-a}$, which suits heads with log, "
            "an exponential $e^{-s/T}$, which suits lin, a mixture of both, or any formula.",
        )
        controls.picture("count", st.slider, "H, heads of the approximation", 1, MOST)
    _kernel()
    now: Any = selection.current()
    left, right = st.columns([6, 5], gap="medium")
    with left:
        figure = memory_figures.encodings(now.kernel, now.count)
        trained = now.kernel.trained_beforehand
        _chart(figure, "memory encodings", f"**{BESIDE if trained else FOUND}**")
    with right:
        figure = memory_figures.kernel(now.kernel, now.count)
        _chart(figure, "memory kernel", "**The kernel and its best approximations**")
    told = tables.encodings_sentence(now.fall) if trained else BEST_FOUND
    if trained and now.fall == "exponential":
        told += f" {kernels.papers_own()}"
    chrome.text(f"{kernels.sentence(now.kernel, now.count)} {told}")
    chrome.command_line(anew.of_figure("memory-encodings"))


def _kernel() -> None:
    """The numbers of the kernel that is approximated, or its formula."""
    now: Any = selection.current()
    names = READ[now.fall]
    for name, place in zip(names, st.columns(max(2, len(names)), gap="medium"), strict=False):
        with place:
            if name == "formula":
                formulas.field(
                    "memory formula",
                    "ρ(s), formula",
                    now.formula,
                    formula_note,
                    _formula_typed,
                    formulas.Variables("s = 1, 2, … 1000", "exp(-2s/9)"),
                )
            else:
                (label, low, high, step), value = NUMBERS[name], getattr(now, name)
                ends = min(low, value), max(high, value)
                controls.picture(name, st.slider, label, *ends, step=step, format="%g")


@uninterrupted
def _formula_typed(key: str) -> None:
    formula = formulas.read(key, selection.current().formula, ("s",), check)
    if formula is not None:
        selection.change(formula=formula)


@part
def _rates() -> None:
    """A fragment: another order of the bound redraws this alone."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        controls.picture("order", st.slider, "n, order of the bound", 1, 4)
        controls.picture(
            "encoding", st.segmented_control, "encoding", ["log", "lin"], required=True
        )
    now: Any = selection.current()
    rate_map = rates(current(), now.order, now.encoding)
    if rate_map is None:
        chrome.text(asked(current(), now.order, now.encoding).why)
        return
    maps = memory_figures.rates(rate_map, current().target)
    left, right = st.columns(2, gap="medium")
    with left:
        _chart(
            maps["rates"], "memory rates", f"**{rate_map.statement.name}, the attention's part**"
        )
    with right:
        _chart(maps["width"], "memory width", "**With the network behind it**")
    chrome.text(f"$\\displaystyle {rate_map.formula}$")
    chrome.text(" ".join(rate_map.sentences))
    chrome.note(
        "Up to constants C(n) that the paper leaves open: the maps compare heads, distances and "
        "widths with each other, and are no errors that a model will have. The ring is this model."
    )
