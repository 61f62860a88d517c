"""y_t = Σ ρ(s) x(t−s), as a matrix on what the model sees.

target      and its KIND
presets     ready specifications and sweeps
"""

from explorer.targets.linear.target import (
    KIND,
    LinearError,
    LinearTarget,
    kernel_of,
    linear_target,
    toeplitz,
)
