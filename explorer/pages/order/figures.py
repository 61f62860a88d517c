"""The pictures of the Order page to take home: their tables are what its component draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from explorer.charts.tables import table_chart
from explorer.pages.order import chart as charts
from explorer.pages.order import view
from explorer.pages.order import view_tables as tables
from explorer.pages.order.view_tables import Shown
from explorer.pages.order.view_trained import comparable
from explorer.runs.record import Record
from explorer.slow import pd
from explorer.spec import alterable_spec
from explorer.theory.propositions import Verdict
from explorer.ui.exports import About, Build

Figures = dict[str, tuple[Build, About]]
TITLES = {
    "order": "Order of the tokens",
    "filter": "Filter θ(s)",
    "kernels": "Kernel before and after, and learned",
    "maps": "K in y = K x̃, and learned",
    "answers": "Answers on an example",
    "attention": "Learned attention on the example",
    "learning": "Error against step",
    "propositions": "Propositions 6.1 to 6.3 beside the numbers",
}
ERRORS = {
    True: ("mse", "MSE", "MSE: floors without training, trained models"),
    False: ("nmse", "1 − R² = MSE / Var(y)", "MSE / Var(y) of trained models"),
}
"""Of a kernel and of a coupling: the column, what the axis is called, the title."""


def figures(
    header: Mapping[str, Any], verdicts: Sequence[Verdict], record: Record | None, step: int | None
) -> Figures:
    """How each picture is drawn and what its files say, from what the component is given and the
    run that it follows; and the propositions."""
    shown = Shown(header, record, step)
    learned, stems = shown.picture, charts.stems_chart
    value, axis, _ = ERRORS[bool(shown.target)]
    propositions = [{"Prop.": v.name, "label": v.label, "numbers": v.sentence} for v in verdicts]
    own: dict[str, tuple[Any, pd.DataFrame, bool]] = {
        "answers": (stems, tables.answers(shown), True),
        "attention": (partial(charts.maps_chart, weights=True), tables.maps(shown), True),
    }
    if shown.target:
        own = {
            "kernels": (stems, tables.kernels(shown), "kernel_hat" in learned),
            "maps": (charts.maps_chart, tables.maps(shown), "matrix_hat" in learned),
        }
    errors = partial(charts.floors_chart, value=value, title=axis)
    made = {
        "order": (charts.tokens_chart, tables.tokens(shown), False),
        "filter": (stems, tables.taps(shown), "taps" in learned),
        "errors": (errors, tables.errors(shown), False),
        **own,
        "learning": (charts.learning_chart, tables.learning(shown), shown.record is not None),
        "propositions": (table_chart, pd.DataFrame(propositions), False),
    }
    return {
        name: (partial(build, table), _about(shown, name, table, is_learned))
        for name, (build, table, is_learned) in made.items()
        if len(table)
    }


def of_run(record: Record, step: int | None = None) -> Figures:
    """The pictures of a run on its own target."""
    row, spec = record.row, alterable_spec(record.spec)
    trained = comparable(spec, [row], row.run)
    return figures(view.drawing(spec, {}, trained, True), (), record, step)


def _about(shown: Shown, name: str, table: pd.DataFrame, learned: bool) -> About:
    spec = f"spec {shown.header['spec']}"
    title, footer = TITLES.get(name, ""), shown.footer(learned)
    if name == "errors":
        title, footer = ERRORS[bool(shown.target)][2], _seeds(shown, table)
    elif name == "propositions":
        footer = spec
    elif name == "filter" and not learned and tables.TAPS_HAT in set(table["what"]):
        label = shown.header["beside"]["label"]
        title, footer = f"{title}, and taps learned {label}", f"{spec} · learned by a run {label}"
    return About(f"{shown.header['spec']}-{name}", title, footer, table)


def _seeds(shown: Shown, errors: pd.DataFrame) -> str:
    """What of the errors is computed and what is trained."""
    trained = errors[errors["how"] == tables.TRAINED] if len(errors) else errors
    parts = [f"spec {shown.header['spec']}"] + ["floors computed"] * bool(shown.floors)
    if len(trained):
        seeds = ", ".join(str(int(seed)) for seed in sorted(trained["seed"].unique()))
        plural = "s" if len(trained) > 1 else ""
        parts.append(f"{len(trained)} trained model{plural}, seed{plural} {seeds}")
    return " · ".join(parts)
