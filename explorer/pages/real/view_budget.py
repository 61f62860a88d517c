"""Which heads of a model tolerate which k, and whether it pays to give each what it needs.

The numbers are shipped (`reproduce rank-cut`): losses of a model whose heads are cut one by one,
and all together, to one k or each to its own.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from explorer.pages.real.view_look import model_of
from explorer.pretrained.spectra_file import Tolerance, unpack_tolerance
from explorer.slow import pd, special
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

TOLERANCES = ASSETS / "real-rank-cut.npz"
BEARABLE = 0.01  # of the loss; of the distance from its own answer where that is the loss
ONE, OWN = "one k for all", "each head its own"
LOSSES = {
    "smollm2": "loss added, share of its own",
    "vit": "squared error ÷ variance of the map",
    "minilm": "1 − cosine to its own vector",
}


@lru_cache(maxsize=1)
def shipped() -> dict[str, Tolerance]:
    """The losses of all models."""
    return unpack_tolerance(TOLERANCES.read_bytes())


def added(name: str, tolerance: Tolerance, losses: np.ndarray) -> np.ndarray:
    """What losses (input, …) add: as a share of the model's own on that input, where it has one."""
    if name != "smollm2":
        return losses
    own = tolerance.own.reshape(-1, *[1] * (losses.ndim - 1))
    return losses / own - 1


def interval(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean over the inputs, and its 95 % interval by Student's t."""
    count = len(values)
    mean = values.mean(0)
    half = special.stdtrit(count - 1, 0.975) * values.std(0, ddof=1) / count**0.5
    return mean, mean - half, mean + half


def head_table(name: str, tolerance: Tolerance, k: int) -> pd.DataFrame:
    """The loss that each head alone adds when it keeps k terms: layer and head from 1, added, with
    the interval over inputs."""
    at = tolerance.terms.tolist().index(k)
    mean, low, high = interval(added(name, tolerance, tolerance.alone[..., at]))
    layer, head = np.divmod(np.arange(mean.size), mean.shape[1])
    columns = {"added": mean, "low": low, "high": high}
    return pd.DataFrame(
        {"layer": layer + 1, "head": head + 1}
        | {key: losses.ravel() for key, losses in columns.items()}
    )


def budget_table(name: str, tolerance: Tolerance) -> pd.DataFrame:
    """All heads cut together: kind, k on average, added with its interval over inputs."""
    parts = [
        (ONE, tolerance.terms, tolerance.uniform),
        (OWN, tolerance.tables.reshape(len(tolerance.shares), -1).mean(1), tolerance.chosen),
    ]
    tables = []
    for kind, k, losses in parts:
        mean, low, high = interval(added(name, tolerance, losses))
        columns = {"kind": kind, "k": k, "added": mean, "low": low, "high": high}
        tables.append(pd.DataFrame(columns))
    return pd.concat(tables, ignore_index=True)


def sentence(name: str, tolerance: Tolerance) -> str:
    """How many heads bear which k, and the one that costs most, with its interval."""
    model = model_of(name)
    tables = {int(k): head_table(name, tolerance, int(k)) for k in tolerance.terms}
    least = tables[min(tables)]
    total = len(least)
    borne = ", ".join(
        f"{int((table['added'] <= BEARABLE).sum())} with k = {k}" for k, table in tables.items()
    )
    worst = least.loc[least["added"].idxmax()]
    low, high = (_written(name, worst[end]) for end in ("low", "high"))
    return (
        f"{model.title}: cut alone, {borne} of its {total} heads lose at most "
        f"{_written(name, BEARABLE)}. The dearest with k = "
        f"{min(tables)} is head {int(worst['head'])} of layer {int(worst['layer'])}: "
        f"{_written(name, worst['added'])} (95 % interval over {len(tolerance.own)} {model.reads}s"
        f": {low} to {high})."
    )


def budget_sentence(name: str, tolerance: Tolerance) -> str:
    """Whether heads that keep what each needs lose less than heads that keep one k."""
    table = budget_table(name, tolerance)
    own = table[table["kind"] == OWN]
    one = table[table["kind"] == ONE].sort_values("k")
    chosen = own.loc[(own["k"] - 4).abs().idxmin()]
    logs = np.log(one["k"].astype(float))
    at_same = float(np.interp(np.log(chosen["k"]), logs, one["added"]))
    verdict = (
        "So it pays to ask each head."
        if chosen["added"] < at_same
        else "So it does not pay to ask each head alone: what heads lose together is more than the "
        "sum of what they lose one by one."
    )
    return (
        f"At {number(float(chosen['k']))} terms on average, each head cut to the least k that "
        f"alone costs next to nothing, all together lose {_written(name, chosen['added'])}; with "
        f"one k for all it would be about {_written(name, at_same)}. {verdict}"
    )


def _written(name: str, value: float) -> str:
    return f"{number(100 * float(value))} %" if name == "smollm2" else number(float(value))
