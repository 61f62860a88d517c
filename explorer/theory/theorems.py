"""What Wang & E (arXiv 2402.00522, its NeurIPS 2024 version) prove, each with its hypotheses as a
function: a sentence that leans on a statement asks it first.

All of them say that a Transformer *exists*: it is enough, and none says that less is not, but for
Proposition 4.2. ‖H − Ĥ‖ is the supremum over t and all inputs; constants C(n) are left open.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from explorer.theory.best_heads import Falling


class Memories(NamedTuple):
    """What is to be remembered, as far as the theorems ask."""

    kind: Literal["fixed", "pointed", "kernel"]
    total: int = 1
    """M;"""
    nested: int = 0
    """K: how many memories are read by later pointers; 0 where all pointers are of x_t alone;"""
    exponent: float = math.inf
    """β of ρ = O(t^−β), ∞ for what falls faster than every power;"""
    rate: float = 0.0
    """β of ρ = O(e^−βt), 0 for what falls slower than every exponential."""


class Answer(NamedTuple):
    """Whether a statement speaks of a case, and if not, what it asks that is not so."""

    holds: bool
    why: str = ""


class Statement(NamedTuple):
    """A theorem or proposition."""

    name: str
    equation: str
    """Where its classes are defined."""
    layers: str
    """The depth it is proved for."""
    proved_for: str
    """What its attention is, beyond the paper's RPE."""
    says: str
    ask: Callable[[Memories, int], Answer]
    """Of memories and the order n."""


SOFTMAX = "attention with softmax, without dot product; in the supremum over all inputs"
FREE = (
    "attention without softmax's denominator, numbers of fixed precision; in the supremum over all "
    "inputs"
)


def _all(*asked: tuple[bool, str]) -> Answer:
    missing = [why for holds, why in asked if not holds]
    return Answer(not missing, "; ".join(missing))


def _order(n: int, most: float, formula: str) -> tuple[bool, str]:
    return 1 <= n <= most, f"it asks 1 ≤ n ≤ {most:g}{formula}, here n = {n}"


def _fixed(memories: Memories, n: int) -> Answer:
    return _all((memories.kind == "fixed", "it asks fixed lags"), _order(n, math.inf, ""))


def _warm_up(memories: Memories, n: int) -> Answer:
    return _all(
        (memories.kind == "pointed", "it asks pointers"),
        (memories.nested == 0, "it asks pointers that are read from the token itself alone"),
        _order(n, math.inf, ""),
    )


def _adaptive(memories: Memories, n: int) -> Answer:
    return _all(
        (memories.kind == "pointed", "it asks pointers"),
        (memories.nested <= memories.total, "it asks K ≤ M"),
        _order(n, math.inf, ""),
    )


def _exponential(memories: Memories, n: int) -> Answer:
    if memories.kind != "kernel" or memories.rate <= 0:
        return Answer(False, "it asks a kernel that falls as e^(−βt), β > 0")
    beta = memories.rate
    return _all(_order(n, math.floor(round(99 * beta, 9)), f" = ⌊99β⌋, β = {beta:.3g}"))


def _power(memories: Memories, n: int) -> Answer:
    beta = memories.exponent
    if memories.kind != "kernel" or not beta > 1:
        return Answer(False, f"it asks a kernel O(t^−β) with β > 1, here β = {beta:g}")
    most = beta if math.isinf(beta) else math.floor(round(0.99 * beta, 9)) - 1
    return _all(_order(n, most, f" = ⌊0.99β⌋ − 1, β = {beta:g}"))


def _one_pointer(memories: Memories, n: int) -> Answer:
    return _all(
        (memories.kind == "pointed" and memories.total == 1, "it asks one pointer, g = 0, 1, 2")
    )


STATEMENTS: dict[str, Statement] = {
    "3.1": Statement(
        "Theorem 3.1", "Eq. 5, 6", "one layer", SOFTMAX, "E_attn falls as H^−n", _fixed
    ),
    "4.1": Statement(
        "Theorem 4.1", "Eq. 9", "two layers", FREE, "the rate of Theorem 3.1", _warm_up
    ),
    "4.2": Statement(
        "Proposition 4.2",
        "Eq. 9",
        "one layer without a feed-forward part",
        "tokens −1, 0, 1; in the supremum over all inputs",
        "with dot product any ε; without it at least 2/3",
        _one_pointer,
    ),
    "4.3": Statement(
        "Proposition 4.3",
        "Eq. 9",
        "two layers",
        FREE,
        "a substitute of O(D) parameters for the dot product reaches the rate of Theorem 4.1",
        _warm_up,
    ),
    "4.4": Statement(
        "Theorem 4.4", "Eq. 8", "K + 1 + 1{M ≥ K + 1} layers", FREE, "E_attn by layers", _adaptive
    ),
    "4.5": Statement(
        "Proposition 4.5",
        "Eq. 9",
        "M + 1 layers",
        FREE,
        "fewer heads and a narrower network are enough than by two layers, where M > 1",
        _warm_up,
    ),
    "5.1 (A)": Statement(
        "Theorem 5.1 (A)", "Eq. 13", "one layer", SOFTMAX, "M^(n+1) / H^n with lin", _exponential
    ),
    "5.1 (B)": Statement(
        "Theorem 5.1 (B)", "Eq. 13", "one layer", SOFTMAX, "M^(n+1) / H^n with log", _power
    ),
}
"""By their numbers in the paper."""


def of_kernels(encoding: Falling) -> Statement:
    """The part of Theorem 5.1 that speaks of an encoding."""
    return STATEMENTS["5.1 (B)" if encoding == "log" else "5.1 (A)"]


def on_pointers(nested: int) -> Statement:
    """Theorem 4.1, where all pointers are of x_t alone, else Theorem 4.4."""
    return STATEMENTS["4.4" if nested else "4.1"]


def falling_power(exponent: float, total: int = 1) -> Memories:
    """Kernels t^−exponent."""
    return Memories("kernel", total, exponent=exponent)


def falling_exponential(time: float, total: int = 1) -> Memories:
    """Kernels e^(−t/time), which are O(t^−β) for every β, too."""
    return Memories("kernel", total, rate=1 / time)


def jumping(jumps: int) -> Memories:
    """The end of a chain of jumps, p_0 = t, p_{k+1} = p_k − x_{p_k}: t_i, the way of i jumps, is a
    function g_i of x_t, …, x_{t−t_{i−1}}; M = jumps, and all but the last have later readers."""
    return Memories("pointed", jumps, jumps - 1)
