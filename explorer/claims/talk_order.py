"""Claims of the scenes of the shipped talk on order and mixing."""

import numpy as np

from explorer.claims.claim import Claim
from explorer.claims.talk import SETTING, counted, spec_of
from explorer.claims.texts import TALK
from explorer.targets import PRESETS, linear_target
from explorer.theory.linear import linear_floors
from explorer.ui.live import open_stream
from explorer.views.text import number

HELD = 0.99
"""Of Σ ρ(s)²: what the recent inputs hold (components/order/said.js)."""


def _causal() -> dict[str, object]:
    """The floor of the step in which blocks are exchanged."""
    spec = spec_of("order-quick").model_copy(update={"permutation": "block"})
    floors = linear_floors(linear_target(spec).matrix)
    return {"floor": f"{floors.causal:.3f}"}


def _recent() -> dict[str, object]:
    """So many of the newest inputs hold nearly all of the memory."""
    kernel = linear_target(spec_of("order-quick-plain")).matrix[:, 0]
    held = np.cumsum(kernel**2) / (kernel**2).sum()
    return {"recent": counted(int((held < HELD).sum()) + 1), "held": f"{100 * HELD:.0f}"}


def _mse(run: str) -> str:
    return number(float(open_stream(f"asset-order-{run}").record.row.outcome["mse"]))


def _conv() -> dict[str, object]:
    return {"taps": counted(spec_of("order-filter-conv").conv), "error": _mse("filter-conv")}


def _longer() -> dict[str, object]:
    return {"times": counted(spec_of("order-filter").steps // PRESETS["order-quick"][1].steps)}


CLAIMS: tuple[Claim, ...] = (
    Claim(
        TALK,
        "{held} % of it is in the last {recent} inputs.",
        "the kernel of assets/order-quick-plain.zip",
        _recent,
    ),
    Claim(TALK, "Exchange two blocks", SETTING),
    Claim(TALK, "no causal model gets below {floor}.", "theory/linear: the floors", _causal),
    Claim(TALK, "With two blocks exchanged", SETTING),
    Claim(
        TALK,
        "error is {mixed} after {steps} steps; the floor",
        "assets/order-filter.zip",
        lambda: {"mixed": _mse("filter"), "steps": spec_of("order-filter").steps},
    ),
    Claim(
        TALK,
        "With a learned convolution of {taps} taps in front of it the error is {error}.",
        "assets/order-filter-conv.zip",
        _conv,
    ),
    Claim(TALK, "the filtered runs have {times} times the steps", "their settings", _longer),
    Claim(
        TALK,
        "Trained here, Proposition 6.2 holds where the coupling depends on positions, not where",
        "assets/order-table2.csv and order-prop62.csv: medians with and without an order",
    ),
)
