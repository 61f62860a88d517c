"""Claims of the scenes of the shipped talk on order, mixing and the sizes of architectures."""

import numpy as np

from explorer.claims.claim import claims_of
from explorer.claims.talk import COUNT, SETTING, counted, spec_of
from explorer.claims.texts import TALK
from explorer.pages.order.view_architectures import by_architecture
from explorer.spec import LinearSpec
from explorer.targets import PRESETS, linear_target
from explorer.theory.linear import linear_floors
from explorer.ui.live import open_stream
from explorer.views.text import number

HELD = 0.99
"""Of Σ ρ(s)²: what the recent inputs hold (components/order/said.js)."""
SHARE = 0.01
FADING = LinearSpec(kernel="exponential", rate=0.125, tau=64)
DELAY = LinearSpec(kernel="delay", lag=37, tau=64)
AIRY = LinearSpec(kernel="airy", lag=30, tau=64)
WHERE = "theory/architectures, tests/test_architectures.py"


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


def _least(spec: LinearSpec) -> dict[str, object]:
    """By the bound, as the canvas has them (components/order/sizes.js)."""
    needed = {"states": "rnn", "channels": "cnn"}
    sizes = {what: by_architecture(spec)[name].need(SHARE).size[0] for what, name in needed.items()}
    return {
        what: f"{COUNT.get(size, size)} {what.removesuffix('s') if size == 1 else what}"
        for what, size in sizes.items()
    }


def _widths() -> dict[str, object]:
    """Of heads with positions that are enough, the last of which are none; and by distance."""
    enough = [
        by_architecture(spec)["attention"].need(SHARE).size[1] for spec in (FADING, DELAY, AIRY)
    ]
    assert enough[2] is None
    most = by_architecture(AIRY)["attention"].best.size[-1]
    by_distance = [
        by_architecture(spec)[name] for spec in (DELAY, AIRY) for name in ("log_heads", "lin_heads")
    ]
    assert all(one.need(SHARE).size[1] is None for one in by_distance)
    [heads] = {int(one.best.size[-1]) for one in by_distance}
    return {"fading": enough[0], "delay": enough[1], "most": most, "heads": counted(heads)}


CLAIMS = claims_of(
    TALK,
    (
        "{held} % of it is in the last {recent} inputs.",
        "the kernel of assets/order-quick-plain.zip",
        _recent,
    ),
    ("Exchange two blocks", SETTING),
    ("no causal model gets below {floor}.", "theory/linear: the floors", _causal),
    ("With two blocks exchanged", SETTING),
    (
        "error is {mixed} after {steps} steps; the floor",
        "assets/order-filter.zip",
        lambda: {"mixed": _mse("filter"), "steps": spec_of("order-filter").steps},
    ),
    (
        "With a learned convolution of {taps} taps in front of it the error is {error}.",
        "assets/order-filter-conv.zip",
        _conv,
    ),
    ("the filtered runs have {times} times the steps", "their settings", _longer),
    (
        "Trained here, Proposition 6.2 holds where the coupling depends on positions, not where",
        "assets/order-table2.csv and order-prop62.csv: medians with and without an order",
    ),
    (
        "To {share} % of this one an RNN needs {states}, a dilated convolution {channels}.",
        WHERE,
        lambda: _least(FADING) | {"share": f"{100 * SHARE:g}"},
    ),
    (
        "One moment, {lag} steps ago: {states}, and {channels}.",
        WHERE,
        lambda: _least(DELAY) | {"lag": DELAY.lag},
    ),
    ("A memory that oscillates: {states}, {channels}.", WHERE, lambda: _least(AIRY)),
    (
        "A head with positions needs width {fading}, {delay} and more than {most} for the three, "
        "{heads} heads by distance alone are not enough for the last two.",
        WHERE,
        _widths,
    ),
)
