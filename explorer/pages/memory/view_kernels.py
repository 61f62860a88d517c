"""The best log and lin heads for a kernel ρ(s), without training: one of the memory paper's, or any
that a reader wants."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import numpy as np

from explorer.slow import pd
from explorer.spec import EssentialMemorySpec
from explorer.targets.memory import kernel_of
from explorer.targets.memory.falling import LAGS, PAPERS_OWN, Kernel, rho
from explorer.theory.best_heads import MOST, Best, Falling, best_of_each
from explorer.views.text import ROUNDING, number

ENCODINGS: tuple[Falling, ...] = ("log", "lin")
LEAST = 1e-6  # of ρ that is drawn
DRAWN = 120  # lags at most that are drawn


@lru_cache(maxsize=64)
def _best(kernel: Kernel, length: int, encoding: Falling) -> tuple[Best, ...]:
    return best_of_each(rho(kernel, length), MOST, encoding)


def best(kernel: Kernel, encoding: Falling) -> tuple[Best, ...]:
    """The best 1, 2, … 8 heads for a kernel."""
    return _best(kernel.plain(), LAGS, encoding)


def best_of_spec(spec: EssentialMemorySpec) -> Best:
    """The best heads, as many as a specification has, of its encoding and for its kernel."""
    kernel = Kernel(spec.fall, spec.exponent, spec.time).plain()
    return _best(kernel, len(kernel_of(spec)), cast(Falling, spec.encoding))[spec.heads - 1]


def _rounded(error: float) -> float:
    return 0.0 if error < ROUNDING else error


def errors(kernel: Kernel) -> pd.DataFrame:
    """encoding, heads, error: ‖ρ − κ‖² / ‖ρ‖² of the best heads, 0 where it is rounding."""
    rows = [
        {"encoding": encoding, "heads": heads, "error": _rounded(optimum.error)}
        for encoding in ENCODINGS
        for heads, optimum in enumerate(best(kernel, encoding), 1)
    ]
    return pd.DataFrame(rows)


def curves(kernel: Kernel, heads: int) -> pd.DataFrame:
    """of ("ρ", "2 log heads", …), s, value: the kernel and its best approximations, at distances
    even on a log axis, as far as ρ is not too small to be drawn."""
    exact = rho(kernel)
    size = np.abs(exact)
    last = int(np.flatnonzero(size >= LEAST * size.max())[-1]) + 1
    s = np.unique(np.geomspace(1, max(2, last), DRAWN).round().astype(int))
    kernels = {"ρ": exact}
    for encoding in ENCODINGS:
        kernels[curve_name(encoding, heads)] = best(kernel, encoding)[heads - 1].kernel
    return pd.concat(
        [
            pd.DataFrame({"of": name, "s": s, "value": values[s - 1]})
            for name, values in kernels.items()
        ],
        ignore_index=True,
    )


def curve_name(encoding: str, heads: int) -> str:
    """What an approximation is called: "2 log heads"."""
    return f"{heads} {encoding} head{'s' * (heads > 1)}"


def sentence(kernel: Kernel, heads: int) -> str:
    """What the best heads of both encodings leave of a kernel."""
    name, verb = ("head", "leaves") if heads == 1 else ("heads", "leave")
    count = "" if heads == 1 else f"{heads} "
    told = {}
    for encoding in ENCODINGS:
        optimum = best(kernel, encoding)[heads - 1]
        left = _rounded(optimum.error)
        told[encoding] = (number(left) if left else "0 to rounding") + in_the_limit(optimum)
    return (
        f"Of ‖ρ‖² the best {count}log {name} {verb} {told['log']}, the best {count}lin {name} "
        f"{told['lin']}, found without training."
    )


LIMIT = " (in the limit of heads ever more alike)"
ALIKE = 1e-3  # share of p below which two of them are the same


def in_the_limit(optimum: Best) -> str:
    """What is added where heads coincide: no heads are as good, since their c grow without end."""
    return LIMIT * bool((np.diff(optimum.p) <= ALIKE * optimum.p[1:]).any())


def papers_own() -> str:
    """Why heads were not trained on the paper's own exponential."""
    left = number(best(PAPERS_OWN, "log")[0].error)
    return (
        f"The paper has $e^{{-5s}}$ instead (T = {PAPERS_OWN.time:g}), which tells the encodings "
        f"hardly apart: the best log head leaves {left}."
    )
