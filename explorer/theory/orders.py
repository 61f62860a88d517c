"""Which order of its inputs a target is hardest in for a linear RNN, by local search.

An order p takes the columns of the target's own matrix M to K[t, j] = M[t, p(j)], and what the best
time-invariant kernel leaves of K is

    (1/12τ) (‖M‖² − Σ_l S_l² / (τ−l)),   S_l = Σ_j K[j+l, j], the sum over the l-th subdiagonal.

Only S depends on the order, and exchanging two tokens changes two summands of each S_l: all τ²/2
exchanges are compared at once. From a start the best one is made until none is better; starts are
random, and the best end of all is kept. Nothing says that it is the hardest of all τ! orders.
"""

from collections.abc import Iterator

import numpy as np

from explorer.theory.linear import VARIANCE

WORK = 2e7  # summands that are looked at, about a third of a second
LEAST_GAIN = 1e-12  # relative; less is rounding


def hardest_order(matrix: np.ndarray, seed: int = 0, work: float = WORK) -> tuple[int, ...]:
    """The hardest order found for the matrix M (τ, τ) of a target in its own order, the same for
    the same seed; raises ValueError for another shape."""
    tau = len(matrix)
    if matrix.shape != (tau, tau):
        raise ValueError(f"M must be square, got {matrix.shape}")
    on_diagonals, rng = _on_diagonals(matrix), np.random.default_rng(seed)
    best, least, left = np.arange(tau), _kept(on_diagonals, np.arange(tau)), work
    while left > 0:
        path = [*_descent(on_diagonals, rng.permutation(tau))]
        left -= len(path) * tau**3
        order, energy = path[-1]
        if energy < least * (1 - LEAST_GAIN):
            best, least = order, energy
    return tuple(int(token) for token in best)


def rnn_floor(matrix: np.ndarray, order: tuple[int, ...]) -> float:
    """What the best time-invariant kernel leaves when the tokens come in this order (MSE)."""
    energy = _kept(_on_diagonals(matrix), np.array(order))
    return VARIANCE / len(matrix) * (float(np.sum(matrix**2)) - energy)


def _on_diagonals(matrix: np.ndarray) -> np.ndarray:
    """V[j, c, l] = M[j+l, c] / √(τ−l): what token c at place j adds to S_l / √(τ−l)."""
    tau = len(matrix)
    padded = np.vstack([matrix, np.zeros_like(matrix)])
    rows = np.add.outer(np.arange(tau), np.arange(tau))  # (place, lag)
    return padded[rows].transpose(0, 2, 1) / np.sqrt(np.arange(tau, 0, -1))


def _kept(on_diagonals: np.ndarray, order: np.ndarray) -> float:
    """Σ_l S_l² / (τ−l): what a time-invariant kernel does not leave."""
    sums = on_diagonals[np.arange(len(order)), order].sum(axis=0)
    return float(sums @ sums)


def _descent(on_diagonals: np.ndarray, start: np.ndarray) -> Iterator[tuple[np.ndarray, float]]:
    """The start, and the orders after each exchange, with what is kept of them."""
    order, energy = start, _kept(on_diagonals, start)
    yield order, energy
    while True:
        exchange, less = _best_exchange(on_diagonals, order)
        if less >= energy * (1 - LEAST_GAIN):
            return
        order, energy = order.copy(), less
        order[[*exchange]] = order[[*exchange[::-1]]]
        yield order, energy


def _best_exchange(on_diagonals: np.ndarray, order: np.ndarray) -> tuple[tuple[int, int], float]:
    """The two places whose tokens are to be exchanged, and what is kept after that."""
    moved = on_diagonals[:, order]  # (place, place of the token that comes there, lag)
    own = moved[np.arange(len(order)), np.arange(len(order))]  # (place, lag)
    change = moved - own[:, None]
    sums = own.sum(axis=0) + change + change.transpose(1, 0, 2)
    energy = np.einsum("abl,abl->ab", sums, sums)
    first, second = divmod(int(energy.argmin()), len(order))
    return (first, second), float(energy[first, second])
