"""Page 7: what is said of memories, of a run that learns one, and of another beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from explorer.runs.record import ACTIVE, Record, RunRow
from explorer.spec import MemorySpec, amended
from explorer.targets.memory import CLASSES
from explorer.theory.best_heads import MOST, Falling
from explorer.theory.memory import doubling_layers, head_floor, lag_heads, sufficient_layers
from explorer.theory.theorems import of_kernels
from explorer.views.memory_kernels import best_of_spec
from explorer.views.memory_rates import asked, statement_of
from explorer.views.memory_tables import trainings
from explorer.views.text import floor_text, number, plural

NAMES = {
    "fixed_memory": "values at fixed lags",
    "adaptive_memory": "where tokens point",
    "essential_memory": "a kernel that falls",
    "induction": "what followed last time",
}
"""What each kind of memory is called in a list."""
PRESET = {
    "fixed_memory": "memory-fixed",
    "adaptive_memory": "memory-jumps",
    "essential_memory": "memory-kernel",
    "induction": "memory-induction",
}
"""What each opens with."""
BY_DISTANCE = ("log", "lin", "t5", "none")
"""Encodings that tell a head distances alone, if anything."""


def formulas(spec: MemorySpec) -> tuple[str, ...]:
    """The definition of its class, part by part, and the target itself, as LaTeX; a line of text
    breaks between parts alone, since each is a group."""
    whole = rf"{CLASSES[spec.target].definition},\ {_target(spec)}"
    return tuple(f"{{{part}}}" for part in whole.split(r",\ "))


def class_line(spec: MemorySpec) -> str:
    """The class of the target in words."""
    title = CLASSES[spec.target].title
    words = {
        "fixed_memory": "the answer hangs on the same M places in the past, wherever t is",
        "adaptive_memory": "where to look is itself read from the tokens, one after the other",
        "essential_memory": "all the past counts, by weights that fall with the distance",
        "induction": "beyond the paper: the answer follows the last token that was alike",
    }
    return f"**{title[:1].upper()}{title[1:]}**: {words[spec.target]}."


def _target(spec: MemorySpec) -> str:
    fields: Any = spec
    match spec.target:
        case "fixed_memory":
            terms = "+".join(f"b_{{t-{lag}}}" if lag else "b_t" for lag in fields.lags)
            count = len(fields.lags)
            return rf"y_t=({terms})/\sqrt{{{count}}}" if count <= 4 else _many(fields.lags)
        case "adaptive_memory":
            last = f"p_{{{fields.jumps}}}"
            return rf"y_t=b_{{{last}}},\ p_0=t,\ p_{{k+1}}=p_k-x_{{p_k}}"
        case "essential_memory":
            rho = (
                f"s^{{-{fields.exponent:g}}}"
                if fields.fall == "power"
                else f"e^{{-s/{fields.time:g}}}"
            )
            return rf"y_t=\sum_{{s\ge1}}{rho}\,b_{{t-s}}"
        case _:
            return r"y_t=b_{s+1},\ x_s=x_t\ \text{the last time}"


def _many(lags: Sequence[int]) -> str:
    return rf"y_t=(b_{{t-{lags[0]}}}+\dots+b_{{t-{lags[-1]}}})/\sqrt{{{len(lags)}}}"


# What is known without training


def floor_of(spec: MemorySpec) -> tuple[float | None, str]:
    """The least nMSE of such a model and what it is called; None where none is known."""
    if spec.recipe == "decays":
        if spec.heads > MOST:
            return None, ""
        return best_of_spec(spec).error, f"best of {plural(spec.heads, 'head')}"
    if _hangs_on_distances(spec):
        return head_floor(spec.heads, spec.tokens), "1 − H/V"
    return None, ""


def _hangs_on_distances(spec: MemorySpec) -> bool:
    """Whether the exact line 1 − H/V holds: one layer that sees b_{t−x_t} by distances alone."""
    plain = spec.layers == 1 and not spec.dot_product and not spec.layer_norm
    one_jump = spec.target == "adaptive_memory" and getattr(spec, "jumps", 0) == 1
    return plain and one_jump and spec.values == "normal" and spec.encoding in BY_DISTANCE


def known(spec: MemorySpec) -> str:
    """What theory says of the model before it is trained."""
    fields = cast(Any, spec)
    match spec.target:
        case "adaptive_memory":
            theorem = statement_of(spec, "log")
            assert theorem is not None
            return (
                f"Depth and heads trade. For {plural(fields.jumps, 'jump')} "
                f"{plural(sufficient_layers(fields.jumps), 'layer')} are enough ({theorem.name}), "
                f"by doubling {doubling_layers(fields.jumps)}, and one with "
                f"{plural(lag_heads(fields.jumps, fields.vocabulary), 'head')}, one for each "
                "distance."
            )
        case "fixed_memory":
            return (
                "For fixed lags one layer is enough, with heads that each find one (Theorem 3.1)."
            )
        case "essential_memory":
            return _of_kernel(spec)
        case _:
            return (
                "Copying what followed can be done in two steps: look one back, then for a match."
            )


def _of_kernel(spec: MemorySpec) -> str:
    if spec.encoding not in ("log", "lin"):
        return "Theorem 5.1 speaks of log and lin encodings alone."
    encoding: Falling = spec.encoding
    found = asked(spec, 1, encoding)
    if not found.holds:
        return found.why
    theorem = of_kernels(encoding)
    return f"The error of {encoding} heads can fall as 1/H, or faster ({theorem.name})."


# A run, at work or at rest


def stream_drawing(spec: MemorySpec) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Header of the "drawing" message of a run."""
    floor, label = floor_of(spec)
    return {
        "label": CLASSES[spec.target].title,
        "target": spec.target,
        "recipe": spec.recipe,
        "tau": spec.tau,
        "m_h": spec.m_h,
        "layers": spec.layers,
        "heads": spec.heads,
        "jumps": getattr(spec, "jumps", 0),
        "first": spec.first,
        "lags": list(getattr(spec, "lags", ())),
        "vocabulary": spec.tokens,
        "steps": spec.steps,
        "seed": spec.seed,
        "rank": None,
        "floor": floor,
        "floor_label": label,
    }, {}


