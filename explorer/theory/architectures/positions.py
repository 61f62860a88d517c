"""Attention with learned positions, width m: weights softmax_s⟨q_t, k_s⟩ over s ≤ t.

A logit that is a polynomial of degree m in the lag t − s has width m: without what depends on t
alone, which softmax cannot see, it is ⟨q_t, (s, s², …, s^m)⟩. So −λ(t−s), an exponential, has
width 1; −β(t−s−ℓ)², a delay of ℓ in the limit of large β, width 2; two delays 4. Such logits are
what is searched here; another head of that width may do better.

Of a width that is exact for ρ > 0 there is a bound: with logits log ρ(t−s) + g(t), rows t ≥ t₀ and
columns s ≤ t₀ make log ρ a Hankel matrix, and m is at least its rank without the mean of each row.

Weights are not negative, so one head leaves the smaller of ‖ρ₊‖² and ‖ρ₋‖² whatever its width; of
a signed kernel two heads are searched, one of each sign. And a head of width 1 has no delay: of
three rows t two have q_t of one sign, so that in one of them the weight at lag ℓ, 2 ≤ ℓ < τ − 2,
is no more than that at a lag ℓ + d, |d| = 1 or 2: that row's error, whatever the scale of each
row, is at least (ρ(ℓ) − ρ(ℓ+d))₊² / 2.
"""

import math
from collections.abc import Iterator

import numpy as np
from numpy.polynomial.legendre import legvander

from explorer.slow import linalg, optimize
from explorer.targets.coupling import softmax
from explorer.theory.architectures.kind import Architecture, Points, Remembered, square

WIDTHS = (1, 2, 3, 4, 6, 8)
EVALUATIONS = 40  # of the weights and their derivatives, at most, for one start
SHARP = 12.0  # how far the logit next to a peak is below it at first
LEAST = 1e-9  # share of the largest tap below which its logarithm is that of nothing
RANK = 1e-9  # share of the largest singular value that counts


def remembered(kernel: np.ndarray) -> Remembered:
    """Of a kernel (τ,); a head has m coefficients and its scale."""
    signs = [sign for sign in (1.0, -1.0) if (sign * kernel > 0).any()]
    parts = [_widths(np.maximum(sign * kernel, 0)) for sign in signs]
    heads = len(signs)
    made = [np.array(signs) @ np.array(each) for each in zip(*parts, strict=True)]
    errors = [square(kernel - one) / square(kernel) for one in made]
    counts = [heads * (m + 1) for m in WIDTHS]
    points = Points.from_rows([*zip(WIDTHS, counts, errors, strict=True)])
    spectrum = log_spectrum(kernel)
    rows = [(1, 2, width_one_bound(kernel)), (2, 3, 0.0)] if heads == 1 else [(1, 4, 0.0)]
    spectra = () if spectrum is None else (spectrum,)
    return Remembered(points, Points.from_rows(rows), spectra, _note(kernel, heads))


def _note(kernel: np.ndarray, heads: int) -> str:
    if heads == 2:
        left = f"{100 * one_head_bound(kernel):.2g} %"
        return (
            "A softmax has no negative weights: attention with positions has two heads here, and "
            f"one would leave {left} of ‖ρ‖² at any width."
        )
    width = exact_width(kernel)
    if width is None:
        return "Where ρ is 0, attention with positions comes near as its softmax becomes sharp."
    if width == 1:
        return ""
    return f"To be exact, one head with positions needs width {width} at least."


def one_head_bound(kernel: np.ndarray) -> float:
    """No single softmax has a smaller ‖ρ̂ − ρ‖²/‖ρ‖², whatever its logits and its scale."""
    return min(square(np.maximum(kernel, 0)), square(np.minimum(kernel, 0))) / square(kernel)


def width_one_bound(kernel: np.ndarray) -> float:
    """No single head of width 1 has a smaller error than this in each of its rows; 0 for a kernel
    that falls."""
    rho = kernel if kernel.sum() > 0 else -kernel
    if len(rho) < 5:
        return 0.0
    beside = [rho[2 + d : len(rho) - 2 + d] for d in (-2, -1, 1, 2)]
    above = np.maximum(rho[2:-2] - np.max(beside, axis=0), 0)
    return float(np.max(above) ** 2 / 2 / square(kernel))


def log_spectrum(kernel: np.ndarray) -> np.ndarray | None:
    """Singular values of log|ρ(i+j)|, each row without its mean, i + j < τ; None where ρ has a 0
    or both signs."""
    if not ((kernel > 0).all() or (kernel < 0).all()):
        return None
    rows = (len(kernel) + 1) // 2
    logs = np.log(np.abs(kernel))
    matrix = linalg.hankel(logs[:rows], logs[rows - 1 :])
    return np.linalg.svd(matrix - matrix.mean(axis=1, keepdims=True), compute_uv=False)


def exact_width(kernel: np.ndarray) -> int | None:
    """The least width, for ρ > 0, that some head of exactly these weights may have; a lower bound.
    1 for a constant, whose rank is 0; None as in `log_spectrum`."""
    sigma = log_spectrum(kernel)
    if sigma is None:
        return None
    size = np.abs(np.log(np.abs(kernel))).max()
    return max(1, int((sigma > RANK * max(sigma[0], size)).sum()))


