"""The pictures of the Order page to take home: their tables are what its component draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from explorer.charts.tables import table_chart
from explorer.pages.order import chart_pictures as charts
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
}


def figures(shown: Shown, verdicts: Sequence[Verdict] = ()) -> Figures:
    """How each picture is drawn, and what its files say."""
    own = _of_kernel if shown.target else _of_coupling
    order, learning = tables.tokens(shown), tables.learning(shown)
    trained = shown.record is not None
    found = {
        "order": (partial(charts.tokens_chart, order), _about(shown, "order", order)),
        "filter": _filter(shown),
        "errors": _errors(shown),
        **own(shown),
        "learning": (
            partial(charts.learning_chart, learning),
            _about(shown, "learning", learning, trained),
        ),
    }
    if verdicts:
        found["propositions"] = _propositions(shown, verdicts)
    return {name: figure for name, figure in found.items() if len(figure[1].table)}


def of_run(record: Record, step: int | None = None) -> Figures:
    """The pictures of a run on its own target."""
    row, spec = record.row, alterable_spec(record.spec)
    trained = comparable(spec, [row], row.run)
    return figures(Shown(view.drawing(spec, {}, trained, True), record, step))


def _propositions(shown: Shown, verdicts: Sequence[Verdict]) -> tuple[Build, About]:
    said = pd.DataFrame(
        [{"Prop.": v.name, "label": v.label, "numbers": v.sentence} for v in verdicts]
    )
    name, title = _name(shown, "propositions"), "Propositions 6.1 to 6.3 beside the numbers"
    return partial(table_chart, said), About(name, title, f"spec {shown.header['spec']}", said)


def _filter(shown: Shown) -> tuple[Build, About]:
    table = tables.taps(shown)
    learned = tables.TAPS_HAT in set(table["what"])
    about = _about(shown, "filter", table, "taps" in shown.picture)
    if learned and "taps" not in shown.picture:
        label = shown.header["beside"]["label"]
        about = replace(
            about,
            title=f"Filter θ(s), and taps learned {label}",
            footer=f"spec {shown.header['spec']} · learned by a run {label}",
        )
    return lambda p: charts.stems_chart(table, "s", "tap", p), about


def _errors(shown: Shown) -> tuple[Build, About]:
    table, (column, axis, title) = tables.errors(shown), ERRORS[bool(shown.target)]
    about = About(_name(shown, "errors"), title, _seeds(shown, table), table)
    return lambda p: charts.floors_chart(table, column, axis, p), about


ERRORS = {
    True: ("mse", "MSE", "MSE: floors without training, trained models"),
    False: ("nmse", "1 − R² = MSE / Var(y)", "MSE / Var(y) of trained models"),
}
"""Of a kernel and of a coupling: the column, what the axis is called, the title."""


def _of_kernel(shown: Shown) -> Figures:
    kernels, maps, learned = tables.kernels(shown), tables.maps(shown), shown.picture
    return {
        "kernels": (
            lambda p: charts.stems_chart(kernels, "s", "value", p),
            _about(shown, "kernels", kernels, "kernel_hat" in learned),
        ),
        "maps": (
            partial(charts.maps_chart, maps),
            _about(shown, "maps", maps, "matrix_hat" in learned),
        ),
    }


def _of_coupling(shown: Shown) -> Figures:
    answers, attention = tables.answers(shown), tables.maps(shown)
    return {
        "answers": (
            lambda p: charts.stems_chart(answers, "t", "value", p),
            _about(shown, "answers", answers, True),
        ),
        "attention": (
            partial(charts.weights_chart, attention),
            _about(shown, "attention", attention, True),
        ),
    }


def _seeds(shown: Shown, errors: pd.DataFrame) -> str:
    """What of the errors is computed and what is trained."""
    trained = errors[errors["how"] == tables.TRAINED] if len(errors) else errors
    parts = [f"spec {shown.header['spec']}"] + ["floors computed"] * bool(shown.floors)
    if len(trained):
        seeds = ", ".join(str(int(seed)) for seed in sorted(trained["seed"].unique()))
        plural = "s" if len(trained) > 1 else ""
        parts.append(f"{len(trained)} trained model{plural}, seed{plural} {seeds}")
    return " · ".join(parts)


def _about(shown: Shown, name: str, table: pd.DataFrame, learned: bool = False) -> About:
    return About(_name(shown, name), TITLES[name], shown.footer(learned), table)


def _name(shown: Shown, name: str) -> str:
    return f"{shown.header['spec']}-{name}"
