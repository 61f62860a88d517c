"""`python -m explorer width`: the width that one head needs for attention in a file."""

from pathlib import Path
from typing import Annotated

import typer

from explorer.cli import heavy
from explorer.cli.common import AsJson, say
from explorer.coupling.attention import parse_attention


def width(
    file: Annotated[
        Path,
        typer.Argument(
            help="Queries × keys, .npy or .csv: rows of sum 1, 0 where a key is masked. Or .npz, "
            ".safetensors with logits, weights, or q and k."
        ),
    ],
    logits: Annotated[
        bool,
        typer.Option("--logits", help="The file has what softmax gets, not weights; −inf masks."),
    ] = False,
    tolerance: Annotated[
        float | None, typer.Option(min=0, help="Absolute, for the rank; default: 1e-6 σ_1.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """The width that one head needs for exactly these attention weights, whatever made them."""
    kind = "logits" if logits else "weights"
    found = heavy.view_width.width_view(
        parse_attention(file.read_bytes(), file.name, kind), tolerance
    )
    say(found.answer, as_json, [*found.sentences])
