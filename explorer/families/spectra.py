"""Spectra σ_1, σ_2, … of a designed coupling: by a law in k, or one by one.

    power        c k^-α          what Theorem 4.1 speaks of (Eq. 12)
    exponential  c δ^(k−1)
    list         as given

All that Python knows of a spectrum stands in its `Spectrum` here; a new one is one more in SPECTRA.
What the browser draws of a law while it is dragged stands in ui/components/design/laws.js.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from explorer.families.family import Family, table

Tail = Literal["power", "faster", "unknown"]
"""How σ_k falls: as k^-α, α being the field `alpha`; faster than any power; or nobody knows."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A number in a law, and how far a page lets a reader move it; specifications allow more."""

    field: str
    """Its name in a specification."""
    label: str
    low: float
    high: float
    step: float
    help: str


@dataclass(frozen=True, eq=False, kw_only=True)
class Law:
    """σ_k = c·e^(slope·x_k) with x_1 = 0: in logarithms a straight line over x, which is fitted to
    other spectra and turned by one parameter."""

    parameter: str
    """The field that turns the line."""
    x: Callable[[np.ndarray], np.ndarray]
    """x_k of k = 1, 2, …: (K,) → (K,)."""
    value: Callable[[float], float]
    """The parameter of a slope."""
    words: Callable[[float, str], str]
    """What the line's parameter is, and "=" or "≈" before the number."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Spectrum(Family):
    """A way to give σ_1, σ_2, …; it is cut at the rank. The fields of a law have their sliders in
    PARAMETERS."""

    form: str
    """The formula in letters."""
    sigma: Callable[..., np.ndarray]
    """k (K,) = 1 … K, and its fields by name, → σ_k, (K,) or fewer, float64."""
    tex: Callable[..., str]
    """σ_k with the numbers of its fields, in TeX."""
    words: Callable[..., str]
    """The same in plain text."""
    tail: Tail
    law: Law | None
    """None where the σ_k are given one by one."""

    def __post_init__(self) -> None:
        unmoved = sorted({*self.fields} - {*PARAMETERS}) if self.law else []
        if unmoved:
            raise ValueError(f"{self.name}: no slider for {', '.join(unmoved)} in PARAMETERS")


ALPHA = Parameter(
    field="alpha",
    label="α, decay exponent",
    low=0.0,
    high=4.0,
    step=0.01,
    help=r"$\sigma_k=c\,k^{-\alpha}$. Theorem 4.1 then bounds the error by "
    r"$m_h^{-(2\alpha-1)}$ (in the squared error).",
)
DECAY = Parameter(
    field="decay",
    label="ratio σ_{k+1}/σ_k",
    low=0.05,
    high=0.95,
    step=0.01,
    help=r"$\sigma_k=c\cdot\mathrm{ratio}^{\,k-1}$",
)
FIRST = Parameter(
    field="c",
    label="c, first singular value",
    low=0.1,
    high=10.0,
    step=0.1,
    help="Large ones saturate softmax.",
)
PARAMETERS = {parameter.field: parameter for parameter in (ALPHA, DECAY, FIRST)}
"""Every number in a law by its field of a specification."""


def _times(c: float, sign: str) -> str:
    """The factor c before a formula; none where it is 1."""
    return "" if c == 1 else f"{c:g}{sign}"


POWER = Spectrum(
    name="power",
    title="power law",
    form="σ_k = c k^−α",
    fields=("alpha", "c"),
    sigma=lambda k, alpha, c: c * k**-alpha,
    tex=lambda alpha, c: _times(c, r"\,") + f"k^{{-{alpha:g}}}",
    words=lambda alpha, c: f"σ_k = {_times(c, '·')}k^−{alpha:g}",
    tail="power",
    law=Law(
        parameter="alpha",
        x=np.log,
        value=lambda slope: -slope,
        words=lambda alpha, about: f"−α {about} {-alpha:.2f}".replace("-", "−"),
    ),
)
EXPONENTIAL = Spectrum(
    name="exponential",
    title="exponential",
    form="σ_k = c δ^(k−1)",
    fields=("decay", "c"),
    sigma=lambda k, decay, c: c * decay ** (k - 1.0),
    tex=lambda decay, c: _times(c, r"\,") + rf"{decay:g}^{{\,k-1}}",
    words=lambda decay, c: f"σ_k = {_times(c, '·')}{decay:g}^(k−1)",
    tail="faster",
    law=Law(
        parameter="decay",
        x=lambda k: k - 1.0,
        value=math.exp,
        words=lambda decay, about: f"σ_(k+1)/σ_k {about} {decay:.2f}",
    ),
)
FREE_LIST = Spectrum(
    name="list",
    title="free list",
    form="listed σ_k",
    fields=("sigma",),
    sigma=lambda k, sigma: np.asarray(sigma, dtype=np.float64)[: len(k)],
    tex=lambda sigma: r"\sigma_k",
    words=lambda sigma: "free σ_k",
    tail="unknown",
    law=None,
)
SPECTRA = table("spectrum", ((each.name, each) for each in (POWER, EXPONENTIAL, FREE_LIST)))
"""Every spectrum by its name in a specification."""
