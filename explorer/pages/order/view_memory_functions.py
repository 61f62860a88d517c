"""Four memory functions with their parameter α, raced at equal parameters: the shipped table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from explorer.slow import pd
from explorer.spec import LinearSpec
from explorer.theory.architectures.race import SEEDS, SHARE
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

SIZE, TAU, ERROR = 40, 64, 0.01
FUNCTIONS: Mapping[str, tuple[str, str, tuple[float, ...]]] = {
    "exponential": ("exponential", "rate", (1.0, 0.2, 0.05)),
    "polynomial": ("power", "alpha", (2.0, 1.0, 0.5)),
    "impulse": ("delay", "lag", (10, 25, 50)),
    "Airy": ("airy", "lag", (10, 25, 50)),
}
"""The family of each memory function, the field that is its α, and the values of that, the easiest
first."""
FOOTER = f"τ = {TAU}, {SIZE} parameters at most, {SEEDS} seeds · assets/order-memory-functions.csv"

UNLIKE = f"Those that are not linear see sequences, 1/{SHARE} of the steps, without a known floor."


def cases() -> Iterator[tuple[str, float, LinearSpec]]:
    """Name, α, and the target of each."""
    for name, (kernel, field, alphas) in FUNCTIONS.items():
        for alpha in alphas:
            values = {"tau": TAU, "kernel": kernel, field: alpha}
            yield name, alpha, LinearSpec.model_validate(values)


@cache
def shipped() -> pd.DataFrame:
    """The table that `reproduce memory-functions` writes."""
    return pd.read_csv(ASSETS / "order-memory-functions.csv")


def sentence(table: pd.DataFrame) -> str:
    """Which architectures get to 1 % of each memory function for every α, by medians."""
    medians = table.groupby(["memory", "architecture", "alpha"], sort=False)["error"].median()
    worst = medians.groupby(level=[0, 1], sort=False).max()
    parts, everyone = [], len(worst[table["memory"].iloc[0]])
    for name in table["memory"].unique():
        there = [title for title, error in worst[name].items() if error <= ERROR]
        least = worst[name].min()
        who = ", ".join(map(str, there)) or f"none (the least is {number(least)})"
        if len(there) == everyone:
            who = "all"
        parts.append(f"{name}: {who}")
    return f"{100 * ERROR:g} % for every α is reached on {'; on '.join(parts)}."


def beside_the_abstract(table: pd.DataFrame) -> str:
    """What the abstract claims beside what is found here."""
    told = table.drop_duplicates(["memory", "alpha", "architecture"])["verdict"]
    told = told[told != "no floor known"]
    counts = ", ".join(f"{count} {label}" for label, count in told.value_counts().items())
    return (
        "The abstract of arXiv 2506.05678 claims that memory functions whose parameter turns the "
        "strength of the dependence tell architectures apart, and that experiments confirm what "
        "theory says. Here, where its settings were not to be had: of "
        f"{len(told)} predictions by floors and searches, {counts}. {UNLIKE}"
    )
