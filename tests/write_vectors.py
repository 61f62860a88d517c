"""What Python computes, as vectors for the tests beside the browser's modules.

`PYTHONPATH=. python tests/write_vectors.py` writes them anew; `test_vectors.py` says whether they
are fresh. JSON has neither ∞ nor NaN: they are written as what `Number` reads of a text.
"""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
from written_numbers import NUMBERS

from explorer.pages.order.view import drawing
from explorer.spec import LinearSpec
from explorer.targets import kernel_of, linear_target
from explorer.targets.alterations import alteration_of
from explorer.theory.architectures import compared
from explorer.theory.architectures.convolutional import CONVOLUTIONAL
from explorer.theory.architectures.recurrent import state_bound
from explorer.theory.filters import tap_agreement
from explorer.theory.linear import complexity_of, linear_floors
from explorer.views.text import number

FOLDER = Path(__file__).resolve().parent / "vectors"

TARGETS = (
    LinearSpec(),
    LinearSpec(tau=7, kernel="random", permutation="random", permutation_seed=3),
    LinearSpec(permutation="block", filter="signed", filter_mode="ahead"),
    LinearSpec(tau=9, kernel="power", filter=(0.2, 0.0, -0.5, 0.3), filter_mode="centred"),
    LinearSpec(tau=9, kernel="power", filter=(0.2, 0.1, 0.5, 0.3, 0.1), filter_mode="centred"),
    LinearSpec(
        tau=12, kernel="random", filter="positive", filter_mode="circular", permutation="reverse"
    ),
    LinearSpec(tau=24, kernel="random", filter="difference", permutation="roll"),
)
MEASURED = (
    *TARGETS,
    LinearSpec(filter="signed"),
    LinearSpec(kernel="power", filter="average"),
    LinearSpec(kernel="taps", taps=(0.5, 0.0, -2.0)),
    LinearSpec(kernel="taps", taps=(0.5,)),
    LinearSpec(kernel="formula", formula="cos(s)*exp(-s/4)", filter=(0.5, 0.5)),
    LinearSpec(rate=0),
)


NAMED = {"rnn": "states", "cnn": "channels", "attention": "widths", "log_heads": "heads"}
SIZED = (
    *TARGETS,
    LinearSpec(tau=64, kernel="delay", lag=37),
    LinearSpec(tau=64, kernel="airy", lag=30),
    LinearSpec(tau=64, kernel="random"),
    LinearSpec(tau=2, kernel="random"),
    LinearSpec(kernel="formula", formula="cos(s)*exp(-s/4)", tau=50),
)


def numbers() -> list[Any]:
    """[value, digits, text]: the table of cases, and numbers of all sizes, with many ties."""
    rng = np.random.default_rng(0)
    exponents = np.append(rng.uniform(-12, 12, 300), rng.uniform(-300, 300, 100))
    values = rng.choice([-1, 1], 400) * 10**exponents
    ties = rng.integers(-4000, 4000, 300) / 4
    drawn = [float(value) for value in (*values, *ties)]
    return [
        *NUMBERS,
        *([value, i % 6 + 1, number(value, i % 6 + 1)] for i, value in enumerate(drawn)),
    ]


def order() -> dict[str, Any]:
    """Targets with their maps and floors, their measures of complexity, agreement of taps."""
    return {
        "maps": [_map(spec) for spec in TARGETS],
        "complexity": [_complexity(spec) for spec in MEASURED],
        "agreement": [
            {"learned": a.tolist(), "taps": b.tolist(), "agreement": tap_agreement(a, b)}
            for a, b in _pairs_of_taps()
        ],
        "sizes": [_sizes(kernel_of(spec), error) for spec in SIZED for error in (0.01, 1e-4)],
        "spectra": [_spectra(kernel_of(spec)) for spec in (*SIZED, LinearSpec(tau=50))],
    }


def _map(spec: LinearSpec) -> dict[str, Any]:
    matrix, alteration = linear_target(spec).matrix, alteration_of(spec)
    floors = linear_floors(matrix)
    names = ("causal", "time_invariant", "constant", "constant_per_step")
    return {
        "kernel": kernel_of(spec).tolist(),
        "order": alteration.order,
        "taps": alteration.taps,
        "mode": spec.filter_mode,
        "matrix": matrix.tolist(),
        "best": floors.kernel.tolist(),
        "floors": {name: getattr(floors, name) for name in names},
    }


def _complexity(spec: LinearSpec) -> dict[str, Any]:
    header = drawing(spec, {}, [], False)
    state = {name: header[name] for name in ("kernel", "decay", "order", "taps", "mode")}
    return {**state, "measures": complexity_of(spec)}


def _sizes(kernel: np.ndarray, error: float) -> dict[str, Any]:
    """What no linear RNN and no dilated CNN of fewer states and channels leaves."""
    channels = CONVOLUTIONAL.remembered(kernel).bound.first(error)
    assert channels is not None
    states = max(1, int(np.argmax(state_bound(kernel) <= error)))
    least = {"states": states, "channels": channels[0]}
    return {"kernel": kernel.tolist(), "error": error, "sizes": least}


def _spectra(kernel: np.ndarray) -> dict[str, Any]:
    """Of states, channels and widths, over their largest."""
    found = compared(kernel)
    spectra = {
        name: [(each / max(each[0], 1e-300)).tolist() for each in found[name].spectra]
        for name in NAMED
    }
    return {"kernel": kernel.tolist()} | {NAMED[name]: each for name, each in spectra.items()}


def _pairs_of_taps():
    for learned, taps in ((8, 8), (8, 3), (3, 8), (1, 1)):
        rng = np.random.default_rng(learned + 10 * taps)
        a, b = rng.normal(size=learned), rng.normal(size=taps)
        yield from ((a, b), (a, 0 * b), (0 * a, b))


VECTORS = {"numbers": numbers, "order": order}


def dumped(name: str) -> str:
    return json.dumps(_plain(VECTORS[name]()), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(each) for each in value]
    if isinstance(value, (float, np.floating)):
        if math.isfinite(value):
            return float(value)
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return int(value) if isinstance(value, np.integer) else value


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in VECTORS:
        (FOLDER / f"{each}.json").write_text(dumped(each) + "\n", "utf-8")
