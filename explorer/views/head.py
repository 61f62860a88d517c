"""The head of Eq. 53 in numpy: what a trained model answers, for pages without torch.

The same formula as models/transformer.py, for one model and without a batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import erf

from explorer.spec import TaskSpec
from explorer.targets import softmax

ACTIVATIONS = {
    "sine": np.sin,
    "tanh": np.tanh,
    "gelu": lambda z: 0.5 * z * (1 + erf(z / np.sqrt(2))),
    "relu": lambda z: np.maximum(z, 0),
}


class ShapeError(ValueError):
    """These parameters are not of this specification."""


@dataclass(frozen=True, eq=False)
class Head:
    """A trained head; `weights` by name, without model axis."""

    spec: TaskSpec
    weights: Mapping[str, np.ndarray]

    def __post_init__(self) -> None:
        spec, w = self.spec, self.weights
        expected = {
            "f.0.weight": (spec.m_ff if spec.depth > 1 else spec.n, spec.d_in),
            "W_Q": (spec.m_h, spec.n), "W_K": (spec.m_h, spec.n), "W_V": (spec.d_v, spec.n),
            "lambda": (1,), f"F.{spec.depth - 1}.bias": (spec.d_out,),
        }  # fmt: skip
        for name, shape in expected.items():
            found = w[name].shape if name in w else "nothing"
            if found != shape:
                raise ShapeError(f"weights: {name} must be {list(shape)}, found {found}")

    def respond(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ŷ (τ, d_out) and Â (τ, τ) of tokens x (τ, d_in)."""
        h = self._mlp("f", x)
        query, key, value = (h @ self.weights[name].T for name in ("W_Q", "W_K", "W_V"))
        attention = softmax(np.exp(self.weights["lambda"]) * query @ key.T)
        return self._mlp("F", attention @ value), attention

    def alone(self, x: np.ndarray) -> np.ndarray:
        """F̂(W_V f̂(x)) of tokens (k, d_in), (k, d_out)."""
        return self._mlp("F", self._mlp("f", x) @ self.weights["W_V"].T)

    def _mlp(self, name: str, x: np.ndarray) -> np.ndarray:
        activate = ACTIVATIONS[self.spec.activation if name == "f" else self.spec.activation_out]
        for layer in range(self.spec.depth):
            x = activate(x) if layer else x
            x = x @ self.weights[f"{name}.{layer}.weight"].T + self.weights[f"{name}.{layer}.bias"]
        return x
