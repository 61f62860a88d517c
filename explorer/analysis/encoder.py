"""What the heads of an encoder have learned: singular values of their couplings over inputs.

The coupling of a head on an input is the matrix ρ̂(x_t, x_s)/τ: over τ, so that its singular values
are those of ρ̂ over tokens of equal weight.
"""

import numpy as np
import torch
from torch import Tensor

from explorer.models.encoder import forward
from explorer.spec import LabelledSpec
from explorer.targets import Labelled

INPUTS = 200  # of those to be tested on

Weights = dict[str, Tensor]


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
    found = forward(exact, x).couplings
    return torch.stack([each[0] for each in found], dim=1) / target.tau


def _singular_values(spec: LabelledSpec, couplings: Tensor) -> Tensor:
    """(…, k), descending."""
    return torch.linalg.svdvals(couplings)[..., : min(spec.m_h, spec.tau)]
