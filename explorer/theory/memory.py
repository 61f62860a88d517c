"""What is known without training of memories and causal Transformers (arXiv 2402.00522).

Floors and best approximations are exact; rates are up to constants C(n) that the paper leaves open,
and speak of attention alone: of the error E_FFN + Lip(f) E_attn they are E_attn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import least_squares, minimize_scalar

Falling = Literal["log", "lin"]
STARTS = 6  # grids of p that the fit begins with
LOG_P = (math.log(1e-5), math.log(60.0))  # a head beyond sees all distances alike, or only 1
ROUNDING = 1e-20  # an error of 0
ALIKE = 1e-6  # share of an error by which heads that are all but the same may seem better
EXACT = 1e-15  # relative change of p, of the error and of its slope at which the fit ends


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


class Best(NamedTuple):
    """The best κ for a kernel: Σ_h c_h e^{p_h φ(s)}, or where heads `coincide`
    Σ_j c_j φ(s)^j e^{pφ(s)}."""

    p: np.ndarray
    """(H,), ascending."""
    c: np.ndarray
    """(H,)"""
    coincide: bool
    """Whether all p are the same: the error is then a limit, of heads ever more alike whose c are
    ever larger and cancel."""
    error: float
    """‖ρ − κ‖² / ‖ρ‖²."""


def best_heads(rho: np.ndarray, heads: int, encoding: Falling) -> Best:
    """The best approximation of ρ(1) … ρ(T) by H log or lin heads; T ≥ H.

    c is linear and eliminated, log p found by Levenberg and Marquardt from several grids (variable
    projection, Golub & Pereyra 1973), or in one dimension where all heads coincide. Softmax
    normalises each head by a number, which is part of c.
    """
    distinct = [_distinct(rho, start, encoding) for start in _starts(len(rho), heads, encoding)]
    apart = min(distinct, key=lambda best: best.error)
    if heads == 1 or apart.error < ROUNDING:
        return apart
    together = _coincident(rho, heads, encoding)
    return together if together.error < apart.error * (1 + ALIKE) else apart


def kernel(best: Best, length: int, encoding: Falling) -> np.ndarray:
    """κ(1) … κ(T), (T,)."""
    if not best.coincide:
        return _heads(length, np.log(best.p), encoding) @ best.c
    return _confluent(length, math.log(best.p[0]), len(best.p), encoding) @ best.c


def _starts(length: int, heads: int, encoding: Falling) -> list[np.ndarray]:
    """log p to begin with: ascending, between what sees all distances alike and what sees one."""
    narrow, wide = (0.02, 12.0) if encoding == "log" else (0.3 / length, 30.0)
    across = math.log(wide / narrow)
    return [
        math.log(narrow) + np.linspace(0, share * across, heads + 2)[1:-1]
        for share in np.linspace(0.35, 1.0, STARTS)
    ]


def _distinct(rho: np.ndarray, start: np.ndarray, encoding: Falling) -> Best:
    fit = least_squares(
        lambda log_p: _left(rho, _heads(len(rho), log_p, encoding)),
        start,
        lambda log_p: _slopes(rho, log_p, encoding),
        bounds=LOG_P,
        xtol=EXACT,
        ftol=EXACT,
        gtol=EXACT,
    )
    return _solved(rho, np.sort(fit.x), False, encoding)


def _coincident(rho: np.ndarray, heads: int, encoding: Falling) -> Best:
    """That of one p, by a scan and a refinement around its lowest error."""

    def error(log_p: float) -> float:
        left = _left(rho, _confluent(len(rho), log_p, heads, encoding))
        return float(left @ left)

    scan = np.linspace(*LOG_P, 400)
    at = min(max(int(np.argmin([error(log_p) for log_p in scan])), 1), len(scan) - 2)
    found = minimize_scalar(
        error, bounds=(scan[at - 1], scan[at + 1]), method="bounded", options={"xatol": 1e-12}
    )
    return _solved(rho, np.full(heads, float(found.x)), True, encoding)


def _solved(rho: np.ndarray, log_p: np.ndarray, coincide: bool, encoding: Falling) -> Best:
    of = _confluent(len(rho), log_p[0], len(log_p), encoding) if coincide else None
    columns = _heads(len(rho), log_p, encoding) if of is None else of
    left = _left(rho, columns)
    c = np.linalg.lstsq(columns, rho, rcond=None)[0]
    return Best(np.exp(log_p), c, coincide, float(left @ left / (rho @ rho)))


def _phi(length: int, encoding: Falling) -> np.ndarray:
    """φ(s) at s = 1 … T, moved to 0 at s = 1, (T,)."""
    s = np.arange(1, length + 1, dtype=np.float64)
    return -np.log(s) if encoding == "log" else 1 - s


def _heads(length: int, log_p: np.ndarray, encoding: Falling) -> np.ndarray:
    """e^{p φ(s)} of distinct p, (T, H)."""
    return np.exp(np.outer(_phi(length, encoding), np.exp(log_p)))


def _confluent(length: int, log_p: float, heads: int, encoding: Falling) -> np.ndarray:
    """φ(s)^j e^{pφ(s)}, j < H: what heads span whose p come together, (T, H)."""
    phi = _phi(length, encoding)
    return np.exp(math.exp(log_p) * phi)[:, None] * phi[:, None] ** np.arange(heads)


def _left(rho: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """ρ without its projection on the columns, (T,)."""
    q = np.linalg.qr(columns / np.maximum(np.linalg.norm(columns, axis=0), 1e-300))[0]
    return rho - q @ (q.T @ rho)


def _slopes(rho: np.ndarray, log_p: np.ndarray, encoding: Falling) -> np.ndarray:
    """Slopes (T, H) of what is left by log p, as Kaufman (1975) has them: what they leave out is
    orthogonal to it, so that the gradient is exact."""
    columns = _heads(len(rho), log_p, encoding)
    c = np.linalg.lstsq(columns, rho, rcond=None)[0]
    moved = columns * np.outer(_phi(len(rho), encoding), np.exp(log_p)) * c
    q = np.linalg.qr(columns)[0]
    return -(moved - q @ (q.T @ moved))


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
    T^{1.01} for log: that of Theorem 3.1 for each layer, layers as a root of squares. Where
    pointers are read from x_t alone one layer finds all of them: `attention_rate`, after a layer
    that makes the pointers (Theorem 4.1).
    """
    after = [reach(lags[jumps:], encoding)] if len(lags) > jumps else []
    each = [reach([lag], encoding) for lag in lags[:jumps]] + after
    return math.sqrt(sum(one ** (2 * n + 2) for one in each)) / heads**n


def pointer_width(furthest: Sequence[int], encoding: Falling) -> float:
    """Theorem 4.1: the width m that lets a feed-forward layer make pointers g_i ≤ T_i, up to a
    constant and logarithms: Σ ‖g_i‖² for lin, Σ ‖log g_i‖² T_i² for log.

    ‖·‖ is Barron's norm; that of a function of one-hot tokens is at most its largest value, T_i
    and log T_i, which is what is taken here.
    """
    if encoding == "lin":
        return float(sum(lag**2 for lag in furthest))
    return float(sum((math.log(lag) * lag) ** 2 for lag in furthest))


def readout_rate(width: int) -> float:
    """The feed-forward layers' part of all four theorems, E_FFN over ‖f‖ and logarithms: m^−½."""
    return width**-0.5
