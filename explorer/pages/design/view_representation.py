"""Theorem A.3 for a relationship that is typed: H as a superposition, and as one head learns it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from explorer.coupling import FormulaError
from explorer.coupling.formula import pair_costs
from explorer.coupling.typeset import typeset
from explorer.slow import pd
from explorer.theory import one_head
from explorer.theory.one_head import SEEDS
from explorer.theory.relation import PROBES, component, positions, probes, read
from explorer.theory.representation import (
    GAMMA,
    HOLDER,
    RISEN,
    Component,
    Superposition,
    cells_a_side,
    coordinates,
    functions,
    grid,
    pieces,
    psi_of,
    represent,
    roughness,
    steps_by_the_proof,
    weights,
)
from explorer.views.text import number

FIRST = {2: "x1*x2", 3: "x1*x2*x3"}
"""H before one is typed."""
EXAMPLE = {2: "sin(2 pi x1) x2", 3: "max(x1, x2) x3"}
EACH = 200.0
"""Nanoseconds that a value of g_q takes beside H itself, at worst."""
SECONDS = 10.0
SHARE = 1e-3
SOURCES = (
    "ψ is Sprecher's (1996, 1997) as Köppen (2002) mended it; Braun and Griebel (2009) prove that "
    "the iteration converges. A Lipschitz ψ would do (Fridman, 1967), a continuously "
    "differentiable one not for every H (Vitushkin, 1964)."
)
CURVE = 1500
"""Points of a curve that is drawn."""
SUM, HEAD = "sum of g_q", "one head"
MEASURES = ("largest", "root mean square")


class Asked(NamedTuple):
    """H_t as it is typed, how many tokens it is of, and by how many digits."""

    formula: str
    tau: int
    digits: int


@dataclass(frozen=True)
class RepresentationView:
    """A relationship as the construction has it."""

    facts: dict[str, str]
    sentences: tuple[str, ...]
    errors: pd.DataFrame
    """numbers, error, measure, series: off the grid, after each digit."""
    psi: pd.DataFrame
    """x, y: the inner function;"""
    g: pd.DataFrame
    """and g_0 of H_1, at CURVE arguments."""


def estimate(asked: Asked) -> tuple[int, float]:
    """Values of all g_q, and seconds that they take; raises FormulaError."""
    h = read(asked.formula, asked.tau)
    count = pieces(asked.tau, asked.digits) * len(positions(h, asked.tau))
    return count, count * 1e-9 * (EACH + sum(pair_costs(h).values()))


def check(asked: Asked) -> None:
    """Raises FormulaError for what would take too long, before it is computed."""
    count, seconds = estimate(asked)
    if seconds > SECONDS:
        raise FormulaError(
            f"{number(count)} values of g_q take about {seconds:.0f} s; at most {SECONDS:g} are "
            "allowed: take a digit less, or a shorter formula"
        )


def notes(formula: str, tau: int) -> list[str]:
    """H as it was understood, in Markdown; none of one that is refused."""
    try:
        h = read(formula, tau)
    except FormulaError:
        return []
    names = (*(f"x_{s}" for s in range(1, tau + 1)), "t")
    shown = typeset(h, names)
    return [f"$H_t(x)={shown}$"] if shown else []


@lru_cache(maxsize=16)
def representation_view(asked: Asked) -> RepresentationView:
    """The construction, its errors on and off its grid, and how rough it is; FormulaError for what
    is refused."""
    check(asked)
    h, tau = read(asked.formula, asked.tau), asked.tau
    count = len(positions(h, tau))
    g = [_measured(component(h, t), asked) for t in positions(h, tau)]
    errors = np.stack([each.off for each in g])  # (t, digits, 2)
    worst = np.stack([errors[..., 0].max(0), np.sqrt((errors[..., 1] ** 2).mean(0))], -1)
    numbers = [count * pieces(tau, k) for k in range(1, asked.digits + 1)]
    on, numerators = max(each.on for each in g), np.arange(GAMMA**3 + 1)
    return RepresentationView(
        _facts(asked, numbers[-1], on, worst[-1]),
        (_about_errors(asked, worst), _about_roughness(asked, g[0]), _about_proof(asked)),
        _rows(SUM, np.array(numbers), worst),
        pd.DataFrame({"x": numerators / GAMMA**3, "y": psi_of(numerators, tau, 3)}),
        g[0].curve,
    )


class _Measured(NamedTuple):
    on: float
    """The largest error on the grid,"""
    off: np.ndarray
    """(digits, 2): largest, and root mean square, off it."""
    variation: float
    spread: float
    """max H − min H at the probes."""
    curve: pd.DataFrame


def _measured(h: Component, asked: Asked) -> _Measured:
    tau = asked.tau
    whole = represent(h, tau, asked.digits)
    x = np.ix_(*[grid(asked.digits)] * tau)
    on = float(np.abs(whole(*x) - h(*x)).max())
    at = probes(tau)
    wanted, off = h(*at), []
    for k in range(1, asked.digits + 1):
        left = Superposition(tau, whole.rounds[:k])(*at) - wanted
        off.append([np.abs(left).max(), np.sqrt(np.mean(left**2))])
    along = np.linspace(0, weights(tau).sum(), CURVE)
    curve = pd.DataFrame({"x": along, "y": whole.g(0, along)})
    return _Measured(on, np.array(off), whole.variation, float(np.ptp(wanted)), curve)


def _rows(series: str, numbers: np.ndarray, errors: np.ndarray) -> pd.DataFrame:
    """A row for each measure; `errors` (…, 2)."""
    parts = [
        pd.DataFrame({"numbers": numbers, "error": errors[:, i], "measure": name, "series": series})
        for i, name in enumerate(MEASURES)
    ]
    return pd.concat(parts, ignore_index=True)


def _facts(asked: Asked, count: int, on: float, off: np.ndarray) -> dict[str, str]:
    tau = asked.tau
    return {
        "outer functions": f"2τd + 1 = {functions(tau)}",
        "n": f"τ(2τd + 1) + 1 = {coordinates(tau)}",
        "iterations": str(asked.digits),
        "values of $g_q$": number(count),
        "largest error on the grid": number(on),
        "elsewhere": number(off[0]),
    }


def _about_errors(asked: Asked, off: np.ndarray) -> str:
    side = cells_a_side(asked.digits)
    return (
        rf"The sum $\sum_q g_q(\sum_s\psi_{{qs}}(x_s))$ is H on a grid of {side} numbers a side, "
        f"but for rounding. At {number(PROBES)} random x it is off by up to {number(off[-1, 0])}, "
        f"{number(off[-1, 1])} root mean square: $g_q$ is continuous, and between its "
        "values for neighbours it runs through those for far-away x."
    )


def _about_roughness(asked: Asked, g_0: _Measured) -> str:
    rough = roughness(asked.tau)
    slopes = ", ".join(number(slope) for slope in rough.slope)
    text = (
        f"ψ is Hölder continuous with exponent {HOLDER:.2f} and no greater: with 1 to "
        f"{len(rough.slope)} digits its steepest slope is {slopes}, and {100 * RISEN:.0f} % of its "
        f"rise are on {number(100 * rough.share[-1])} % of [0, 1]."
    )
    if not g_0.spread:
        return text
    times = number(g_0.variation / g_0.spread)
    return f"{text} g₀ goes up and down by {times} times max H − min H."


def _about_proof(asked: Asked) -> str:
    steps, each = steps_by_the_proof(asked.tau, SHARE), 1 - 1 / functions(asked.tau)
    power = round(asked.tau * (steps - 1 + np.log10(GAMMA - 1)))
    return (
        f"The proof promises no less than {each:.2f} of the error after an iteration, which takes "
        rf"a digit or more: {SHARE:g} of $\max|H|$ everywhere needs {steps} iterations, the last "
        f"with $10^{{{power}}}$ values of each $g_q$."
    )


def head_rows(rows: Sequence[Mapping[str, float]]) -> pd.DataFrame:
    """As `errors` of the view: the median head of each width of which all seeds are fitted."""
    whole = {width: own for width in one_head.WIDTHS if len(own := _of_width(rows, width)) == SEEDS}
    numbers = np.array([own[0]["numbers"] for own in whole.values()])
    return _rows(HEAD, numbers, np.array([*map(_median, whole.values())]).reshape(-1, 2))


def head_said(rows: Sequence[Mapping[str, float]]) -> str:
    """What the widest does, once all are fitted."""
    own = _of_width(rows, one_head.WIDTHS[-1])
    largest, mean = _median(own)
    return (
        f"One head (m_h = {one_head.M_H}) of {own[0]['numbers']} numbers, fitted to "
        f"{one_head.DRAWN} random x, is off by {number(largest)}, {number(mean)} root mean square: "
        f"the median of {SEEDS} seeds. Density says that F, f and ρ exist for every H; how many "
        "numbers they take it does not say."
    )


def _of_width(rows: Sequence[Mapping[str, float]], width: int) -> list[Mapping[str, float]]:
    return [row for row in rows if row["width"] == width]


def _median(own: Sequence[Mapping[str, float]]) -> np.ndarray:
    """Largest, and root mean square, (2,)."""
    return np.median([[row["largest"], row["mean"]] for row in own], axis=0)


def about_n(tau: int) -> str:
    """Which H it is, and its n."""
    return (
        f"H is $H_t$ for every t; with t in it, each has its own $g_q^{{(t)}}$. The slides have "
        f"$n=2\\tau d+1={functions(tau)}$. The paper's proof keeps the $\\psi_{{qs}}$ of each s in "
        f"a block of its own, and $b_s$: $n=\\tau(2\\tau d+1)+1={coordinates(tau)}$. Attention "
        "weighs a token's own $f$ by $2/(\\tau+1)$, the others by $1/(\\tau+1)$; $b_t$ tells F "
        "which t it is, and so what it has of $\\psi_{qt}$ too much."
    )
