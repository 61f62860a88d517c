"""Linear RNN and diagonal SSM (S4D) of n states: ρ̂(s) is a sum of n exponentials.

Any part H[i, j] = ρ(i+j), i < r, j ≤ τ−r of the Hankel matrix has rank n at most for such a
kernel, and an entry of ρ stands in it at most min(r, τ+1−r) times, so by Eckart and Young

    ‖ρ̂ − ρ‖² ≥ Σ_{i>n} σ_i(H)² / min(r, τ+1−r)     for every r.

In the norm of the Hankel operator of a kernel without end the least error is σ_{n+1} itself
(V. Adamyan, D. Arov, M. Krein, Math. USSR Sbornik 15, 31, 1971). What is found is Kung's balanced
realisation, improved by variable projection (theory/states.py). Eigenvalues beyond 1 are allowed,
as the window ends: a delay of ℓ, of ℓ + 1 states on sequences of any length, can be had with fewer
within a window.
"""

import numpy as np

from explorer.slow import linalg
from explorer.theory.architectures.kind import (
    ROUNDING,
    Architecture,
    Points,
    Remembered,
    bound_by_rank,
    square,
)
from explorer.theory.states import searched_kernels

SEARCHED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 28)
"""Numbers of states at which the best kernel is searched, below half the window;"""
FEWER = (1, 2, 3, 4, 6, 8, 12, 16, 24)
"""of one of more than LONG lags, where each takes three times as long."""
LONG = 64


def remembered(kernel: np.ndarray) -> Remembered:
    """Of a kernel (τ,). A state has two parameters: its eigenvalue, and its weight."""
    half = (len(kernel) + 1) // 2  # states that are enough for every kernel
    bound = state_bound(kernel)
    return Remembered(
        best=Points.from_rows([(n, 2 * n, e) for n, e in enumerate(_found(kernel, bound)) if n]),
        bound=Points.from_rows([(n, 2 * n, e) for n, e in enumerate(bound) if n]),
        spectra=(np.linalg.svd(_part(kernel, half), compute_uv=False),),
    )


def _found(kernel: np.ndarray, bound: np.ndarray) -> np.ndarray:
    """Errors of n = 0 … ⌈τ/2⌉ states, (n + 1,): searched, of the first n lags alone, or of the last
    n, which states that grow without end leave in the limit."""
    half = len(bound) - 1
    count = np.arange(half + 1)
    before = np.append(0.0, np.cumsum(kernel**2)) / square(kernel)
    least = np.minimum(1 - before[count], before[len(kernel) - count])
    exact = int(np.argmax(bound < ROUNDING))
    searched = SEARCHED if len(kernel) <= LONG else FEWER
    states = sorted({*(n for n in searched if n < half), *{exact} - {0}, half})
    kernels = searched_kernels(kernel, np.ones(len(kernel)), states)
    errors = np.square(kernels - kernel).sum(axis=1) / square(kernel)
    least[states] = np.minimum(least[states], errors)
    return np.maximum(least, 0)


def state_bound(kernel: np.ndarray) -> np.ndarray:
    """No kernel of n = 0 … ⌈τ/2⌉ states has a smaller ‖ρ̂ − ρ‖²/‖ρ‖²: (τ,) → (⌈τ/2⌉ + 1,)."""
    rows = range(1, (len(kernel) + 1) // 2 + 1)
    bound = bound_by_rank(kernel, ((_part(kernel, r), r) for r in rows))
    return np.append(max(1.0, bound[0]), bound[1:])  # without any state nothing is found


def stable_error(kernel: np.ndarray, states: int) -> float:
    """‖ρ̂ − ρ‖²/‖ρ‖² of a kernel of so many states whose eigenvalues lie in the unit disc: Kung's
    (1978), those outside reflected into it, with the best weights."""
    states = min(states, len(kernel) // 2)
    left = np.linalg.svd(_part(kernel, (len(kernel) + 1) // 2))[0][:, :states]
    poles = np.linalg.eigvals(np.linalg.lstsq(left[:-1], left[1:], rcond=None)[0])
    poles = poles / np.maximum(np.abs(poles), 1) ** 2  # 1/λ̄ of those outside
    powers = poles ** np.arange(len(kernel))[:, None]
    made = (powers @ np.linalg.lstsq(powers, kernel, rcond=None)[0]).real
    return square(made - kernel) / square(kernel)


def _part(kernel: np.ndarray, rows: int) -> np.ndarray:
    """H[i, j] = ρ(i+j), (rows, τ+1−rows)."""
    return linalg.hankel(kernel[:rows], kernel[rows - 1 :])


RECURRENT = Architecture(
    name="rnn",
    title="a linear RNN or SSM",
    unit=("{} state", "{} states"),
    spectrum="Hankel singular values",
    remembered=remembered,
)
