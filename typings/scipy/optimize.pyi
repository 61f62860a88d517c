from collections.abc import Callable, Mapping

import numpy as np

class ScalarResult:
    x: float

def minimize_scalar(
    fun: Callable[[float], float],
    *,
    bounds: tuple[float, float],
    method: str,
    options: Mapping[str, float],
) -> ScalarResult: ...

class OptimizeResult:
    x: np.ndarray

def minimize(
    fun: Callable[[np.ndarray], tuple[float, np.ndarray]],
    x0: np.ndarray,
    *,
    jac: bool,
    method: str,
    options: Mapping[str, float],
) -> OptimizeResult: ...
def least_squares(
    fun: Callable[[np.ndarray], np.ndarray],
    x0: np.ndarray,
    jac: Callable[[np.ndarray], np.ndarray],
    *,
    bounds: tuple[float, float] = ...,
    max_nfev: int = ...,
    method: str = ...,
    xtol: float = ...,
    ftol: float = ...,
    gtol: float = ...,
) -> OptimizeResult: ...

class LinprogResult:
    fun: float

def linprog(
    c: np.ndarray, A_ub: list[list[float]], b_ub: list[float], *, bounds: list[tuple[None, None]]
) -> LinprogResult: ...
