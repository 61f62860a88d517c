"""The best log and lin heads for a kernel that falls, without training: shipped where the memory
paper has the kernel, found at once for any other."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import cast

import numpy as np
import pandas as pd

from explorer.spec import EssentialMemorySpec, MemorySpec, amended
from explorer.targets.memory import kernel_of
from explorer.theory.memory import Best, Falling, best_heads, kernel
from explorer.views.sweeps import ASSETS
from explorer.views.text import ROUNDING, number

SOUGHT = 8  # heads at most whose best approximation is sought
FILE = ASSETS / "memory-best.npz"
ENCODINGS: tuple[Falling, ...] = ("log", "lin")
PLAIN = EssentialMemorySpec(model="heads", tau=1000, encoding="log")
PAPER = (PLAIN, amended(PLAIN, fall="exponential"))
"""ρ of the memory paper: s^−0.5 and e^(−s/20), 1000 lags each."""
LEAST = 1e-6  # of ρ that is drawn
DRAWN = 120  # lags at most that are drawn


def best_of_spec(spec: MemorySpec) -> Best:
    """The best heads, as many as a specification has, of its encoding and for its kernel."""
    own = cast(EssentialMemorySpec, spec)
    parameter = own.exponent if own.fall == "power" else own.time
    return best(own.fall, parameter, own.tau, own.heads, cast(Falling, own.encoding))


@lru_cache(maxsize=256)
def best(fall: str, parameter: float, tau: int, heads: int, encoding: Falling) -> Best:
    """See `theory.memory.best_heads`; takes up to a second where it is not shipped."""
    spec = _spec(fall, parameter, tau)
    return _shipped(spec, heads, encoding) or best_heads(kernel_of(spec), heads, encoding)


def _spec(fall: str, parameter: float, tau: int) -> EssentialMemorySpec:
    name = "exponent" if fall == "power" else "time"
    return amended(PLAIN, fall=fall, tau=tau, **{name: parameter})


def _shipped(spec: EssentialMemorySpec, heads: int, encoding: Falling) -> Best | None:
    if spec not in PAPER or not FILE.is_file():
        return None
    p, c, rest = (_file()[f"{spec.fall}-{encoding}-{heads}-{part}"] for part in ("p", "c", "rest"))
    return Best(p, c, bool(rest[0]), float(rest[1]))


@lru_cache(maxsize=1)
def _file() -> dict[str, np.ndarray]:
    with np.load(FILE) as kept:
        return dict(kept)


def best_file() -> bytes:
    """What is shipped: p, c, and whether they coincide with the error, of every number of heads."""
    arrays: dict[str, np.ndarray] = {}
    for spec in PAPER:
        for encoding in ENCODINGS:
            for heads in range(1, SOUGHT + 1):
                found = best_heads(kernel_of(spec), heads, encoding)
                name = f"{spec.fall}-{encoding}-{heads}"
                rest = np.array([found.coincide, found.error])
                arrays |= {f"{name}-p": found.p, f"{name}-c": found.c, f"{name}-rest": rest}
    file = io.BytesIO()
    np.savez_compressed(file, allow_pickle=False, **arrays)
    return file.getvalue()


def errors(spec: EssentialMemorySpec) -> pd.DataFrame:
    """encoding, heads, error: ‖ρ − κ‖² / ‖ρ‖² of the best heads, 0 where it is rounding."""
    rows = [
        {"encoding": encoding, "heads": heads, "error": 0.0 if error < ROUNDING else error}
        for encoding in ENCODINGS
        for heads in range(1, SOUGHT + 1)
        if (error := best_of_spec(amended(spec, encoding=encoding, heads=heads)).error) is not None
    ]
    return pd.DataFrame(rows)


def curves(spec: EssentialMemorySpec, heads: int) -> pd.DataFrame:
    """of ("ρ", "2 log heads", …), s, value: the kernel and its best approximations, at distances
    even on a log axis, as far as ρ is not too small to be drawn."""
    rho = kernel_of(spec)
    s = np.unique(np.geomspace(1, len(rho), DRAWN).round().astype(int))
    s = s[rho[s - 1] >= LEAST * rho[0]]
    found = {"ρ": rho}
    for encoding in ENCODINGS:
        of = best_of_spec(amended(spec, encoding=encoding, heads=heads))
        found[curve_name(encoding, heads)] = kernel(of, len(rho), encoding)
    return pd.concat(
        [
            pd.DataFrame({"of": name, "s": s, "value": values[s - 1]})
            for name, values in found.items()
        ],
        ignore_index=True,
    )


def curve_name(encoding: str, heads: int) -> str:
    """What an approximation is called: "2 log heads"."""
    return f"{heads} {encoding} head{'s' * (heads > 1)}"


def sentence(spec: EssentialMemorySpec, heads: int) -> str:
    """What the best heads of both encodings leave of a kernel."""
    left = {
        encoding: best_of_spec(amended(spec, encoding=encoding, heads=heads)).error
        for encoding in ENCODINGS
    }
    told = {
        encoding: "0, it is exact" if error < ROUNDING else number(error)
        for encoding, error in left.items()
    }
    return (
        f"The best {curve_name('log', heads)} leave {told['log']}, the best "
        f"{curve_name('lin', heads)} {told['lin']} of ‖ρ‖², found without training."
    )
