"""Targets of Eq. 8 with a coupling ρ on [0, 1]².

target      plain or altered, and its KIND
parts       maps of one number; features, f of several of them; outer, F; chosen, both of a target
presets     ready specifications and sweeps
"""

from explorer.targets.coupling.target import (
    KIND,
    AlteredTarget,
    CouplingTarget,
    altered_words,
    plain_target,
    softmax,
    stays_inside,
)
