"""What pages ask of a specification and of its run, by what they are about, in one place.

Modules that take time to load are imported where they are needed: the first page asks for little.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from explorer.coupling import GridLoader
from explorer.pages.train import view as train
from explorer.runs.record import Record, RunRow
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
    from explorer.ui.registry import grid_loader  # Streamlit, which a command line does without

    return Design(coupling_spec(spec), grid_loader())


def drawing_of(record: Record) -> Drawing | None:
    """The truth of a run; None where it cannot be had here, as without its grid."""
    with suppress(*REFUSED):
        return train.drawing(_design(record.spec))
    return None


def _drawing_of_coupling(spec: AnySpec, load_grid: GridLoader | None) -> Drawing:
    return train.drawing(Design(coupling_spec(spec), load_grid))


def _sentence_on_coupling(row: RunRow) -> str:
    with suppress(*REFUSED):
        return train.verdict(row, _design(row.spec))
    return f"The samples of its design are not in this store; the run is {row.status}."


def _check_coupling(spec: CouplingSpec, load_grid: GridLoader | None) -> None:
    parts_of(spec)
    Design(spec, load_grid).decomposition()


def _same_design(before: CouplingSpec | None, spec: CouplingSpec) -> bool:
    return before is not None and design_of(before) == design_of(spec)


def _caution_on_coupling(spec: CouplingSpec, load_grid: GridLoader | None) -> str:
    return train.at_the_cliff(Design(spec, load_grid))


def _figures_of_coupling(
    record: Record, step: int | None, t: int | None, pins: Pins
) -> dict[str, Any]:
    from explorer.pages.runs.figures import figures

    return figures(record, drawing_of(record), step, t, pins)


def _drawing_of_task(spec: AnySpec, load_grid: GridLoader | None) -> Drawing:
    from explorer.pages.attention.view import stream_drawing

    return stream_drawing(task_spec(spec))


def _sentence_on_task(row: RunRow) -> str:
    from explorer.pages.attention.view import run_verdict

    return run_verdict(row)


def _figures_of_task(record: Record, step: int | None, t: int | None, pins: Pins) -> dict[str, Any]:
    from explorer.pages.attention.figures import figures

    return figures(record, step)


def _drawing_of_order(spec: AnySpec, load_grid: GridLoader | None) -> Drawing:
    from explorer.pages.order.view import stream_drawing

    return stream_drawing(alterable_spec(spec))


def _check_order(spec: AnySpec, load_grid: GridLoader | None) -> None:
    from explorer.pages.order import view_kinds

    view_kinds.view_of(spec).check(spec, load_grid)


def _sentence_on_order(row: RunRow) -> str:
    from explorer.pages.order.view import run_verdict

    return escape_markdown(run_verdict(row))


def _figures_of_order(
    record: Record, step: int | None, t: int | None, pins: Pins
) -> dict[str, Any]:
    from explorer.pages.order.figures import of_run

    return of_run(record, step)


def _sentence_on_labelled(row: RunRow) -> str:
    from explorer.pages.real.view_labelled import verdict

    return verdict(row)


def _drawing_of_memory(spec: AnySpec, load_grid: GridLoader | None) -> Drawing:
    from explorer.pages.memory.view import stream_drawing

    return stream_drawing(narrowed(spec, MemorySpec))


def _sentence_on_memory(row: RunRow) -> str:
    from explorer.pages.memory.view import verdict

    return verdict(row)


def _figures_of_memory(
    record: Record, step: int | None, t: int | None, pins: Pins
) -> dict[str, Any]:
    from explorer.pages.memory.figures import of_run

    return of_run(record, step, pins)


TOPICS = of_each(
    "views of runs, by topic",
    get_args(Topic),
    {
        "coupling": RunView(
            learns=lambda spec: "a coupling",
            drawing=_drawing_of_coupling,
            sentence=_sentence_on_coupling,
            figures=_figures_of_coupling,
            check=_check_coupling,
            keeps_run=_same_design,
            caution=_caution_on_coupling,
            is_cut=True,
        ),
        "attention": RunView(
            learns=_words,
            drawing=_drawing_of_task,
            sentence=_sentence_on_task,
            figures=_figures_of_task,
            check=_nothing,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
        "order": RunView(
            learns=_words,
            drawing=_drawing_of_order,
            sentence=_sentence_on_order,
            figures=_figures_of_order,
            check=_check_order,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
        "real": RunView(
            learns=_words,
            drawing=lambda spec, load_grid: ({}, {}),  # its pictures need nothing beside them
            sentence=_sentence_on_labelled,
            figures=lambda record, step, t, pins: {},
            check=_nothing,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
        "memory": RunView(
            learns=_words,
            drawing=_drawing_of_memory,
            sentence=_sentence_on_memory,
            figures=_figures_of_memory,
            check=_nothing,
            keeps_run=_always,
            caution=_nothing,
            is_cut=False,
        ),
    },
)
"""By the topic of their specifications."""
