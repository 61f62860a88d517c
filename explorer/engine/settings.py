"""What the kernel is told of a model, as kernel.c's `Settings`: fields of four bytes each."""

import ctypes

import numpy as np

from explorer.coupling import Coupling, Designed, Formula, Samples
from explorer.engine.program import program_of
from explorer.families import BASES
from explorer.spec import PART_FIELDS, CouplingSpec

ACTIVATIONS = ("sine", "tanh", "gelu", "relu")
FUNCTIONS = ("sine", "shifted_sine", "fourier", "legendre", "haar")
"""Activations and bases in the kernel's order; others it does not know."""


class EngineError(ValueError):
    """What the kernel cannot do here; the message says why, and torch can."""


class Settings(ctypes.Structure):
    """See kernel.c."""

    _fields_ = [
        *((name, ctypes.c_int) for name in ("tau", "n", "d_v", "m_h", "m_ff", "depth")),
        *((name, ctypes.c_int) for name in ("head_start", "inner", "outer", "siren", "soap")),
        *((name, ctypes.c_int) for name in ("batch", "sequences", "steps", "warmup", "constant")),
        *((name, ctypes.c_int) for name in ("raw_tokens", "raw_answers")),
        ("seed", ctypes.c_uint),
        ("lr", ctypes.c_float),
        *((name, ctypes.c_int) for name in ("terms", "left", "first_left", "right", "first_right")),
        *((name, ctypes.c_int) for name in ("rows", "columns", "words", "of_u", "of_v")),
    ]


def settings_of(spec: CouplingSpec, coupling: Coupling) -> tuple[Settings, np.ndarray]:
    """The settings of a specification, and the numbers of its coupling in float32: σ_k, samples row
    by row, or the words of a program.

    Raises EngineError where the kernel has not learned to do what the specification asks.
    """
    if spec.altered:
        raise EngineError("the kernel knows no order, filter or positions")
    if spec.has_parts:
        raise EngineError("the kernel knows F and f as the identity only")
    own = CouplingSpec.model_fields.keys() - PART_FIELDS  # which are activations in the kernel
    names = [field[0] for field in Settings._fields_]
    shared = {name: getattr(spec, name) for name in names if name in own}
    by_coupling, numbers = _of_coupling(coupling)
    settings = Settings(
        **shared,
        **by_coupling,
        inner=_index(ACTIVATIONS, spec.activation),
        outer=_index(ACTIVATIONS, spec.activation_out),
        siren=spec.init == "siren",
        soap=spec.optimizer == "soap",
        constant=spec.schedule == "constant",
        raw_tokens=spec.tokens == "raw",
        raw_answers=spec.answers == "raw",
    )
    return settings, numbers


def _of_coupling(coupling: Coupling) -> tuple[dict[str, int], np.ndarray]:
    if isinstance(coupling, Designed):
        sides = {
            "left": _index(FUNCTIONS, coupling.left),
            "first_left": BASES[coupling.left].first_index("left"),
            "right": _index(FUNCTIONS, coupling.right),
            "first_right": BASES[coupling.right].first_index("right"),
        }
        return {"terms": len(coupling.sigma), **sides}, np.asarray(coupling.sigma, np.float32)
    if isinstance(coupling, Samples):
        rows, columns = coupling.values.shape
        return {"rows": rows, "columns": columns}, coupling.values.astype(np.float32).ravel()
    if isinstance(coupling, Formula):
        words, of_u, of_v = program_of(coupling.expression)
        return {"words": len(words), "of_u": of_u, "of_v": of_v}, words
    raise EngineError(f"the kernel knows no coupling of the kind {type(coupling).__name__}")


def _index(known: tuple[str, ...], name: str) -> int:
    if name not in known:
        raise EngineError(f"the kernel does not know {name!r}")
    return known.index(name)