def verdict(row: RunRow, beside: Mapping[str, RunRow] | None = None) -> str:
    """One sentence on where a run stands, with each `beside` it that is of equal recipe but for
    layers or heads and after as many steps."""
    spec, found = cast(MemorySpec, row.spec), row.outcome
    if row.status == "queued" and any(each.status in ACTIVE for each in (beside or {}).values()):
        return (
            f"{net(spec)[:-1]}: trained after the run beside it, in the same picture. {known(spec)}"
        )
    if "nmse" not in found:
        return f"This model is {row.status} at step {row.step} of {row.steps}."
    floor, label = floor_of(spec)
    least = "" if floor is None else f" ({label}: {floor_text(floor)})"
    others = "".join(
        f", {name} of the same recipe {number(each.outcome['nmse'])}{_seeds(each)}"
        for each in (beside or {}).values()
        if (name := _other(row, each)) and each.step == row.step and "nmse" in each.outcome
    )
    one = "" if _seeds(row) else " (one seed)"
    return (
        f"After {row.step} steps{one} {net(spec)} leave an nMSE of "
        f"{number(found['nmse'])}{_seeds(row)}{least}{others}; remembering nothing leaves 1."
    )


def _seeds(row: RunRow) -> str:
    """What other seeds of its recipe have left, where that is known."""
    if row.step != row.steps:
        return ""
    told = trainings(cast(MemorySpec, row.spec), row.outcome["nmse"])
    return f" ({told})" if told else ""


def so_far(run: Record, beside: Iterable[Record]) -> str:
    """A sentence on each run `beside` that is of equal recipe, where one of both is not done: what
    both leave after the last step at which both were looked at."""
    return "".join(
        f" After {step} steps it left {number(one)}, {name} of the same recipe {number(two)}."
        for other in beside
        if (name := _other(run.row, other.row)) and (found := _both(run, other))
        for step, one, two in [found]
    )


def _both(run: Record, other: Record) -> tuple[int, float, float] | None:
    """The last step at which both were measured, and the nMSE of both; None where there is none, or
    where both are done, of which the verdict speaks."""
    steps, at, at_other = np.intersect1d(
        run.snapshot_steps, other.snapshot_steps, return_indices=True
    )
    if not len(steps) or {run.row.status, other.row.status} == {"finished"}:
        return None
    return int(steps[-1]), float(run.nmse[at[-1]]), float(other.nmse[at_other[-1]])


def net(spec: MemorySpec) -> str:
    """Layers, heads and their encoding in words."""
    layers = f"{plural(spec.layers, 'layer')} of " if spec.recipe == "memory" else ""
    return f"{layers}{plural(spec.heads, 'head')}, encoding {spec.encoding},"


def _other(row: RunRow, other: RunRow) -> str:
    """What another run is called, "1 layer", if it is of equal recipe: it differs from the one
    shown in layers or heads alone; else ""."""
    spec, own = cast(MemorySpec, row.spec), cast(MemorySpec, other.spec)
    changed = [name for name in ("layers", "heads") if getattr(own, name) != getattr(spec, name)]
    if len(changed) != 1:
        return ""
    name = changed[0]
    if amended(own, **{name: getattr(spec, name)}) != spec:
        return ""
    return plural(getattr(own, name), name.removesuffix("s"))


def counterpart(spec: MemorySpec) -> MemorySpec:
    """The same with one layer, or where it has one, with two."""
    return amended(spec, layers=1 if spec.layers > 1 else 2)
