"""What networks of several layers have learned: singular values of the couplings of an encoder over
inputs, and where a causal Transformer looks.

The coupling of a head on an input is the matrix ρ̂(x_t, x_s)/τ: over τ, so that its singular values
are those of ρ̂ over tokens of equal weight.
"""

import numpy as np
import torch
from torch import Tensor

from explorer.models import causal, encoder
from explorer.models.layers import Weights
from explorer.spec import LabelledSpec, MemorySpec
from explorer.targets import Labelled, Memory, evaluation_inputs

INPUTS = 200  # of those to be tested on


@torch.no_grad()
def encoder_diagnostics(
    spec: LabelledSpec, weights: Weights, target: Labelled
) -> dict[str, np.ndarray]:
    """Pictures of the first model, float32: sigma and sigma_centred (layers, heads, k), means over
    inputs, k = min(m_h, τ); coupling and attention (τ, τ) of the first head of the last layer on
    the first input."""
    couplings = _couplings(weights, target)
    first = couplings[0, -1, 0]
    pictures = {
        "sigma": _singular_values(spec, couplings).mean(dim=0),
        "sigma_centred": _singular_values(spec, centred(couplings)).mean(dim=0),
        "coupling": first,
        "attention": (first * spec.tau).softmax(dim=-1),
    }
    return {name: picture.float().cpu().numpy() for name, picture in pictures.items()}


@torch.no_grad()
def last_spectra(spec: LabelledSpec, weights: Weights, target: Labelled) -> dict[str, Tensor]:
    """σ_k of the first head of the last layer of the first model, (k,) float64, as in Figure 3(a):
    `sigma` their mean over inputs and `sigma_spread` their standard deviation, `sigma_centred` the
    mean without what softmax cannot see."""
    couplings = _couplings(weights, target)[:, -1, 0]
    sigma = _singular_values(spec, couplings)
    return {
        "sigma": sigma.mean(dim=0),
        "sigma_spread": sigma.std(dim=0),
        "sigma_centred": _singular_values(spec, centred(couplings)).mean(dim=0),
    }


def centred(couplings: Tensor) -> Tensor:
    """Without the mean of each row, which softmax cannot see."""
    return couplings - couplings.mean(dim=-1, keepdim=True)


def _couplings(weights: Weights, target: Labelled) -> Tensor:
    """Those of the first model, (inputs, layers, heads, τ, τ) float64."""
    exact = {name: weight[:1].double() for name, weight in weights.items()}
    x = torch.tensor(target.test.x[None, :INPUTS, list(target.places)]).to(exact["asks"])
    couplings = encoder.forward(exact, x).couplings
    return torch.stack([each[0] for each in couplings], dim=1) / target.tau


def _singular_values(spec: LabelledSpec, couplings: Tensor) -> Tensor:
    """(…, k), descending."""
    return torch.linalg.svdvals(couplings)[..., : min(spec.m_h, spec.tau)]


@torch.no_grad()
def memory_diagnostics(spec: MemorySpec, weights: Weights, target: Memory) -> dict[str, np.ndarray]:
    """Pictures of the first model on one sequence, float32: tokens (τ, d_in) as they are seen,
    answer and predicted (τ,), ideal (τ, τ) with y = ideal · b, attention (layers, heads, τ, τ)."""
    numbers = torch.tensor(evaluation_inputs(1, target.n_uniform)[0]).to(weights["embedding"])
    x, b = target.drawn(numbers)
    seen = target.seen(x, b)
    remembered = causal.forward(
        spec, {name: w[:1] for name, w in weights.items()}, seen[None, None]
    )
    pictures = {
        "tokens": seen,
        "answer": target.answer(x, b),
        "predicted": remembered.answer[0, 0],
        "ideal": target.attention(x),
        "attention": torch.stack([attention[0, 0] for attention in remembered.attention]),
    }
    return {name: picture.float().cpu().numpy() for name, picture in pictures.items()}
