"""Which architecture remembers the kernel of the Order page, and how large it must be."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from explorer.families import KERNELS
from explorer.slow import pd
from explorer.spec import LinearSpec, amended
from explorer.targets import kernel_of, linear_target
from explorer.theory.architectures import ARCHITECTURES, Points, Remembered, compared

ERRORS = (0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6)
"""Shares of ‖ρ‖² to choose from, a place on the picture each."""
FOUND, BOUND = "found", "no model is below"
DRAWN = 1e-8
"""Errors below are drawn as 0: nothing is trained so far."""
SHOWN = 1e-6
"""Singular values below this share of the largest one are not drawn."""
READING = (
    "Each makes the kernel in its own way: an RNN of n states by n exponentials, which may grow, "
    "as the window ends; a dilated CNN by a product of matrices that the bits of s choose, a "
    "tensor train whose bonds are its channels; heads by distance by softmax(−pφ(s)); and a head "
    "of width m with positions by the softmax of a polynomial of degree m in the lag, others of "
    "that width not being searched. *Bound*: no model below the first size is so good; *found*: "
    "some model is; *exact*: both. The error is that of the last answer, which sees all of ρ, for "
    "inputs of mean 0. Targets that are not linear have no such spectra."
)
SHORT = {
    "rnn": "linear RNN or SSM",
    "cnn": "dilated CNN",
    "attention": "attention with positions",
    "log_heads": "log heads",
    "lin_heads": "lin heads",
}


def kernel_shown(spec: LinearSpec) -> np.ndarray:
    """The kernel (τ,) that is to be remembered: θ∗ρ of a causal filter, else ρ. An order leaves no
    kernel, and is left aside."""
    if spec.filter is not None and spec.filter_mode == "causal":
        return linear_target(amended(spec, permutation=None)).matrix[:, 0]
    return kernel_of(spec)


def by_architecture(spec: LinearSpec) -> dict[str, Remembered]:
    """What each architecture makes of that kernel."""
    return compared_once(tuple(kernel_shown(spec).tolist()))


@lru_cache(maxsize=32)
def compared_once(kernel: tuple[float, ...]) -> dict[str, Remembered]:
    """`compared` of a kernel: the search takes half a second; the page asks at every rerun."""
    return compared(np.array(kernel))


def states_for_ever(spec: LinearSpec) -> int | None:
    """ℓ + 1 for a family of kernels whose last tap is ρ(ℓ): the rank of its Hankel matrix on
    sequences of any length. None for kernels that go on, and for what nobody knows beyond τ."""
    family = KERNELS[spec.kernel]
    if family.rho is None or spec.filter is not None:
        return None
    beyond = family.rho(np.arange(2.0 * spec.tau), **family.read(spec))[spec.tau :]
    return None if beyond.any() else int(np.flatnonzero(kernel_of(spec))[-1]) + 1


# In words


def sentence(spec: LinearSpec, error: float) -> str:
    """How large each architecture must be."""
    enough: dict[str, list[str]] = {}
    too_few: dict[str, list[str]] = {}
    for name, one in by_architecture(spec).items():
        reached = one.need(error).size[1] is not None
        size = _size_text(spec, name, error) if reached else _sized(name, f"{one.best.size[-1]}")
        told = enough if reached else too_few
        told.setdefault(ARCHITECTURES[name].title, []).append(size)
    family = KERNELS[spec.kernel]
    named = family.words(**family.read(spec)).partition(" = ")[0]  # a formula stands on the page
    text = f"For {named} to {100 * error:g} % of ‖ρ‖²"
    return text + _listed(", enough", enough) + _listed(". Not enough", too_few) + "."


def _listed(what: str, sizes: dict[str, list[str]]) -> str:
    """ ". Not enough: attention by distance of 8 log heads or 8 lin heads"."""
    parts = [f"{title} of {' or '.join(each)}" for title, each in sizes.items()]
    return f"{what}: {', '.join(parts)}" if parts else ""


def fewest(spec: LinearSpec, error: float) -> str:
    """The architectures of the fewest parameters that were found; empty where none was."""
    needs = {name: one.need(error).parameters[1] for name, one in by_architecture(spec).items()}
    least = min((count for count in needs.values() if count is not None), default=None)
    names = [SHORT[name] for name, count in needs.items() if count == least]
    listed = " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
    return f"Fewest parameters found: {least}, {listed}." if least else ""


def _size_text(spec: LinearSpec, name: str, error: float) -> str:
    """ "27 states (38 to be exact at any length)"."""
    low, high = by_architecture(spec)[name].need(error).size
    text = _sized(name, f"{low}" if low == high else f"{low} to {high}")
    whole = states_for_ever(spec) if name == "rnn" else None
    return text if whole in (None, high) else f"{text} ({whole} to be exact at any length)"


def _sized(name: str, size: str) -> str:
    return ARCHITECTURES[name].unit[size != "1"].format(size)


def notes(spec: LinearSpec) -> str:
    """What else there is to say of this kernel."""
    return " ".join(one.note for one in by_architecture(spec).values() if one.note)


# As tables


def sizes(spec: LinearSpec, error: float) -> pd.DataFrame:
    """architecture, size, parameters and how they are known, for an error."""
    rows = []
    for name, one in by_architecture(spec).items():
        need = one.need(error)
        most = f"more than {_sized(name, str(one.best.size[-1]))}"
        size = _size_text(spec, name, error) if need.size[1] else most
        count = " to ".join(dict.fromkeys(str(n or "?") for n in need.parameters))
        rows.append(
            {"architecture": SHORT[name], "size": size, "parameters": count, "how": need.how}
        )
    return pd.DataFrame(rows)


def errors(spec: LinearSpec) -> pd.DataFrame:
    """architecture, what (found or a bound), parameters, size, error; 0 below DRAWN. A curve has a
    line wherever its error falls, and its last one; of equal bounds the first is there."""
    rows: list[dict[str, Any]] = []
    bounds: set[bytes] = set()
    for name, one in by_architecture(spec).items():
        rows += _curve(name, FOUND, one.best)
        key = one.bound.error.tobytes()
        if key not in bounds and one.bound.error[0] > 0:
            rows += _curve(name, BOUND, one.bound)
        bounds.add(key)
    return pd.DataFrame(rows)


def _curve(name: str, what: str, points: Points) -> list[dict[str, Any]]:
    error = np.where(points.error < DRAWN, 0.0, points.error)
    falls = np.append(True, np.diff(error) < 0)
    falls[-1] |= error[-1] > 0
    return [
        {
            "architecture": SHORT[name],
            "what": what,
            "size": int(points.size[i]),
            "parameters": int(points.parameters[i]),
            "error": float(error[i]),
        }
        for i in np.flatnonzero(falls)
    ]


def spectra(spec: LinearSpec) -> pd.DataFrame:
    """panel, k, series, value > 0: the singular values of each architecture over their largest one;
    where there are none, what the size k leaves of ‖ρ‖²."""
    rows: list[dict[str, Any]] = []
    for name, one in by_architecture(spec).items():
        for j, sigma in enumerate(one.spectra, start=1):
            series = f"{j}" if len(one.spectra) > 1 else "σ"
            title, values = ARCHITECTURES[name].spectrum, sigma / max(sigma[0], 1e-300)
            rows += _values(title, series, range(1, len(sigma) + 1), values)
        if not one.spectra:
            title = f"{ARCHITECTURES[name].title}: error left"
            rows += _values(title, SHORT[name], one.best.size, one.best.error)
    return pd.DataFrame(rows)


def _values(panel: str, series: str, k: Iterable[int], values: np.ndarray) -> list[dict[str, Any]]:
    return [
        {"panel": panel, "k": int(at), "series": series, "value": float(value)}
        for at, value in zip(k, values, strict=True)
        if value >= SHOWN
    ]


# For the command line


def answer(spec: LinearSpec, error: float) -> dict[str, Any]:
    """All of it as JSON."""
    told = {
        name: {
            **one.need(error)._asdict(),
            "found": _plain(one.best),
            "bound": _plain(one.bound),
            "spectra": [sigma.tolist() for sigma in one.spectra],
            "note": one.note,
        }
        for name, one in by_architecture(spec).items()
    }
    return {
        "tau": spec.tau,
        "kernel": kernel_shown(spec).tolist(),
        "error": error,
        "architectures": told,
        "states_at_any_length": states_for_ever(spec),
        "sentence": f"{sentence(spec, error)} {fewest(spec, error)}",
    }


def _plain(points: Points) -> dict[str, list[float]]:
    return {name: values.tolist() for name, values in points._asdict().items()}
