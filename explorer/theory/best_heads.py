"""The best κ(s) = Σ_h c_h e^{p_h φ(s)} for a kernel ρ(s), φ = −log s or −s, found without training.

c is linear and eliminated; what is left is searched over ℓ = log p by Levenberg and Marquardt
(variable projection, Golub & Pereyra 1973), from several starts at once. Two things make it quick
and exact:

    basis       all e^{pφ} lie in a space of 20 or 45 dimensions, to rounding, where κ is sought
    together    where p come together, κ has a limit, with φe^{pφ}, φ²e^{pφ}, …, of heads ever more
                alike whose c cancel. Divided differences f[ℓ_1], f[ℓ_1, ℓ_2], … of f(ℓ) = e^{e^ℓ φ}
                span the same as the heads do, and the limit, too
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

Falling = Literal["log", "lin"]
MOST = 8  # heads whose best approximation is sought
LOG_P = (math.log(1e-5), math.log(60.0))  # a head beyond sees all distances alike, or only 1
GRID = np.linspace(*LOG_P, 300)
ROUNDING = 1e-20  # an error of 0
RANK = 1e-15  # share of the largest singular value that counts for the basis
POINTS, WIDE = 224, 0.14  # of the contour's upper half, and how far it is from the real axis
TINY = 1e-200  # no length is 0
ROUNDS = 40
SETTLED = 1e-10  # of ‖ρ‖²,
SETTLED_OF_ERROR = 1e-5  # and of the error: a gain below both ends the search
POLISHED = 6  # steps of Newton's at most
SPREAD = (1.0, 0.5)  # shares of LOG_P over which p are spread at first
ALIKE = 1e-9  # share of an error within which coinciding heads count as the same
NEAR = (0.03, 0.1, 0.3, 1.0)  # distances of log p below which it is tried to let them coincide


class Best(NamedTuple):
    """The best κ that was found for a kernel."""

    p: np.ndarray
    """(H,), ascending; equal ones stand for the limit of heads ever more alike."""
    kernel: np.ndarray
    """κ(1) … κ(T), (T,)."""
    error: float
    """‖ρ − κ‖² / ‖ρ‖²."""


def best_heads(rho: np.ndarray, heads: int, encoding: Falling) -> Best:
    """The best approximation of ρ(1) … ρ(T) by H ≤ 8 log or lin heads; see `best_of_each`."""
    return best_of_each(rho, heads, encoding)[-1]


def best_of_each(rho: np.ndarray, most: int, encoding: Falling) -> tuple[Best, ...]:
    """The best approximations by 1 … `most` heads, T ≥ 2; `rho` must not be 0 everywhere.

    The problem is not convex: where neither a power nor an exponential suits the encoding there are
    many minima, and a lower one may have been missed. Softmax normalises each head by a number,
    which is part of c.
    """
    family = _family(len(rho), encoding)
    inside = family.basis.T @ rho
    found: list[Best] = []
    log_p = np.empty(0)
    for heads in range(1, most + 1):
        if heads > 1 and (found[-1].error < ROUNDING or heads > len(inside)):
            found.append(found[-1])
            continue
        starts = np.array([*_starts(family, inside, log_p, heads)])
        log_p = _polished(family, inside, _descended(family, inside, starts))
        log_p = _coinciding(family, inside, log_p)
        kernel = family.basis @ (inside - _Left.of(family, inside, log_p[None]).left[0])
        error = float(np.square(rho - kernel).sum() / np.square(rho).sum())
        found.append(Best(np.exp(log_p), kernel, error))
    return tuple(found)


# The family of all heads


class _Family(NamedTuple):
    """What is known of e^{pφ(s)}, s = 1 … T, whatever is approximated."""

    basis: np.ndarray
    """(T, r), orthonormal, spans all of them."""
    contour: np.ndarray
    """(N,) complex: the upper half of one around the log p."""
    along: np.ndarray
    """(2N, r): f on the contour, times dz/πi, real parts over imaginary ones."""
    alone: np.ndarray
    """(GRID, r): f at log p on GRID,"""
    together: np.ndarray
    """(GRID, r, ≤ 8): and an orthonormal basis of what 1, 2, … heads with this p span."""


@lru_cache(maxsize=8)
def _family(length: int, encoding: Falling) -> _Family:
    s = np.arange(1, length + 1, dtype=np.float64)
    phi = -np.log(s) if encoding == "log" else 1 - s  # moved to 0 at s = 1
    plain = np.exp(np.outer(phi, np.exp(GRID)))
    left, sigma, _ = np.linalg.svd(plain, full_matrices=False)
    basis = left[:, sigma > RANK * sigma[0]]
    middle, half = sum(LOG_P) / 2, (LOG_P[1] - LOG_P[0]) / 2
    around = WIDE + 1j * np.pi * (np.arange(POINTS) + 0.5) / POINTS
    contour = middle + half * np.cosh(around)
    f = basis.T @ np.exp(np.outer(phi, np.exp(contour))) * (half * np.sinh(around) / POINTS)
    family = _Family(basis, contour, np.vstack([f.real.T, -f.imag.T]), plain.T @ basis, plain)
    many = np.repeat(GRID[:, None], min(MOST, basis.shape[1]), axis=1)
    return family._replace(together=np.linalg.qr(_normal(_differences(family, many)[0])[0])[0])


def _differences(family: _Family, log_p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Divided differences f[ℓ_1 … ℓ_j], (start, r, H), and f[ℓ_1 … ℓ_H, ℓ_i], of log p (start, H).

    f[ℓ_1 … ℓ_j] = 1/2πi ∮ f(z) dz / ∏_{i≤j} (z − ℓ_i) is as exact where ℓ_i are alike; the
    trapezium rule on an ellipse converges geometrically, and its lower half is the conjugate.
    """
    heads = log_p.shape[1]
    each = 1 / (family.contour - log_p[..., None])
    some = np.cumprod(each, axis=1)
    both = np.concatenate([some, some[:, -1:] * each], axis=1)
    found = np.concatenate([both.real, both.imag], axis=-1) @ family.along
    found = found.swapaxes(1, 2)
    return found[..., :heads], found[..., heads:]


