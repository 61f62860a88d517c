"""Appendix A: equivariance, density, and the inequalities behind Theorem 4.1, one by one."""

from functools import partial

import numpy as np

from explorer.coupling import Truncated, coupling_of
from explorer.paper.item import Found, Section, at, least, near
from explorer.paper.rates import ATTENTION, DESIGN, RATES, draw, encoded, equivariant
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget, softmax
from explorer.theory.design import Design
from explorer.theory.representation import Form, grid, represent
from explorer.views.text import number

SECTION = Section("Appendix A: proofs")
REPRESENTED = at(view='{"relation":"abs(x1 - x2)"}')


def below(claim: str, left: np.ndarray, right: np.ndarray) -> Found:
    """Whether one side of an inequality never exceeds the other."""
    worst = float((left / right).max())
    return Found(claim, f"at most {number(worst)} of it", worst <= 1 + 1e-12)


SECTION.item("Eq. 19–21", "Permuting s changes no sum: Ĥ_t(x∘p) = Ĥ_{p(t)}(x).", ATTENTION)(
    partial(equivariant, "cog")
)


@SECTION.item(
    "Theorem A.1, Eq. 22",
    "f(x) = Σ_q g_q(Σ_s ψ_qs(x_s)): constructed for any typed f, exact on a grid.",
    REPRESENTED,
)
def superposition() -> Found:
    x = np.ix_(*[grid(2)] * 2)
    off = represent(_kink, 2, 2)(*x) - _kink(*x)
    return least("|x₁ − x₂| on 91² points", off)


def _kink(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a - b)


@SECTION.item("Proposition A.2, Eq. 23", "On disjoint sets one g does what τ maps f_s do.", DESIGN)
def piecewise() -> Found:
    x, tau = draw(50, 8), 8
    z = encoded(x)
    place = np.floor(z * tau)
    g = np.sin((place + 1) * (2 * tau * z - 2 * place))
    return least("g(x_s) = f_s(x_s)", g - np.sin((np.arange(8) + 1) * x))


@SECTION.item(
    "Theorem A.3, Eq. 24, 25", "ρ = ln 2 for t = s, else 0: weights 2 and 1 of τ + 1.", REPRESENTED
)
def shares() -> Found:
    tau = 6
    wanted = (np.ones((tau, tau)) + np.eye(tau)) / (tau + 1)
    weights = softmax(np.log(2) * np.eye(tau))
    return least("softmax of a piecewise ρ", weights - wanted)


@SECTION.item(
    "Theorem A.3, Eq. 26–30", "n = τ(2τd + 1) + 1 numbers of a token represent any H.", REPRESENTED
)
def representation() -> Found:
    """H_t = t |x_1 − x_2| by one F, f, ρ, at numbers of the grid."""
    form = Form(tuple(represent(lambda *x, t=t: t * _kink(*x), 2, 2) for t in (1, 2)))
    x = np.random.default_rng(0).choice(grid(2), (100, 2))
    wanted = _kink(*x.T)[:, None] * np.array([1, 2])
    return least("H_t = t |x₁ − x₂| by one F, f, ρ", form.answer(x) - wanted)


@SECTION.item("Lemma A.4, Eq. 31, 32", "|ab − âb̂| ≤ |a||b − b̂| + |b̂||a − â|, and so on.", RATES)
def product() -> Found:
    a, b, c, d = 2 * draw(4, 10_000) - 1
    first = abs(a) * abs(b - d) + abs(d) * abs(a - c)
    second = abs(a) * abs(b - d) + abs(b) * abs(a - c) + abs(a - c) * abs(b - d)
    held = below("of both sides", abs(a * b - c * d), first)
    return held._replace(holds=held.holds and bool((first <= second + 1e-12).all()))


