"""What has been trained of memories, beforehand and here: each seed, and the median of those alike.

Outcomes are bimodal, since some seeds get stuck: none is averaged away.

Only runs of equal recipe are counted together: all but their seed and what stands on the axis.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np

from explorer.pages.memory.view_kernels import best, in_the_limit
from explorer.runs.record import RunRow
from explorer.slow import pd
from explorer.spec import AnySpec, MemorySpec, MemorySweep, amended, narrowed, spec_id
from explorer.targets.memory.falling import TRAINED
from explorer.theory.memory import doubling_layers, head_floor, sufficient_layers
from explorer.theory.theorems import STATEMENTS
from explorer.views.sweeps import ASSETS, Finished, numbers_text
from explorer.views.text import ROUNDING, floor_text, number, plural, spread

ENOUGH = 5  # seeds of which there is something to say
OWN = "your runs, as set at the left"


@lru_cache(maxsize=4)
def shipped(name: str) -> pd.DataFrame | None:
    """A table of `reproduce`: sweep, of, layers, heads, seed, nmse, mse, best, spec_id, spec; None
    where it is not there."""
    file = ASSETS / f"{name}.csv"
    return pd.read_csv(file) if file.is_file() else None


def settings(table: pd.DataFrame, name: str, default: Any) -> pd.Series:
    """A field of the specifications of a table."""
    return table["spec"].map(lambda text: json.loads(text).get(name, default))


def cells(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """of, `axis`, seeds, median of nmse, low and high, its least and greatest, and best."""
    summary = table.groupby(["of", axis], sort=False).agg(
        seeds=("nmse", "size"),
        median=("nmse", "median"),
        low=("nmse", "min"),
        high=("nmse", "max"),
        best=("best", "first"),
    )
    return summary.reset_index()


class Own(NamedTuple):
    """Runs of the reader that are of one recipe."""

    table: pd.DataFrame
    """As `shipped`, less the sweep, of those with enough seeds."""
    note: str
    """How far they are from being enough, or ""."""


class TrainedHead(NamedTuple):
    """A finished training of the reader: a run, or a row of a sweep."""

    spec: MemorySpec
    spec_id: str
    nmse: float


def of_runs(spec: MemorySpec, rows: Iterable[RunRow]) -> list[TrainedHead]:
    """The finished runs on the same kind of target, whose errors were measured here."""
    return [
        TrainedHead(narrowed(row.spec, MemorySpec), row.spec_id, row.outcome["nmse"])
        for row in rows
        if row.status == "finished" and not row.claimed and row.spec.target == spec.target
    ]


def of_sweeps(sweeps: Iterable[Finished[MemorySweep]]) -> list[TrainedHead]:
    """The rows of sweeps, less those that diverged."""
    return [
        TrainedHead(specs[row["spec_id"]], row["spec_id"], row["nmse"])
        for each in sweeps
        for specs in [_members(each.sweep)]
        for row in each.rows
        if row["nmse"] is not None and row["spec_id"] in specs
    ]


@lru_cache(maxsize=32)
def _members(sweep: MemorySweep) -> dict[str, MemorySpec]:
    return {spec_id(member): member for member in sweep.members()}


def own(spec: MemorySpec, trained: Iterable[TrainedHead], axis: str) -> Own:
    """What differs from a specification in `axis` and seed alone, one a seed."""
    lines: dict[tuple[int, int], dict[str, Any]] = {}
    for each in trained:
        if _recipe(each.spec, axis) != _recipe(spec, axis):
            continue
        other = each.spec
        line = {"of": OWN, "layers": other.layers, "heads": other.heads, "seed": other.seed}
        line |= {"nmse": each.nmse, "best": np.nan, "spec_id": each.spec_id}
        lines.setdefault((getattr(other, axis), other.seed), line)
    columns = ["of", "layers", "heads", "seed", "nmse", "best", "spec_id"]
    table = pd.DataFrame(lines.values(), columns=columns)
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


@lru_cache(maxsize=1)
def heads() -> pd.DataFrame:
    """`cells` of one jump against heads, by distance and with a dot product."""
    return cells(pd.read_csv(ASSETS / "memory-heads.csv"), "heads")


def heads_line() -> pd.DataFrame:
    """heads, best: the exact line 1 − H/V for V = 4."""
    return pd.DataFrame([{"heads": h, "best": head_floor(h, 4)} for h in range(1, 5)])


def heads_sentence(table: pd.DataFrame) -> str:
    """How far the medians are from the line, and what one head with dot product leaves."""
    off = float((table["median"] - table["best"]).abs().max())
    other = table[table["best"].isna() & (table["heads"] == 1)]
    pointed = "".join(
        f" With learned positions and a dot product one head leaves {_range(row)}."
        for _, row in other.iterrows()
    )
    return (
        f"Medians of {int(table['seeds'].min())} seeds are within {number(off)} of the exact line "
        f"1 − H/V.{pointed}"
    )


def _range(row: Mapping[str, Any]) -> str:
    """From the least to the greatest of the seeds."""
    return spread(row["low"], row["high"])


WHY_THE_LINE = (
    "Weights that hang on the distance alone mix $V$ normal values into $H$ numbers, the same "
    "whatever $x_t$ says, so only $H$ of $V$ directions are told; positions and a dot product let "
    "the weights follow $x_t$ itself, and the line breaks."
)


def without_network() -> str:
    """What the paper says of one pointer where no network follows the attention."""
    alone = STATEMENTS["4.2"]
    return (
        f"That the line reaches 0 is the doing of the network behind the attention: of a pointer "
        f"0, 1 or 2 places back {alone.layers} leaves, {alone.says} ({alone.name}: "
        f"{alone.proved_for})."
    )


KERNELS = {kernel.fall: kernel for kernel in TRAINED}
HOW = {"scaled": "normalised", "plain": "plain"}
"""How heads alone are written, by the names in specifications."""


@lru_cache(maxsize=4)
def encodings(fall: str) -> pd.DataFrame | None:
    """encoding, how, heads, seed, lr, error (0 where it is rounding), best: each trained seed."""
    table = shipped("memory-encodings")
    if table is None:
        return None
    table = table.assign(
        encoding=settings(table, "encoding", ""),
        fall=settings(table, "fall", "power"),
        how=settings(table, "kappa", "softmax").map(HOW),
        lr=settings(table, "lr", 0.0),
        error=table["nmse"].where(table["nmse"] >= ROUNDING, 0.0),
    )
    columns = ["encoding", "how", "heads", "seed", "lr", "error", "best"]
    return table[table["fall"] == fall][columns].reset_index(drop=True)


def encodings_sentence(fall: str) -> str:
    """What six trained heads leave of a kernel, of the encoding that is exact and of the other one,
    beside the best there is."""
    table, heads = encodings(fall), 6
    if table is None:
        return ""
    rows = table[table["heads"] == heads]
    suits, other = ("log", "lin") if fall == "power" else ("lin", "log")
    least = rows[rows["encoding"] == other]["best"].iloc[0]
    limit = in_the_limit(best(KERNELS[fall], cast(Any, other))[heads - 1])
    return (
        f"Trained by Adam, at the best of a few learning rates, {int(rows['seed'].nunique())} "
        f"seeds: {heads} {other} heads leave {_by_how(rows, other)}, where "
        f"{floor_text(float(least))} is possible{limit}; {heads} {suits} heads, of which one is "
        f"exact, {_by_how(rows, suits)}."
    )


def _by_how(table: pd.DataFrame, encoding: str) -> str:
    return " or ".join(
        f"{spread(rows['error'].min(), rows['error'].max())} ({how})"
        for how, rows in table[table["encoding"] == encoding].groupby("how", sort=False)
    )


LIVE = "memory-depth-live"
"""The sweep of the recipe of the page, whose steps are fewer than those of the others."""
WIDE = "memory-depth-heads"
"""One layer on two jumps, against heads that hang on distances alone."""


@lru_cache(maxsize=1)
def depth() -> pd.DataFrame | None:
    """`of_depth` of the shipped table, with jumps (0: fixed lags; NaN: induction)."""
    table = shipped("memory-depth")
    if table is None:
        return None
    rows = of_depth(table)
    jumps = rows["of"].str.extract(r"^(\d+) jump")[0].astype(float)
    return rows.assign(jumps=jumps.where(~rows["of"].str.contains("fixed"), 0.0))


def of_depth(table: pd.DataFrame) -> pd.DataFrame:
    """of, layers, heads, seed, nmse, best, lr: each seed, at the learning rate whose median is the
    least of those tried for this depth."""
    rows = table[~table["sweep"].isin([LIVE, WIDE])]
    rows = rows.assign(lr=settings(rows, "lr", MemorySpec.model_fields["lr"].default))
    medians = rows.groupby(["of", "layers", "lr"])["nmse"].median()
    best = set(medians.groupby(["of", "layers"]).idxmin())
    at_best = [at in best for at in zip(rows["of"], rows["layers"], rows["lr"], strict=True)]
    return rows[at_best].reset_index(drop=True)


def bounds() -> pd.DataFrame:
    """jumps, layers, of: K + 1 of Theorem 4.4 and ⌈log₂(K + 1)⌉ by doubling, up to 8 jumps."""
    counts = range(1, 9)
    known = {"K + 1 (Theorem 4.4)": sufficient_layers, "⌈log₂(K + 1)⌉, doubling": doubling_layers}
    return pd.DataFrame(
        [
            {"jumps": k, "layers": layers_for(k), "of": name}
            for name, layers_for in known.items()
            for k in counts
        ]
    )


def depth_sentence(rows: pd.DataFrame) -> str:
    """What each number of layers leaves of two jumps and of induction, and one of more heads."""
    medians = cells(rows, "layers")
    parts = [
        f"{target}, " + ", ".join(_layers(row) for _, row in at.sort_values("layers").iterrows())
        for target in ("2 jumps", "induction")
        if len(at := medians[medians["of"] == target])
    ]
    if not parts:
        return ""
    heads, seeds = int(rows["heads"].iloc[0]), int(medians["seeds"].min())
    return (
        f"With {plural(heads, 'head')}, the least to the greatest of {seeds} seeds: "
        f"{'; '.join(parts)}.{_wide()}"
    )


def other_way_round(rows: pd.DataFrame) -> str:
    """A reading of the paper that its theorems and these runs contradict."""
    medians = cells(rows[rows["layers"] <= 2], "layers").sort_values("layers")
    left = {
        target: " and ".join(number(float(row["median"])) for _, row in at.iterrows())
        for target, at in medians.groupby("of")
    }
    return (
        "A summary of the paper has it the other way round, depth for fixed memories and heads for "
        "adaptive ones. Fixed lags need one layer (Theorem 3.1): by one and by two the medians are "
        f"{left['two fixed lags']}, for two jumps {left['2 jumps']}."
    )


def _layers(row: Mapping[str, Any]) -> str:
    return f"{plural(int(row['layers']), 'layer')} {_range(row)}"


def _wide() -> str:
    """What one layer leaves of two jumps with heads that hang on distances alone."""
    table = shipped("memory-depth")
    assert table is not None
    medians = cells(table[table["sweep"] == WIDE], "heads")
    if medians.empty:
        return ""
    told = ", ".join(
        f"{plural(int(row['heads']), 'head')} {_range(row)}" for _, row in medians.iterrows()
    )
    return f" One layer whose heads hang on distances alone: {told}."


@lru_cache(maxsize=64)
def beside(spec: AnySpec) -> tuple[float, ...]:
    """The nMSE that several seeds of a recipe leave, if a table has them."""
    table = shipped("memory-depth")
    if table is None:
        return ()
    members = [spec_id(amended(spec, seed=seed)) for seed in range(ENOUGH)]
    return tuple(table[table["spec_id"].isin(members)]["nmse"])


def trainings(spec: AnySpec, nmse: float) -> str:
    """The least and the greatest of a run and of the `beside` it: "6 trainings: 0.10 to 0.20"."""
    errors = (nmse, *beside(spec))
    return f"{len(errors)} trainings: {spread(min(errors), max(errors))}" * (len(errors) > ENOUGH)
