"""Linear targets y_t = Σ_{s≤t} ρ(s) x(t−s) (Eq. 69, 75), altered or not, and their kernels.

What the model sees is x̃ = x∘p, what it must answer y = K x̃: with T the lower triangular Toeplitz
matrix of ρ and Θ that of the filter, y = T Θ x, so K[t, j] = (T Θ)[t, p(j)].
"""

from dataclasses import dataclass, field

import numpy as np

from explorer.arrays import Array, constant, namespace
from explorer.coupling.formula import FormulaError, parse_expression
from explorer.coupling.typed import reason
from explorer.families import KERNELS
from explorer.spec import LinearSpec, LinearSweep, SpecError
from explorer.spec.alterations import LARGEST_TAP
from explorer.targets.alterations import Alteration, OfUniform, alteration_of, alteration_words
from explorer.targets.kind import Kind, nothing_more
from explorer.targets.linear import presets

SMALLEST = 1e-100
"""Entries of K that are all smaller have no usable square."""


class LinearError(SpecError):
    """A specification whose linear target cannot be built; the message says why."""


@dataclass(frozen=True)
class LinearTarget(OfUniform):
    """H with kernel ρ on sequences of length τ with entries in [0, 1], altered."""

    kernel: tuple[float, ...]
    """ρ(0) … ρ(τ−1)."""
    alteration: Alteration
    matrix: np.ndarray = field(init=False, repr=False, compare=False)
    """K (τ, τ): y = K x̃, rows t, columns the places of x̃. Read-only."""

    def __post_init__(self) -> None:
        if len(self.kernel) != self.tau:
            raise ValueError(f"kernel has {len(self.kernel)} values, tau is {self.tau}")
        matrix = toeplitz(np.array(self.kernel)) @ self.alteration.filter_matrix()
        if self.alteration.order is not None:
            matrix = matrix[:, list(self.alteration.order)]
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)

    def answer(self, x: Array) -> Array:
        """y = H(θ*x) of the original x: (…, τ) → (…, τ)."""
        transposed = namespace(x).matrix_transpose(constant(self.matrix, x))
        return self.seen(self.inputs(x)) @ transposed


def linear_target(spec: LinearSpec) -> LinearTarget:
    """The target of a specification.

    Raises LinearError where its kernel cannot be built, or nothing of it is left in the window.
    """
    target = LinearTarget(tuple(kernel_of(spec).tolist()), alteration_of(spec))
    if not np.abs(target.matrix).max() > SMALLEST:
        raise LinearError(
            f"kernel: with this filter nothing above {SMALLEST:g} is left to be learned"
            if spec.filter
            else f"kernel: no ρ(s) is above {SMALLEST:g} in size"
        )
    return target


def kernel_of(spec: LinearSpec) -> np.ndarray:
    """ρ(s) at s = 0 … τ−1, (τ,) float64; raises LinearError for a formula that is refused."""
    s = np.arange(spec.tau, dtype=np.float64)
    kernel = KERNELS[spec.kernel]
    return kernel.rho(s, **kernel.read(spec)) if kernel.rho else _by_formula(spec.formula or "", s)


def toeplitz(kernel: np.ndarray) -> np.ndarray:
    """T[t, j] = ρ(t−j) for j ≤ t and 0 above: (τ,) → (τ, τ)."""
    lag = np.subtract.outer(np.arange(len(kernel)), np.arange(len(kernel)))
    return np.where(lag >= 0, kernel[np.maximum(lag, 0)], 0.0)


def _by_formula(text: str, s: np.ndarray) -> np.ndarray:
    try:
        rho = parse_expression(text, ("s",))(s)
    except FormulaError as error:
        why = reason(text, error, ("s",))
        raise LinearError(f"formula = {text[:60]!r}: {why}") from None
    bad = np.flatnonzero(~(np.abs(rho) <= LARGEST_TAP))
    if len(bad):
        raise LinearError(
            f"formula = {text[:60]!r}: gives {rho[bad[0]]:.6g} at s = {bad[0]}; it must be finite "
            f"and at most {LARGEST_TAP:g} in size for s = 0 to {len(s) - 1}"
        )
    if not rho.any():
        raise LinearError(f"formula = {text[:60]!r}: 0 for every s; there is nothing to learn")
    return np.array(rho)


def linear_words(spec: LinearSpec) -> str:
    """What a specification learns, in a few words."""
    family = KERNELS[spec.kernel]
    kernel = family.words(**family.read(spec))
    more = f"conv {spec.conv}" if spec.conv else ""
    model = f"RNN of {spec.hidden}" if spec.model == "rnn" else "Transformer"
    parts = [kernel, f"τ = {spec.tau}", *alteration_words(spec), model, more]
    return ", ".join(part for part in parts if part)


KIND = Kind(
    Spec=LinearSpec,
    Sweep=LinearSweep,
    build=lambda spec, _: linear_target(spec),
    check=nothing_more,
    words=linear_words,
    presets=presets.PRESETS,
    sweeps=presets.SWEEPS,
)
