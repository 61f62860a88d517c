"""What the kept picture of a specification holds: its numbers, and its arrays by name and shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from explorer.runs import frames
from explorer.runs.zips import ArchiveError
from explorer.spec import (
    AnySpec,
    CouplingSpec,
    LabelledSpec,
    LinearSpec,
    MemorySpec,
    TaskSpec,
    is_linear,
)
from explorer.targets import PICTURE

MAX_NUMBERS = 40  # in the header of a picture


def checked_header(data: bytes, spec: AnySpec, step: int, name: str) -> dict[str, Any]:
    """The header of the packed picture of a step; raises ArchiveError, which calls it `name`, where
    it is not one of the specification."""
    try:
        header, arrays = frames.unpack(data)
    except frames.FrameError as error:
        raise ArchiveError(f"{name}: {error}") from error
    _check_header(header, spec, step, name)
    shapes = {key: values.shape for key, values in arrays.items()}
    if shapes != _shapes(spec.at(step), shapes):
        raise ArchiveError(f"{name} does not hold the pictures of this specification")
    if not all(np.isfinite(values).all() for values in arrays.values()):
        raise ArchiveError(f"{name} holds numbers that are not finite")
    return header


def _check_header(header: Mapping[str, Any], spec: AnySpec, step: int, name: str) -> None:
    """Its step, and finite numbers: errors and what the specification measures none below 0."""
    numbers = {key: value for key, value in header.items() if key not in ("kind", "step")}
    if header.get("kind", "snapshot") != "snapshot" or header.get("step", step) != step:
        raise ArchiveError(f"{name} is not a picture of its step")
    if len(numbers) > MAX_NUMBERS or not all(isinstance(x, float) for x in numbers.values()):
        raise ArchiveError(f"{name}: what stands beside its pictures must be numbers")
    needed = ("nmse", "mse", "mae", *spec.extra_metrics)
    if not all(numbers.get(key, -1.0) >= 0 for key in needed):
        raise ArchiveError(f"{name}: {', '.join(needed)} must be numbers from 0")


def _shapes(spec: AnySpec, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """Those of `Snapshot.diagnostics`; the number of angles, or of points, is the picture's own."""
    match spec.recipe:
        case "attention":
            return _task_shapes(spec, (shapes.get("points") or (0,))[0])
        case "rnn":
            return _rnn_shapes(spec)
        case "positioned":
            return _sequence_shapes(spec)
        case "encoder":
            return _encoder_shapes(cast(LabelledSpec, spec))
        case "memory":
            return _memory_shapes(cast(MemorySpec, spec))
        case "decays":
            kernels = dict.fromkeys(("kernel_hat", "kernel"), (spec.tau,))
            return kernels | {"p": (cast(MemorySpec, spec).heads,)}
        case "coupling":
            return _coupling_shapes(spec, (shapes.get("angles") or (0,))[0])
    raise ValueError(f"nobody has said what pictures the recipe {spec.recipe} leaves")


def _coupling_shapes(spec: CouplingSpec, count: int) -> dict[str, tuple[int, ...]]:
    tau, angles = spec.tau, min(count, spec.m_h)
    return {
        "rho_hat": (PICTURE, PICTURE),
        "sigma_hat": (spec.m_h,),
        "angles": (angles,),
        "attention": (tau, tau),
        "tokens": (tau,),
    }


def _rnn_shapes(spec: LinearSpec) -> dict[str, tuple[int, ...]]:
    steps = dict.fromkeys(("kernel_hat", "kernel", "offsets"), (spec.tau,))
    squares = dict.fromkeys(("matrix_hat", "matrix"), (spec.tau, spec.tau))
    return steps | squares | {"eigenvalues": (spec.hidden, 2)}


def _sequence_shapes(spec: AnySpec) -> dict[str, tuple[int, ...]]:
    """Those of a Transformer with positions, on a linear target or an altered coupling."""
    tau = spec.tau
    shapes = dict.fromkeys(("tokens", "predicted", "answer"), (tau,)) | {"attention": (tau, tau)}
    if is_linear(spec):
        shapes |= {"matrix": (tau, tau), "matrix_hat": (tau, tau), "nonlinear": (tau,)}
        shapes |= {"taps": (spec.conv,)} if spec.conv else {}
    return shapes


def _task_shapes(spec: TaskSpec, count: int) -> dict[str, tuple[int, ...]]:
    tau, values = spec.tau, min(spec.m_h, spec.n)
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


def _encoder_shapes(spec: LabelledSpec) -> dict[str, tuple[int, ...]]:
    spectra = (spec.layers, spec.heads, min(spec.m_h, spec.tau))
    squares = dict.fromkeys(("coupling", "attention"), (spec.tau, spec.tau))
    return {"sigma": spectra, "sigma_centred": spectra} | squares


def _memory_shapes(spec: MemorySpec) -> dict[str, tuple[int, ...]]:
    tau = spec.tau
    return {
        "tokens": (tau, spec.d_in),
        "answer": (tau,),
        "predicted": (tau,),
        "ideal": (tau, tau),
        "attention": (spec.layers, spec.heads, tau, tau),
    }
