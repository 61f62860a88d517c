"""Alterations of a target: the order in which its input is seen, and a filter before it.

    permutation p   the model sees x̃(t) = x(p(t)) and must answer y_t of the original x (Eq. 80)
    filter θ        the model sees x and must answer H(θ*x) (Eq. 92)

With both the target is H(θ*x) and the model sees x∘p. Inputs outside 0 … τ−1 are zero:

    causal     (θ*x)(t) = Σ_s θ(s) x(t−s)             reads the past only
    ahead      (θ*x)(t) = Σ_s θ(s) x(t+s)             as Section 6.2 prints it: reads the future
    centred    (θ*x)(t) = Σ_s θ(s) x(t−s+⌊(l−1)/2⌋)   l taps, as many of each as can be
    circular   (θ*x)(t) = Σ_s θ(s) x((t−s) mod τ)     no zeros are needed
"""

from dataclasses import dataclass

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.spec import CouplingSpec, LabelledSpec, LinearSpec

BLOCK = 10  # of 32 tokens, that `block` exchanges and `roll` moves to the end (App. C)
ORDERS = ("block", "roll", "reverse", "random")
MODES = {"causal": "", "ahead": " ahead", "centred": " centred", "circular": " circular"}
"""Of a filter, in words."""
FILTERS = ("delay", "difference", "average", "positive", "signed")


@dataclass(frozen=True)
class Alteration:
    """What is done to sequences of length τ; numbers of a specification, so frozen and hashable."""

    tau: int
    order: tuple[int, ...] | None = None
    """p(0) … p(τ−1); None for the order of the input."""
    taps: tuple[float, ...] | None = None
    """θ(0) … θ(l−1); None for no filter."""
    mode: str = "causal"

    def seen(self, x: Array) -> Array:
        """x∘p: (…, τ) → (…, τ)."""
        return x if self.order is None else x[..., list(self.order)]

    def mixed(self, x: Array) -> Array:
        """θ*x: (…, τ) → (…, τ)."""
        if self.taps is None:
            return x
        return x @ namespace(x).matrix_transpose(constant(self.filter_matrix(), x))

    def filter_matrix(self) -> np.ndarray:
        """Θ (τ, τ), so that θ*x = Θ x."""
        if self.taps is None:
            return np.eye(self.tau)
        return filter_matrix(self.taps, self.tau, self.mode)

    @property
    def reads_ahead(self) -> bool:
        """Whether some (θ*x)(t) needs inputs after t: in most conventions one tap need not."""
        return bool(np.triu(self.filter_matrix(), 1).any())

    @property
    def reorders(self) -> bool:
        """Whether p is another order than that of the input."""
        return self.order is not None and self.order != tuple(range(self.tau))


class OfUniform:
    """What altered targets share, whose sequences x of length τ have entries in [0, 1]."""

    alteration: Alteration

    @property
    def tau(self) -> int:
        return self.alteration.tau

    @property
    def n_uniform(self) -> int:
        """Random numbers that make one sequence."""
        return self.tau

    def inputs(self, uniform: Array) -> Array:
        """Sequences x (…, τ), before they are reordered: the uniform random numbers themselves."""
        return checked_sequences(uniform, self.tau)

    def seen(self, x: Array) -> Array:
        """x∘p (…, τ), the model's input."""
        return self.alteration.seen(x)


def checked_sequences(x: Array, tau: int) -> Array:
    """Sequences (…, τ); raises ValueError for others."""
    if x.shape[-1] != tau:
        raise ValueError(f"sequences have shape (…, {tau}), got {tuple(x.shape)}")
    return x


def alteration_of(spec: LinearSpec | CouplingSpec) -> Alteration:
    """The alteration that a specification asks for."""
    taps = spec.filter
    if isinstance(taps, str):
        taps = named_taps(taps, spec.filter_length, spec.filter_seed)
    return Alteration(spec.tau, order_of(spec), taps, spec.filter_mode if taps else "causal")


def order_of(spec: LinearSpec | CouplingSpec | LabelledSpec) -> tuple[int, ...] | None:
    """The order that a specification asks for."""
    if isinstance(spec.permutation, str):
        return named_order(spec.permutation, spec.tau, spec.permutation_seed)
    return spec.permutation


def named_order(name: str, tau: int, seed: int = 0) -> tuple[int, ...]:
    """An order by its name: `block` exchanges the first and last ⌊10τ/32⌋ tokens, `roll` moves the
    first of them to the end. Raises ValueError for an unknown name."""
    count, order = BLOCK * tau // 32, list(range(tau))
    match name:
        case "block":
            return tuple(order[tau - count :] + order[count : tau - count] + order[:count])
        case "roll":
            return tuple(order[count:] + order[:count])
        case "reverse":
            return tuple(order[::-1])
        case "random":
            return tuple(np.random.default_rng(seed).permutation(tau).tolist())
    raise ValueError(f"order {name!r}: known are {', '.join(ORDERS)}")


def named_taps(name: str, length: int = 5, seed: int = 0) -> tuple[float, ...]:
    """Taps by name. `delay` is x(t−1), `difference` x(t) − x(t−1), `average` the mean of `length`;
    `positive` and `signed` are drawn from U[0, 1] and U[−1, 1] and have Σ|θ| = 1, as Prop. 6.3
    asks. Raises ValueError for an unknown name."""
    match name:
        case "delay":
            return (0.0, 1.0)
        case "difference":
            return (1.0, -1.0)
        case "average":
            return (1 / length,) * length
        case "positive" | "signed":
            low = 0.0 if name == "positive" else -1.0
            drawn = np.random.default_rng(seed).uniform(low, 1.0, length)
            return tuple((drawn / np.abs(drawn).sum()).tolist())
    raise ValueError(f"filter {name!r}: known are {', '.join(FILTERS)}")


def filter_matrix(taps: tuple[float, ...], tau: int, mode: str) -> np.ndarray:
    """Θ (τ, τ) with (θ*x)(t) = Σ_j Θ[t, j] x(j), by one of the four conventions."""
    t, s = np.arange(tau)[:, None], np.arange(len(taps))
    j = {
        "causal": t - s,
        "ahead": t + s,
        "centred": t - s + (len(taps) - 1) // 2,
        "circular": (t - s) % tau,
    }[mode]
    inside = (j >= 0) & (j < tau)
    matrix = np.zeros((tau, tau))
    rows = np.broadcast_to(t, j.shape)
    np.add.at(matrix, (rows[inside], j[inside]), np.broadcast_to(taps, j.shape)[inside])
    return matrix


def alteration_words(spec: LinearSpec | CouplingSpec) -> list[str]:
    """Order and filter of a specification, in a few words each."""
    order = spec.permutation if isinstance(spec.permutation, str) else "own order"
    taps = f"{len(spec.filter)} taps" if isinstance(spec.filter, tuple) else spec.filter
    words = [order] if spec.permutation is not None else []
    if spec.filter is not None:
        words.append(f"filter {taps}{MODES[spec.filter_mode]}")
    return words
