"""Other (F, f, ρ) of one H: what C₀, C₁ and C₂, the infima of Eqs. 12 to 15, are the infima over.

    gauge      ρ + γ g(u)             softmax does not see it
    scale      F(s·), f/s             s ≥ 1
    shift      F(· + b), f − b        the weights sum to 1
    rotation   F∘R⁻¹, R f             R turns two features of several
    monotone   h(ρ)                   h increasing, at T → 0, where the largest ρ alone counts

Along the gauge every σ_k is least at γ = 0, the centred ρ: with K that coupling, K 1 = 0, and

    (K + γ g⊗1)(K + γ g⊗1)* = K K* + γ² g⊗g

has no eigenvalue below that of K K* (Weyl). So C₁ and every tail of the σ_k are least there. The
POD is the SVD of

    [diag σ   γ ⟨φ_k, g⟩]        in φ_1 … φ_r, g⊥/‖g⊥‖ on the left and ψ_1 … ψ_r, 1 on the right,
    [0        γ ‖g⊥‖   ]        g⊥ what no φ_k has of g,

and Barron's constant of a sum is at most that of its terms.

F∘s has s C_FF(F) on an interval as long as the values of f had, where f/s stays for s ≥ 1: the sum
s C_FF(F) + C_FF(f)/s is least at s = (C_FF(f)/C_FF(F))^½, or at 1. K_F ‖f‖_∞ stays. Under a shift
C_FF, blind to constants, stays; ‖f − b‖_∞ is least in the middle of the values of f. Of several
features b lies on the line through 0 and the middle of their box.

A rotation leaves K_F, ‖f‖_∞ and C_FF(F) (outer.py), which know no axes, and moves what is known of
C_FF(f), the sum of its features' constants. One feature has no rotation but its sign.

h = (e^{λρ} − 1)/λ, times what keeps ‖ρ‖ of the centred ρ. Without that C₁ would have the infimum 0,
as ρ/n is as good as ρ there. Theorem 4.1 does not speak of T → 0.
"""

# A family may compute what another one fixes.
# pyright: reportIncompatibleVariableOverride=false

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from explorer.coupling.pod import quadrature
from explorer.coupling.spectra import tails
from explorer.targets.coupling import softmax
from explorer.targets.coupling.features import Features
from explorer.targets.coupling.parts import InNumbers, Part
from explorer.theory.complexity import FINE, Complexity, complexity_0, complexity_2
from explorer.theory.design import Design
from explorer.theory.family import SEQUENCES, Family, Measures
from explorer.theory.least import Least, least
from explorer.theory.rates import complexity_1

NODES = 128, 288  # a side at least and at most, at which h(ρ) is decomposed
NOTHING = 1e-9  # a v-mean below it is rounding


