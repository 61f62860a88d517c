"""The figures of a run of an attention task, to take home: what the page has on screen."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from explorer.pages.attention import chart as charts
from explorer.pages.attention import view_looked as view
from explorer.pages.attention import view_tables as tables
from explorer.pages.attention.chart_learning import progress_chart
from explorer.pages.attention.view_head import Head
from explorer.pages.attention.view_looked import Looked
from explorer.pages.runs.view import signature
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.ui.exports import About, Build

Figures = dict[str, tuple[Build, About]]
EXPLAINED = {
    "plane": (
        "The plane of the task",
        r"Points and answers; from each query lines to the keys it looks at, as strong as the "
        "weight; dashed: the weights that the task asks for (Figure 4b).",
    ),
    "graph": (
        "Which key each query looks at",
        r"The weights of $A=\mathrm{softmax}(e^\lambda QK^\top)$ as lines (Figures 5b, 6b).",
    ),
    "attention": (
        "Attention, learned and ideal",
        r"$A=\mathrm{softmax}(e^\lambda QK^\top)$ (Eq. 53) beside the weights that the task asks "
        "for, and their difference (Figures 4a, 5a, 6a).",
    ),
    "values": (
        "F̂∘W_V∘f̂ against F∘f",
        r"$\hat F(W_V\hat f(x))$: the answer to a sequence of one token, which Prop. B.1(1) says "
        "is the same for all heads that solve the task (Figures 4c, 5c, 6c).",
    ),
    "spectrum": (
        "Singular values of e^λ W_QᵀW_K",
        "Dashed: a rank that is enough. Where the head is cut, those that are not kept are faint.",
    ),
    "progress": (
        "Errors and agreement against step",
        "On fresh sequences, the same at every step.",
    ),
}
"""Title of a figure, and what it draws."""


def figures(record: Record, step: int | None = None) -> Figures:
    """The figures of a run beside which no board stands: of the example, at the kept step, or at
    the last."""
    steps = record.snapshot_steps
    at = step if step in steps else int(steps[-1]) if len(steps) else None
    return {} if at is None else _of_look(record, view.at_step(record, at))


def on_screen(
    head: Head | None, state: Mapping[str, Any], record: Record, step: int | None
) -> Figures:
    """The figures of the pictures on the page: of the board in hand, or of the example at the kept
    step that is looked back at."""
    return _of_look(record, view.looked(record, head, state, step))


def _of_look(record: Record, screen: Looked) -> Figures:
    """How each figure is drawn, and what its files say."""
    matrices, plane = view.matrices(screen), view.plane(screen)
    links, tau = tables.links(matrices), record.spec.tau
    ends = screen.page.ends
    builds: dict[str, tuple[Build, pd.DataFrame]] = {
        "plane": (partial(charts.board_chart, plane, ends), plane),
        "graph": (partial(charts.graph_chart, links, tau), links),
        "attention": (partial(charts.matrices_chart, matrices), matrices),
    }
    if (values := view.values(screen)) is not None:
        chart = charts.plane_chart if "map" in values else charts.values_chart
        builds["values"] = partial(chart, values), values
    if (spectrum := view.spectrum(screen)) is not None:
        rank = screen.task.sufficient_width
        build = partial(charts.spectrum_chart, spectrum, rank, f"rank {rank} is enough")
        builds["spectrum"] = build, spectrum
    progress = tables.progress(record)
    if len(progress):
        builds["progress"] = partial(progress_chart, progress, at=screen.step), progress
    return {
        name: (build, _about(record, name, table, screen))
        for name, (build, table) in builds.items()
    }


def _about(record: Record, name: str, table: pd.DataFrame, screen: Looked) -> About:
    title, explain = EXPLAINED[name]
    board = "" if name in ("values", "progress") else f" · {view.words(screen)}"
    footer = signature([record.row], screen.step) + board
    return About(f"{record.row.run}-{name}", title, footer, table, explain)
