"""Values in the past: at fixed lags, where tokens point, by a kernel.

target      and KINDS
falling     kernels that fall, and what is shipped of them
presets     ready specifications and sweeps
"""

from explorer.targets.memory.target import (
    ADAPTIVE_KIND,
    ESSENTIAL_KIND,
    FIXED_KIND,
    INDUCTION_KIND,
    KINDS,
    AdaptiveMemory,
    EssentialMemory,
    FixedMemory,
    Memory,
    MemoryKind,
    kernel_of,
)
