"""What Propositions 6.1 to 6.3 say of a target, and whether the numbers agree.

A verdict is "predicted" where only the statement and closed forms speak, "observed" where numbers
of this target bear it out, "disagrees" where they do not, and "not yet comparable" where what has
been trained was not trained alike; the sentence says why.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.spec import CouplingSpec, LinearSpec, amended
from explorer.targets import alteration_of, linear_target, plain_target
from explorer.theory.linear import complexity_of, decay_length_of, linear_floors

Label = Literal["predicted", "observed", "disagrees", "not yet comparable"]
NOTHING = 1e-12  # of the error of a constant: what is below it is rounding
SAME = 10.0  # two medians of trained errors within this factor count as the same


@dataclass(frozen=True)
class Verdict:
    """A proposition beside the numbers of one target."""

    name: str
    label: Label
    sentence: str


@dataclass(frozen=True)
class Pairs:
    """1 − R² of Transformers trained alike on a target in its own order and in another one."""

    before: Mapping[int, float]
    """By the seed."""
    after: Mapping[int, float]
    """Of the same seeds."""
    steps: int

    def __post_init__(self) -> None:
        if not self.before or set(self.before) != set(self.after):
            raise ValueError(f"seeds {[*self.before]} and {[*self.after]}: one of each is needed")

    @property
    def ratios(self) -> list[float]:
        """After divided by before, seed by seed."""
        return [self.after[seed] / self.before[seed] for seed in self.before]


def proposition_61(spec: LinearSpec, rnns: Mapping[str, float] | None = None) -> Verdict:
    """A permuted target is no longer causal, so no RNN learns it; `rnns` are the MSE of trained
    ones by what they are called."""
    floors = linear_floors(linear_target(spec).matrix)
    least, is_causal = floors.causal, floors.causal < NOTHING * floors.constant
    if not alteration_of(spec).reorders:
        return Verdict("6.1", "predicted", _in_its_order(least, is_causal))
    if is_causal:
        return Verdict(
            "6.1",
            "disagrees",
            "p(t') > t' for some t', and yet the target stays causal: the proof takes it that y_t' "
            "depends on x(t'), and this kernel does not at those steps.",
        )
    if not rnns:
        return Verdict("6.1", "predicted", f"Any causal model leaves an MSE of {least:.3g}.")
    name, best = min(rnns.items(), key=lambda item: item[1])
    who = f"The RNN ({name})" if len(rnns) == 1 else f"The best of {len(rnns)} RNNs ({name})"
    label: Label = "disagrees" if best < 0.98 * least else "observed"
    below = "lies below the causal floor" if label == "disagrees" else "any causal model leaves"
    joint = " " if label == "disagrees" else "; "
    return Verdict("6.1", label, f"{who} is at {best:.3g}{joint}{below} {least:.3g}.")


def _in_its_order(least: float, is_causal: bool) -> str:
    if is_causal:
        return "It is about orders, and this is that of the input; the target is causal."
    return (
        "It is about orders, and this is that of the input. The target is not causal all the same: "
        f"its filter reads ahead, and any causal model leaves an MSE of {least:.3g}."
    )


def proposition_62(
    spec: LinearSpec | CouplingSpec, pairs: Pairs | None = None, trained: str = ""
) -> Verdict:
    """The permuted target is as complex for a Transformer; `pairs` were trained alike on both, and
    `trained` says what there is where none were.

    Eq. 90, φ̃_i(x(p(t))) = φ_i(x(t)), equates functions of two different tokens: it can hold where
    the coupling depends on positions alone, as for a linear target, not for content queries.
    """
    if not alteration_of(spec).reorders:
        return Verdict("6.2", "predicted", "It is about orders, and this is that of the input.")
    content = spec.by_content
    why = (
        "its query depends on the content of x(t), which the token at t does not hold (Eq. 90)"
        if content
        else "its coupling depends on positions only, for which Eq. 90 can hold"
    )
    if pairs is None and trained:
        return Verdict(
            "6.2",
            "not yet comparable",
            f"Of this target {why}. {trained}: the same settings, steps and seeds on both are "
            "needed.",
        )
    if pairs is None:
        return Verdict("6.2", "disagrees" if content else "predicted", f"Of this target {why}.")
    ratio = float(np.median([*pairs.after.values()]) / np.median([*pairs.before.values()]))
    label: Label = "observed" if ratio <= SAME else "disagrees"
    return Verdict("6.2", label, f"{_paired(pairs, ratio)}: {why}.")


def _paired(pairs: Pairs, ratio: float) -> str:
    """Medians over the same seeds, and between what the seeds lie."""
    before, after = [*pairs.before.values()], [*pairs.after.values()]
    if len(before) == 1:
        (seed,) = pairs.before
        return (
            f"One seed ({seed}), {pairs.steps} steps by the same settings: 1 − R² is "
            f"{_short(before[0])} before and {_short(after[0])} after, × {ratio:.2g}"
        )
    seeds = ", ".join(map(str, sorted(pairs.before)))
    low, high = min(pairs.ratios), max(pairs.ratios)
    return (
        f"Medians of the same {len(before)} seeds ({seeds}), {pairs.steps} steps by the same "
        f"settings: 1 − R² is {_spread(before)} before and {_spread(after)} after, × {ratio:.2g} "
        f"(seed by seed × {low:.2g} to {high:.2g}; within × {SAME:g} counts as the same)"
    )


def _spread(errors: list[float]) -> str:
    return f"{_short(np.median(errors))} ({_short(min(errors))} to {_short(max(errors))})"


def _short(error: float) -> str:
    return f"{error:.1e}".replace("e-0", "e-")


def reordering_gaps(spec: CouplingSpec, sequences: int = 64, seed: int = 0) -> tuple[float, float]:
    """max |H(x∘p) − H(x)∘p| and max |H(x∘p) − H(x)| over random sequences, p the order of `spec`.

    H is the target of Eq. 8 before it is altered. The first is rounding: Prop. 6.2 in its
    equivariant form. The second is not: the permuted target of Eq. 88 is another one. Raises
    ValueError for a specification without an order.
    """
    order = alteration_of(spec).order
    if order is None:
        raise ValueError("permutation: an order is needed")
    target = plain_target(spec)
    x = target.inputs(np.random.default_rng(seed).random((sequences, spec.tau)))
    answer, reordered = target.answer(x), target.answer(x[:, list(order)])
    held, changed = reordered - answer[:, list(order)], reordered - answer
    return float(np.abs(held).max()), float(np.abs(changed).max())


def proposition_63(spec: LinearSpec) -> Verdict:
    """|ρ(s)| ≤ e^{-s/γ} and ‖θ‖₁ ≤ 1 keep C_RNN ≤ γ under a filter; in the corrected reading.

    Of a target that is reordered, too, the filter is judged alone.
    """
    alteration = alteration_of(spec)
    if alteration.taps is None:
        order = " An order is not one." if alteration.order else ""
        return Verdict("6.3", "predicted", f"It speaks of filters, and there is none.{order}")
    alone = "The filter by itself (an order is not one): " if alteration.order else ""
    measures = complexity_of(amended(spec, permutation=None))
    before, after, fitted = measures["before"], measures["after"], decay_length_of(spec) is None
    if failing := _unmet(before, float(np.abs(alteration.taps).sum()), fitted):
        return Verdict("6.3", "predicted", f"{alone}It says nothing here: {failing}.")
    if not math.isfinite(after["c_rnn"]):
        return Verdict(
            "6.3",
            "disagrees",
            f"{alone}This convention needs inputs to come, so that no kernel of Eq. 75, and no "
            "C_RNN, is left.",
        )
    gamma = before["c_1"]
    both = (_digits(each["c_rnn"]) for each in (before, after))
    numbers = f"{alone}C_RNN is {' before and '.join(both)} after, γ = {_length(gamma, fitted)}"
    if after["c_rnn"] <= gamma * (1 + 1e-9):
        return Verdict("6.3", "observed", f"{numbers}.")
    return Verdict(
        "6.3",
        "disagrees",
        f"{numbers}: a causal filter of l taps keeps the decay, C₁, and raises C₂, by e^((l−1)/γ) "
        "at most. An RNN represents the target as before, with some more units.",
    )


def _unmet(before: Mapping[str, float], size: float, fitted: bool) -> str:
    """The conditions of Prop. 6.3 that fail, "" where none does."""
    gamma = before["c_1"]
    unmet: list[str] = []
    length = _length(gamma, fitted)
    if math.isinf(gamma):
        unmet.append(
            "it needs |ρ(s)| ≤ e^(−s/γ) with a finite γ, and this kernel falls more slowly than "
            "every exponential (γ = ∞)"
        )
    elif gamma == 0:
        unmet.append("it needs |ρ(s)| ≤ e^(−s/γ) with γ > 0, and of a kernel that ends γ is 0")
    elif before["c_2"] > 1 + 1e-9:
        unmet.append(
            "it needs |ρ(s)| ≤ e^(−s/γ), and sup e^(s/γ)|ρ(s)| = C₂ is "
            f"{_digits(before['c_2'])} at γ = {length}"
        )
    if size > 1 + 1e-9:
        unmet.append(f"it needs Σ|θ| ≤ 1, which is {size:.3g}")
    return "; ".join(unmet)


def _length(gamma: float, fitted: bool) -> str:
    """γ; that of a formula is a fit."""
    return _digits(gamma) + " (fitted on the window)" * fitted


def _digits(value: float) -> str:
    """With three digits, a large one with its thousands: 0.05, 12.3, 189,000."""
    rounded = f"{value:.3g}"
    return f"{float(rounded):,.0f}" if math.isfinite(value) and abs(value) >= 1000 else rounded
