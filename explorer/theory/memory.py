"""What is known without training of memories and causal Transformers (arXiv 2402.00522); what each
theorem asks is in theorems.py.

Floors are exact; rates are up to constants C(n) that the paper leaves open, and speak of attention
alone: of the error E_FFN + Lip(f) E_attn they are E_attn. The best heads for a kernel are in
best_heads.py.
"""

import math
from collections.abc import Sequence

from explorer.theory.best_heads import Falling


def head_floor(heads: int, tokens: int) -> float:
    """The least mean squared error, 1 − H/V, of y_t = b_{t−x_t} with normal b and x_t uniform in
    1 … V, for one layer of H heads whose weights hang on distances alone.

    H heads give H numbers Σ_s a_h(s) b_{t−s}, the same ones whatever x_t is. Of V normal b they
    tell the projection Π on H directions, which leaves 1 − Π_ii of b_{t−i}, V − H in all.
    """
    return max(0.0, 1 - heads / tokens)


def sufficient_layers(jumps: int, memories: int | None = None) -> int:
    """K + 1 + 1{M ≥ K + 1} of Theorem 4.4: of M memories (None: K) the first K are found one after
    the other."""
    return jumps + 1 + (memories is not None and memories >= jumps + 1)


def doubling_layers(jumps: int) -> int:
    """⌈log₂(K + 1)⌉ layers follow K jumps, if a token can hold how far its pointers go.

    After l layers a token knows where 2^l jumps from it lead, and the values after up to 2^l − 1
    jumps: the next layer looks there, and reads what is known there.
    """
    return math.ceil(math.log2(jumps + 1))


def attention_rate(lags: Sequence[int], heads: int, n: int, encoding: Falling) -> float:
    """Theorem 3.1: the error of H heads at fixed lags T_i over the constant C(n) of the order n,
    (Σ e^{0.01 T_i})^{n+1} / H^n for lin and (Σ T_i^{1.01})^{n+1} / H^n for log."""
    return reach(lags, encoding) ** (n + 1) / heads**n


def reach(lags: Sequence[int], encoding: Falling) -> float:
    """Σ e^{0.01 T_i} for lin, Σ T_i^{1.01} for log: the H from which a higher order n is better."""
    if encoding == "lin":
        return sum(math.exp(0.01 * lag) for lag in lags)
    return sum(float(lag) ** 1.01 for lag in lags)


def kernel_rate(memories: int, heads: int, n: int) -> float:
    """Theorem 5.1: M^{n+1} / H^n over C(n), for M kernels that fall as the encoding does."""
    return memories ** (n + 1) / heads**n


def jump_rate(lags: Sequence[int], jumps: int, heads: int, n: int, encoding: Falling) -> float:
    """Theorem 4.4: the attention's error over C(n), of memories T_i of which the first K = `jumps`
    are found one after the other, a layer for each, and the others by one layer in the end.

    (Σ_{i≤K} w(T_i)^{2n+2} + (Σ_{i>K} w(T_i))^{2n+2})^{1/2} / H^n with w = e^{0.01 T} for lin and
    T^{1.01} for log: that of Theorem 3.1 for each layer, layers as a root of squares.
    """
    after = [reach(lags[jumps:], encoding)] if len(lags) > jumps else []
    each = [reach([lag], encoding) for lag in lags[:jumps]] + after
    return math.sqrt(sum(one ** (2 * n + 2) for one in each)) / heads**n


def pointer_width(furthest: Sequence[int], nested: int, encoding: Falling) -> float:
    """Theorem 4.4 (Theorem 4.1 where nested = 0): the width m that lets feed-forward layers make
    pointers g_i ≤ T_i, up to a constant and logarithms: max_{i≤K} ‖g_i‖² ∨ Σ_{i>K} ‖g_i‖² for lin,
    with ‖log g_i‖² T_i² for log; K = `nested`.

    ‖·‖ is Barron's norm; that of a sum of functions of one-hot tokens is at most their largest
    values together, T_i, and log T_i is taken for its logarithm.
    """
    each = [float(lag if encoding == "lin" else math.log(lag) * lag) ** 2 for lag in furthest]
    return max([*each[:nested], sum(each[nested:])])


def lag_heads(jumps: int, vocabulary: int) -> int:
    """K·V: heads by distance that let one layer follow K jumps of 1 … V exactly, each at a distance
    of its own, with V^K units behind them: relu(Σ_k 1[x at the k-th place = i_k] + b at the last
    − K), one for each way, whose sum is (1 + y) / 2 for values ±1."""
    return jumps * vocabulary


def readout_rate(width: int) -> float:
    """The feed-forward layers' part of all four theorems, E_FFN over ‖f‖ and logarithms: m^−½."""
    return width**-0.5
