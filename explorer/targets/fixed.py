"""Fixed random numbers: the sequences that models are compared on, and those that are drawn."""

import numpy as np

EVALUATION = 4096  # sequences of a final evaluation
KEPT_EVALUATION = 512  # of that of a kept picture before the last
EVALUATION_SEED = 12345
EXAMPLE_SEED = 6
TRAINING_SET = 2  # random stream of a seed, see engine/kernel/draws.h
PICTURE = 48  # cells of a picture of ρ̂, and of ρ beside it, along u and v


def evaluation_inputs(count: int, tau: int) -> np.ndarray:
    """The sequences (count, τ) on which trained models are compared: always the same ones.

    For a task these are the uniform numbers, `n_uniform` a sequence, that its sampler takes.
    """
    return np.random.default_rng(EVALUATION_SEED).random((count, tau))


def training_set(seed: int, count: int, tau: int) -> np.ndarray:
    """The first `count` sequences of the training set of a seed, (count, τ) float32 in [0, 1):
    multiples of 2⁻²⁴, the same for every engine, device, batch and larger set.

    Philox 4×32-10 (Salmon et al. 2011) with the key (seed, TRAINING_SET) and the counter (i, j) for
    the i-th four numbers of sequence j, as engine/kernel/draws.h.
    """
    low, half = np.uint64(2**32 - 1), np.uint64(32)
    key = np.array([seed, TRAINING_SET], np.uint64)
    c = [np.arange(-(-tau // 4), dtype=np.uint64), np.arange(count, dtype=np.uint64)[:, None]]
    c += [np.uint64(0), np.uint64(0)]
    for _ in range(10):
        one, two = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [two >> half ^ c[1] ^ key[0], two & low, one >> half ^ c[3] ^ key[1], one & low]
        key = key + np.array([0x9E3779B9, 0xBB67AE85], np.uint64) & low
    words = np.stack(np.broadcast_arrays(*c), -1).reshape(count, -1)[:, :tau] >> np.uint64(8)
    return (words / 2**24).astype(np.float32)


def example_inputs(tau: int) -> np.ndarray:
    """One sequence (τ,) to draw, in ascending order so that its attention reads like a kernel."""
    return np.sort(np.random.default_rng(EXAMPLE_SEED).random(tau))


def example_points(count: int, d: int) -> np.ndarray:
    """Points (count, d) in [0, 1)^d to draw."""
    return np.random.default_rng(EXAMPLE_SEED).random((count, d))