@dataclass(frozen=True, eq=False)
class Gauge(Family):
    """ρ + γ g(u), ‖g‖ = 1: g is the v-mean of ρ as it is written, 1 where that is 0."""

    letter = "γ"
    form = r"F,\; f,\; \rho(u,v)+\gamma\,g(u)"

    @property
    def ends(self) -> tuple[float, float]:
        most = max(2 * float(self.modes.sigma[0]), 1.25 * self.written)
        return -most, most

    @cached_property
    def written(self) -> float:
        """The γ of ρ as it is written: the norm of its v-mean."""
        norm = float(np.sqrt(self.modes.wu @ self._mean(self.modes.u) ** 2))
        return norm if norm > NOTHING else 0.0

    def _mean(self, u: np.ndarray) -> np.ndarray:
        """∫ ρ(u, v) dv, (…,) → (…,)."""
        modes = self.modes
        return self.design.coupling.integral(u, modes.v, modes.wv[:, None])[..., 0]

    def direction(self, u: np.ndarray) -> np.ndarray:
        """g(u), (…,) → (…,)."""
        return self._mean(u) / self.written if self.written else np.ones_like(u)

    def logits(self, position: float, x: np.ndarray) -> np.ndarray:
        """ρ as it is written is at γ = `written`."""
        gauge = (position - self.written) * self.direction(x)
        return super().logits(position, x) + gauge[..., None]

    @cached_property
    def _rank(self) -> int:
        return int((self.modes.sigma > self.modes.tolerance).sum())

    @cached_property
    def _seen(self) -> tuple[np.ndarray, float]:
        """⟨φ_k, g⟩ (r,) and ‖g⊥‖."""
        modes = self.modes
        along = (modes.phi[: self._rank] * modes.wu) @ self.direction(modes.u)
        rest = 1 - float(along @ along)
        return along, float(np.sqrt(rest)) if rest > NOTHING else 0.0

    def svd(self, position: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """σ_k above the tolerance (K,), and what φ_k and ψ_k have of those of the centred ρ, (r +
        1, K) each: of φ_1 … φ_r and g⊥, of ψ_1 … ψ_r and 1."""
        along, rest = self._seen
        r = self._rank
        core = np.zeros((r + 1, r + 1))
        core[:r, :r] = np.diag(self.modes.sigma[:r])
        core[:, r] = position * np.append(along, rest)
        left, sigma, right = np.linalg.svd(core)
        rank = int((sigma > self.modes.tolerance).sum())
        return sigma[:rank], left[:, :rank], right[:rank].T

    @cached_property
    def _fine(self) -> tuple[np.ndarray, np.ndarray]:
        """φ_1 … φ_r, g⊥/‖g⊥‖ and ψ_1 … ψ_r, 1 on FINE points, (FINE, r + 1) each."""
        x, r = np.linspace(0, 1, FINE), self._rank
        along, rest = self._seen
        phi, psi = self.modes.left(x)[:, :r], self.modes.right(x)[:, :r]
        apart = (self.direction(x) - phi @ along) / rest if rest else np.zeros(FINE)
        return np.column_stack([phi, apart]), np.column_stack([psi, np.ones(FINE)])

    def measures(self, position: float) -> Measures:
        sigma, left, right = self.svd(position)
        phi, psi = self._fine
        sup_phi, sup_psi = np.abs(phi @ left).max(axis=0), np.abs(psi @ right).max(axis=0)
        parts = self.design.target.parts
        return Measures(
            complexity_0(sup_phi, sup_psi, parts.k_outer * parts.sup_inner),
            complexity_1(sigma, self.complexity.exponent.alpha),
            np.sqrt(tails(sigma, self.modes.beyond)),
            self._c_2(left, right),
            self._parts,
        )

    def _c_2(self, left: np.ndarray, right: np.ndarray) -> np.ndarray | None:
        """Barron's constant is known of bases alone, of which g = 1 or g = φ_1 then is."""
        if self.complexity.barron is None:
            return None
        phi, psi, of_parts = self.complexity.barron
        along, rest = self._seen
        apart = float(np.abs(along) @ phi) / rest if rest else 0.0
        of_phi = np.abs(left).T @ np.append(phi, apart)
        return complexity_2(of_phi, np.abs(right).T @ np.append(psi, 0.0), of_parts)


@dataclass(frozen=True, eq=False)
class Scale(Family):
    """F∘s and f/s."""

    letter = "s"
    form = r"F(s\,\cdot),\; f/s,\; \rho"
    own = 1.0
    log = True
    moves_parts = True
    ends = (1.0, 16.0)

    def answer(self, position: float, x: np.ndarray) -> np.ndarray:
        parts, weights = self.design.target.parts, softmax(self.logits(position, x))
        return parts.outer(position * (weights @ (parts.inner(x) / position)))

    def measures(self, position: float) -> Measures:
        own, (outer, inner) = self._own, self._parts
        parts = position * outer, inner / position
        if own.c_2 is None:
            return own._replace(parts=parts)
        return own._replace(parts=parts, c_2=own.c_2 + sum(parts) - outer - inner)


@dataclass(frozen=True, eq=False)
class Shift(Family):
    """F(· + b) and f − b; of several features a position is the length of b."""

    letter = "b"
    form = r"F(\cdot+b),\; f-b,\; \rho"

    @cached_property
    def direction(self) -> np.ndarray:
        """Of b (q,), a unit vector; 1 of one feature."""
        middle = np.mean(self.design.target.parts.inner.ends, axis=1)
        size = float(np.linalg.norm(middle))
        return middle / size if len(middle) > 1 and size > NOTHING else np.eye(len(middle))[0]

    @property
    def ends(self) -> tuple[float, float]:
        along = self.design.target.parts.inner.values @ self.direction
        return min(float(along.min()), 0.0), max(float(along.max()), 0.0)

    def answer(self, position: float, x: np.ndarray) -> np.ndarray:
        parts, weights = self.design.target.parts, softmax(self.logits(position, x))
        b = position * self.direction
        return parts.outer(weights @ (parts.inner(x) - b) + b)

    def measures(self, position: float) -> Measures:
        parts = self.design.target.parts
        largest = parts.inner.within(position * self.direction)
        return self._own._replace(
            c_0=complexity_0(*self.complexity.suprema, parts.k_outer * largest)
        )


@dataclass(frozen=True, eq=False)
class Rotation(Family):
    """F∘R⁻¹ and R f, R a rotation of the first two features by the position."""

    letter = "θ"
    moves_parts = True
    form = r"F\circ R_\theta^{-1},\; R_\theta f,\; \rho"
    ends = (0.0, math.pi / 2)
    """A quarter turn, after which features have changed places and signs."""

    def turned(self, position: float) -> np.ndarray:
        """R (q, q); the identity of one feature."""
        rotation = np.eye(len(self.design.target.parts.inner.each))
        if len(rotation) > 1:
            cos, sin = math.cos(position), math.sin(position)
            rotation[:2, :2] = [[cos, -sin], [sin, cos]]
        return rotation

    def answer(self, position: float, x: np.ndarray) -> np.ndarray:
        parts, rotation = self.design.target.parts, self.turned(position)
        values = parts.inner(x) @ rotation.T
        return parts.outer(softmax(self.logits(position, x)) @ values @ rotation)

    def measures(self, position: float) -> Measures:
        own, (outer, inner) = self._own, self._parts
        barron = turned_features(self.design.target.parts.inner, self.turned(position)).barron
        of_f = math.nan if barron.value is None else barron.value
        c_2 = None if own.c_2 is None else own.c_2 + (of_f - inner)
        return own._replace(parts=(outer, of_f), c_2=c_2)


def turned_features(f: Features, rotation: np.ndarray) -> Features:
    """R f of R (q, q), without the features that are the same everywhere."""
    seen = f.values @ rotation.T
    rows = rotation[np.ptp(seen, axis=0) > NOTHING]
    return Features(tuple(_mixed(f, row) for row in rows))


def _mixed(f: Features, row: np.ndarray) -> Part:
    """A sum of features with the weights `row` (q,)."""
    at = int(np.argmax(row))
    own = row[at] == 1 and np.count_nonzero(row) == 1
    return f.each[at] if own else InNumbers(lambda x: f(x) @ row)


@dataclass(frozen=True, eq=False)
class Monotone(Family):
    """h(ρ) at T → 0; a position is λ times the range of ρ."""

    letter = "λ"
    form = r"F,\; f,\; h_\lambda(\rho)"
    hard = True
    ends = (-6.0, 6.0)

    @cached_property
    def _sampled(self) -> tuple[np.ndarray, np.ndarray]:
        """ρ and the square roots of the weights at the nodes, (N_u, N_v) each."""
        count = int(np.clip(len(self.modes.u), *NODES))
        u, wu, v, wv = quadrature(self.design.coupling, count)
        return self.design.coupling.matrix(u, v), np.sqrt(np.outer(wu, wv))

    @cached_property
    def _range(self) -> tuple[float, float]:
        rho, _ = self._sampled
        return float(rho.max()), float(np.ptp(rho)) or 1.0

    def mapped(self, position: float, rho: np.ndarray) -> np.ndarray:
        """h(ρ) but for its scale: (e^{λ(ρ − max ρ)} − 1)/λ, (…) → (…)."""
        most, spread = self._range
        rate = position / spread
        return np.expm1(rate * (rho - most)) / rate if rate else rho - most

    def logits(self, position: float, x: np.ndarray) -> np.ndarray:
        return self.mapped(position, super().logits(position, x))

    def _answered(self, logits: np.ndarray, x: np.ndarray) -> np.ndarray:
        parts = self.design.target.parts
        largest = logits.argmax(axis=-1)[..., None]
        return parts.outer(np.take_along_axis(parts.inner(x), largest, axis=-2))

    def soft(self, position: float) -> float:
        """max |H − H| at T = 1, where h(ρ) has another H."""
        x = np.random.default_rng(0).random((SEQUENCES, self.design.spec.tau))
        share = self._centred_norm(0.0) / self._centred_norm(position)
        pair = share * self.logits(position, x), self.logits(0.0, x)
        one, other = (Family._answered(self, logits, x) for logits in pair)
        return float(np.abs(one - other).max())

    def _centred(self, position: float) -> np.ndarray:
        """√w h(ρ) √w without its v-mean, (N_u, N_v)."""
        rho, root = self._sampled
        mapped, share = self.mapped(position, rho), root / np.linalg.norm(root, axis=1)[:, None]
        return root * (mapped - (share**2 * mapped).sum(axis=1, keepdims=True))

    def _centred_norm(self, position: float) -> float:
        return float(np.linalg.norm(self._centred(position)))

    def measures(self, position: float) -> Measures:
        """C₁ and the tail alone: Theorem 4.1 says nothing of T → 0."""
        sigma = np.linalg.svd(self._centred(position), compute_uv=False)
        sigma *= self._centred_norm(0.0) / np.linalg.norm(sigma)
        c_1 = complexity_1(sigma[: len(self.modes.sigma)], self.complexity.exponent.alpha)
        return Measures(None, c_1, np.sqrt(tails(sigma)), None, self._parts)


FAMILIES: dict[str, type[Family]] = {
    "gauge": Gauge,
    "scale": Scale,
    "shift": Shift,
    "rotation": Rotation,
    "monotone": Monotone,
}


@lru_cache(maxsize=32)
def family_of(name: str, design: Design, complexity: Complexity) -> Family:
    """A family of representations of the H of a design; raises KeyError for another name."""
    return FAMILIES[name](design, complexity, design.decomposition())


def least_along(family: Family, objective: Callable[[Measures], float], count: int = 41) -> Least:
    """Where `objective` is least, from `count` positions on; of equal ones that nearest to
    the design's own."""
    return least(
        lambda position: objective(family.at(position)), family.positions(count), family.own
    )
