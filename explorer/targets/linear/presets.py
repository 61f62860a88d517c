"""Ready specifications and sweeps of linear targets, by name."""

from typing import Any

from explorer.spec import LinearSpec, LinearSweep, amended

RNN = LinearSpec(model="rnn")
UNITS: dict[str, Any] = {
    "model": "rnn",
    "hidden": (1, 2, 3, 4, 6, 8, 16),
    "steps": 1500,
    "seed": (0, 1, 2),
}

PRESETS: dict[str, tuple[str, LinearSpec]] = {
    "table2": (
        "a Transformer with positions on y_t = Σ e^-s x(t−s) (Table 2); alter it by permutation "
        "and filter",
        LinearSpec(),
    ),
    "table2-rnn": ("the linear RNN of Table 2 on the same target", RNN),
    "order": (
        "Table 2's Transformer, the first and the last block of tokens exchanged",
        LinearSpec(permutation="block"),
    ),
    "order-quick": (
        "the Order page's default: `order` by fewer steps",
        LinearSpec(permutation="block", steps=1000),
    ),
    "table3": (
        "a Transformer on a random kernel, ρ(s) from U[0, 1] (Table 3)",
        LinearSpec(kernel="random"),
    ),
    "table3-rnn": ("the linear RNN on the same random kernel", amended(RNN, kernel="random")),
}

SWEEPS: dict[str, tuple[str, LinearSweep]] = {
    "rnn-units": (
        "the linear RNN on e^-s through random positive taps, against its hidden units",
        LinearSweep(
            filter="positive", model="rnn", seed=(0, 1, 2), hidden=(1, 2, 3, 4, 5, 6, 8, 16)
        ),
    ),
    "rnn-units-random": (
        "the linear RNN on a random kernel, against its hidden units",
        LinearSweep(
            kernel="random", model="rnn", hidden=(1, 2, 4, 8, 12, 16, 32, 64, 128), seed=(0, 1, 2)
        ),
    ),
    "order-units-exponential": (
        "the linear RNN on e^-s, against its hidden units",
        LinearSweep(**UNITS),
    ),
    "order-units-power": ("the same on a power law", LinearSweep(kernel="power", **UNITS)),
    "order-units-random": ("the same on a random kernel", LinearSweep(kernel="random", **UNITS)),
}
