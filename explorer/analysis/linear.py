"""What a linear RNN or a Transformer with positions has learned: its kernel, the linear map nearest
to it, its attention, the taps of its convolution."""

import numpy as np
import torch
from torch import Tensor

from explorer.models import positioned, rnn
from explorer.models.layers import Weights
from explorer.spec import CouplingSpec, LinearSpec
from explorer.targets import EXAMPLE_SEED, AlteredTarget, LinearTarget, evaluation_inputs
from explorer.theory.linear import linear_floors

SEQUENCES = 2  # for each of the τ + 1 unknowns of a step in the linear map nearest to a Transformer


@torch.no_grad()
def rnn_diagnostics(weights: Weights, target: LinearTarget, scale: float) -> dict[str, np.ndarray]:
    """Pictures of the first model beside what it was to learn, float32; y = scale·ŷ.

    kernel_hat (τ,), the learned k̂, and kernel, the best time-invariant one; matrix_hat (τ, τ), its
    Toeplitz matrix, and matrix, the K of y = K x̃; offsets (τ,), b; eigenvalues (hidden, 2) of W,
    real and imaginary parts, the largest first.
    """
    first = {name: weight[:1] for name, weight in weights.items()}
    learned = rnn.kernel(first, target.tau) * scale
    values = torch.linalg.eigvals(first["W"][0])
    values = values[values.abs().argsort(descending=True)]
    pictures = {
        "kernel_hat": learned[0],
        "matrix_hat": rnn.toeplitz(learned)[0],
        "offsets": first["b"][0] * scale,
        "eigenvalues": torch.stack([values.real, values.imag], dim=1),
    }
    known = {"kernel": linear_floors(target.matrix).kernel, "matrix": target.matrix}
    return _numbers(pictures) | {name: array.astype(np.float32) for name, array in known.items()}


@torch.no_grad()
def positioned_diagnostics(
    spec: LinearSpec | CouplingSpec,
    weights: Weights,
    target: LinearTarget | AlteredTarget,
    centre: float,
    scale: float,
) -> dict[str, np.ndarray]:
    """Pictures of the first model beside what it was to learn, float32; y = scale·ŷ + centre.

    On an example: tokens (τ,) as they are seen, attention (τ, τ), predicted and answer (τ,).
    """
    first = {name: weight[:1] for name, weight in weights.items()}
    example = np.random.default_rng(EXAMPLE_SEED).random(spec.tau)
    x = torch.as_tensor(example, dtype=torch.float32, device=first["W_Q"].device).unsqueeze(0)
    predicted, attention = positioned.forward(spec, first, target.seen(x).unsqueeze(0))
    pictures = {
        "tokens": target.seen(x)[0],
        "attention": attention[0, 0],
        "predicted": predicted[0, 0] * scale + centre,
        "answer": target.answer(x)[0],
    }
    return _numbers(pictures)


@torch.no_grad()
def linear_diagnostics(
    spec: LinearSpec, weights: Weights, target: LinearTarget, centre: float, scale: float
) -> dict[str, np.ndarray]:
    """Those of `positioned_diagnostics`, the taps of a convolution, matrix, the K of y = K x̃, and
    matrix_hat (τ, τ), the linear map nearest to the model's by least squares over fixed sequences,
    with nonlinear (τ,), the root mean square of what it leaves of ŷ_t: where that is small,
    matrix_hat is what the model does.
    """
    first = {name: weight[:1] for name, weight in weights.items()}
    arrays = positioned_diagnostics(spec, weights, target, centre, scale)
    taps = _numbers({"taps": first["conv"][0]}) if "conv" in first else {}
    return arrays | taps | _nearest_map(spec, first, target, centre, scale)


def _nearest_map(
    spec: LinearSpec, first: Weights, target: LinearTarget, centre: float, scale: float
) -> dict[str, np.ndarray]:
    """Least squares of ŷ on (1, x̃): exact for a model that is linear."""
    count = SEQUENCES * (spec.tau + 1)
    seen = target.seen(evaluation_inputs(count, spec.tau))
    given = torch.as_tensor(seen, dtype=torch.float32, device=first["W_Q"].device)
    predicted, _ = positioned.forward(spec, first, given.unsqueeze(0))
    y = predicted[0].double().cpu().numpy() * scale + centre
    design = np.column_stack([np.ones(count), seen])
    fitted = np.linalg.lstsq(design, y, rcond=None)[0]  # (τ+1, τ)
    rest = np.sqrt(np.sum((y - design @ fitted) ** 2, axis=0) / (count - spec.tau - 1))
    pictures = {"matrix_hat": fitted[1:].T, "matrix": target.matrix, "nonlinear": rest}
    return {name: array.astype(np.float32) for name, array in pictures.items()}


def _numbers(pictures: dict[str, Tensor]) -> dict[str, np.ndarray]:
    return {name: picture.float().cpu().numpy() for name, picture in pictures.items()}
