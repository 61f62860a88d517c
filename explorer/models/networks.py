"""What there is to know of each network without building one, for the server, which has no torch.

How it is trained is its recipe's (`training.recipes`). A piece that is forgotten is an error at
import that names it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, get_args

from explorer.models import shapes
from explorer.models.shapes import Shapes
from explorer.spec import AnySpec, CouplingSpec, LabelledSpec, LinearSpec, MemorySpec, TaskSpec
from explorer.spec.fields import RecipeName, of_each
from explorer.targets import PICTURE


class Pace(NamedTuple):
    """What steps cost on one core."""

    speed: float
    """Multiplications and additions a second."""
    step: float
    """Seconds of a step of a very small model."""
    pairs: bool
    """Whether a step costs something for each pair of tokens."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """A kind of network, by the `recipe` of its specifications."""

    shapes: Callable[[Any], Shapes]
    """Of every parameter of one model of a specification; equal ones stand next to each other."""
    pictures: Callable[[Any, Shapes], Shapes]
    """Of what a kept picture of a specification holds beside its numbers, what its recipe's
    `diagnostics` says. Of some the number of points or angles is read off the shapes found."""
    pace: Pace


def coupling(spec: CouplingSpec, sizes: Shapes) -> Shapes:
    """Of a model that learns a coupling."""
    tau, count = spec.tau, (sizes.get("angles") or (0,))[0]
    return {
        "rho_hat": (PICTURE, PICTURE),
        "sigma_hat": (spec.m_h,),
        "angles": (min(count, spec.m_h),),
        "attention": (tau, tau),
        "tokens": (tau,),
    }


def positioned(spec: AnySpec, sizes: Shapes) -> Shapes:
    """Of a Transformer with positions, on an example."""
    tau = spec.tau
    return dict.fromkeys(("tokens", "predicted", "answer"), (tau,)) | {"attention": (tau, tau)}


def linear(spec: LinearSpec, sizes: Shapes) -> Shapes:
    """Of one that learns a linear target, with the linear map nearest to it."""
    squares = dict.fromkeys(("matrix", "matrix_hat"), (spec.tau, spec.tau))
    taps = {"taps": (spec.conv,)} if spec.conv else {}
    return positioned(spec, sizes) | squares | {"nonlinear": (spec.tau,)} | taps


def rnn(spec: LinearSpec, sizes: Shapes) -> Shapes:
    """Of a linear RNN."""
    steps = dict.fromkeys(("kernel_hat", "kernel", "offsets"), (spec.tau,))
    squares = dict.fromkeys(("matrix_hat", "matrix"), (spec.tau, spec.tau))
    return steps | squares | {"eigenvalues": (spec.hidden, 2)}


def task(spec: TaskSpec, sizes: Shapes) -> Shapes:
    """Of the head of an attention task."""
    tau, values, count = spec.tau, min(spec.m_h, spec.n), (sizes.get("points") or (0,))[0]
    return {
        "sigma_hat": (values,),
        "sigma_centred": (values,),
        "tokens": (tau, spec.d_in),
        "attention": (tau, tau),
        "ideal": (tau, tau),
        "predicted": (tau, spec.d_out),
        "answer": (tau, spec.d_out),
        "points": (count, spec.d),
        "alone": (count, spec.d_out),
        "values": (count, spec.d_out),
    }


def encoder(spec: LabelledSpec, sizes: Shapes) -> Shapes:
    """Of an encoder: spectra over inputs, its last layer's first head on one."""
    spectra = (spec.layers, spec.heads, min(spec.m_h, spec.tau))
    squares = dict.fromkeys(("coupling", "attention"), (spec.tau, spec.tau))
    return {"sigma": spectra, "sigma_centred": spectra} | squares


def causal(spec: MemorySpec, sizes: Shapes) -> Shapes:
    """Of a causal Transformer on one sequence."""
    tau = spec.tau
    return {
        "tokens": (tau, spec.d_in),
        "answer": (tau,),
        "predicted": (tau,),
        "ideal": (tau, tau),
        "attention": (spec.layers, spec.heads, tau, tau),
    }


def decay(spec: MemorySpec, sizes: Shapes) -> Shapes:
    """Of heads that know distances alone."""
    return dict.fromkeys(("kernel_hat", "kernel"), (spec.tau,)) | {"p": (spec.heads,)}


USUAL = Pace(3.5e10, 1.5e-3, pairs=True)
SLOWER = Pace(2e10, 1.5e-3, pairs=True)
EXACT = Pace(1e11, 1.5e-3, pairs=True)
ALONE = Pace(3.5e10, 3e-4, pairs=False)
NETWORKS: dict[str, Network] = of_each(
    "networks",
    get_args(RecipeName),
    {
        "coupling": Network(shapes=shapes.transformer, pictures=coupling, pace=USUAL),
        "positioned": Network(shapes=shapes.transformer, pictures=positioned, pace=USUAL),
        "linear": Network(shapes=shapes.linear, pictures=linear, pace=USUAL),
        "rnn": Network(shapes=shapes.rnn, pictures=rnn, pace=EXACT),
        "attention": Network(shapes=shapes.task, pictures=task, pace=SLOWER),
        "encoder": Network(shapes=shapes.encoder, pictures=encoder, pace=SLOWER),
        "memory": Network(shapes=shapes.causal, pictures=causal, pace=USUAL),
        "decays": Network(shapes=shapes.decay, pictures=decay, pace=ALONE),
    },
)
