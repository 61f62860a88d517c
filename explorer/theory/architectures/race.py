"""Who races for a kernel ρ(s), how large each is, what its floor predicts, and the verdict.

Errors are those of `kind`: ‖ρ̂ − ρ‖²/‖ρ‖², the mean squared error of the last answer for white
inputs over its variance. A nonlinear network has no floor, and is measured on sequences. Where the
target is not linear (`coupled`), ρ is its best affine map, which leaves a share of the variance to
every linear entrant: the rest of its error is that on ρ.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from explorer.arrays import Array, constant
from explorer.coupling import GridLoader
from explorer.spec.racing import MOST, By
from explorer.theory.architectures.convolutional import left_by, parameters_of, uniform
from explorer.theory.architectures.coupled import Coupled
from explorer.theory.architectures.kind import Remembered, checked
from explorer.theory.architectures.positions import peaks_error, rotary_error
from explorer.theory.architectures.recurrent import stable_error

Label = Literal[
    "predicted", "observed", "disagrees", "missed by optimisation", "left open", "no floor known"
]
SEEDS, STEPS = 5, 1500
SHARE = 4
"""Of the steps one in so many where each goes through sequences."""
BELOW = 1e-9
"""Of a floor: as far below it rounding may get."""


class Known(NamedTuple):
    """What is known of an entrant of some size without training; None where nothing is."""

    bound: float | None
    """No model of that size has a smaller error."""
    best: float | None
    """Some model has it."""


Knowing = Callable[[np.ndarray, int, Mapping[str, Remembered]], Known]


@dataclass(frozen=True, kw_only=True)
class Entrant:
    """An architecture as it is trained."""

    name: str
    title: str
    unit: tuple[str, str]
    """Of which width it is, one and others: {} is their number."""
    parameters: Callable[[int, int], int]
    """Of a width and τ."""
    known: Knowing = lambda kernel, width, by_name: Known(None, None)
    """Of a kernel (τ,), a width, and what `compared` says of that kernel."""
    linear: bool = True
    """Whether its loss is exact; others are trained on sequences, and have no floor."""
    searched: bool = False
    """Whether what is found is taken for the least where no bound says so."""

    def width_of(self, race: Race) -> int:
        """The largest width within the race's parameters, or its width; 1 at least."""
        if race.by == "width":
            return race.size
        tau = len(race.kernel)
        within = (n for n in range(1, race.size + 1) if self.parameters(n, tau) <= race.size)
        return min(max(within, default=1), tau)

    def steps_of(self, race: Race) -> int:
        """How long it is trained."""
        return race.steps if self.linear else math.ceil(race.steps / SHARE)

    def sized(self, width: int) -> str:
        """Its width in words."""
        return self.unit[width != 1].format(width)


@dataclass(frozen=True)
class Race:
    """What is raced: ρ(0) … ρ(τ−1), the size of each entrant, and how long it is trained."""

    kernel: tuple[float, ...]
    size: int = 40
    by: By = "parameters"
    seeds: int = SEEDS
    steps: int = STEPS
    sequences: bool = True
    """Whether those race that need sequences, too."""
    coupled: Coupled | None = None
    """The target, where it is not linear; `kernel` is then its best affine map."""

    def __post_init__(self) -> None:
        checked(np.array(self.kernel))
        if not 1 <= self.size <= MOST:
            raise ValueError(f"size {self.size}: must be from 1 to {MOST} {self.by}")
        if self.seeds < 1 or self.steps < 1:
            raise ValueError(f"{self.seeds} seeds, {self.steps} steps: at least one of each")

    @classmethod
    def parse(cls, text: str) -> Race:
        """Back from its text."""
        values = json.loads(text)
        race, other = cls(tuple(values.pop("kernel")), **values), values["coupled"]
        return replace(race, coupled=Coupled(**other)) if other else race

    def text(self) -> str:
        """As JSON."""
        return json.dumps(asdict(self))

    @property
    def id(self) -> str:
        """The same for the same race."""
        return hashlib.sha256(self.text().encode()).hexdigest()[:12]

    @property
    def entrants(self) -> list[Entrant]:
        """Who races, the linear ones first."""
        return [one for one in ENTRANTS.values() if self.sequences or one.linear]

    @property
    def left(self) -> float:
        """Share of the answers' variance that no linear entrant gets, whatever its size."""
        return self.coupled.left if self.coupled else 0.0

    def of_answers(self, error: Array) -> Array:
        """Of the answers, where a linear entrant has this error on the kernel."""
        return self.left + (1 - self.left) * error

    def answers(self, load_grid: GridLoader | None = None) -> Callable[[Array], Array]:
        """Of inputs (…, τ) the answers (…) after the last, of mean 0 and variance 1; raises as
        `Coupled.answers`."""
        if self.coupled:
            return self.coupled.answers(load_grid)
        rho = checked(np.array(self.kernel))[::-1]
        rho = rho / np.linalg.norm(rho)
        return lambda x: x @ constant(rho, x)


def _at(errors: np.ndarray, width: int) -> float:
    """The error at this width of errors at widths 1, 2, …"""
    return float(errors[min(width, len(errors)) - 1])


def _as_compared(name: str) -> Knowing:
    """What the architecture of this name is known to leave."""
    return lambda kernel, width, by_name: Known(
        _at(by_name[name].bound.error, width), _at(by_name[name].best.error, width)
    )


