"""What the talk says of the sizes that architectures need."""

from explorer.claims.claim import Claim
from explorer.claims.talk import COUNT, counted
from explorer.claims.texts import TALK
from explorer.pages.order.view_architectures import found
from explorer.spec import LinearSpec

SHARE = 0.01
FADING = LinearSpec(kernel="exponential", rate=0.125, tau=64)
DELAY = LinearSpec(kernel="delay", lag=37, tau=64)
AIRY = LinearSpec(kernel="airy", lag=30, tau=64)
WHERE = "theory/architectures, tests/test_architectures.py"


def _least(spec: LinearSpec) -> dict[str, object]:
    """By the bound, as the canvas has them (components/order/sizes.js)."""
    needed = {"states": "rnn", "channels": "cnn"}
    sizes = {what: found(spec)[name].need(SHARE).size[0] for what, name in needed.items()}
    return {
        what: f"{COUNT.get(size, size)} {what.removesuffix('s') if size == 1 else what}"
        for what, size in sizes.items()
    }


def _widths() -> dict[str, object]:
    """Of heads with positions that are enough, the last of which are none; and by distance."""
    enough = [found(spec)["attention"].need(SHARE).size[1] for spec in (FADING, DELAY, AIRY)]
    assert enough[2] is None
    most = found(AIRY)["attention"].found.size[-1]
    by_distance = [
        found(spec)[name] for spec in (DELAY, AIRY) for name in ("log_heads", "lin_heads")
    ]
    assert all(one.need(SHARE).size[1] is None for one in by_distance)
    [heads] = {int(one.found.size[-1]) for one in by_distance}
    return {"fading": enough[0], "delay": enough[1], "most": most, "heads": counted(heads)}


CLAIMS = (
    Claim(
        TALK,
        "To {share} % of this one an RNN needs {states}, a dilated convolution {channels}.",
        WHERE,
        lambda: _least(FADING) | {"share": f"{100 * SHARE:g}"},
    ),
    Claim(
        TALK,
        "One moment, {lag} steps ago: {states}, and {channels}.",
        WHERE,
        lambda: _least(DELAY) | {"lag": DELAY.lag},
    ),
    Claim(
        TALK,
        "A memory that oscillates: {states}, {channels}.",
        WHERE,
        lambda: _least(AIRY),
    ),
    Claim(
        TALK,
        "A head with positions needs width {fading}, {delay} and more than {most} for the three, "
        "{heads} heads by distance alone are not enough for the last two.",
        WHERE,
        _widths,
    ),
)
