"""The figures of a run of an attention task, to take home."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from explorer.charts import attention as charts
from explorer.runs.record import Record
from explorer.ui.exports import About, Build
from explorer.views import pictures
from explorer.views import task_tables as tables
from explorer.views.runs import signature

EXPLAINED = {
    "attention": (
        "Attention, learned and ideal",
        r"$A=\mathrm{softmax}(e^\lambda QK^\top)$ (Eq. 53) beside the weights that the task asks "
        "for, and their difference (Figures 4a, 5a, 6a).",
    ),
    "values": (
        "F̂∘W_V∘f̂ against F∘f",
        r"$\hat F(W_V\hat f(x))$ of random tokens: the answer to a sequence of one token, which "
        "Prop. B.1(1) says is the same for all heads that solve the task (Figures 4c, 5c, 6c).",
    ),
    "spectrum": (
        "Singular values of e^λ W_QᵀW_K",
        "Filled: of the matrix; hollow: of the learned coupling over random tokens without its "
        "mean over keys, which softmax cannot see. Dashed: the rank that is enough.",
    ),
    "progress": (
        "Errors and agreement against step",
        "On fresh sequences, the same at every step.",
    ),
}
"""Title of a figure, and what it draws."""


def figures(record: Record, step: int | None = None) -> dict[str, tuple[Build, About]]:
    """How each figure of a run is drawn, and what its files say; of the example, at the last
    picture kept up to `step`."""
    at = pictures.picture_step(record, step)
    if at is None:
        return {}
    _, kept = record.snapshot(at)
    spectrum, rank = tables.spectrum(record.spec, kept)
    progress = tables.progress(record)
    found = {
        "attention": matrices(kept),
        "values": (partial(_values, tables.values(kept)), tables.values(kept)),
        "spectrum": (
            partial(charts.spectrum_chart, spectrum, rank, f"rank {rank} is enough"), spectrum,
        ),
        "progress": (partial(charts.progress_chart, progress), progress),
    }  # fmt: skip
    return {
        name: (build, _about(record, name, table, None if name == "progress" else at))
        for name, (build, table) in found.items()
    }


def matrices(kept: Mapping[str, np.ndarray]) -> tuple[Build, pd.DataFrame]:
    """Learned and ideal attention and their difference, and its table."""
    table = tables.matrices(kept)
    return lambda palette: charts.matrices_chart(table, palette), table


def _values(table: pd.DataFrame, palette: charts.Palette):
    return charts.values_chart(table, palette)


def _about(record: Record, name: str, table: pd.DataFrame, step: int | None) -> About:
    title, explain = EXPLAINED[name]
    return About(
        f"{record.row.run}-{name}", title, signature([record.row], step), table, explain
    )  # fmt: skip