STATES, CHANNELS = ("{} state", "{} states"), ("{} channel", "{} channels")
HEADS, HIDDEN = ("{} head", "{} heads"), ("{} hidden unit", "{} hidden units")
ENTRANTS = {
    one.name: one
    for one in (
        Entrant(
            name="rnn",
            title="linear RNN",
            unit=STATES,
            parameters=lambda n, tau: n * n + 2 * n,  # W, U, c
            known=_as_compared("rnn"),
        ),
        Entrant(
            name="ssm",
            title="SSM (λ free)",
            unit=STATES,
            parameters=lambda n, tau: 2 * n,
            known=_as_compared("rnn"),
        ),
        Entrant(
            name="stable_ssm",
            title="SSM (λ stable)",
            unit=STATES,
            parameters=lambda n, tau: 2 * n,
            known=lambda kernel, width, by_name: Known(
                _at(by_name["rnn"].bound.error, width), stable_error(kernel, width)
            ),
        ),
        Entrant(
            name="cnn",
            title="dilated CNN",
            unit=CHANNELS,
            parameters=lambda n, tau: parameters_of(uniform(tau, n)),
            known=lambda kernel, width, by_name: Known(
                *left_by(kernel, uniform(len(kernel), width))
            ),
        ),
        Entrant(
            name="attention",
            title="attention with positions",
            unit=("{} head of width 2", "{} heads of width 2"),
            parameters=lambda n, tau: 3 * n,
            known=lambda kernel, width, by_name: Known(None, peaks_error(kernel, width)),
            searched=True,
        ),
        Entrant(
            name="rotary",
            title="rotary attention",
            unit=("{} head of one pair", "{} heads of one pair"),
            parameters=lambda n, tau: 4 * n,  # ℓ, R, θ, c
            known=lambda kernel, width, by_name: Known(None, rotary_error(kernel, width)),
        ),
        Entrant(
            name="log_heads",
            title="log heads",
            unit=HEADS,
            parameters=lambda n, tau: 2 * n,
            known=_as_compared("log_heads"),
            searched=True,
        ),
        Entrant(
            name="lin_heads",
            title="lin heads",
            unit=HEADS,
            parameters=lambda n, tau: 2 * n,
            known=_as_compared("lin_heads"),
            searched=True,
        ),
        Entrant(
            name="gated_cnn",
            title="gated CNN",
            unit=CHANNELS,
            parameters=lambda n, tau: 2 * parameters_of(uniform(tau, n)),
            linear=False,
        ),
        Entrant(
            name="gru",
            title="GRU",
            unit=HIDDEN,
            parameters=lambda n, tau: 3 * (n * n + 2 * n) + n,
            linear=False,
        ),
        Entrant(
            name="lstm",
            title="LSTM",
            unit=HIDDEN,
            parameters=lambda n, tau: 4 * (n * n + 2 * n) + n,
            linear=False,
        ),
        Entrant(
            name="head",
            title="head of Eq. 5",
            unit=("m_h = {}", "m_h = {}"),
            parameters=lambda n, tau: 2 * (n * n + 2 * n) + 1,  # φ̂ and ψ̂ of n hidden units, c
            linear=False,
        ),
    )
}
"""Who races, by name."""


def prediction(entrant: Entrant, known: Known, error: float) -> bool | None:
    """Whether an entrant gets this far; None where nothing says so."""
    if known.best is not None and known.best <= error:
        return True
    if known.bound is not None and known.bound > error:
        return False
    return False if entrant.searched else None


def known_of(race: Race, by_name: Mapping[str, Remembered]) -> dict[str, Known]:
    """What is known of each entrant, by name; `by_name` is what `compared` says of the kernel."""
    kernel = checked(np.array(race.kernel))
    known = {one.name: one.known(kernel, one.width_of(race), by_name) for one in race.entrants}
    if race.coupled is None:
        return known
    return {name: _of_answers(race, ENTRANTS[name], each) for name, each in known.items()}


def _of_answers(race: Race, entrant: Entrant, known: Known) -> Known:
    """What is known of the kernel, of the answers: what no linear map gets is a floor."""
    if not entrant.linear:
        return known
    best = None if known.best is None else race.of_answers(known.best)
    return Known(race.of_answers(known.bound or 0.0), best)


class Verdict(NamedTuple):
    """What a race says of an entrant."""

    label: Label
    reason: str


def verdict(
    entrant: Entrant, known: Known, errors: Sequence[float | None], error: float
) -> Verdict:
    """Of the last errors of its seeds, None for one that diverged; empty before the race. The
    median decides, and lowest and highest stand beside it: of five seeds an interval for the median
    at 94 %."""
    expected = prediction(entrant, known, error)
    ended = sorted(math.inf if one is None else one for one in errors)
    if known.bound is not None and ended and ended[0] < known.bound * (1 - BELOW):
        return Verdict("disagrees", f"{ended[0]:.2g} is below the floor {known.bound:.2g}")
    if known.best is None:
        return Verdict("no floor known", "it is not linear")
    if expected is None:
        return Verdict("left open", f"the floor is {known.bound or 0:.1g}, found {known.best:.1g}")
    if not ended:
        return Verdict("predicted", "it gets there" if expected else "it does not")
    reached = sum(one <= error for one in ended)
    seeds = f"{reached} of {len(ended)} seeds get there"
    middle = ended[len(ended) // 2]
    if (middle <= error) == expected:
        return Verdict("observed", seeds)
    if expected:
        return Verdict(
            "missed by optimisation", f"a model of this size has {known.best:.1g}; {seeds}"
        )
    return Verdict("disagrees", f"the search had found {known.best:.1g} at best; {seeds}")
