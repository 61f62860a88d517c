"""What must hold for a figure or table to count as reproduced, in a line of text each."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

OF = ("model", "row", "alpha", "rank")
"""What a check may name beside `what`: the part of the figure it is about."""


def check(
    what: str,
    measured: float | None,
    least: float | None = None,
    most: float | None = None,
    between: Sequence[float] | None = None,
    **of: Any,
) -> dict[str, Any]:
    """What was measured, its one bound, and whether it holds: not without a number. `of` names the
    part of the figure it is about."""
    number = math.nan if measured is None else float(measured)
    known = math.isfinite(number)
    low, high = between or (least, most)
    within = number >= (-math.inf if low is None else low)
    within &= number <= (math.inf if high is None else high)
    bounds = {"least": least, "most": most, "range": between and [*between]}
    return {
        **of,
        "what": what,
        "measured": number if known else None,
        **{name: bound for name, bound in bounds.items() if bound is not None},
        "holds": known and within,
    }


def check_line(check: Mapping[str, Any]) -> str:
    """A check with its number, its bound and whether it holds."""
    measured = check["measured"]
    shown = "not measured" if measured is None else f"{measured:.3g}"
    verdict = "holds" if check["holds"] else "DOES NOT HOLD"
    return f"{_of(check)}{check['what']}: {shown} ({_bound(check)}) {verdict}"


def _of(check: Mapping[str, Any]) -> str:
    parts = []
    for name in OF:
        if name in check:
            value = "∞" if check[name] is None else check[name]
            parts.append(value if isinstance(check[name], str) else f"{name} = {value}")
    return f"{', '.join(parts)}, " if parts else ""


def _bound(check: Mapping[str, Any]) -> str:
    if "range" in check:
        low, high = check["range"]
        return f"from {low:g} to {high:g}"
    return f"at least {check['least']:g}" if "least" in check else f"at most {check['most']:g}"


def failed(figures: Iterable[Mapping[str, Any]]) -> tuple[int, int]:
    """How many of the checks of some figures do not hold, and how many there are."""
    held = [check["holds"] for figure in figures for check in figure["checks"]]
    return held.count(False), len(held)
