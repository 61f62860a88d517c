"""The figures of runs of a coupling as files: a run at the step looked at, or beside another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from explorer.charts.heatmap import colour_range, coupling_chart
from explorer.pages.runs import chart as compared
from explorer.pages.runs import view
from explorer.pages.train import chart as charts
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.ui.exports import About, Build
from explorer.views import pictures

EXPLAINED = {
    "error": (
        "Error against step",
        r"$\mathrm{nMSE}=\mathbb E|y-\hat y|^2/\mathrm{Var}(y)$ with $y=H(x)$ of Eq. 8. The line "
        "is the loss of each fresh training batch, the dots are evaluations on other sequences. "
        r"Dashed: what the first $m_h$ terms of the centred POD leave (Eq. 10), an upper bound on "
        "the best error of that width; training may go below it.",
    ),
    "spectrum": (
        "Singular values, designed and learned",
        r"Hollow: $\sigma_k$ of the centred $\rho(u,v)=\sum_k\sigma_k\phi_k(u)\psi_k(v)$ (Eq. 10). "
        r"Filled: $\hat\sigma_k$ of $\hat\rho(u,v)=\langle W_Q\hat f(u),W_K\hat f(v)\rangle$, of "
        r"which there are at most $m_h$ (Eq. 18).",
    ),
    "angles": (
        "Angles between learned and designed subspaces",
        r"Between the spans of $\hat\phi_1,\dots,\hat\phi_k$ and $\phi_1,\dots,\phi_k$, and of "
        r"$\hat\psi$ and $\psi$ (Eq. 10), the larger one. Where $\sigma_k=\sigma_{k+1}$ the "
        "functions of a tie can be turned into each other, and no angle is given.",
    ),
    "attention": (
        "Attention on the example sequence",
        r"$\mathrm{softmax}[\rho(x_t,x_\cdot)](s)$ of Eq. 8, the same with $\hat\rho$ as bars.",
    ),
    "coupling": (
        "Coupling, designed and learned",
        r"$\rho$, $\hat\rho$ and $\hat\rho-\rho$ on one scale, each less its mean over $v$, which "
        "softmax cannot see (Eq. 8).",
    ),
}
"""Title of a figure of a run, and what it draws: the equation and where the paper has it."""
Figure = tuple[Build, About]


def figures(
    record: Record,
    drawing: pictures.Drawing | None,
    step: int | None = None,
    t: int | None = None,
    pins: Mapping[str, Record] | None = None,
) -> dict[str, Figure]:
    """How each figure of a run of a coupling is drawn, and what its files say.

    The pictures are those that the canvas shows for the step and the query t that are looked at,
    beside the last ones of pinned runs, by what each is called. Without a `drawing` (its grid is
    not here) there are none.
    """
    if drawing is None:
        return {}
    by_name = {
        "error": _error(record, drawing),
        "spectrum": spectrum(record, drawing, step=step, pins=pins),
        "angles": _angles(record, step),
        "attention": _attention(record, drawing, step, t),
        "coupling": _coupling(record, drawing, step),
        **(_beside(record, pins, drawing, step) if pins else {}),
    }
    return {name: (build, about) for name, (build, about) in by_name.items() if len(about.table)}


def _error(record: Record, drawing: pictures.Drawing) -> Figure:
    table, header = pictures.curve_table(record), drawing[0]
    build = partial(charts.error_chart, table, header["floor"], header["floor_label"])
    return build, _about(record, "error", table, None)


def spectrum(
    record: Record,
    drawing: pictures.Drawing,
    beside: pd.DataFrame | None = None,
    step: int | None = None,
    pins: Mapping[str, Record] | None = None,
) -> Figure:
    """The spectra of a run, on axes that hold those of the table `beside` too."""
    table, m_h = pictures.spectrum_table(record, drawing, step, pins), record.spec.m_h
    about = _about(record, "spectrum", table, pictures.picture_step(record, step), pins=pins)
    return partial(charts.spectrum_chart, table, m_h, beside=beside), about


def _angles(record: Record, step: int | None) -> Figure:
    table = pictures.angles_table(record, step)
    about = _about(record, "angles", table, pictures.picture_step(record, step))
    return partial(charts.angles_chart, table), about


def _attention(
    record: Record, drawing: pictures.Drawing, step: int | None, t: int | None
) -> Figure:
    table, (t, x) = pictures.attention_table(record, drawing, step, t), pictures.token(drawing, t)
    query = f"t = {t}, x_t = {x:.2f}"
    about = _about(record, "attention", table, pictures.picture_step(record, step), detail=query)
    return partial(charts.attention_chart, table, query), about


def _coupling(record: Record, drawing: pictures.Drawing, step: int | None) -> Figure:
    table, limit = pictures.coupling_table(record, drawing, step), colour_range(drawing[1]["rho"])
    about = _about(record, "coupling", table, pictures.picture_step(record, step))
    return partial(coupling_chart, table, limit=limit), about


def _about(
    record: Record,
    name: str,
    table: pd.DataFrame,
    step: int | None,
    detail: str = "",
    pins: Mapping[str, Record] | None = None,
) -> About:
    """`detail` is what the title says besides, as the query that is shown."""
    title, explain = EXPLAINED[name]
    pinned = [f"pinned, {_trained(pin)}" for pin in (pins or {}).values()]
    footer = [_trained(record, step), *pinned, COMPUTED[name]]
    return About(
        f"{record.row.run}-{name}",
        f"{title}, {detail}" if detail else title,
        "\n".join(filter(None, footer)),
        table,
        explain,
        UNITS.get(name, {}),
    )


UNITS = {"error": {"error": "Var(y)"}, "angles": {"angle": "degrees"}}
ORDINALS = ("first", "second", "third", "fourth")
COMPUTED = {
    "error": "Dashed, computed: an upper bound on the best error of this width, not a limit.",
    "spectrum": "Hollow, computed: σ_k of the designed ρ.",
    "angles": "",
    "attention": "Outlines, computed: the designed ρ on the same tokens.",
    "coupling": "ρ designed is computed; each without its mean over v.",
}
"""What of a figure was computed and not trained."""


def _trained(record: Record, step: int | None = None) -> str:
    """Which run, at which of its steps (None: the last)."""
    return f"trained: {view.signature([record.row], step)} · m_h = {record.spec.m_h}"


# Two runs and more


def _beside(
    record: Record, pins: Mapping[str, Record], drawing: pictures.Drawing, step: int | None
) -> dict[str, Figure]:
    """The run shown, at the step looked at, and its differences from pinned ones at their last."""
    runs = [record, *pins.values()]
    own, *_ = view.labels([each.row for each in runs])
    by_name = {
        "errors": errors(runs, [drawing[0]["floor"], *[None] * len(pins)]),
        "ratio": ratio(record, pins),
    }
    for i, (name, pin) in enumerate(pins.items(), 1):
        which, place = ("", "") if len(pins) == 1 else (f", to {name}", f" {i}")
        by_name[f"gap{place}"] = gap(record, pin, step, which)
        by_name[f"learned{place}"] = learned(record, pin, (own, name), step, which)
    return by_name


TRUNCATION = (
    "the truncation at $m_h$, which bounds the best error of that width from above (Theorem 4.1 "
    "bounds it through $C_1^{(\\alpha)}$ and $m_h$)"
)


def errors(
    records: Sequence[Record], floors: Sequence[float | None], dashed: str = TRUNCATION
) -> Figure:
    """The nMSE of several runs against step, what is known without training `dashed`."""
    curves, rows = view.compared_curves(records), [record.row for record in records]
    levels = view.floor_table(rows, floors)
    about = About(
        "runs-error",
        "Error against step",
        view.signature(rows),
        curves,
        r"$\mathrm{nMSE}=\mathbb E\,|y-\hat y|^2/\mathrm{Var}(y)$ on fresh sequences."
        + f" Dashed: {dashed}." * any(floor is not None for floor in floors),
        {"error": "Var(y)"},
    )
    return partial(compared.errors_chart, curves, levels, view.end_labels(curves, levels)), about


def ratio(first: Record, others: Mapping[str, Record]) -> Figure:
    """The error of a run over those of others, by what each is called, against step."""
    runs = [first, *others.values()]
    table = view.ratios_table(first, list(others.values()), list(others))
    steps = view.compared_curves(runs)["step"]
    own, *_ = view.labels([each.row for each in runs])
    about = About(
        "runs-ratio",
        "Ratio of the errors",
        _sides(runs),
        table,
        r"The nMSE of the first run over that of each other, all of $H$ of Eq. 8. Where only one "
        r"of them was looked at, the other is interpolated in $\log\mathrm{nMSE}$ against $\log$ "
        "step.",
    )
    return partial(compared.ratio_chart, table, steps, own), about


def gap(first: Record, second: Record, step: int | None = None, which: str = "") -> Figure:
    """The difference of their learned spectra, the first at a step; `which` ends the title."""
    table = pictures.spectrum_gap_table(first, second, step)
    about = About(
        "runs-spectra",
        f"Difference of the learned singular values{which}",
        _sides([first, second], step),
        table,
        r"$\hat\sigma_k$ of the first run less that of the second; beyond its $m_h$ a run has "
        r"$\hat\sigma_k=0$ (Eq. 18).",
    )
    return partial(compared.gap_chart, table), about


def learned(
    first: Record,
    second: Record,
    names: Sequence[str],
    step: int | None = None,
    which: str = "",
) -> Figure:
    """What they have learned and its difference, the first at a step; `which` ends the title."""
    table = pictures.learned_table(first, second, names, step)
    about = About(
        "runs-coupling",
        f"Learned couplings and their difference{which}",
        _sides([first, second], step),
        table,
        r"$\hat\rho$ of both runs, each less its mean over $v$, which softmax cannot see (Eq. 8), "
        "and their difference on the same scale.",
    )
    return partial(coupling_chart, table), about


def _sides(runs: Sequence[Record], step: int | None = None) -> str:
    """Which run is the first, which the second, and so on, each with its seed and step."""
    return "\n".join(
        f"{side}, {_trained(record, pictures.picture_step(record, None if i else step))}"
        for i, (side, record) in enumerate(zip(ORDINALS, runs, strict=False))
    )
