"""σ_k walking to their places as more tokens are drawn: tables, a sentence."""

from __future__ import annotations

import numpy as np

from explorer.slow import pd
from explorer.theory.rates import power_fit
from explorer.theory.sampled import Estimates
from explorer.views.text import ROUNDING, number

SHOWN = 6
"""σ_k that are drawn."""
SHARE = 0.8
"""Of the draws within a band."""


def table(draws: Estimates, exact: np.ndarray) -> pd.DataFrame:
    """tau, k, median, low, high (of the middle SHARE of the draws), exact."""
    rest = (1 - SHARE) / 2
    low, median, high = np.quantile(draws.sigma, [rest, 0.5, 1 - rest], axis=1)
    shape = low.shape
    return pd.DataFrame(
        {
            "tau": np.repeat(draws.tau, shape[1]),
            "k": np.tile(np.arange(1, shape[1] + 1), shape[0]),
            "median": median.ravel(),
            "low": low.ravel(),
            "high": high.ravel(),
            "exact": np.tile(exact, shape[0]),
        }
    )


def of_coupling_said(draws: Estimates, exact: np.ndarray) -> str:
    """How far from the exact σ_k the estimates are, and how that falls."""
    off = draws.errors(exact)
    falls = ""
    if off[0] > ROUNDING:
        slope = power_fit(draws.tau, off).slope
        falls = (
            f" The error falls like $\\tau^{{{slope:.2f}}}$; a mean of τ independent tokens gives "
            "$\\tau^{-1/2}$ (Braun, 2005)."
        )
    return (
        f"Singular values of the matrix $\\rho(x_s,x_t)/\\tau$ at τ random tokens, "
        f"{draws.sigma.shape[1]} draws: the first {len(exact)} are off by {number(100 * off[0])} % "
        f"with {draws.tau[0]} tokens, by {number(100 * off[-1])} % with {draws.tau[-1]}.{falls}"
    )


def of_head_said(draws: Estimates, exact: np.ndarray) -> str:
    """The same of a head, beside all tokens of its text."""
    off = draws.errors(exact)
    return (
        f"The same head on some of its {draws.tau[-1]} tokens, {draws.sigma.shape[1]} draws: the "
        f"first {len(exact)} σ_k are off those of all by {number(100 * off[0])} % with "
        f"{draws.tau[0]} tokens, by {number(100 * off[-2])} % with {draws.tau[-2]}."
    )
