"""The best κ(s) = Σ_h c_h e^{p_h φ(s)} for a kernel ρ(s), φ = −log s or −s, found without training.

c is linear and eliminated; what is left is searched over ℓ = log(p + 1/|φ(T)|), p ≥ 0, by Levenberg
and Marquardt (variable projection, Golub & Pereyra 1973), from several starts at once. Heads of a
smaller p see all distances almost alike, and are told apart by p, not by log p. Two things make it
quick, and a third honest:

    basis       all e^{pφ} lie in a space of 20 or 45 dimensions, to rounding, where κ is sought
    together    where p come together, κ has a limit, with φe^{pφ}, φ²e^{pφ}, …, of heads ever more
                alike whose c cancel. Divided differences f[ℓ_1], f[ℓ_1, ℓ_2], … of f(ℓ) = e^{pφ}
                span the same as the heads do, and the limit, too
    rounding    a difference that is not far above its own rounding takes nothing away from ρ
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

Falling = Literal["log", "lin"]
MOST = 8  # heads whose best approximation is sought
LARGEST = 60.0  # p: a head beyond sees no more than distance 1
GRID = 300  # ℓ at which one head is tried
ROUNDING = 1e-20  # an error of 0
RANK = 1e-15  # share of the largest singular value that counts for the basis
POINTS, HIGH = 224, 1.1  # of the contour's upper half, and how far it is from the real axis
SURE = 1e-11  # length of a divided difference, apart from those before it, that is not rounding
TINY = 1e-200  # no length is 0
ROUNDS = 40
SETTLED = 1e-10  # of ‖ρ‖²,
SETTLED_OF_ERROR = 1e-5  # and of the error: a gain below both ends the search
POLISHED = 6  # steps of Newton's at most
SPREAD = (1.0, 0.5)  # shares of the axis over which ℓ are spread at first
ALIKE = 1e-9  # share of an error within which coinciding heads count as the same
NEAR = (0.03, 0.1, 0.3, 1.0)  # distances of ℓ below which it is tried to let them coincide


class Best(NamedTuple):
    """The best κ that was found for a kernel."""

    p: np.ndarray
    """(H,), ascending, from 0 on; equal ones stand for the limit of heads ever more alike."""
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
    size = np.abs(rho).max()
    rho = rho / size  # squares of what is tiny are 0
    inside = family.basis.T @ rho
    fits: list[Best] = []
    at = np.empty(0)
    for heads in range(1, most + 1):
        if heads > 1 and (fits[-1].error < ROUNDING or heads > len(inside)):
            fits.append(fits[-1])
            continue
        starts = np.array([*_starts(family, inside, at, heads)])
        at = _polished(family, inside, _descended(family, inside, starts))
        at = _coinciding(family, inside, at)
        kernel = family.basis @ (inside - _Left.fit(family, inside, at[None]).left[0])
        error = float(np.square(rho - kernel).sum() / np.square(rho).sum())
        fits.append(Best(_p_of(at, family.ends[0]), size * kernel, error))
    return tuple(fits)


class _Family(NamedTuple):
    """What is known of e^{pφ(s)}, s = 1 … T, whatever is approximated."""

    ends: tuple[float, float]
    """ℓ of p = 0 and of the largest."""
    grid: np.ndarray
    """(GRID,), ℓ between them."""
    basis: np.ndarray
    """(T, r), orthonormal, spans all of them."""
    contour: np.ndarray
    """(N,) complex: the upper half of one around the ℓ."""
    along: np.ndarray
    """(2N, r): f on the contour, times dz/πi, real parts over imaginary ones."""
    alone: np.ndarray
    """(GRID, r): f at ℓ on the grid,"""
    together: np.ndarray
    """(GRID, r, ≤ 8): and an orthonormal basis of what 1, 2, … heads with this p span."""


@lru_cache(maxsize=8)
def _family(length: int, encoding: Falling) -> _Family:
    s = np.arange(1, length + 1, dtype=np.float64)
    phi = -np.log(s) if encoding == "log" else 1 - s  # moved to 0 at s = 1
    low = -math.log(-phi[-1])
    ends = (low, math.log(LARGEST + math.exp(low)))
    grid = np.linspace(*ends, GRID)
    plain = np.exp(np.outer(phi, _p_of(grid, low)))
    left, sigma, _ = np.linalg.svd(plain, full_matrices=False)
    basis = left[:, sigma > RANK * sigma[0]]
    middle, half = sum(ends) / 2, (ends[1] - ends[0]) / 2
    around = math.asinh(HIGH / half) + 1j * np.pi * (np.arange(POINTS) + 0.5) / POINTS
    contour = middle + half * np.cosh(around)
    values = np.exp(np.outer(phi, _p_of(contour, low)))
    f = basis.T @ values * (half * np.sinh(around) / POINTS)
    along = np.vstack([f.real.T, -f.imag.T])
    family = _Family(ends, grid, basis, contour, along, plain.T @ basis, plain)
    many = np.repeat(grid[:, None], min(MOST, basis.shape[1]), axis=1)
    return family._replace(together=np.linalg.qr(_normal(_differences(family, many)[0])[0])[0])


def _p_of(at: np.ndarray, low: float) -> np.ndarray:
    """p of ℓ; it is 0 at the lowest."""
    return math.exp(low) * np.expm1(at - low)


def _differences(family: _Family, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Divided differences f[ℓ_1 … ℓ_j], (start, r, H), and f[ℓ_1 … ℓ_H, ℓ_i], of ℓ (start, H).

    f[ℓ_1 … ℓ_j] = 1/2πi ∮ f(z) dz / ∏_{i≤j} (z − ℓ_i) is as exact where ℓ_i are alike; the
    trapezium rule on an ellipse converges geometrically, and its lower half is the conjugate.
    """
    heads = at.shape[1]
    each = 1 / (family.contour - at[..., None])
    some = np.cumprod(each, axis=1)
    both = np.concatenate([some, some[:, -1:] * each], axis=1)
    differences = np.concatenate([both.real, both.imag], axis=-1) @ family.along
    differences = differences.swapaxes(1, 2)
    return differences[..., :heads], differences[..., heads:]


