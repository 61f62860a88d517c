"""`python -m explorer architectures`: which architecture remembers a kernel."""

from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, say, spec_from
from explorer.spec import LinearSpec
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
