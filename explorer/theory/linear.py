"""What a linear map y = K x̃ leaves to each kind of model, exactly and without training.

The entries of x̃ are independent with mean 1/2 and variance 1/12, the error is averaged over t:

    any causal model         (1/12τ) Σ_{s>t} K[t,s]²: the entries it has not seen yet
    linear, time-invariant   (1/12τ) ‖K − T(k)‖², k(s) the mean of K over its s-th subdiagonal
    constant, per step       (1/12τ) ‖K‖²
    one constant             the same, and the variance of E y_t over t: Var(y) of the metrics

The first three have an offset for each step t, which takes care of the means. Since the entries are
independent, the best causal model is the linear one: E[y_t | x̃(0) … x̃(t)].
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from explorer.families import KERNELS
from explorer.spec import LinearSpec
from explorer.targets import alteration_of, kernel_of, linear_target, toeplitz

MEAN, VARIANCE = 1 / 2, 1 / 12  # of x ~ U[0, 1]


@dataclass(frozen=True, eq=False)
class LinearFloors:
    """Mean squared errors in units of y, averaged over the τ steps."""

    causal: float
    """Of the best causal model of any kind, an RNN among them."""
    time_invariant: float
    """Of the best causal kernel that is the same at every step, with an offset per step."""
    constant: float
    """Of one constant for all steps: Var(y), by which nmse is measured."""
    constant_per_step: float
    """Of a constant for each step."""
    kernel: np.ndarray
    """The best time-invariant kernel k(s), (τ,)."""


def linear_floors(matrix: np.ndarray) -> LinearFloors:
    """The floors of y = K x̃, K (τ, τ) with rows t; raises ValueError for another shape."""
    tau = len(matrix)
    if matrix.shape != (tau, tau):
        raise ValueError(f"K must be square, got {matrix.shape}")
    kernel = subdiagonal_means(matrix)
    share = VARIANCE / tau
    per_step = share * float(np.sum(matrix**2))
    return LinearFloors(
        causal=share * float(np.sum(np.triu(matrix, 1) ** 2)),
        time_invariant=share * float(np.sum((matrix - toeplitz(kernel)) ** 2)),
        constant=per_step + float(np.var(MEAN * matrix.sum(axis=1))),
        constant_per_step=per_step,
        kernel=kernel,
    )


def subdiagonal_means(matrix: np.ndarray) -> np.ndarray:
    """Means over the main diagonal and those below it: (τ, τ) → (τ,)."""
    lag = np.subtract.outer(np.arange(len(matrix)), np.arange(len(matrix)))
    below = lag >= 0
    sums = np.bincount(lag[below], matrix[below], len(matrix))
    return sums / np.arange(len(matrix), 0, -1)


@dataclass(frozen=True)
class RnnComplexity:
    """Eq. 76 to 78 for a kernel on a window of τ steps, whose decay length γ is known or not.

    γ = inf{β > 0: e^{t/β}|ρ(t)| → 0} needs ρ beyond the window: 1/rate for e^{-rate·s}, ∞ for power
    laws and random kernels, 0 for a kernel that ends.
    """

    c_1: float
    """γ; Prop. 6.3 needs this reading."""
    c_2: float
    """sup_t e^{t/C₁}|ρ(t)| over the window."""
    c_1_printed: float
    """1 + γ, as Eq. 76 has it: then even γ → 0 leaves C₁ = 1, and C_RNN ≤ γ cannot hold."""
    c_2_printed: float
    windowed: float
    """min_β β sup_{t<τ} e^{t/β}|ρ(t)|: finite for every kernel, and γ for e^{-s/γ}."""

    @property
    def c_rnn(self) -> float:
        """C₁·C₂ (Eq. 78) in the corrected reading."""
        return _product(self.c_1, self.c_2)

    @property
    def c_rnn_printed(self) -> float:
        """C₁·C₂ as printed."""
        return _product(self.c_1_printed, self.c_2_printed)


def rnn_complexity(kernel: np.ndarray, decay_length: float) -> RnnComplexity:
    """The measures of a kernel (τ,) whose |ρ| falls like e^{-t/γ} beyond the window.

    Raises ValueError for a negative γ.
    """
    if not decay_length >= 0:
        raise ValueError(f"decay length {decay_length}: must be 0 or more, or inf")
    printed = 1 + decay_length
    return RnnComplexity(
        c_1=decay_length,
        c_2=_magnitude(kernel, decay_length),
        c_1_printed=printed,
        c_2_printed=_magnitude(kernel, printed),
        windowed=windowed_complexity(kernel),
    )


def windowed_complexity(kernel: np.ndarray) -> float:
    """min_β β·max_t e^{t/β}|ρ(t)| over the window, (τ,); 0 where only ρ(0) differs from 0.

    With b = 1/β its logarithm −log b + max_t (t b + log|ρ(t)|) is convex, so the minimum is found
    where the greatest line's slope crosses 1/b: at b = 1/t of some t, or where two lines meet.
    """
    t = np.flatnonzero(kernel).astype(np.float64)
    if not len(t) or t[-1] == 0:
        return 0.0
    height = np.log(np.abs(kernel[t.astype(int)]))
    rise = np.subtract.outer(t, t)
    with np.errstate(divide="ignore", invalid="ignore"):
        meet = -np.subtract.outer(height, height) / rise
    b = np.concatenate([1 / t[t > 0], meet[np.isfinite(meet) & (meet > 0)]])
    return float(np.exp(np.min(-np.log(b) + np.max(t * b[:, None] + height, axis=1))))


def _magnitude(kernel: np.ndarray, c_1: float) -> float:
    """sup_t e^{t/C₁}|ρ(t)|, in logarithms; ∞ where C₁ = 0 and ρ does not end at once."""
    t = np.flatnonzero(kernel)
    if c_1 == 0:
        return math.inf if t.any() else float(np.abs(kernel[0]))
    logs = t / c_1 + np.log(np.abs(kernel[t]))
    with np.errstate(over="ignore"):
        return float(np.exp(np.max(logs, initial=-math.inf)))


def _product(c_1: float, c_2: float) -> float:
    return math.inf if math.isinf(c_2) else c_1 * c_2


def decay_length_of(spec: LinearSpec) -> float | None:
    """γ of the kernel by its family: 1/rate, ∞ or 0; None where nobody knows, as of a formula."""
    kernel = KERNELS[spec.kernel]
    return kernel.decay_length(**kernel.read(spec)) if kernel.decay_length else None


def complexity_of(spec: LinearSpec) -> Mapping[str, Mapping[str, float]]:
    """The measures of a specification's kernel `before` and `after` it is altered.

    After: of the kernel θ*ρ of a filter that reads nothing ahead, which is its first column;
    another filter or an order leaves no kernel, the target is no longer one of Eq. 75 (Prop. 6.1)
    and every measure is ∞. The decay of a formula is fitted on the window. Keys: c_1, c_2, c_rnn,
    those as printed, windowed.
    """
    kernel = kernel_of(spec)
    gamma = decay_length_of(spec)
    gamma = fitted_decay_length(kernel) if gamma is None else gamma
    measures = {"before": _named(rnn_complexity(kernel, gamma))}
    alteration = alteration_of(spec)
    if not (alteration.reorders or alteration.reads_ahead):
        after = linear_target(spec).matrix[:, 0]
        return measures | {"after": _named(rnn_complexity(after, gamma))}
    return measures | {"after": dict.fromkeys(measures["before"], math.inf)}


def fitted_decay_length(kernel: np.ndarray) -> float:
    """γ of the line that fits log|ρ(t)| over the entries above rounding; ∞ if it does not fall."""
    t = np.flatnonzero(np.abs(kernel) > 1e-14 * np.abs(kernel).max())
    if len(t) < 2:
        return 0.0
    slope = np.polyfit(t, np.log(np.abs(kernel[t])), 1)[0]
    return -1 / slope if slope < -1e-9 else math.inf


def _named(complexity: RnnComplexity) -> dict[str, float]:
    return asdict(complexity) | {
        "c_rnn": complexity.c_rnn,
        "c_rnn_printed": complexity.c_rnn_printed,
    }
