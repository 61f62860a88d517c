"""Names and shapes of what each network's `Recipe.diagnostics` says, by plain arithmetic.

Of some pictures the number of points or angles is their own: it is read off the shapes found.
"""

from explorer.models.shapes import Shapes
from explorer.spec import AnySpec, CouplingSpec, LabelledSpec, LinearSpec, MemorySpec, TaskSpec
from explorer.targets import PICTURE


def coupling(spec: CouplingSpec, found: Shapes) -> Shapes:
    """Of a model that learns a coupling."""
    tau, count = spec.tau, (found.get("angles") or (0,))[0]
    return {
        "rho_hat": (PICTURE, PICTURE),
        "sigma_hat": (spec.m_h,),
        "angles": (min(count, spec.m_h),),
        "attention": (tau, tau),
        "tokens": (tau,),
    }


def positioned(spec: AnySpec, found: Shapes) -> Shapes:
    """Of a Transformer with positions, on an example."""
    tau = spec.tau
    return dict.fromkeys(("tokens", "predicted", "answer"), (tau,)) | {"attention": (tau, tau)}


def linear(spec: LinearSpec, found: Shapes) -> Shapes:
    """Of one that learns a linear target, with the linear map nearest to it."""
    squares = dict.fromkeys(("matrix", "matrix_hat"), (spec.tau, spec.tau))
    taps = {"taps": (spec.conv,)} if spec.conv else {}
    return positioned(spec, found) | squares | {"nonlinear": (spec.tau,)} | taps


def rnn(spec: LinearSpec, found: Shapes) -> Shapes:
    """Of a linear RNN."""
    steps = dict.fromkeys(("kernel_hat", "kernel", "offsets"), (spec.tau,))
    squares = dict.fromkeys(("matrix_hat", "matrix"), (spec.tau, spec.tau))
    return steps | squares | {"eigenvalues": (spec.hidden, 2)}


def task(spec: TaskSpec, found: Shapes) -> Shapes:
    """Of the head of an attention task."""
    tau, values, count = spec.tau, min(spec.m_h, spec.n), (found.get("points") or (0,))[0]
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


def encoder(spec: LabelledSpec, found: Shapes) -> Shapes:
    """Of an encoder: spectra over inputs, its last layer's first head on one."""
    spectra = (spec.layers, spec.heads, min(spec.m_h, spec.tau))
    squares = dict.fromkeys(("coupling", "attention"), (spec.tau, spec.tau))
    return {"sigma": spectra, "sigma_centred": spectra} | squares


def causal(spec: MemorySpec, found: Shapes) -> Shapes:
    """Of a causal Transformer on one sequence."""
    tau = spec.tau
    return {
        "tokens": (tau, spec.d_in),
        "answer": (tau,),
        "predicted": (tau,),
        "ideal": (tau, tau),
        "attention": (spec.layers, spec.heads, tau, tau),
    }


def decay(spec: MemorySpec, found: Shapes) -> Shapes:
    """Of heads that know distances alone."""
    return dict.fromkeys(("kernel_hat", "kernel"), (spec.tau,)) | {"p": (spec.heads,)}
