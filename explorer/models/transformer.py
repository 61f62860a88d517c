"""The single-layer, single-head Transformer of Eq. 5, for many models at once.

    ĥ(s) = f̂(x(s)),   Ĥ_t(x) = F̂( Σ_s softmax[(W_Q ĥ(t))ᵀ W_K ĥ(·)](s) · W_V ĥ(s) )

No residual connection, no layer normalisation, no scaling of the logits. The head of the attention
tasks (Eq. 53) sees tokens of several features and has a learned e^λ before the logits, which W_Q
could absorb: the functions are the same, but large logits are a short way off.

Every tensor has a leading model axis; axes are (model, batch, time, feature). A single model is
model = 1.
"""

import math

import torch
from torch import Tensor

from explorer.models import shapes
from explorer.models.activations import ACTIVATIONS
from explorer.models.layers import Weights
from explorer.spec import CouplingSpec, HeadSpec

SIREN_FREQUENCY = 30.0  # ω₀ of the first layer of a sine network (Sitzmann et al. 2020, §3.2)


def init_bounds(spec: HeadSpec) -> dict[str, float]:
    """Half-width of the uniform distribution each parameter starts from.

    PyTorch's default is 1/√fan_in for weights and biases. SIREN: first weights ±ω₀/fan_in and
    biases ±π, later weights ±√(6/fan_in).
    """
    named = shapes.transformer(spec)
    bounds = {}
    for name, shape in named.items():
        fan_in = named[name.replace("bias", "weight")][1] if "bias" in name else shape[1]
        bounds[name] = 1 / math.sqrt(fan_in)
        if spec.init == "siren" and name == "f.0.bias":
            bounds[name] = math.pi
        elif spec.init == "siren" and name == "f.0.weight":
            bounds[name] = SIREN_FREQUENCY / fan_in
        elif spec.init == "siren" and name.startswith("f.") and "weight" in name:
            bounds[name] = math.sqrt(6 / fan_in)
    return bounds


def initial(spec: HeadSpec, generator: torch.Generator) -> Weights:
    """Start values of one model, without model axis, drawn in the order of the sorted names."""
    named, bounds = shapes.transformer(spec), init_bounds(spec)
    return {
        name: bounds[name] * (2 * torch.rand(named[name], generator=generator) - 1)
        for name in sorted(bounds)
    }


def seen(spec: HeadSpec, x: Tensor) -> Tensor:
    """What the network sees of x in [0, 1]: 2x − 1, or x as it is."""
    return x if getattr(spec, "tokens", "centred") == "raw" else 2 * x - 1


def embed(spec: CouplingSpec, weights: Weights, x: Tensor) -> Tensor:
    """f̂ at tokens x (model, k) in [0, 1]. Returns (model, k, n)."""
    return _mlp("f", spec, weights, seen(spec, x).unsqueeze(-1))


def features(spec: HeadSpec, weights: Weights, tokens: Tensor) -> Tensor:
    """f̂ at tokens (model, k, d_in), as the network sees them. Returns (model, k, n)."""
    return _mlp("f", spec, weights, tokens)


def queries_and_keys(spec: HeadSpec, weights: Weights, h: Tensor) -> tuple[Tensor, Tensor]:
    """e^λ W_Q h and W_K h of h (model, k, n); each (model, k, m_h). ρ̂(u, v) = ⟨query u, key v⟩.

    A coupling's model has no λ.
    """
    query, key = h @ weights["W_Q"].mT, h @ weights["W_K"].mT
    return (query * weights["lambda"].exp().unsqueeze(-1) if "lambda" in weights else query), key


def forward(spec: CouplingSpec, weights: Weights, x: Tensor) -> tuple[Tensor, Tensor]:
    """Ĥ and the attention weights for x (model, batch, τ) in [0, 1].

    Returns ŷ (model, batch, τ) and A (model, batch, τ, τ), whose rows sum to 1.
    """
    models, batch, tau = x.shape
    h = embed(spec, weights, x.reshape(models, batch * tau))  # (model, batch·τ, n)
    y, attention = attend(spec, weights, h, tau)
    return y.squeeze(-1), attention


def attend(spec: HeadSpec, weights: Weights, h: Tensor, tau: int) -> tuple[Tensor, Tensor]:
    """Attention and F̂ on features h (model, batch·τ, n) of sequences of length τ.

    Returns ŷ (model, batch, τ, d_out) and A (model, batch, τ, τ), whose rows sum to 1.
    """
    models = len(h)
    query, key = queries_and_keys(spec, weights, h)  # (model, batch·τ, m_h)
    value = h @ weights["W_V"].mT  # (model, batch·τ, d_v)
    logits = torch.bmm(_sequences(query, tau), _sequences(key, tau).mT)  # (model·batch, τ, τ)
    attention = torch.softmax(logits, dim=-1)
    mixed = torch.bmm(attention, _sequences(value, tau))  # (model·batch, τ, d_v)
    y = output(spec, weights, mixed.reshape(models, -1, mixed.shape[-1]))
    return y.reshape(models, -1, tau, y.shape[-1]), attention.reshape(models, -1, tau, tau)


def value_map(spec: HeadSpec, weights: Weights, h: Tensor) -> Tensor:
    """F̂(W_V h) of features h (model, k, n): Ĥ on sequences of one token, (model, k, d_out)."""
    return output(spec, weights, h @ weights["W_V"].mT)


def output(spec: HeadSpec, weights: Weights, mixed: Tensor) -> Tensor:
    """F̂ of what attention has mixed, (model, k, d_v) → (model, k, d_out)."""
    return _mlp("F", spec, weights, mixed)


def _sequences(features: Tensor, tau: int) -> Tensor:
    """(model, batch·τ, feature) as (model·batch, τ, feature)."""
    return features.reshape(-1, tau, features.shape[-1])


def _mlp(name: str, spec: HeadSpec, weights: Weights, x: Tensor) -> Tensor:
    """`depth` linear layers with activations between them; x (model, k, d_in)."""
    activate = ACTIVATIONS[spec.activation if name == "f" else spec.activation_out].value
    for layer in range(spec.depth):
        if layer:
            x = activate(x)
        weight, bias = weights[f"{name}.{layer}.weight"], weights[f"{name}.{layer}.bias"]
        x = torch.baddbmm(bias.unsqueeze(1), x, weight.mT)  # (model, k, d_out)
    return x
