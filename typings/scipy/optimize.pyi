from collections.abc import Callable, Mapping

import numpy as np

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
    max_nfev: int,
    xtol: float,
    ftol: float,
    gtol: float,
) -> OptimizeResult: ...
