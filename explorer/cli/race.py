"""`python -m explorer race`: architectures trained on one kernel beside each other."""

from __future__ import annotations

from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, say, spec_from
from explorer.runs.store import Store
from explorer.spec import LinearSpec, SpecError
from explorer.spec.reading import narrowed


def race(
    linear: Annotated[str, typer.Argument(help="A specification of a linear target; see `spec`.")],
    size: Annotated[int, typer.Option(help="Parameters of each, at most, or its width.")] = 40,
    by: Annotated[str, typer.Option(help="parameters or width: what is equal.")] = "parameters",
    error: Annotated[
        float, typer.Option(min=0, help="The error to reach, a share of ‖ρ‖².")
    ] = 0.01,
    sequences: Annotated[
        bool, typer.Option(help="Those with gates, too, on sequences; a minute more.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train an RNN, SSMs, a CNN and attention on a kernel ρ(s) from five seeds, each beside what
    its spectrum predicts."""
    spec, view = narrowed(spec_from(linear), LinearSpec), heavy.view_race
    if by not in ("parameters", "width"):
        raise SpecError(f"--by {by}: parameters or width")
    try:
        asked = view.race_of(spec, size, by, sequences)
    except ValueError as wrong:
        raise SpecError(str(wrong)) from wrong
    rows = heavy.reproduce.raced(Store(), asked)
    lines = [view.sentence(asked, rows, error), ""]
    for row in view.results(asked, rows, error).to_dict("records"):
        lines.append(
            f"{row['architecture']:34} {row['size']:12} {row['parameters']:>4} parameters  "
            f"floor {row['floor']:12} race {row['race']:34} {row['verdict']}: {row['reason']}"
        )
    say(view.answer(asked, rows, error), as_json, lines)
