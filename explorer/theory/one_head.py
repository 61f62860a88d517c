"""One head of Eq. 5 fitted to a relationship of τ = 2 or 3 tokens, by Levenberg and Marquardt.

    Ĥ_t(x) = F̂(Σ_s softmax[⟨W_Q f̂(z_t), W_K f̂(z_·)⟩](s) W_V f̂(z_s)),  z_s = (x_s, e_s, 1)

f̂ has one layer, F̂ a hidden one, tanh both, as wide as n and d_v; m_h = 2. So few numbers have a
Jacobian by differences: a pass of all numbers at once, each moved a little in a model of its own.
"""

from collections.abc import Callable

import numpy as np

WIDTHS = (2, 4, 6)
SEEDS = 5
M_H = 2
DRAWN = 120
"""Sequences that a fit sees beside the corners of [0, 1]^τ."""
ROUNDS = 40
MOVED = 1e-6
TRIES = 5

Sequences = Callable[[np.ndarray], np.ndarray]
"""H: x (…, τ) ↦ (…, τ)."""


def shapes(tau: int, width: int) -> list[tuple[int, int]]:
    """Of f̂'s layer, W_Q, W_K, W_V and F̂'s two; biases in the last columns of f̂ and F̂."""
    m = width
    return [(m, tau + 2), (M_H, m), (M_H, m), (m, m), (m, m + 1), (1, m + 1)]


def forward(weights: np.ndarray, x: np.ndarray, width: int) -> np.ndarray:
    """Answers (model, batch, τ) of weights (model, numbers) to x (batch, τ)."""
    tau, models, at = x.shape[-1], len(weights), 0
    matrices: list[np.ndarray] = []
    for rows, columns in shapes(tau, width):
        part = weights[:, at : at + rows * columns].reshape(models, rows, columns)
        matrices.append(part.transpose(0, 2, 1))
        at += rows * columns
    f, query, key, value, hidden, last = matrices
    h = np.tanh(_tokens(x).reshape(-1, tau + 2) @ f)  # (model, batch·τ, width)
    q, k, v = ((h @ each).reshape(models, len(x), tau, -1) for each in (query, key, value))
    logits = q @ k.transpose(0, 1, 3, 2)
    share = np.exp(logits - logits.max(-1, keepdims=True))
    seen = (share / share.sum(-1, keepdims=True) @ v).reshape(models, len(x) * tau, width)
    drawn = np.tanh(seen @ hidden[:, :-1] + hidden[:, -1:])
    return (drawn @ last[:, :-1] + last[:, -1:]).reshape(models, len(x), tau)


def _tokens(x: np.ndarray) -> np.ndarray:
    """z_s: (batch, τ, τ + 2)."""
    batch, tau = x.shape
    places = np.broadcast_to(np.eye(tau), (batch, tau, tau))
    return np.concatenate([x[..., None], places, np.ones((batch, tau, 1))], -1)


def fit(h: Sequences, tau: int, width: int, seed: int) -> np.ndarray:
    """The weights (numbers,) of one head after ROUNDS steps, or once none is smaller."""
    rng = np.random.default_rng(seed)
    corners = np.stack(np.meshgrid(*[[0.0, 1.0]] * tau), -1).reshape(-1, tau)
    x = np.concatenate([corners, rng.random((DRAWN, tau))])
    y = h(x)
    parts = [rng.normal(size=each) / np.sqrt(each[1]) for each in shapes(tau, width)]
    at = np.concatenate([part.ravel() for part in parts])
    left, damping = _left(at[None], x, y, width)[0], 1.0
    for _ in range(ROUNDS):
        moved = _left(at + MOVED * np.eye(len(at)), x, y, width)
        jacobian = (moved - left).T / MOVED
        step = _step(at, left, jacobian, damping, lambda to: _left(to[None], x, y, width)[0])
        if step is None:
            break
        at, left, damping = step
    return at


def _left(weights: np.ndarray, x: np.ndarray, y: np.ndarray, width: int) -> np.ndarray:
    """Residuals (model, batch·τ)."""
    return (forward(weights, x, width) - y).reshape(len(weights), -1)


def _step(
    at: np.ndarray,
    left: np.ndarray,
    jacobian: np.ndarray,
    damping: float,
    residual: Callable[[np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray, float] | None:
    """Where the error is smaller, what is left there, and the next damping; None: nowhere."""
    square, slope = jacobian.T @ jacobian, jacobian.T @ left
    for _ in range(TRIES):
        to = at - np.linalg.solve(square + 1e-3 * damping * np.eye(len(at)), slope)
        then = residual(to)
        if then @ then < left @ left:
            return to, then, max(damping / 3, 1e-9)
        damping *= 8
    return None
