"""Mixing of a coupling (App. D.3): spectra before and after, and the best filter in front, as
tables and in words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import numpy as np

from explorer.coupling import Formula
from explorer.slow import pd
from explorer.spec import CouplingSpec, SpecError, amended
from explorer.theory.mixing import Filtered, MixedSpectrum, filtered, is_exact, mixable
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

TRAINED = ASSETS / "order-best-filter.csv"
MOST = 16  # singular values that are drawn


@lru_cache(maxsize=64)
def filters(spec: CouplingSpec | None, a: float, b: float, alpha: float, m: int) -> Filtered:
    """What every filter in front leaves; raises CouplingError as `mixable` does."""
    return filtered(mixable(spec), a, b, alpha, m)


def learned_instead(spec: CouplingSpec | None, a: float, b: float, c: float) -> CouplingSpec | None:
    """What a head behind the filter has to learn, to be trained; None where it has no formula, or
    where its tokens are not those of a coupling's trainings."""
    coupling = mixable(spec)
    if not isinstance(coupling, Formula) or not is_exact(coupling, b, c):
        return None
    second = _sum((a - b * c, "u"), (b, "v")).replace("·", "*").replace("−", "-")
    second = second if len(second) == 1 else f"({second})"
    try:
        return amended(CouplingSpec(), formula=re.sub(r"\bv\b", second, coupling.text))
    except SpecError:
        return None


def left_words(alpha: float, m: int) -> str:
    """What the best filter leaves least of."""
    return f"Σ σₖ² over k > {m}" if m else f"C₁^({alpha:g})"


def filter_words(search: Filtered, named: str) -> str:
    """What the best filter in front leaves of what there is without one."""
    without, least = number(search.without, 3), number(search.least, 3)
    if not search.best:
        return f"No filter v + c·u in front lowers {named}: {without} stays."
    return (
        f"Given v + c·u in place of v, a head has least to learn for c = {search.best:g}: "
        f"{named} is {'' if search.exact else 'at most '}{least} there, {without} without a filter."
    )


D3_LINE = "The rank rises from 2 to 3, as App. D.3 says; the complexity need not."
D3_NOTE = (
    "ρ = 1 + 2 sin 2πu sin 2πv, mixed to ρ(u, u + v), has exactly σ = (√11 ± √3)/4 and 1/2 "
    "(1.2622, 0.5, 0.3961), where App. D.3 prints 1.265, 0.5, 0.4. It says that the rank rises and "
    "so does the complexity: the rank does, from 2 to 3 (centred from 1 to 2), but C₁^(α) falls "
    "for α between 0.34 and 2.28. A filter in front that gives v + u in place of v undoes it."
)


@lru_cache(maxsize=1)
def trained_words() -> str:
    """What filters that were found without training are worth to trained heads, as shipped."""
    table = pd.read_csv(TRAINED)
    cases = [
        f"{gain.case}, m = {gain.m}: {number(gain.without, 2)} → {number(gain.behind, 2)}"
        for gain in gains_of(table).itertuples()
        if gain.c
    ]
    return (
        f"Trained, nMSE without a filter → behind the best one (medians of "
        f"{table['seed'].nunique()} seeds, equal recipes): {'; '.join(cases)}."
    )


def gains_of(table: pd.DataFrame) -> pd.DataFrame:
    """case, m, c, without, behind (median nmse), ratio: of trained heads, c = 0 where no filter is
    better than none. `table` has case, m, row, c, nmse and a line each model."""
    medians = table.groupby(["case", "m", "row"], sort=False)["nmse"].median().unstack("row")
    best = table.groupby(["case", "m"], sort=False)["c"].max()
    without, behind = medians["without a filter"], medians["behind the best filter"]
    return pd.DataFrame(
        {"c": best, "without": without, "behind": behind, "ratio": without / behind}
    ).reset_index()


def sigma_table(before: MixedSpectrum, after: MixedSpectrum) -> pd.DataFrame:
    """k, sigma (> 0), when ('before' or 'after'), gauge ('raw' or 'centred')."""
    return _sides("k", "sigma", 1, {"before": before.sigma, "after": after.sigma})


def tails_table(before: MixedSpectrum, after: MixedSpectrum) -> pd.DataFrame:
    """m, tail = Σ_{k>m} σ_k² (> 0), when, gauge, as in `sigma_table`."""
    return _sides("m", "tail", 0, {"before": before.tail, "after": after.tail})


def _sides(
    number: str, value: str, first: int, sides: Mapping[str, Callable[[bool], np.ndarray]]
) -> pd.DataFrame:
    lines = [
        {number: n, value: float(each), "when": when, "gauge": gauge}
        for when, values in sides.items()
        for gauge, centred in (("raw", False), ("centred", True))
        for n, each in enumerate(values(centred)[:MOST], start=first)
        if each > 0
    ]
    return pd.DataFrame(lines, columns=[number, value, "when", "gauge"])


def name_of(a: float, b: float, c: float) -> str:
    """ρ(u, a·u + b·v), behind a filter v + c·u."""
    behind = f" behind {_sum((1, 'v'), (c, 'u'))}" if c else ""
    return f"ρ(u, {_sum((a, 'u'), (b, 'v'))}){behind}"


def _sum(*terms: tuple[float, str]) -> str:
    """As one writes it: u − 0.5·v."""
    parts = [_times(factor, name) for factor, name in terms if factor]
    return " + ".join(parts).replace("+ −", "− ") or "0"


def _times(factor: float, name: str) -> str:
    if abs(factor) == 1:
        return name if factor > 0 else f"−{name}"
    return f"{factor:g}·{name}".replace("-", "−")


def words(before: MixedSpectrum, after: MixedSpectrum, alpha: float) -> str:
    """What mixing does to rank and complexity, raw and as softmax sees it."""
    ranks = [len(spectrum.sigma(flag)) for flag in (False, True) for spectrum in (before, after)]
    moved = "falls" if after.c_1 < before.c_1 else "rises"
    if number(before.c_1, 4) == number(after.c_1, 4):
        moved = "stays"
    return (
        f"Rank {ranks[0]} → {ranks[1]}, without the v-mean, which softmax cannot see, "
        f"{ranks[2]} → {ranks[3]}. C₁^({alpha:g}) {moved}: {number(before.c_1, 4)} → "
        f"{number(after.c_1, 4)} (centred {number(before.c_1_centred, 4)} → "
        f"{number(after.c_1_centred, 4)})."
    )
