"""The head of Eq. 53 in numpy: what a trained model answers, for pages without torch.

The same formula as models/transformer.py, for one model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from explorer.families import check_activations
from explorer.slow import special
from explorer.spec import TaskSpec, amended
from explorer.targets import softmax

ACTIVATIONS = {
    "sine": np.sin,
    "tanh": np.tanh,
    "gelu": lambda z: 0.5 * z * (1 + special.erf(z / np.sqrt(2))),
    "relu": lambda z: np.maximum(z, 0),
}


check_activations(ACTIVATIONS, "pages/attention/view_head.py")


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
            "W_Q": (spec.m_h, spec.n),
            "W_K": (spec.m_h, spec.n),
            "W_V": (spec.d_v, spec.n),
            "lambda": (1,),
            f"F.{spec.depth - 1}.bias": (spec.d_out,),
        }
        for name, shape in expected.items():
            actual = w[name].shape if name in w else "nothing"
            if actual != shape:
                raise ShapeError(f"weights: {name} must be {list(shape)}, found {actual}")

    def respond(self, x: np.ndarray, temperature: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """ŷ (…, τ, d_out) and Â (…, τ, τ) of tokens x (…, τ, d_in).

        Logits are divided by the temperature; at 0 a row has all its weight on the first of its
        largest logits, the hard-max of Prop. B.1(2).
        """
        attention = self.attend(x, temperature)
        return self.answer(attention, x), attention

    def attend(self, x: np.ndarray, temperature: float = 1.0) -> np.ndarray:
        """Â (…, τ, τ) of tokens x (…, τ, d_in)."""
        h = self._mlp("f", x)
        query, key = (h @ self.weights[name].T for name in ("W_Q", "W_K"))
        logits = np.exp(self.weights["lambda"]) * query @ np.swapaxes(key, -1, -2)
        if temperature == 0:
            return (np.arange(x.shape[-2]) == logits.argmax(axis=-1)[..., None]).astype(float)
        return softmax(logits / temperature)

    def answer(self, attention: np.ndarray, x: np.ndarray) -> np.ndarray:
        """ŷ (…, τ, d_out) where tokens x (…, τ, d_in) are looked at by given weights (…, τ, τ)."""
        return self._mlp("F", attention @ (self._mlp("f", x) @ self.weights["W_V"].T))

    def value_map(self, x: np.ndarray) -> np.ndarray:
        """F̂(W_V f̂(x)) of tokens (k, d_in), (k, d_out)."""
        return self._mlp("F", self._mlp("f", x) @ self.weights["W_V"].T)

    def singular(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """e^λ W_QᵀW_K = U Σ Vᵀ: U (n, m), σ (m,) descending and Vᵀ (m, n), m = min(m_h, n)."""
        query, key = (self.weights[name].astype(float) for name in ("W_Q", "W_K"))
        u, sigma, v = np.linalg.svd(np.exp(float(self.weights["lambda"][0])) * query.T @ key)
        m = min(self.spec.m_h, self.spec.n)
        return u[:, :m], sigma[:m], v[:m]

    def cut(self, k: int) -> Head:
        """The head with only the k leading singular values of e^λ W_QᵀW_K, n at most, in single
        precision as all trained parameters: W_Q and W_K have k rows, and λ = 0."""
        u, sigma, v = self.singular()
        k = min(k, len(sigma))
        root = np.sqrt(sigma[:k])[:, None]
        changed = {"W_Q": root * u.T[:k], "W_K": root * v[:k], "lambda": np.zeros(1)}
        weights = {**self.weights, **{name: x.astype(np.float32) for name, x in changed.items()}}
        return Head(amended(self.spec, m_h=k), weights)

    def _mlp(self, name: str, x: np.ndarray) -> np.ndarray:
        activate = ACTIVATIONS[self.spec.activation if name == "f" else self.spec.activation_out]
        for layer in range(self.spec.depth):
            x = activate(x) if layer else x
            x = x @ self.weights[f"{name}.{layer}.weight"].T + self.weights[f"{name}.{layer}.bias"]
        return x
