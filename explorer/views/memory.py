"""What is said of memories: a run in a sentence."""

from __future__ import annotations

from typing import cast

from explorer.runs.record import RunRow
from explorer.spec import MemorySpec
from explorer.views.text import number


def verdict(row: RunRow) -> str:
    """One sentence on where a run stands."""
    spec, found = cast(MemorySpec, row.spec), row.outcome
    if "nmse" not in found:
        return f"This model is {row.status} at step {row.step} of {row.steps}."
    layers = f"{spec.layers} layer{'s' * (spec.layers > 1)} of " if spec.recipe == "memory" else ""
    heads = f"{spec.heads} head{'s' * (spec.heads > 1)}"
    return (
        f"After {row.steps} steps (one seed) {layers}{heads}, encoding {spec.encoding}, leave an "
        f"nMSE of {number(found['nmse'])}; remembering nothing leaves 1."
    )
