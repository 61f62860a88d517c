"""What pages ask of a specification and of its run, by what they are about, in one place.

Modules that take time to load are so when they are needed: the first page asks for little, and a
command line for nothing of Streamlit.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from explorer.coupling import GridLoader
from explorer.pages.train import view as train
from explorer.runs.record import Record, RunRow
from explorer.slow import Late
from explorer.spec import (
    AnySpec,
    CouplingSpec,
    MemorySpec,
    Topic,
    alterable_spec,
    coupling_spec,
    design_of,
    narrowed,
    task_spec,
)
from explorer.spec.fields import of_each
from explorer.targets import KINDS, parts_of
from explorer.theory.design import Design
from explorer.ui.words import REFUSED, escape_markdown

Drawing = tuple[Mapping[str, Any], Mapping[str, np.ndarray]]
Pins = Mapping[str, Record] | None
registry = Late("explorer.ui.registry")
attention = Late("explorer.pages.attention.view")
attention_figures = Late("explorer.pages.attention.figures")
order = Late("explorer.pages.order.view")
order_kinds = Late("explorer.pages.order.view_kinds")
order_figures = Late("explorer.pages.order.figures")
labelled = Late("explorer.pages.real.view_labelled")
memory = Late("explorer.pages.memory.view")
memory_figures = Late("explorer.pages.memory.figures")
runs_figures = Late("explorer.pages.runs.figures")


@dataclass(frozen=True, kw_only=True)
class RunView:
    """What is shown of a run about a topic. Every field is required: an answer that is forgotten
    is an error at import that names it."""

    learns: Callable[[AnySpec], str]
    """What it learns, where another page stands."""
    drawing: Callable[[AnySpec, GridLoader | None], Drawing]
    """What its live picture is drawn over: header and arrays of the "drawing" message."""
    sentence: Callable[[RunRow], str]
    """Where it stands, in Markdown."""
    figures: Callable[[Record, int | None, int | None, Pins], dict[str, Any]]
    """Its figures as a page shows it: at a kept step (None: the last one), of the query t, beside
    pinned runs, by what each is called."""
    check: Callable[[Any, GridLoader | None], object]
    """Raises SpecError, FormulaError or StoreError where its pages cannot draw what it learns."""
    keeps_run: Callable[[Any, Any], bool]
    """Whether the run shown stays when one specification, if any, gives way to another."""
    caution: Callable[[Any, GridLoader | None], str]
    """What may befall its training, and the way out; else empty."""
    is_cut: bool
    """Whether the Rates page cuts its head to every rank."""


def view_of(spec: AnySpec) -> RunView:
    """What is shown of the runs of a specification."""
    return TOPICS[spec.topic]


def figures_of(
    record: Record, step: int | None = None, t: int | None = None, pins: Pins = None
) -> dict[str, Any]:
    """The figures of a run as a page shows it: see `RunView`."""
    return view_of(record.spec).figures(record, step, t, pins)


def _words(spec: AnySpec) -> str:
    return KINDS[spec.target].words(spec)


def _nothing(spec: AnySpec, load_grid: GridLoader | None) -> str:
    return ""


def _always(before: AnySpec | None, spec: AnySpec) -> bool:
    return True


def _design(spec: AnySpec) -> Design:
    return Design(coupling_spec(spec), registry.grid_loader())


def drawing_of(record: Record) -> Drawing | None:
    """The truth of a run; None where it cannot be had here, as without its grid."""
    with suppress(*REFUSED):
        return train.drawing(_design(record.spec))
    return None


def _sentence_on_coupling(row: RunRow) -> str:
    with suppress(*REFUSED):
        return train.verdict(row, _design(row.spec))
    return f"The samples of its design are not in this store; the run is {row.status}."


def _check_coupling(spec: CouplingSpec, load_grid: GridLoader | None) -> None:
    parts_of(spec)
    Design(spec, load_grid).decomposition()


TOPICS = of_each(
    "views of runs, by topic",
    get_args(Topic),
    {
        "coupling": RunView(
            learns=lambda spec: "a coupling",
            drawing=lambda spec, grid: train.drawing(Design(coupling_spec(spec), grid)),
            sentence=_sentence_on_coupling,
            figures=lambda record, *shown: runs_figures.figures(record, drawing_of(record), *shown),
            check=_check_coupling,
            keeps_run=lambda before, spec: (
                before is not None and design_of(before) == design_of(spec)
            ),
            caution=lambda spec, grid: train.at_the_cliff(Design(spec, grid)),
            is_cut=True,
        ),
        "attention": RunView(
            learns=_words,
            drawing=lambda spec, _: attention.stream_drawing(task_spec(spec)),
            sentence=lambda row: attention.run_verdict(row),
            figures=lambda record, step, *_: attention_figures.figures(record, step),
            check=_nothing,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
        "order": RunView(
            learns=_words,
            drawing=lambda spec, _: order.stream_drawing(alterable_spec(spec)),
            sentence=lambda row: escape_markdown(order.run_verdict(row)),
            figures=lambda record, step, *_: order_figures.of_run(record, step),
            check=lambda spec, grid: order_kinds.view_of(spec).check(spec, grid),
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
        "real": RunView(
            learns=_words,
            drawing=lambda *_: ({}, {}),  # its pictures need nothing beside them
            sentence=lambda row: labelled.verdict(row),
            figures=lambda *_: {},
            check=_nothing,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
        "memory": RunView(
            learns=_words,
            drawing=lambda spec, _: memory.stream_drawing(narrowed(spec, MemorySpec)),
            sentence=lambda row: memory.verdict(row),
            figures=lambda record, step, _, pins: memory_figures.of_run(record, step, pins),
            check=_nothing,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
    },
)
"""By the topic of their specifications."""
