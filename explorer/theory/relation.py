"""A relationship H_t(x_1, …, x_τ) of τ = 2 or 3 tokens with a number each, as it is typed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

import numpy as np

from explorer.coupling import FormulaError
from explorer.coupling.formula import LARGEST, MAX_COST, Expression, pair_costs, parse_expression
from explorer.theory.representation import Component, grid

PROBES = 20_000
"""Random sequences at which errors are measured."""


@dataclass(frozen=True)
class Relation:
    """H_t as it is typed, and how many tokens it is of."""

    formula: str
    tau: int

    @classmethod
    def parse(cls, text: str) -> Relation:
        """Back from its text."""
        return cls(**json.loads(text))

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @property
    def id(self) -> str:
        """The same for the same formula."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:12]

    def answers(self, x: np.ndarray) -> np.ndarray:
        """H_t(x) for each t: (…, τ) → (…, τ); raises FormulaError as `read` and `component` do."""
        h = read(self.formula, self.tau)
        y = [component(h, t)(*np.moveaxis(x, -1, 0)) for t in positions(h, self.tau)]
        return np.broadcast_to(np.stack(y, -1), x.shape)


def probes(tau: int) -> np.ndarray:
    """The random sequences, (τ, PROBES)."""
    return np.random.default_rng(0).random((tau, PROBES))


def variables(tau: int) -> tuple[str, ...]:
    """What H is typed in; t from 1 tells the positions apart."""
    return (*(f"x{s}" for s in range(1, tau + 1)), "t")


def read(formula: str, tau: int) -> Expression:
    """H_t that is cheap enough, and finite where one digit looks; raises FormulaError."""
    expression = parse_expression(formula, variables(tau))
    cost = sum(pair_costs(expression).values())
    if cost > MAX_COST:
        raise FormulaError(
            f"H takes about {cost / 1e3:.1f} µs for each x; at most {MAX_COST / 1e3:g} are allowed"
        )
    for t in positions(expression, tau):
        component(expression, t)(*np.ix_(*[grid(1)] * tau))
    return expression


def positions(h: Expression, tau: int) -> range:
    """The t whose H_t differ: all where t stands in H, else one for all."""
    return range(1, 1 + (tau if ("variable", tau) in h.program else 1))


def component(h: Expression, t: int) -> Component:
    """H_t of x_1 … x_τ; raises FormulaError where it is not finite, or beyond 1e6."""

    def values(*x: np.ndarray) -> np.ndarray:
        h_t = h(*x, np.array(float(t)))
        bad = np.argwhere(~(np.abs(h_t) <= LARGEST))
        if len(bad):
            at = [np.broadcast_to(each, h_t.shape)[tuple(bad[0])] for each in x]
            where = ", ".join(f"x{s} = {value:.4g}" for s, value in enumerate(at, 1))
            raise FormulaError(
                f"H gives {h_t[tuple(bad[0])]:.6g} at {where}; it must be finite, and at most "
                "1e6 in size, for all x between 0 and 1"
            )
        return h_t

    return values
