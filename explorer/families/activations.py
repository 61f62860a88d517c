"""The activations of f̂ and F̂ by name, each applied entry by entry.

    sine  sin z           learns high frequencies in few steps (Sitzmann et al. 2020)
    tanh  tanh z
    gelu  z (1 + erf(z/√2))/2
    relu  max(z, 0)

What is done with a name stands where arrays are of a kind: torch's functions and their slopes in
models/activations.py, numpy's in pages/attention/view_head.py, the browser's in
ui/components/attention/model.js.
"""

from collections.abc import Mapping
from typing import Any

ACTIVATIONS = ("sine", "tanh", "gelu", "relu")


def check_activations(table: Mapping[str, Any], where: str) -> None:
    """Raises TypeError for a table of them that lacks one, or has another."""
    if differing := sorted({*table} ^ {*ACTIVATIONS}):
        raise TypeError(
            f"{where}: {', '.join(differing)} must be there and in families/activations"
        )
