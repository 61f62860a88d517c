"""A family of other (F, f, ρ) of one H, and what the paper measures of each of them
(representations.py)."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from explorer.coupling import POD
from explorer.coupling.spectra import tails
from explorer.targets.coupling import softmax
from explorer.theory.complexity import Complexity
from explorer.theory.design import Design

SEQUENCES = 8  # on which two representations are compared


class Measures(NamedTuple):
    """Those of one representation; None for one that is not spoken of, or not available."""

    c_0: float | None
    c_1: float
    tail: np.ndarray
    """(Σ_{k>m} σ_k²)^½ for m = 0, 1, …"""
    c_2: np.ndarray | None
    """C₂(k), k = 0, 1, …"""
    parts: tuple[float, float]
    """C_FF(F) and C_FF(f); nan for one that is not known."""


@dataclass(frozen=True, eq=False)
class Family(ABC):
    """Representations of the H of a design, each at a position; `complexity` is that of the design,
    `modes` its centred POD."""

    design: Design
    complexity: Complexity
    modes: POD

    letter: ClassVar[str]
    form: ClassVar[str]
    """The representation, as a formula."""
    own: ClassVar[float] = 0.0
    """Where the design's representation stands, that of the centred ρ."""
    log: ClassVar[bool] = False
    moves_parts: ClassVar[bool] = False
    """Whether C_FF of F or of f moves."""
    hard: ClassVar[bool] = False
    """Whether the weights are those at T → 0."""
    ends: ClassVar[tuple[float, float]]
    """Between which positions lie."""

    @abstractmethod
    def measures(self, position: float) -> Measures: ...

    @cached_property
    def at(self) -> Callable[[float], Measures]:
        """The measures, remembered."""
        return cache(self.measures)

    def answer(self, position: float, x: np.ndarray) -> np.ndarray:
        """H of the representation, (…, τ) → (…, τ)."""
        return self._answered(self.logits(position, x), x)

    def logits(self, position: float, x: np.ndarray) -> np.ndarray:
        """ρ of the representation at all pairs, (…, τ) → (…, τ, τ)."""
        return self.design.coupling.matrix(x, x)

    def _answered(self, logits: np.ndarray, x: np.ndarray) -> np.ndarray:
        return self.design.target.parts.answer(softmax(logits), x)

    @cached_property
    def off(self) -> Callable[[float], float]:
        """max |H − H| between the representation and the design's, over random sequences."""
        x = np.random.default_rng(0).random((SEQUENCES, self.design.spec.tau))
        own = self.answer(self.own, x)

        def apart(position: float) -> float:
            return float(np.abs(self.answer(position, x) - own).max())

        return cache(apart)

    def positions(self, count: int) -> np.ndarray:
        """As many from end to end (count,), the design's own beside them, ascending."""
        low, high = self.ends
        between = np.geomspace(low, high, count) if self.log else np.linspace(low, high, count)
        return np.unique(np.append(between, self.own))

    @cached_property
    def _own(self) -> Measures:
        complexity, sigma = self.complexity, self.modes.sigma[: self.modes.rank]
        tail = np.sqrt(tails(sigma, self.modes.beyond))
        return Measures(complexity.c_0, complexity.c_1, tail, complexity.c_2, self._parts)

    @cached_property
    def _parts(self) -> tuple[float, float]:
        known = self.design.target.parts.barron
        outer, inner = (np.nan if each.value is None else each.value for each in known.values())
        return outer, inner
