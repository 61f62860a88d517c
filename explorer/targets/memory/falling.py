"""Kernels ρ(s), s = 1, 2, …, that heads are to approximate: a power, an exponential, a mixture of
both, or any formula in s. `kernel_of` (memory.py) has the two that a Transformer learns."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from explorer.coupling import FormulaError
from explorer.coupling.formula import LARGEST, parse_expression

LAGS = 1000
LONG = 60  # characters of a formula that stand in a title
Fall = Literal["power", "exponential", "mixture", "formula"]


class Kernel(NamedTuple):
    """ρ(s) at s = 1 … 1000."""

    fall: Fall = "power"
    exponent: float = 0.5
    """a of s^−a;"""
    time: float = 20.0
    """T of e^(−s/T);"""
    share: float = 0.5
    """of the power, in a mixture of both;"""
    formula: str = "cos(s / 10) * exp(-s / 50)"
    """in s."""

    @property
    def words(self) -> str:
        """ρ in plain text, the beginning of a long formula."""
        power, exponential = f"s^−{self.exponent:g}", f"e^(−s/{self.time:g})"
        match self.fall:
            case "power":
                return power
            case "exponential":
                return exponential
            case "mixture":
                return f"{self.share:g} {power} + {1 - self.share:g} {exponential}"
        return self.formula if len(self.formula) <= LONG else f"{self.formula[:LONG]}…"

    @property
    def trained_beforehand(self) -> bool:
        """Whether heads were trained on it beforehand."""
        return self.plain() in TRAINED

    def plain(self) -> Kernel:
        """The same with what it does not read at its default."""
        read = READ[self.fall]
        return Kernel(self.fall, **{name: getattr(self, name) for name in read})


READ = {
    "power": ("exponent",),
    "exponential": ("time",),
    "mixture": ("exponent", "time", "share"),
    "formula": ("formula",),
}
"""The fields that a kernel reads."""
TRAINED = (Kernel("power"), Kernel("exponential"))
"""What heads were trained on: the paper's s^−0.5, and e^(−s/20) in the place of its e^(−5s)."""
PAPERS_OWN = Kernel("exponential", time=0.2)
"""e^(−5s), experiment 4b of the paper, which separates nothing: one log head is nearly exact."""


def rho(kernel: Kernel, length: int = LAGS) -> np.ndarray:
    """ρ(1) … ρ(T), (T,) float64; raises FormulaError for a formula that is refused."""
    s = np.arange(1, length + 1, dtype=np.float64)
    if kernel.fall == "formula":
        return _by_formula(kernel.formula, s)
    share = {"power": 1.0, "exponential": 0.0}.get(kernel.fall, kernel.share)
    return share * s**-kernel.exponent + (1 - share) * np.exp(-s / kernel.time)


def _by_formula(text: str, s: np.ndarray) -> np.ndarray:
    values = np.array(parse_expression(text, ("s",))(s))
    bad = np.flatnonzero(~(np.abs(values) <= LARGEST))
    if len(bad):
        raise FormulaError(
            f"the formula gives {values[bad[0]]:.6g} at s = {s[bad[0]]:g}, where at most "
            f"{LARGEST:g} in size is allowed"
        )
    if not values.any():
        raise FormulaError("the formula is 0 for every s: there is nothing to approximate")
    return values


def check(formula: str) -> None:
    """Raise FormulaError where a formula is no kernel."""
    rho(Kernel("formula", formula=formula))