@SECTION.item("Eq. 33–36", "|F(h) − F̂(ĥ)| ≤ K_F |h − ĥ| + |F(ĥ) − F̂(ĥ)|.", RATES)
def outer() -> Found:
    h, near_h = draw(2, 10_000)
    right = 3 * np.abs(h - near_h) + np.abs(np.sin(3 * near_h) - near_h)
    return below("F = sin 3h, F̂ = h", np.abs(np.sin(3 * h) - near_h), right)


@SECTION.item("Eq. 37–39, 43", "Sums over t, s of sup norms: factors τ and τ².", RATES)
def counted() -> Found:
    x = draw(400, 16)
    error = np.abs(np.sin(3 * x) - 3 * x + 4 * x**3)
    return below("∫ Σ_s |f − f̂| ≤ τ ‖f − f̂‖", np.array(error.sum(-1).mean()), 16 * error.max())


@SECTION.item("Eq. 40–42", "|h − ĥ| ≤ Σ_s |ρ − ρ̂| + Σ_s |f − f̂|: softmax is Lipschitz.", RATES)
def inner() -> Found:
    rho, other = 6 * draw(2, 2000, 16)
    f, close = draw(2, 2000, 16, seed=1)
    left = np.abs((softmax(rho) * f).sum(-1) - (softmax(other) * close).sum(-1))
    return below("of 2000 rows", left, np.abs(rho - other).sum(-1) + np.abs(f - close).sum(-1))


@SECTION.item("Eq. 44–47", "∫ Σ |ρ − ρ_m|² = τ² ‖ρ − ρ_m‖² ≤ τ² Σ_{k>m} σ_k².", RATES)
def tail() -> Found:
    """But for s = t, whose tokens are one: off the diagonal, of independent tokens."""
    modes = Design(CouplingSpec(rank=8)).decomposition(centred=False)
    x, y = draw(2, 400)
    rho = coupling_of(CouplingSpec(rank=8))
    error = float(((rho.matrix(x, y) - Truncated(modes, 3).matrix(x, y)) ** 2).mean())
    return near("mean over 400² pairs", error, float(modes.tail_energy()[3]), 0.05)


@SECTION.item("Eq. 48", "|φψ − φ̂ψ̂| by Lemma A.4, summed over m_h terms.", RATES)
def terms() -> Found:
    phi, psi, d_phi, d_psi = 2 * draw(4, 2000, 8) - 1
    left = np.abs((phi * psi - (phi + d_phi) * (psi + d_psi)).sum(-1))
    sums = np.abs(phi * d_psi) + np.abs(psi * d_phi) + np.abs(d_phi * d_psi)
    return below("of eight terms", left, sums.sum(-1))


@SECTION.item(
    "Eq. 49–51",
    "The squared tail Σσ_k² beside absolute errors; its root bounds them.",
    RATES,
    "slip",
)
def squared() -> Found:
    """σ_1 = ε alone, cut at m = 0, where f = F = id: left ∼ ε, right ∼ ε²."""
    spec, x = CouplingSpec(rank=1, c=1e-3), draw(512, 16)
    y = CouplingTarget(coupling_of(spec), 16).answer(x)
    left, right = float(np.abs(y - x.mean(-1, keepdims=True)).sum(-1).mean()), 256 * 1e-6
    computed = f"{number(left)} ≤ {number(right)}; with the root {number(256 * 1e-3)}"
    return Found("error of ρ_0 at σ₁ = 10⁻³", computed, left <= right, left <= 256 * 1e-3)


@SECTION.item("Eq. 52", "Eq. 17 with C₂ for all networks.", RATES)
def closing() -> Found:
    """Σ of Eq. 48's sup norms under Eq. 13, beside the second term of Eq. 17."""
    k, m_ff = np.arange(1, 9), 128
    constants = 2 * np.pi * np.sqrt(2) * k
    networks = 2 * np.sqrt(2) * constants / (m_ff / 8) ** 0.5
    second = 2 * np.sqrt(2) * (2 + 2 * constants.sum()) * 8**1.5 / m_ff**0.5
    return below("m_FF/m_h for each of 8 terms", networks.sum(), np.array(second))
