"""What has been trained of memories, beforehand and here: means over seeds against heads or layers.

Only runs of equal recipe are counted together: all but their seed and what stands on the axis.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from explorer.runs.record import RunRow
from explorer.spec import MemorySpec, MemorySweep, spec_id
from explorer.theory.memory import doubling_layers, head_floor, sufficient_layers
from explorer.theory.memory_sweep import mean_of
from explorer.views.memory_kernels import curve_name
from explorer.views.sweeps import ASSETS, Finished, numbers_text
from explorer.views.text import number

ENOUGH = 5  # seeds of which there is something to say
OWN = "your runs, as set at the left"
MOST_JUMPS = 8


@lru_cache(maxsize=4)
def shipped(name: str) -> pd.DataFrame | None:
    """A table of `reproduce`: sweep, of, layers, heads, seed, nmse, mse, best, spec_id, spec; None
    where it is not there."""
    file = ASSETS / f"{name}.csv"
    return pd.read_csv(file) if file.is_file() else None


def cells(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """of, `axis`, seeds, mean (geometric) of nmse with its interval low, high, and best."""
    lines = []
    for (of, at), rows in table.groupby(["of", axis], sort=False):
        found = mean_of(rows["nmse"].tolist())
        low, high = found.interval or (found.mean, found.mean)
        line = {"of": of, axis: at, "seeds": len(rows), "mean": found.mean, "low": low}
        lines.append(line | {"high": high, "best": float(rows["best"].iloc[0])})
    columns = ["of", axis, "seeds", "mean", "low", "high", "best"]
    return pd.DataFrame(lines, columns=columns)


class Own(NamedTuple):
    """Runs of the reader that are of one recipe."""

    table: pd.DataFrame
    """As `shipped`, less the sweep, of those with enough seeds."""
    note: str
    """How far they are from being enough, or ""."""


class Trained(NamedTuple):
    """A finished training of the reader: a run, or a row of a sweep."""

    spec: MemorySpec
    spec_id: str
    nmse: float


def of_runs(spec: MemorySpec, rows: Iterable[RunRow]) -> list[Trained]:
    """The finished runs on the same kind of target, whose errors were measured here."""
    return [
        Trained(cast(MemorySpec, row.spec), row.spec_id, row.outcome["nmse"])
        for row in rows
        if row.status == "finished" and not row.claimed and row.spec.target == spec.target
    ]


def of_sweeps(sweeps: Iterable[Finished[MemorySweep]]) -> list[Trained]:
    """The rows of sweeps, less those that diverged."""
    found = []
    for sweep, rows in ((each.sweep, each.rows) for each in sweeps):
        specs = _members(sweep)
        for row in rows:
            if row["nmse"] is not None and row["spec_id"] in specs:
                found.append(Trained(specs[row["spec_id"]], row["spec_id"], row["nmse"]))
    return found


@lru_cache(maxsize=32)
def _members(sweep: MemorySweep) -> dict[str, MemorySpec]:
    return {spec_id(member): member for member in sweep.members()}


def own(spec: MemorySpec, trained: Iterable[Trained], axis: str) -> Own:
    """What differs from a specification in `axis` and seed alone, one a seed."""
    found: dict[tuple[int, int], dict[str, Any]] = {}
    for each in trained:
        if _recipe(each.spec, axis) != _recipe(spec, axis):
            continue
        of = each.spec
        line = {"of": OWN, "layers": of.layers, "heads": of.heads, "seed": of.seed}
        line |= {"nmse": each.nmse, "best": np.nan, "spec_id": each.spec_id}
        found.setdefault((getattr(of, axis), of.seed), line)
    columns = ["of", "layers", "heads", "seed", "nmse", "best", "spec_id"]
    table = pd.DataFrame(found.values(), columns=columns)
    count = table.groupby(axis)["seed"].transform("size")
    note = f"{count.max()} of {ENOUGH} seeds" if len(table) and count.max() < ENOUGH else ""
    return Own(table[count >= ENOUGH].reset_index(drop=True), note)


@lru_cache(maxsize=4096)
def _recipe(spec: MemorySpec, axis: str) -> tuple[tuple[str, Any], ...]:
    """All that a training is made of but `axis` and seed."""
    return tuple(spec.model_dump(exclude={axis, "seed", *spec.idle_fields()}).items())


def signature(table: pd.DataFrame) -> str:
    """The seeds behind a figure."""
    return f"seeds {numbers_text(sorted(set(table['seed'])))}"


# Heads


@lru_cache(maxsize=1)
def heads() -> pd.DataFrame:
    """of, heads, seeds, mean, low, high, best of one jump, by distance and with a dot product."""
    table = shipped("memory-heads")
    assert table is not None
    return cells(table, "heads")


def heads_line(most: int = 4, vocabulary: int = 4) -> pd.DataFrame:
    """heads, best: the exact line 1 − H/V."""
    counts = range(1, most + 1)
    return pd.DataFrame({"heads": counts, "best": [head_floor(h, vocabulary) for h in counts]})


def heads_sentence(found: pd.DataFrame) -> str:
    """How far the means are from the line, and what one head with dot product leaves."""
    known = found[found["best"].notna()]
    off = float((known["mean"] - known["best"]).abs().max())
    other = found[found["best"].isna() & (found["heads"] == 1)]
    pointed = "".join(
        f" With learned positions and a dot product one head leaves {number(row['mean'])} "
        f"({number(row['low'])} to {number(row['high'])})."
        for _, row in other.iterrows()
    )
    return (
        f"Means of {int(found['seeds'].min())} seeds are within {number(off)} of the exact line "
        f"1 − H/V.{pointed}"
    )


WHY_THE_LINE = (
    "Weights that hang on the distance alone mix $V$ normal values into $H$ numbers, the same "
    "whatever $x_t$ says, so only $H$ of $V$ directions are told; positions and a dot product let "
    "the weights follow $x_t$ itself, and the line breaks."
)

# Encodings


FALLS = {"power": "$s^{-0.5}$", "exponential": "$e^{-s/20}$"}
"""The kernels of the paper, by their names in specifications."""


@lru_cache(maxsize=4)
def encodings(fall: str) -> pd.DataFrame | None:
    """encoding, heads, seeds, mean, low, high of trained heads on a kernel of the paper."""
    table = shipped("memory-encodings")
    if table is None:
        return None
    own_ = table[table["sweep"].str.endswith(f"-{fall}")]
    found = cells(own_.assign(of=own_["sweep"].str.split("-").str[1]), "heads")
    return found.rename(columns={"of": "encoding"})


def encodings_sentence(fall: str) -> str:
    """The encoding that theory says represents the kernel badly: trained, beside the best."""
    found = encodings(fall)
    if found is None:
        return ""
    hard = "lin" if fall == "power" else "log"
    of = found[found["encoding"] == hard].set_index("heads")
    six, most = of.loc[6], of.loc[max(of.index)]
    return (
        f"Six {hard} heads can represent {FALLS[fall]} to {number(six['best'])}; trained from "
        f"random starts, {int(six['seeds'])} seeds leave {number(six['mean'])} "
        f"({number(six['low'])} to {number(six['high'])}) in the mean, and "
        f"{curve_name(hard, int(most.name))} {number(most['mean'])}: it is training that fails, "
        "not the encoding."
    )


# Depth


@lru_cache(maxsize=1)
def depth() -> pd.DataFrame | None:
    """of, layers, jumps (0: fixed lags; NaN: induction), seeds, mean, low, high."""
    table = shipped("memory-depth")
    if table is None:
        return None
    found = cells(table, "layers")
    jumps = found["of"].str.extract(r"^(\d+) jump")[0].astype(float)
    return found.assign(jumps=jumps.where(~found["of"].str.contains("fixed"), 0.0))


def bounds(most: int = MOST_JUMPS) -> pd.DataFrame:
    """jumps, layers, of: K + 1 of Theorem 4.4 and ⌈log₂(K + 1)⌉ by doubling."""
    counts = range(1, most + 1)
    known = {"K + 1 (Theorem 4.4)": sufficient_layers, "⌈log₂(K + 1)⌉, doubling": doubling_layers}
    return pd.DataFrame(
        [{"jumps": k, "layers": of(k), "of": name} for name, of in known.items() for k in counts]
    )


def depth_sentence(found: pd.DataFrame) -> str:
    """What one layer leaves of two jumps and of induction, and two layers."""
    parts = []
    for of in ("2 jumps", "induction"):
        at = found[found["of"] == of].set_index("layers")
        if {1, 2} <= set(at.index):
            one, two = at.loc[1], at.loc[2]
            parts.append(
                f"{of}: one layer leaves {number(one['mean'])} ({number(one['low'])} to "
                f"{number(one['high'])}), two {number(two['mean'])} ({number(two['low'])} to "
                f"{number(two['high'])})"
            )
    said = "; ".join(parts)
    seeds = int(found["seeds"].min())
    return f"{said[:1].upper()}{said[1:]}, geometric means of {seeds} seeds." if said else ""
