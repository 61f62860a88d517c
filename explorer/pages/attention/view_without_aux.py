"""What `aux` buys: one recipe with and without it, several seeds each (assets/attention-*.csv)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.targets import PRESETS, TASKS
from explorer.targets.fixed import EVALUATION
from explorer.views.sweeps import ASSETS
from explorer.views.text import number, share_text

PAIRS = {
    name: without for kind in TASKS.values() for name, without in kind.page.without_aux.items()
}
"""The presets that are trained with `aux`, and those without."""
JUMP = 0.6  # of the rows: from this agreement on the right tokens are looked at
RIGHT = 0.95  # of the rows: a head that looks right
SOONER = 1.5  # times: kept steps are a factor of 1.33 apart
COLUMNS = [
    *("recipe", "aux", "seed", "step", "nmse", "agreement", "attention_error", "value_error"),
    *("spec_id", "spec"),
]
"""Of the table: a row for each kept step of each run."""


@dataclass(frozen=True)
class Side:
    """Medians over the seeds of one recipe, with or without `aux`."""

    seeds: int
    steps: int
    jump: float
    """The first kept step with an agreement of at least JUMP; ∞ where it has none."""
    agreement: float
    """At the end, as the rest."""
    extremes: tuple[float, float]
    """The agreements of the worst and the best seed."""
    looking: int
    """Seeds whose agreement is at least RIGHT."""
    attention_error: float
    r2: float


@dataclass(frozen=True)
class Pair:
    """A recipe with and without `aux`; all else is the same."""

    name: str
    optimizer: str
    with_aux: Side
    without: Side

    @property
    def later(self) -> float:
        """How many times the steps the jump comes at without `aux`."""
        return self.without.jump / self.with_aux.jump

    @property
    def looks_right(self) -> bool:
        """Whether the head without `aux` looks right at the end, in the median."""
        return self.without.agreement >= RIGHT


@lru_cache(maxsize=1)
def shipped() -> pd.DataFrame:
    """The table that `reproduce without-aux` writes, with `aux` as bool."""
    return pd.read_csv(ASSETS / "attention-without-aux.csv")


def pair(table: pd.DataFrame, name: str) -> Pair:
    """A recipe of the table in medians over its seeds."""
    rows = table[table["recipe"] == name]
    sides = [_side(rows[rows["aux"] == aux]) for aux in (True, False)]
    return Pair(name, PRESETS[name][1].optimizer.upper(), *sides)


def _side(table: pd.DataFrame) -> Side:
    runs = [run.sort_values("step") for _, run in table.groupby("seed")]
    ends = pd.DataFrame([run.iloc[-1] for run in runs])
    jumps = [run[run["agreement"] >= JUMP]["step"].min() for run in runs]  # NaN: never
    return Side(
        seeds=len(runs),
        steps=int(ends["step"].max()),
        jump=float(np.median(np.nan_to_num(jumps, nan=np.inf))),
        agreement=float(ends["agreement"].median()),
        extremes=(float(ends["agreement"].min()), float(ends["agreement"].max())),
        looking=int((ends["agreement"] >= RIGHT).sum()),
        attention_error=float(ends["attention_error"].median()),
        r2=float(1 - ends["nmse"].median()),
    )


@lru_cache(maxsize=len(PAIRS))
def shipped_sentence(name: str) -> str:
    """What `aux` buys in a recipe of the shipped table."""
    return sentence(pair(shipped(), name))


def signature(table: pd.DataFrame) -> str:
    """The small print of a picture of it."""
    seeds = ", ".join(map(str, sorted(set(table["seed"]))))
    return f"{', '.join(dict.fromkeys(table['recipe']))} · seeds {seeds}"


def _right(side: Side) -> str:
    """The agreement at the end: the median, and the extremes of the seeds."""
    low, high = side.extremes
    return f"{100 * side.agreement:.1f} % ({100 * low:.1f} to {100 * high:.1f} by seed)"


def sentence(recipe: Pair) -> str:
    """What `aux` buys in a recipe, by its numbers."""
    on, off = recipe.with_aux, recipe.without
    label = TASKS[PRESETS[recipe.name][1].target].page.label
    whose = (
        f"**{label[0].upper()}{label[1:]}, {recipe.optimizer}**, medians of {on.seeds} seeds, "
        f"{on.steps} steps, nothing but the loss on single tokens differs and no rate is tuned: "
    )
    ends = (
        f"at the end the largest weight is right in {_right(on)} of the rows with it and "
        f"{_right(off)} without, a weight errs by {number(on.attention_error)} "
        f"and {number(off.attention_error)}, nMSE {number(1 - on.r2)} and {number(1 - off.r2)}"
    )
    if not recipe.looks_right:
        return (
            f"{whose}{ends}. At least {100 * RIGHT:.0f} % of the rows are right in {on.looking} of "
            f"{on.seeds} seeds with it and in {off.looking} without."
        )
    jumps = (
        f"{100 * JUMP:.0f} % of the rows look right from step {on.jump:.0f} on with it and "
        f"{off.jump:.0f} without"
    )
    if recipe.later >= SOONER:
        sooner = f"At this recipe that loss gets there {recipe.later:.1f} times sooner."
        return f"{whose}{jumps}; {ends}. {sooner}"
    return f"{whose}{jumps}; {ends}. That loss makes no difference here."


def asking_words(with_aux: RunRow, without: RunRow) -> str:
    """How often two runs look right at prediction tokens alone, where the task is; "" where there
    are none."""
    rows = (with_aux, without)
    if not all("agreement_asking" in row.outcome for row in rows):
        return ""
    on, off = (share_text(row.outcome["agreement_asking"], EVALUATION) for row in rows)
    return (
        f"At prediction tokens alone, where the task is, the shipped heads by "
        f"{without.spec.optimizer.upper()} (one seed each) look right in {on} with single tokens "
        f"and in {off} without."
    )
