"""Training and pictures of a head that is given some of ρ, f and F (`models.exact`)."""

from collections.abc import Sequence

import numpy as np
from torch import Tensor

from explorer.coupling import POD
from explorer.models import exact
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget
from explorer.training.gradients import by_autograd
from explorer.training.recipe import Weights


def gradient(
    spec: CouplingSpec,
    weights: Weights,
    batch: tuple[Tensor, Tensor],
    gradients: Weights,
    parts: Sequence[exact.Exact],
) -> Tensor:
    """Mean squared errors (model,) of x and y (model, batch, τ) each; fills `gradients`, by 0 for
    the parameters of what is given."""
    x, y = batch

    def objective(leaves: Weights) -> tuple[Tensor, Tensor]:
        missed = exact.forward(spec, leaves, x, parts, spec.known) - y
        errors = missed.square().mean(dim=(1, 2))
        return errors, errors

    return by_autograd(objective, weights, gradients)


def pictures(
    found: dict[str, np.ndarray], spec: CouplingSpec, designed: POD, target: CouplingTarget
) -> dict[str, np.ndarray]:
    """Those of a given ρ in the place of what was `found` of the head's own, which it does not
    use; see `analysis.coupling_diagnostics`."""
    size = len(found["rho_hat"])
    cells = (np.arange(size) + 0.5) / size
    own = {
        "rho_hat": designed.left(cells) * designed.sigma @ designed.right(cells).T,
        "sigma_hat": leading(designed.sigma, spec.m_h),
        "angles": np.minimum(found["angles"], 0.0),
        "attention": target.attention(found["tokens"]),
    }
    return found | {name: values.astype(np.float32) for name, values in own.items()}


def leading(sigma: np.ndarray, count: int) -> np.ndarray:
    """The first σ_k, (count,), with zeros where there are fewer."""
    return np.pad(sigma[:count], (0, max(count - len(sigma), 0)))
