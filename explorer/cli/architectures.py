"""Which architecture remembers a target: by its spectrum, without training, and raced."""

from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, grid_of, say, spec_from
from explorer.runs.store import Store
from explorer.spec import LinearSpec, SpecError, alterable_spec
from explorer.spec.reading import narrowed


def architectures(
    linear: Annotated[str, typer.Argument(help="A specification of a linear target; see `spec`.")],
    error: Annotated[
        float, typer.Option(min=0, help="The error to reach, a share of ‖ρ‖².")
    ] = 0.01,
    as_json: AsJson = False,
) -> None:
    """How large a linear RNN, a dilated CNN and attention must be for a kernel ρ(s), each by its
    own spectrum and without training: what no model of a size is below, and what was found."""
    spec = narrowed(spec_from(linear), LinearSpec)
    view = heavy.view_architectures
    answer = view.answer(spec, error)
    lines = [answer["sentence"], view.notes(spec), ""]
    for row in view.sizes(spec, error).to_dict("records"):
        lines.append(
            f"{row['architecture']:24} {row['size']:44} {row['parameters']:>10}  {row['how']}"
        )
    say(answer, as_json, lines)


def race(
    target: Annotated[
        str, typer.Argument(help="A specification of a linear target or a coupling; see `spec`.")
    ],
    size: Annotated[int, typer.Option(help="Parameters of each, at most, or its width.")] = 40,
    by: Annotated[str, typer.Option(help="parameters or width: what is equal.")] = "parameters",
    error: Annotated[
        float, typer.Option(min=0, help="The error to reach, a share of the variance.")
    ] = 0.01,
    sequences: Annotated[
        bool, typer.Option(help="Those that need sequences, too: with gates, and a head.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train an RNN, SSMs, a CNN and attention on a kernel ρ(s) from five seeds, each beside what
    its spectrum predicts; on a coupling beside the best affine map, and a head of Eq. 5."""
    spec, view = alterable_spec(spec_from(target)), heavy.view_race
    if by not in ("parameters", "width"):
        raise SpecError(f"--by {by}: parameters or width")
    try:
        asked = view.race_for(spec, grid_of(spec), size, by, sequences)
    except ValueError as wrong:
        raise SpecError(str(wrong)) from wrong
    rows = heavy.reproduce.raced(Store(), asked)
    lines = [*filter(None, (view.sentence(asked, rows, error), view.beyond(asked))), ""]
    for row in view.results(asked, rows, error).to_dict("records"):
        lines.append(
            f"{row['architecture']:34} {row['size']:12} {row['parameters']:>4} parameters  "
            f"floor {row['floor']:12} race {row['race']:34} {row['verdict']}: {row['reason']}"
        )
    say(view.answer(asked, rows, error), as_json, lines)
