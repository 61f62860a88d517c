"""Fixed random numbers: the sequences that models are compared on, and those that are drawn."""

from __future__ import annotations

import numpy as np

EVALUATION = 4096  # sequences of a final evaluation
KEPT_EVALUATION = 512  # of that of a kept picture before the last
EVALUATION_SEED = 12345
EXAMPLE_SEED = 6
PICTURE = 48  # cells of a picture of ρ̂, and of ρ beside it, along u and v


def evaluation_inputs(count: int, tau: int) -> np.ndarray:
    """The sequences (count, τ) on which trained models are compared: always the same ones.

    For a task these are the uniform numbers, `n_uniform` a sequence, that its sampler takes.
    """
    return np.random.default_rng(EVALUATION_SEED).random((count, tau))


def example_inputs(tau: int) -> np.ndarray:
    """One sequence (τ,) to draw, in ascending order so that its attention reads like a kernel."""
    return np.sort(np.random.default_rng(EXAMPLE_SEED).random(tau))


def example_points(count: int, d: int) -> np.ndarray:
    """Points (count, d) in [0, 1)^d to draw."""
    return np.random.default_rng(EXAMPLE_SEED).random((count, d))
