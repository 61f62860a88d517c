"""Page 7: what is said of memories, of a run that learns one, and of another beside it; and
what Theorems 3.1, 4.1, 4.4 and 5.1 say of a target, the error's law in heads, lags and width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from explorer.pages.memory.view_kinds import Axis, view_of
from explorer.pages.memory.view_tables import trainings
from explorer.runs.record import ACTIVE, Record, RunRow
from explorer.slow import pd
from explorer.spec import MemorySpec, amended, narrowed
from explorer.theory.best_heads import Falling
from explorer.theory.memory import readout_rate
from explorer.theory.theorems import Answer, Statement
from explorer.views.text import floor_text, number, plural


def formulas(spec: MemorySpec) -> tuple[str, ...]:
    """The definition of its class, part by part, and the target itself, as LaTeX; a line of text
    breaks between parts alone, since each is a group."""
    view = view_of(spec)
    whole = rf"{view.kind.definition},\ {view.tex(spec)}"
    return tuple(f"{{{part}}}" for part in whole.split(r",\ "))


def class_line(spec: MemorySpec) -> str:
    """What is remembered in words, and what the paper calls it."""
    view = view_of(spec)
    return f"**{view.name.capitalize()}**: {view.says} ({view.kind.title})."


def stream_drawing(spec: MemorySpec) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header of the "drawing" message of a run."""
    view = view_of(spec)
    floor, label = view.least(spec)
    header = {
        "label": view.kind.title,
        "target": spec.target,
        "recipe": spec.recipe,
        "tau": spec.tau,
        "m_h": spec.m_h,
        "layers": spec.layers,
        "heads": spec.heads,
        "jumps": 0,
        "first": spec.first,
        "lags": [],
        "vocabulary": spec.tokens,
        "steps": spec.steps,
        "seed": spec.seed,
        "rank": None,
        "floor": floor,
        "floor_label": label,
    }
    return {**header, **view.drawn(spec)}, {}


def verdict(row: RunRow, beside: Mapping[str, RunRow] | None = None) -> str:
    """A sentence on where a run stands; besides, what other seeds left, and each run `beside` it
    that is of equal recipe but for layers or heads and after as many steps."""
    spec, outcome = narrowed(row.spec, MemorySpec), row.outcome
    view = view_of(spec)
    if row.status == "queued" and any(each.status in ACTIVE for each in (beside or {}).values()):
        after = "trained after the run beside it, in the same picture"
        return f"{net(spec)[:-1]}: {after}. {view.known(spec)}"
    if "nmse" not in outcome:
        return f"This model is {row.status} at step {row.step} of {row.steps}."
    floor, label = view.least(spec)
    limit = "" if floor is None else f" {label[0].upper()}{label[1:]}: {floor_text(floor)}."
    others = "".join(
        f" After as many steps {name} of the same recipe left "
        f"{number(each.outcome['nmse'])}{_seeds(each) and f' ({_seeds(each)})'}."
        for each in (beside or {}).values()
        if (name := _other(row, each)) and each.step == row.step and "nmse" in each.outcome
    )
    told = _seeds(row)
    one, seeds = ("", f" Of this recipe, {told}.") if told else (" (one seed)", "")
    return (
        f"After {plural(row.step, 'step')}{one} the nMSE of {net(spec)} is "
        f"{number(outcome['nmse'])}.\n\nA constant leaves 1.{limit}{seeds}{others}"
    )


def left(row: RunRow, beside: Mapping[str, RunRow]) -> dict[str, str]:
    """The nMSE of a run and that of the first beside it, as far as they are known."""
    rows = {"left": row, "other": next(iter(beside.values()), row)}
    errors = {name: each.outcome.get("nmse") for name, each in rows.items()}
    return {name: number(nmse) for name, nmse in errors.items() if nmse is not None}


def _seeds(row: RunRow) -> str:
    """What other seeds of its recipe have left, where that is known."""
    return trainings(row.spec, row.outcome["nmse"]) if row.step == row.steps else ""


