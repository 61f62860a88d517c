"""A dilated linear CNN: filters of two taps, dilations 1, 2, 4, …, K = ⌈log₂ τ⌉ layers.

ρ̂(s) = w_K(s_K) ⋯ w_1(s_1), a product of matrices chosen by the bits s_1, s_2, … of s: a tensor
train (I. Oseledets, SIAM J. Sci. Comput. 33, 2295, 2011) whose bond j is the number of channels
behind layer j. Bond j is at least the rank of ρ as a matrix over the first j bits and the others,
and all bonds together suffice: what bonds M_j leave of ρ lies between

    max_j Σ_{i>M_j} σ_i²(j)  ≤  ‖ρ̂ − ρ‖²  ≤  Σ_j Σ_{i>M_j} σ_i²(j).

The upper end is that of the TT-SVD, whose error is computed here. A kernel whose length is no power
of two is continued by 0; the lower bound has only rows that lie within the window.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from explorer.coupling.spectra import tails
from explorer.theory.architectures.kind import ROUNDING, Architecture, Points, Remembered, square


def layers_of(tau: int) -> int:
    """K, the bits of a lag below τ."""
    return (tau - 1).bit_length()


def padded(kernel: np.ndarray) -> np.ndarray:
    """ρ continued by 0 to 2^K lags."""
    return np.pad(kernel, (0, 2 ** layers_of(len(kernel)) - len(kernel)))


def unfolding(kernel: np.ndarray, j: int) -> np.ndarray:
    """ρ at s = a + 2^j b as a matrix (b, a), the rows that lie within the window."""
    rows = len(kernel) // 2**j
    return kernel[: rows * 2**j].reshape(rows, 2**j)


def parameters_of(bonds: Sequence[int]) -> int:
    """Entries of the matrices w_k(0), w_k(1) with these channels between the layers."""
    channels = (1, *bonds, 1)
    return sum(2 * a * b for a, b in pairwise(channels))


def remembered(kernel: np.ndarray) -> Remembered:
    """Of a kernel (τ,); a size is the most channels of any layer."""
    spectra = bond_spectra(kernel)
    note = ""
    if len(padded(kernel)) != len(kernel):
        note = f"τ = {len(kernel)} is continued by 0 to {len(padded(kernel))} lags for the CNN."
    return Remembered(_found(kernel), _bound(kernel), spectra, note)


def bond_spectra(kernel: np.ndarray) -> tuple[np.ndarray, ...]:
    """Singular values of the continued kernel at each of the K − 1 bonds."""
    return tuple(_singular(unfolding(padded(kernel), j)) for j in _bonds(kernel))


def _bonds(kernel: np.ndarray) -> range:
    return range(1, layers_of(len(kernel)))


def uniform(tau: int, channels: int) -> tuple[int, ...]:
    """Bonds of as many channels behind each layer, but no more than any kernel needs."""
    layers = layers_of(tau)
    return tuple(min(channels, 2**j, 2 ** (layers - j)) for j in range(1, layers))


def left_by(kernel: np.ndarray, bonds: Sequence[int]) -> tuple[float, float]:
    """Of these channels: no model has a smaller ‖ρ̂ − ρ‖²/‖ρ‖², and the TT-SVD's within τ."""
    tails_of = (tails(_singular(unfolding(kernel, j))) for j in _bonds(kernel))
    bound = max((t[min(b, len(t) - 1)] for t, b in zip(tails_of, bonds, strict=True)), default=0.0)
    made = train(padded(kernel), bonds)[: len(kernel)]
    return bound / square(kernel), square(made - kernel) / square(kernel)


def _singular(matrix: np.ndarray) -> np.ndarray:
    return np.linalg.svd(matrix, compute_uv=False)


def _bound(kernel: np.ndarray) -> Points:
    """For an error, every bond needs its own channels: a point where one more is needed."""
    left = [tails(_singular(unfolding(kernel, j))) / square(kernel) for j in _bonds(kernel)]
    left = [np.where(tail < ROUNDING, 0.0, tail) for tail in left]
    steps = sorted({0.0, *(float(e) for tail in left for e in tail[1:])}, reverse=True)
    points: dict[int, tuple[int, int, float]] = {}
    for error in steps:
        bonds = [max(1, int(np.argmax(tail <= error))) for tail in left]
        count = parameters_of(bonds)
        points.setdefault(count, (max(bonds, default=1), count, error))
        points[count] = (*points[count][:2], error)
    return Points.from_rows([*points.values()])


def _found(kernel: np.ndarray) -> Points:
    """Channels are added where the most is left, from one everywhere on."""
    whole = padded(kernel)
    left = [tails(sigma) / square(kernel) for sigma in bond_spectra(kernel)]
    bonds, rows = [1] * len(left), list[tuple[int, int, float]]()
    while True:
        error = square(train(whole, bonds) - whole) / square(kernel)
        rows.append((max(bonds, default=1), parameters_of(bonds), error))
        over = [tail[bond] for tail, bond in zip(left, bonds, strict=True)]
        if not over or max(over) < ROUNDING:
            return Points.from_rows(rows)
        bonds[int(np.argmax(over))] += 1


def train(kernel: np.ndarray, bonds: Sequence[int]) -> np.ndarray:
    """The TT-SVD of a kernel of 2^K lags with these K − 1 bonds, as a kernel: the last layer, of
    the highest bit, is split off first."""
    made, rest = np.ones((1, 1)), kernel[None]  # (bits so far, bond), (bond, lags below)
    for bond in reversed(bonds):
        rows = rest.reshape(2 * len(rest), -1)
        left, sigma, right = np.linalg.svd(rows, full_matrices=False)
        core = left[:, :bond].reshape(len(rest), 2, -1)
        made = np.einsum("ab,bcd->acd", made, core).reshape(2 * len(made), -1)
        rest = sigma[:bond, None] * right[:bond]
    return (made @ rest).reshape(-1)


CONVOLUTIONAL = Architecture(
    name="cnn",
    title="a dilated CNN",
    unit=("{} channel", "{} channels"),
    spectrum="singular values at bonds 1, 2, …",
    remembered=remembered,
)