def _normal(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns of length 1, and what they were."""
    lengths = np.maximum(np.sqrt(np.square(columns).sum(axis=-2, keepdims=True)), TINY)
    return columns / lengths, lengths


# The search


class _Left(NamedTuple):
    """What heads of some log p leave of ρ, for each start."""

    log_p: np.ndarray
    """(start, H), ascending."""
    left: np.ndarray
    """(start, r)"""
    slopes: np.ndarray
    """(start, r, H) of it by log p."""
    error: np.ndarray
    """(start,), ‖left‖²."""

    @classmethod
    def of(cls, family: _Family, rho: np.ndarray, log_p: np.ndarray) -> _Left:
        """Slopes as Kaufman (1975) has them: what they leave out is orthogonal to what is left, so
        that the gradient is exact. By ℓ_i all of κ moves, but for what the heads span, by
        f[ℓ_1 … ℓ_H, ℓ_i] Σ_j c_j ∏_{k>j} (ℓ_i − ℓ_k)."""
        columns, twice = _differences(family, log_p)
        normal, lengths = _normal(columns)
        q, r = np.linalg.qr(normal)
        along = rho @ q
        left = rho - (q @ along[..., None])[..., 0]
        r = r + TINY * np.eye(r.shape[-1])
        c = np.linalg.solve(r, along[..., None])[..., 0] / lengths[:, 0]
        weight = np.repeat(c[:, :1], log_p.shape[1], axis=1)
        for k in range(1, log_p.shape[1]):
            weight = weight * (log_p - log_p[:, k : k + 1]) + c[:, k : k + 1]
        moved = twice * weight[:, None]
        slopes = q @ (q.swapaxes(1, 2) @ moved) - moved
        return cls(log_p, left, slopes, np.square(left).sum(axis=1))

    def where(self, better: np.ndarray, other: _Left) -> _Left:
        """The other's starts where it is better."""
        pairs = zip(self, other, strict=True)
        wide = [better.reshape(-1, *[1] * (own.ndim - 1)) for own in self]
        return _Left(*(np.where(w, new, own) for w, (own, new) in zip(wide, pairs, strict=True)))


def _starts(
    family: _Family, rho: np.ndarray, fewer: np.ndarray, heads: int
) -> Iterator[np.ndarray]:
    """log p (H,) to begin with, ascending: evenly spread; the best of one head `fewer`, with the
    head that takes most away, one beyond either end, or between them; about where all coincide."""
    for share in SPREAD:
        yield share * np.linspace(*LOG_P, heads + 2)[1:-1]
    left, columns = rho, family.alone
    if heads > 1:
        q = np.linalg.qr(_normal(_differences(family, fewer[None])[0])[0])[0][0]
        left, columns = left - q @ (q.T @ left), columns - (columns @ q) @ q.T
    taken = np.square(columns @ left) / np.maximum(np.square(columns).sum(axis=1), 1e-16)
    yield np.sort(np.append(fewer, GRID[taken.argmax()]))
    if heads == 1:
        return
    yield np.clip(np.linspace(fewer[0] - 0.3, fewer[-1] + 0.5, heads), *LOG_P)
    between = (fewer[1:] + fewer[:-1]) / 2  # where those of one more lie, if ρ falls monotonically
    yield np.clip([fewer[0] - 1, *between, fewer[-1] + 1], *LOG_P)
    for one in (fewer[0] - 2, fewer[-1] + 2):
        yield np.sort(np.clip(np.append(fewer, one), *LOG_P))
    held = np.square(rho @ family.together[..., :heads]).sum(axis=1)
    for wide in (0.2, 1.5):
        spread = GRID[held.argmax()] + wide * np.linspace(-1, 1, heads)
        yield np.clip(spread, *LOG_P)


def _descended(family: _Family, rho: np.ndarray, log_p: np.ndarray) -> np.ndarray:
    """log p (H,) of the best of some starts, after each has gone down until the best settles."""
    now, damping = _Left.of(family, rho, log_p), np.full(len(log_p), 1e-2)
    for _ in range(ROUNDS):
        step = np.clip(_step(now, damping), -1, 1)
        tried = _Left.of(family, rho, np.sort(np.clip(now.log_p + step, *LOG_P), axis=1))
        better = tried.error < now.error
        gain = now.error - tried.error
        now = now.where(better, tried)
        damping = np.clip(np.where(better, damping / 6, damping * 5), 1e-12, 1e9)
        at = now.error.argmin()
        little = min(SETTLED * (rho @ rho), SETTLED_OF_ERROR * now.error[at])
        if (better[at] and gain[at] < little) or damping[at] > 1e6:
            break
        if now.error[at] < ROUNDING * 1e-4 * (rho @ rho):
            break
    return now.log_p[now.error.argmin()]


def _polished(family: _Family, rho: np.ndarray, log_p: np.ndarray) -> np.ndarray:
    """The same after steps of Newton's, which converge by squares where much is left of ρ; the
    second derivatives are differences of the gradient."""
    heads, apart = len(log_p), 1e-5 * np.eye(len(log_p))
    for _ in range(POLISHED):
        now = _Left.of(family, rho, np.array([log_p, *(log_p + apart), *(log_p - apart)]))
        gradient = (now.left[:, None] @ now.slopes)[:, 0]
        second = (gradient[1 : heads + 1] - gradient[heads + 1 :]) / 2e-5
        step = np.linalg.pinv((second + second.T) / 2, 1e-10) @ -gradient[0]
        tried = np.sort(np.clip(log_p + np.clip(step, -0.3, 0.3), *LOG_P))
        if not _Left.of(family, rho, tried[None]).error[0] < now.error[0]:
            break
        log_p = tried
    return log_p


def _step(now: _Left, damping: np.ndarray) -> np.ndarray:
    """That of Levenberg and Marquardt, (start, H)."""
    transposed = now.slopes.swapaxes(1, 2)
    square = transposed @ now.slopes
    own = np.einsum("bii->bi", square)
    ridge = damping[:, None] * own + 1e-13 * own.max(axis=1, keepdims=True) + 1e-30
    damped = np.add(square, np.eye(square.shape[1]) * ridge[:, None])
    return -np.linalg.solve(damped, transposed @ now.left[..., None])[..., 0]


def _coinciding(family: _Family, rho: np.ndarray, log_p: np.ndarray) -> np.ndarray:
    """The same, or where that leaves less, with those that are near each other at one place."""
    tried = [log_p]
    for near in NEAR:
        groups = np.split(log_p, np.flatnonzero(np.diff(log_p) > near) + 1)
        tried.append(np.concatenate([np.full(len(of), of.mean()) for of in groups]))
    errors = _Left.of(family, rho, np.array(tried)).error
    return tried[int(np.flatnonzero(errors <= errors.min() * (1 + ALIKE))[-1])]