def _normal(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns of length 1, and what they were."""
    lengths = np.maximum(np.sqrt(np.square(columns).sum(axis=-2, keepdims=True)), TINY)
    return columns / lengths, lengths


class _Left(NamedTuple):
    """What heads of some ℓ leave of ρ, for each start."""

    at: np.ndarray
    """(start, H), ascending."""
    left: np.ndarray
    """(start, r)"""
    slopes: np.ndarray
    """(start, r, H) of it by ℓ."""
    error: np.ndarray
    """(start,), ‖left‖²."""

    @classmethod
    def fit(cls, family: _Family, rho: np.ndarray, at: np.ndarray) -> _Left:
        """Slopes as Kaufman (1975) has them: what they leave out is orthogonal to what is left, so
        that the gradient is exact. By ℓ_i all of κ moves, but for what the heads span, by
        f[ℓ_1 … ℓ_H, ℓ_i] Σ_j c_j ∏_{k>j} (ℓ_i − ℓ_k)."""
        columns, twice = _differences(family, at)
        normal, lengths = _normal(columns)
        q, r = np.linalg.qr(normal)
        sure = np.abs(np.einsum("bii->bi", r)) * lengths[:, 0] > SURE
        along = (rho @ q) * np.logical_and.accumulate(sure, axis=1)
        left = rho - (q @ along[..., None])[..., 0]
        r = r + TINY * np.eye(r.shape[-1])
        c = np.linalg.solve(r, along[..., None])[..., 0] / lengths[:, 0]
        weight = np.repeat(c[:, :1], at.shape[1], axis=1)
        for k in range(1, at.shape[1]):
            weight = weight * (at - at[:, k : k + 1]) + c[:, k : k + 1]
        moved = twice * weight[:, None]
        slopes = q @ (q.swapaxes(1, 2) @ moved) - moved
        return cls(at, left, slopes, np.square(left).sum(axis=1))

    def free(self, ends: tuple[float, float]) -> np.ndarray:
        """(start, H), 1.0 or 0.0: which ℓ are not at an end beyond which the error would fall."""
        downhill = -(self.left[:, None] @ self.slopes)[:, 0]
        held = ((self.at <= ends[0]) & (downhill < 0)) | ((self.at >= ends[1]) & (downhill > 0))
        return 1.0 - held

    def where(self, better: np.ndarray, other: _Left) -> _Left:
        """The other's starts where it is better."""
        pairs = zip(self, other, strict=True)
        wide = [better.reshape(-1, *[1] * (own.ndim - 1)) for own in self]
        return _Left(*(np.where(w, new, own) for w, (own, new) in zip(wide, pairs, strict=True)))


def _starts(
    family: _Family, rho: np.ndarray, fewer: np.ndarray, heads: int
) -> Iterator[np.ndarray]:
    """ℓ (H,) to begin with, ascending: evenly spread; the best of one head `fewer`, with the
    head that takes most away, one beyond either end, or between them; about where all coincide."""
    for share in SPREAD:
        yield share * np.linspace(*family.ends, heads + 2)[1:-1]
    left, columns = rho, family.alone
    if heads > 1:
        q = np.linalg.qr(_normal(_differences(family, fewer[None])[0])[0])[0][0]
        left, columns = left - q @ (q.T @ left), columns - (columns @ q) @ q.T
    taken = np.square(columns @ left) / np.maximum(np.square(columns).sum(axis=1), 1e-16)
    yield np.sort(np.append(fewer, family.grid[taken.argmax()]))
    if heads == 1:
        return
    yield np.clip(np.linspace(float(fewer[0]) - 0.3, float(fewer[-1]) + 0.5, heads), *family.ends)
    between = (fewer[1:] + fewer[:-1]) / 2  # where those of one more lie, if ρ falls monotonically
    yield np.clip([fewer[0] - 1, *between, fewer[-1] + 1], *family.ends)
    for one in (fewer[0] - 2, fewer[-1] + 2):
        yield np.sort(np.clip(np.append(fewer, one), *family.ends))
    held = np.square(rho @ family.together[..., :heads]).sum(axis=1)
    for wide in (0.2, 1.5):
        spread = family.grid[held.argmax()] + wide * np.linspace(-1, 1, heads)
        yield np.clip(spread, *family.ends)


def _descended(family: _Family, rho: np.ndarray, at: np.ndarray) -> np.ndarray:
    """ℓ (H,) of the best of some starts, after each has gone down until the best settles."""
    now, damping = _Left.fit(family, rho, at), np.full(len(at), 1e-2)
    for _ in range(ROUNDS):
        step = np.clip(_step(now, damping, family.ends), -1, 1)
        tried = _Left.fit(family, rho, np.sort(np.clip(now.at + step, *family.ends), axis=1))
        better = tried.error < now.error
        gain = now.error - tried.error
        now = now.where(better, tried)
        damping = np.clip(np.where(better, damping / 6, damping * 5), 1e-12, 1e9)
        lowest = now.error.argmin()
        little = min(SETTLED * (rho @ rho), SETTLED_OF_ERROR * now.error[lowest])
        if (better[lowest] and gain[lowest] < little) or damping[lowest] > 1e6:
            break
        if now.error[lowest] < ROUNDING * 1e-4 * (rho @ rho):
            break
    return now.at[now.error.argmin()]


def _polished(family: _Family, rho: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The same after steps of Newton's, which converge by squares where much is left of ρ; the
    second derivatives are differences of the gradient."""
    heads, apart = len(at), 1e-5 * np.eye(len(at))
    for _ in range(POLISHED):
        now = _Left.fit(family, rho, np.array([at, *(at + apart), *(at - apart)]))
        gradient = (now.left[:, None] @ now.slopes)[:, 0]
        second = (gradient[1 : heads + 1] - gradient[heads + 1 :]) / 2e-5
        free = now.free(family.ends)[0]
        second = (second + second.T) / 2 * np.outer(free, free)
        step = np.linalg.pinv(second, 1e-10) @ (-gradient[0] * free)
        tried = np.sort(np.clip(at + np.clip(step, -0.3, 0.3), *family.ends))
        if not _Left.fit(family, rho, tried[None]).error[0] < now.error[0]:
            break
        at = tried
    return at


def _step(now: _Left, damping: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """That of Levenberg and Marquardt, (start, H)."""
    slopes = now.slopes * now.free(ends)[:, None]
    transposed = slopes.swapaxes(1, 2)
    square = transposed @ slopes
    own = np.einsum("bii->bi", square)
    ridge = damping[:, None] * own + 1e-13 * own.max(axis=1, keepdims=True) + 1e-30
    damped = np.add(square, np.eye(square.shape[1]) * ridge[:, None])
    return -np.linalg.solve(damped, transposed @ now.left[..., None])[..., 0]


def _coinciding(family: _Family, rho: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The same, or where that leaves less, with those that are near each other at one place."""
    tried = [at]
    for near in NEAR:
        groups = np.split(at, np.flatnonzero(np.diff(at) > near) + 1)
        tried.append(np.concatenate([np.full(len(group), group.mean()) for group in groups]))
    errors = _Left.fit(family, rho, np.array(tried)).error
    return tried[int(np.flatnonzero(errors <= errors.min() * (1 + ALIKE))[-1])]
