"""A race on what is not linear: the answer of a target of Eq. 8 after the last of τ tokens,

    H_τ(x) = F(Σ_s softmax_s(ρ(x_τ, x_s)) f(x_s)),   x ~ U[0, 1],

less its mean and over its deviation. Who acts as a linear map on the sequence is at best its best
affine map: least squares over random sequences. H_τ does not hang on the order of the tokens before
the last, and nor does the best map, as the loss is convex: two numbers are fitted, of x_τ and of
the mean of the others. What is left is a floor for every linear map; for others none is known.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array, namespace
from explorer.coupling import GridLoader
from explorer.spec.reading import compact, coupling_spec
from explorer.targets import CouplingTarget, parse, plain_target
from explorer.theory.design import Design

OUTER = math.sqrt(3)
"""Inputs from U[−√3, √3] have variance 1; tokens are these, moved into [0, 1]."""
SEQUENCES, BLOCK = 2**15, 2**11  # of the least squares at most, and of those answered at once
VALUES = 2**19
"""Of ρ that the least squares take at most: a page waits for them."""
WITHIN = 1.96  # standard errors, of an interval at 95 %


@dataclass(frozen=True)
class Coupled:
    """A target of Eq. 8 in a race, and what its best affine map leaves."""

    spec: str
    """Its specification, as JSON."""
    mean: float
    deviation: float
    """Of its answers."""
    left: float
    """Share of their variance that the best affine map of the sequence leaves."""
    within: float
    """Half the interval of `left` at 95 %."""

    def answers(self, load_grid: GridLoader | None) -> Callable[[Array], Array]:
        """(…, τ) from U[−√3, √3] → (…), of mean 0 and variance 1; `load_grid` fetches samples that
        the specification may name. Raises CouplingError where its coupling cannot be built."""
        target = plain_target(coupling_spec(parse(self.spec)), load_grid)
        return lambda x: (_last(target, x) - self.mean) / self.deviation


def sequences_of(tau: int) -> int:
    """How many the least squares have."""
    return min(SEQUENCES, VALUES // tau)


def coupled(design: Design) -> tuple[np.ndarray, Coupled]:
    """The kernel (τ,) of the best affine map, for inputs and answers of variance 1, and the target;
    raises ValueError where all sequences have one answer, CouplingError as `Design` does."""
    target, tau = design.target, design.spec.tau
    draw = np.random.default_rng(0)
    count = sequences_of(tau)
    x = OUTER * (2 * draw.random((count, tau)) - 1)
    y = np.concatenate([_last(target, x[i : i + BLOCK]) for i in range(0, count, BLOCK)])
    mean, deviation = float(y.mean()), float(y.std())
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        raise ValueError("every sequence has the same answer: there is nothing to learn")
    y = (y - mean) / deviation
    two = np.column_stack([np.ones(count), x[:, -1], x[:, :-1].mean(axis=1)])
    fitted = np.linalg.lstsq(two, y, rcond=None)[0]
    missed = (y - two @ fitted) ** 2
    left = float(missed.mean())
    within = WITHIN * float((missed - left * y**2).std()) / math.sqrt(count)
    kernel = np.full(tau, fitted[2] / (tau - 1))
    kernel[0] = fitted[1]
    return kernel, Coupled(compact(design.bare.spec), mean, deviation, left, within)


def _last(target: CouplingTarget, x: Array) -> Array:
    """Answers after the last of inputs (…, τ): the first query, where the last token is first."""
    xp = namespace(x)
    return target.answer(0.5 + xp.flip(x, axis=-1) / (2 * OUTER), 1)[..., 0]
