"""Linear targets, y = K x̃."""

import math
from functools import lru_cache
from typing import Any

from explorer.coupling import GridLoader
from explorer.pages.order.view_kinds.view import OrderView
from explorer.spec import KERNEL_FIELDS, LinearSpec
from explorer.targets import LinearTarget, kernel_of, linear, linear_target
from explorer.theory.linear import complexity_of
from explorer.theory.propositions import proposition_61, proposition_63

RHO = tuple(name for name in KERNEL_FIELDS if name not in ("target", "tau"))
"""The fields of a specification that make ρ."""


@lru_cache(maxsize=512)
def _target(spec: LinearSpec) -> LinearTarget:
    return linear_target(spec)


def _check(spec: LinearSpec, load_grid: GridLoader | None) -> None:
    linear_target(spec)


def _kernel(spec: LinearSpec) -> dict[str, Any]:
    decay = complexity_of(spec)["before"]["c_1"]
    return {
        "kernel": kernel_of(spec).tolist(),
        "rho": {name: getattr(spec, name) for name in RHO},
        "decay": decay if math.isfinite(decay) else None,
    }


def _printed(spec: LinearSpec) -> tuple[Any, Any] | None:
    other = spec.kernel == "exponential" and spec.rate != 1
    if spec.tau != 32 or spec.filter is not None or other:
        return None
    return spec.kernel, spec.permutation


VIEW = OrderView[LinearSpec](
    kind=linear.KIND,
    check=_check,
    learned=_target,
    matrix=lambda spec: _target(spec).matrix,
    kernel=_kernel,
    printed=_printed,
    propositions=lambda spec, rnns, second: [
        proposition_61(spec, rnns),
        second,
        proposition_63(spec),
    ],
)
