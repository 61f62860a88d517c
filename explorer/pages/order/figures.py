"""The pictures of the Order page to take home: their tables are what its component draws."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from explorer.charts.tables import table_chart
from explorer.pages.order import chart_pictures as charts
from explorer.pages.order import view
from explorer.pages.order import view_tables as tables
from explorer.pages.order.view_tables import Shown
from explorer.pages.order.view_trained import comparable
from explorer.runs.record import Record
from explorer.spec import alterable_spec
from explorer.theory.propositions import Verdict
from explorer.ui.exports import About, Build

Figures = dict[str, tuple[Build, About]]


def figures(shown: Shown, verdicts: Sequence[Verdict] = ()) -> Figures:
    """How each picture is drawn, and what its files say."""
    own = _of_kernel if shown.target else _of_coupling
    order = tables.tokens(shown)
    found = {
        "order": (
            partial(charts.tokens_chart, order),
            _about(shown, "order", "Order of the tokens", order, False),
        ),
        "filter": _filter(shown),
        **own(shown),
        "learning": _learning(shown),
    }
    if verdicts:
        said = pd.DataFrame(
            [{"Prop.": v.name, "label": v.label, "numbers": v.sentence} for v in verdicts]
        )
        about = About(
            _name(shown, "propositions"),
            "Propositions 6.1 to 6.3 beside the numbers",
            f"spec {shown.header['spec']}",
            said,
        )
        found["propositions"] = partial(table_chart, said), about
    return {name: figure for name, figure in found.items() if len(figure[1].table)}


def of_run(record: Record, step: int | None = None) -> Figures:
    """The pictures of a run on its own target."""
    row, spec = record.row, alterable_spec(record.spec)
    trained = comparable(spec, [row], row.run)
    return figures(Shown(view.drawing(spec, {}, trained, True), record, step))


def _filter(shown: Shown) -> tuple[Build, About]:
    table = tables.taps(shown)
    learned = tables.TAPS_HAT in set(table["what"])
    about = _about(shown, "filter", "Filter θ(s)", table, "taps" in shown.picture)
    if learned and "taps" not in shown.picture:
        label = shown.header["beside"]["label"]
        about = _about(
            shown,
            "filter",
            f"Filter θ(s), and taps learned {label}",
            table,
            False,
            f"spec {shown.header['spec']} · learned by a run {label}",
        )
    return lambda p: charts.stems_chart(table, "s", "tap", p), about


def _of_kernel(shown: Shown) -> Figures:
    errors, kernels, maps = tables.errors(shown), tables.kernels(shown), tables.maps(shown)
    learned = shown.picture
    return {
        "errors": (
            lambda p: charts.floors_chart(errors, "mse", "MSE", p),
            _about(
                shown,
                "errors",
                "MSE: floors without training, trained models",
                errors,
                False,
                _seeds(shown, errors),
            ),
        ),
        "kernels": (
            lambda p: charts.stems_chart(kernels, "s", "value", p),
            _about(
                shown,
                "kernels",
                "Kernel before and after, and learned",
                kernels,
                "kernel_hat" in learned,
            ),
        ),
        "maps": (
            partial(charts.maps_chart, maps),
            _about(shown, "maps", "K in y = K x̃, and learned", maps, "matrix_hat" in learned),
        ),
    }


def _of_coupling(shown: Shown) -> Figures:
    errors, answers, attention = tables.errors(shown), tables.answers(shown), tables.maps(shown)
    return {
        "errors": (
            lambda p: charts.floors_chart(errors, "nmse", "1 − R² = MSE / Var(y)", p),
            _about(
                shown,
                "errors",
                "MSE / Var(y) of trained models",
                errors,
                False,
                _seeds(shown, errors),
            ),
        ),
        "answers": (
            lambda p: charts.stems_chart(answers, "t", "value", p),
            _about(shown, "answers", "Answers on an example", answers, True),
        ),
        "attention": (
            partial(charts.weights_chart, attention),
            _about(shown, "attention", "Learned attention on the example", attention, True),
        ),
    }


def _learning(shown: Shown) -> tuple[Build, About]:
    table = tables.learning(shown)
    about = _about(shown, "learning", "Error against step", table, shown.record is not None)
    return partial(charts.learning_chart, table), about


def _seeds(shown: Shown, errors: pd.DataFrame) -> str:
    """What of the errors is computed and what is trained."""
    trained = errors[errors["how"] == tables.TRAINED] if len(errors) else errors
    parts = [f"spec {shown.header['spec']}"] + ["floors computed"] * bool(shown.floors)
    if len(trained):
        seeds = ", ".join(str(int(seed)) for seed in sorted(trained["seed"].unique()))
        plural = "s" if len(trained) > 1 else ""
        parts.append(f"{len(trained)} trained model{plural}, seed{plural} {seeds}")
    return " · ".join(parts)


def _about(
    shown: Shown, name: str, title: str, table: pd.DataFrame, learned: bool, footer: str = ""
) -> About:
    return About(_name(shown, name), title, footer or shown.footer(learned), table)


def _name(shown: Shown, name: str) -> str:
    return f"{shown.header['spec']}-{name}"