def peaks_error(kernel: np.ndarray, heads: int) -> float:
    """‖ρ̂ − ρ‖²/‖ρ‖² of so many heads of width 2, each a softmax of −β(s−ℓ)²: chosen one by one
    from a grid of ℓ and β, with the best weights (orthogonal matching pursuit)."""
    s = np.arange(len(kernel), dtype=np.float64)
    centres = np.concatenate([s, -len(s) * 2.0 ** np.arange(6)])  # far away: an exponential
    return _pursued(kernel, (s - centres[:, None]) ** 2, heads)


def rotary_error(kernel: np.ndarray, heads: int) -> float:
    """The same of heads of one rotated pair, each a softmax of R cos θ(s−ℓ), θ by factors of 2."""
    tau = len(kernel)
    s = np.arange(tau, dtype=np.float64)
    rises: list[np.ndarray] = []
    for k in range(-2, tau.bit_length()):
        theta = 2.0**k * math.pi / tau
        centres = np.append(s, -math.pi / (2 * theta))  # a quarter turn away: near an exponential
        rises.append((2 / theta * np.sin(theta * (s - centres[:, None]) / 2)) ** 2)
    return _pursued(kernel, np.concatenate(rises), heads)


def _pursued(kernel: np.ndarray, rises: np.ndarray, heads: int) -> float:
    """What so many softmax(−β·rise) leave, of `rises` (k, τ) and a grid of β."""
    logits = -np.multiply.outer(np.geomspace(1e-6, SHARP, 40), rises).reshape(-1, len(kernel))
    atoms: np.ndarray = np.exp(logits - logits.max(axis=1, keepdims=True))
    atoms = atoms / np.linalg.norm(atoms, axis=1, keepdims=True)
    chosen, left = list[int](), kernel.copy()
    for _ in range(min(heads, len(kernel))):
        chosen.append(int(np.argmax(np.abs(atoms @ left))))
        basis: np.ndarray = atoms[chosen].T
        left = kernel - basis @ np.linalg.lstsq(basis, kernel, rcond=None)[0]
    return square(left) / square(kernel)


def _widths(part: np.ndarray) -> list[np.ndarray]:
    """The best kernels (τ,) found for a part that is not negative, one for each width."""
    kernels: list[np.ndarray] = []
    theta = np.empty(0)
    for m in WIDTHS:
        basis = legvander(np.linspace(-1, 1, len(part)), m)[:, 1:]
        tried = [_descended(part, basis, start) for start in _starts(part, basis, theta)]
        theta = min(tried, key=lambda one: square(_residual(part, basis, one)))
        kernels.append(part - _residual(part, basis, theta))
    return kernels


def _starts(part: np.ndarray, basis: np.ndarray, fewer: np.ndarray) -> Iterator[np.ndarray]:
    """Coefficients (m,): those of a smaller width; a fit to log ρ where ρ is large; sharp peaks."""
    m = basis.shape[1]
    yield np.append(fewer, np.zeros(m - len(fewer)))
    wide = np.column_stack([np.ones(len(part)), basis])
    size = part / part.max()
    logs = np.log(np.maximum(size, LEAST))
    yield np.linalg.lstsq(size[:, None] * wide, size * logs, rcond=None)[0][1:]
    if m >= 2:
        yield np.linalg.lstsq(wide, _peaked(part, m // 2), rcond=None)[0][1:]


def _peaked(part: np.ndarray, count: int) -> np.ndarray:
    """A polynomial of degree 2·count at the lags, (τ,), whose tops are the largest taps."""
    top = np.argsort(-part, kind="stable")[:count]
    top = top[part[top] > 0].astype(np.float64)
    s = np.arange(len(part), dtype=np.float64)
    depth = np.prod(((s[:, None] - top) / len(part)) ** 2, axis=1)
    heights = np.log(part[top.astype(int)])
    tilt = _through(top, heights, s)
    beside = depth[depth > 0]
    return tilt - SHARP * depth / (beside.min() if len(beside) else 1)


def _through(x: np.ndarray, y: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Lagrange's polynomial through (x, y)."""
    polynomial = np.zeros(len(at))
    for i, height in enumerate(y):
        others = np.delete(x, i)
        polynomial += height * np.prod((at[:, None] - others) / (x[i] - others), axis=1)
    return polynomial


def _residual(part: np.ndarray, basis: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """ρ − c·softmax with the best c, (τ,)."""
    weights = softmax(basis @ theta)
    return part - (part @ weights) / square(weights) * weights


def _jacobian(part: np.ndarray, basis: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """Of the residual, as Kaufman (1975) has it: without what changes c, (τ, m)."""
    weights = softmax(basis @ theta)
    moved = weights[:, None] * (basis - weights @ basis)
    scale = (part @ weights) / square(weights)
    return -scale * (moved - np.outer(weights, weights @ moved) / square(weights))


def _descended(part: np.ndarray, basis: np.ndarray, start: np.ndarray) -> np.ndarray:
    """A local minimum."""
    return optimize.least_squares(
        lambda theta: _residual(part, basis, theta),
        start,
        lambda theta: _jacobian(part, basis, theta),
        method="lm" if len(part) >= len(start) else "trf",
        max_nfev=EVALUATIONS,
    ).x


POSITIONS = Architecture(
    name="attention",
    title="attention with positions",
    unit=("width {}", "width {}"),
    spectrum="POD of log ρ(t−s), centred",
    remembered=remembered,
)
