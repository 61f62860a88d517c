"""What the attention tasks of App. B.1 have in common.

    y_t = F( Σ_s A_ts f(x_s) ),   F∘f(x_s) = H(x_s alone)

A task turns uniform random numbers into tokens x (…, τ, d_in), and knows their ideal attention A,
their exact answers y (…, τ, d_out) and F∘f. It is made of arrays of numpy or torch alike.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from explorer.arrays import Array, constant, namespace


class TaskError(ValueError):
    """Tokens that the task gives no answer to; the message says which, and what is allowed."""


class Task(Protocol):
    """A task on sequences of tokens; frozen, and equal to another of the same numbers."""

    tau: int
    uniforms: int
    """Random numbers that make one sequence."""
    positions: slice | None
    """The features of a token that say where it stands, if any."""

    def inputs(self, uniform: Array, share: float = 1.0) -> Array:
        """Tokens (…, τ, d_in) from uniform random numbers in [0, 1) (…, uniforms).

        A `share` below 1 of the training asks for easier ones, where the task has some.
        """

    def attention(self, x: Array) -> Array:
        """The ideal A (…, τ, τ), rows t, columns s; its rows sum to 1."""

    def answer(self, x: Array) -> Array:
        """H(x) (…, τ, d_out)."""

    def combined(self, attention: Array, x: Array) -> Array:
        """F(Σ_s A_ts f(x_s)) (…, τ, d_out) by given weights A (…, τ, τ)."""

    def values(self, x: Array) -> Array:
        """F∘f of each token (…, τ, d_out): its answer in a sequence of its own."""

    def points(self, x: Array) -> Array:
        """What F∘f looks at in each token, (…, τ, d)."""

    def counted(self, x: Array) -> Array:
        """1 where a token has a value, 0 where it is a question only, (…, τ)."""

    def example(self) -> np.ndarray:
        """One instance (τ, d_in) to draw: the paper's where it gives one."""


def checked(x: Array, tau: int, features: int) -> Array:
    """Tokens of the right shape; raises ValueError for others."""
    if tuple(x.shape[-2:]) != (tau, features):
        raise ValueError(f"tokens have shape (…, {tau}, {features}), got {tuple(x.shape)}")
    return x


def one_hot(index: Array, count: int, like: Array) -> Array:
    """(…) whole numbers from 0 → (…, count), in the precision of `like`."""
    xp = namespace(like)
    return xp.astype(index[..., None] == constant(np.arange(count), like), like.dtype)


def floor_index(uniform: Array, count: int | Array) -> Array:
    """⌊u·count⌋ of u in [0, 1), at most count − 1 in any precision; as floating-point numbers."""
    xp = namespace(uniform)
    return xp.clip(xp.floor(uniform * count), None, count - 1)


def finite(name: str, values: object, shape: tuple[int | None, ...]) -> np.ndarray:
    """Numbers of a reader as float64 of the given shape (None = any length); raises TaskError."""
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise TaskError(f"{name}: numbers are needed") from None
    fits = array.ndim == len(shape) and all(
        want in (None, have) for want, have in zip(shape, array.shape, strict=True)
    )
    if not fits:
        words = " × ".join("any" if want is None else str(want) for want in shape)
        raise TaskError(f"{name}: {words} numbers are needed, got {list(array.shape)}")
    if not np.isfinite(array).all():
        raise TaskError(f"{name}: must be finite")
    return array
