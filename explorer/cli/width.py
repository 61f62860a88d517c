"""`python -m explorer width`: the width that one head needs for attention weights in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli.common import AsJson, say
from explorer.coupling.grid import parse_grid
from explorer.theory.width import width_of_logits, width_of_weights


def width(
    file: Annotated[
        Path, typer.Argument(help="Queries × keys, .npy or .csv: positive, rows of sum 1.")
    ],
    logits: Annotated[
        bool, typer.Option("--logits", help="The file has what softmax gets, not weights.")
    ] = False,
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Absolute, for the rank; default: 1e-6 σ_1.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The width that one head needs for exactly these attention weights, whatever made them."""
    values = parse_grid(file.read_bytes(), file.name)
    found = (width_of_logits if logits else width_of_weights)(values, tolerance)
    answer = {
        "width": found.exact,
        "width_99": found.near(0.99),
        "queries": values.shape[0],
        "keys": values.shape[1],
        "singular_values": found.sigma.tolist(),
        "tolerance": found.tolerance,
    }
    lines = [
        f"one head of width {found.exact} has exactly these weights, of {values.shape[1]} keys",
        f"{answer['width_99']} of its terms hold 99 %; σ above {found.tolerance:.2g} count",
    ]
    say(answer, as_json, lines)