def so_far(run: Record, beside: Iterable[Record]) -> str:
    """A sentence on each run `beside` that is of equal recipe, where one of both is not done: what
    both leave after the last step at which both were looked at."""
    told = ""
    for other in beside:
        both = run.snapshot_steps, other.snapshot_steps
        steps, at, at_other = np.intersect1d(*both, return_indices=True)
        done = {run.row.status, other.row.status} == {"finished"}  # of which the verdict speaks
        if (name := _other(run.row, other.row)) and len(steps) and not done:
            one, two = (
                number(float(nmse)) for nmse in (run.nmse[at[-1]], other.nmse[at_other[-1]])
            )
            told += f" After {steps[-1]} steps this run left {one}, "
            told += f"{name} of the same recipe {two}."
    return told


def net(spec: MemorySpec) -> str:
    """Layers, heads and their encoding in words."""
    layers = f"{plural(spec.layers, 'layer')} of " if spec.uses("layers") else ""
    return f"{layers}{plural(spec.heads, 'head')}, encoding {spec.encoding},"


def _other(row: RunRow, other: RunRow) -> str:
    """What another run is called, "1 layer", if it is of equal recipe: it differs from the one
    shown in layers or heads alone; else ""."""
    spec, own = row.spec.model_dump(), other.spec.model_dump()
    changed = [name for name in spec | own if spec.get(name) != own.get(name)]
    if changed not in (["layers"], ["heads"]):
        return ""
    name = changed[0]
    return plural(own[name], name.removesuffix("s"))


def counterpart(spec: MemorySpec) -> MemorySpec:
    """The same with one layer, or where it has one, with two."""
    return amended(spec, layers=1 if spec.layers > 1 else 2)


HEADS = tuple(2**i for i in range(7))
FURTHEST = tuple(2**i for i in range(8))
"""T: how far the furthest memory is."""
MEMORIES = (1, 2, 3, 4, 6, 8)
WIDTHS = tuple(4**i for i in range(2, 10))


def asked(spec: MemorySpec, n: int, encoding: Falling) -> Answer:
    """Whether a theorem speaks of a target, and if not, why."""
    view = view_of(spec)
    if view.law is None:
        why = f"{view.title} is beyond the paper: none of its theorems speaks of it."
        return Answer(False, why)
    return view.law.ask(spec, n, encoding)


@dataclass(frozen=True, eq=False)
class Rates:
    """The map of a target, up to constants C(n) that the paper leaves open: it compares places of
    one theorem, and is no error that a model will have."""

    statement: Statement
    formula: str
    """LaTeX."""
    attention: pd.DataFrame
    """heads, `axis`, rate: the attention's part of the error over C(n)."""
    axis: Axis
    whole: pd.DataFrame
    """heads, m, rate, larger ("attention" or "readout"): with the feed-forward layers' part."""
    here: tuple[int, int]
    """The heads of the specification, and where it is on `axis`."""
    sentences: tuple[str, ...]


def rates(spec: MemorySpec, n: int, encoding: Falling) -> Rates | None:
    """The map for a target; None where no theorem speaks of it."""
    law = view_of(spec).law
    if law is None or not law.ask(spec, n, encoding).holds:
        return None
    here = law.here(spec)
    attention = [
        {"heads": heads, law.axis: at, "rate": law.rate(spec, heads, at, n, encoding)}
        for heads in HEADS
        for at in (MEMORIES if law.axis == "M" else FURTHEST)
    ]
    whole = [
        _with_readout(heads, m, law.rate(spec, heads, here, n, encoding))
        for heads in HEADS
        for m in WIDTHS
    ]
    statement = law.theorem(spec, encoding)
    return Rates(
        statement,
        rf"\mathcal E_\mathrm{{attn}}={law.tex(encoding)}",
        pd.DataFrame(attention),
        law.axis,
        pd.DataFrame(whole),
        (spec.heads, here),
        (
            law.layers(spec),
            f"Twice the heads: the attention's part falls by 2ⁿ = {2**n}.",
            *law.further(spec, n, encoding),
            f"It is proved for {statement.proved_for}.",
        ),
    )


def _with_readout(heads: int, m: int, attention: float) -> dict[str, Any]:
    readout = readout_rate(m)
    larger = "attention" if attention > readout else "readout"
    return {"heads": heads, "m": m, "rate": attention + readout, "larger": larger}
