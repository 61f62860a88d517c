"""What Propositions 6.1 to 6.3 say of a target, and whether the numbers agree.

A verdict is "predicted" where only the statement and closed forms speak, "observed" where numbers
of this target bear it out, and "disagrees" where they do not; the sentence says why.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.spec import CouplingSpec, LinearSpec, amended
from explorer.targets import alteration_of, linear_target, target_of
from explorer.theory.linear import complexity_of, linear_floors

Label = Literal["predicted", "observed", "disagrees"]
NOTHING = 1e-12  # an error below it is rounding
SAME = 10.0  # two trained errors within this factor are the same


@dataclass(frozen=True)
class Verdict:
    """A proposition beside the numbers of one target."""

    name: str
    label: Label
    sentence: str


def proposition_61(spec: LinearSpec, rnn_mse: float | None = None) -> Verdict:
    """A permuted target is no longer causal, so no RNN learns it; `rnn_mse` of a trained one."""
    order = alteration_of(spec).order
    if order is None or order == tuple(range(spec.tau)):
        return Verdict("6.1", "predicted", "The order is that of the input: the target is causal.")
    least = linear_floors(linear_target(spec).matrix).causal
    if least < NOTHING:
        return Verdict(
            "6.1", "disagrees",
            "p(t') > t' for some t', and yet the target stays causal: the proof takes it that y_t' "
            "depends on x(t'), and this kernel does not at those steps.",
        )  # fmt: skip
    if rnn_mse is None:
        return Verdict("6.1", "predicted", f"Any causal model leaves an MSE of {least:.3g}.")
    if rnn_mse < 0.98 * least:
        return Verdict(
            "6.1", "disagrees", f"The RNN's {rnn_mse:.3g} lies below the causal floor {least:.3g}."
        )
    return Verdict(
        "6.1", "observed", f"The RNN is at {rnn_mse:.3g}; any causal model leaves {least:.3g}."
    )


def proposition_62(
    spec: LinearSpec | CouplingSpec, before: float | None = None, after: float | None = None
) -> Verdict:
    """The permuted target is as complex for a Transformer; 1 − R² of trained ones before and after.

    Eq. 90, φ̃_i(x(p(t))) = φ_i(x(t)), equates functions of two different tokens: it can hold where
    the coupling depends on positions alone, as for a linear target, not for content queries.
    """
    if spec.permutation is None:
        return Verdict("6.2", "predicted", "It is about orders, and this is that of the input.")
    content = isinstance(spec, CouplingSpec)
    why = (
        "its query depends on the content of x(t), which the token at t does not hold (Eq. 90)"
        if content
        else "its coupling depends on positions only, for which Eq. 90 can hold"
    )
    if before is None or after is None:
        label: Label = "disagrees" if content else "predicted"
        return Verdict("6.2", label, f"Of this target {why}.")
    ratio = after / before
    label = "observed" if ratio <= SAME else "disagrees"
    return Verdict(
        "6.2", label, f"1 − R² is {before:.1e} before and {after:.1e} after, × {ratio:.2g}: {why}."
    )


def reordering_gaps(spec: CouplingSpec, sequences: int = 64, seed: int = 0) -> tuple[float, float]:
    """max |H(x∘p) − H(x)∘p| and max |H(x∘p) − H(x)| over random sequences, p the order of `spec`.

    H is the target of Eq. 8 before it is altered. The first is rounding: Prop. 6.2 in its
    equivariant form. The second is not: the permuted target of Eq. 88 is another one. Raises
    ValueError for a specification without an order.
    """
    order = alteration_of(spec).order
    if order is None:
        raise ValueError("permutation: an order is needed")
    target = target_of(amended(spec, permutation=None, filter=None))
    x = target.inputs(np.random.default_rng(seed).random((sequences, target.uniforms)))
    answer, reordered = target.answer(x), target.answer(x[:, list(order)])
    held, changed = reordered - answer[:, list(order)], reordered - answer
    return float(np.abs(held).max()), float(np.abs(changed).max())


def proposition_63(spec: LinearSpec) -> Verdict:
    """|ρ(s)| ≤ e^{-s/γ} and ‖θ‖₁ ≤ 1 keep C_RNN ≤ γ under a filter; in the corrected reading."""
    alteration = alteration_of(spec)
    if alteration.taps is None:
        return Verdict("6.3", "predicted", "It is about filters, and there is none.")
    found = complexity_of(spec)
    before, after = found["before"], found["after"]
    gamma, size = before["c_1"], float(np.abs(alteration.taps or (1.0,)).sum())
    if not math.isfinite(before["c_rnn"]) or before["c_2"] > 1 + 1e-9 or size > 1 + 1e-9:
        return Verdict(
            "6.3", "predicted",
            f"It says nothing here: it needs |ρ(s)| ≤ e^(−s/γ), where C₂ is {before['c_2']:.3g}, "
            f"and Σ|θ| ≤ 1, which is {size:.3g}.",
        )  # fmt: skip
    if not math.isfinite(after["c_rnn"]):
        return Verdict(
            "6.3", "disagrees", "This order or convention needs inputs to come: no kernel is left."
        )
    both = (f"{of['c_rnn']:.3g}" for of in (before, after))
    numbers = f"C_RNN is {' before and '.join(both)} after, γ = {gamma:.3g}"
    if after["c_rnn"] <= gamma * (1 + 1e-9):
        return Verdict("6.3", "observed", f"{numbers}.")
    return Verdict(
        "6.3", "disagrees",
        f"{numbers}: a causal filter of l taps keeps the decay, C₁, and raises C₂, by e^((l−1)/γ) "
        "at most. An RNN represents the target as before, with some more units.",
    )  # fmt: skip
