"""Appendix D: linear RNNs, and the proofs of what order and mixing do."""

import numpy as np

from explorer.paper.item import Found, Section, at, least, near
from explorer.paper.order import BLOCK, CONTENTS, RNN, SIGNED, altered
from explorer.paper.rates import ORDER, draw, encoded
from explorer.spec import CouplingSpec, LinearSpec, compact
from explorer.targets import PRESETS, linear_target
from explorer.targets.linear import toeplitz
from explorer.theory.linear import rnn_complexity
from explorer.theory.mixing import EXACT, EXAMPLE, PRINTED, filtered, mixed_spectrum
from explorer.theory.states import best_state_kernels
from explorer.views.text import number

PROOFS = Section("Appendix D: RNNs, order and mixing")
MIXED = at(spec=compact(PRESETS["d3"][1]))
EXAMPLE_D3 = at(spec=compact(CouplingSpec(formula="1 + 2*sin(2*pi*u)*sin(2*pi*v)")))


@PROOFS.item("Eq. 69, 75", "H_t(x) = Σ_{s≤t} ρ(s) x(t−s), ρ(s) = e^−s.", ORDER)
def kernel() -> Found:
    x = draw(32)
    y = [sum(np.exp(-s) * x[t - s] for s in range(t + 1)) for t in range(32)]
    return least("the sum, term by term", linear_target(LinearSpec()).answer(x) - y)


@PROOFS.item(
    "Eq. 70–74", "h(t) = W h(t−1) + U x(t), y = cᵀh is Σ_s cᵀW^s U x(t−s).", altered(model="rnn")
)
def recurrence() -> Found:
    w, u, c, x = draw(5, 5) / 5, draw(5, seed=1), draw(5, seed=2), draw(32, seed=3)
    h, y = np.zeros(5), []
    for token in x:
        h = w @ h + u * token
        y.append(c @ h)
    k = np.array([c @ np.linalg.matrix_power(w, s) @ u for s in range(32)])
    return least("both ways agree", toeplitz(k) @ x - y)


@PROOFS.item("After Eq. 74", "Stable if Re λ(W) < 0; of W^s it is |λ| < 1.", RNN, "slip")
def stable() -> Found:
    negative, inside = (
        np.abs(np.float64(eigenvalue) ** np.arange(40)).max() for eigenvalue in (-2.0, 0.9)
    )
    computed = f"λ = −2: {number(negative)}, 0.9: {number(inside)}"
    return Found("W^s stays bounded", computed, bool(negative <= 1), bool(inside <= 1))


@PROOFS.item(
    "Eq. 76–79", "C_RNN = C₁ C₂: C₁ = 1 + γ, C₂ = sup e^(t/C₁)|ρ(t)|.", altered(model="rnn")
)
def measures() -> Found:
    gamma = 2.0
    c_rnn = rnn_complexity(np.exp(-np.arange(32) / gamma), gamma).c_rnn_printed
    return near("e^(−s/2): (1 + 2)·1", c_rnn, 3.0)


@PROOFS.item("Rate d·C_RNN/m", "The error of m units falls as d C_RNN/m.", RNN)
def rate() -> Found:
    s = np.arange(24)
    rho = np.mean([np.exp(-s / g) for g in (0.5, 1.0, 2.0, 4.0)], axis=0)
    limit = rnn_complexity(rho, 4.0).c_rnn_printed
    best = best_state_kernels(rho, (1, 2, 3))
    shown = ", ".join(number(error) for error in best.l1)
    holds = bool((best.l1 <= limit / best.states).all())
    return Found(f"L¹ errors of 1, 2, 3 units ≤ {number(limit)}/m", shown, holds)


@PROOFS.item("Eq. 80–85", "At t₁ the altered target has ρ̃(0) x(t₂), an input to come.", BLOCK)
def future() -> Found:
    p = (0, 2, 1, 3)
    matrix = linear_target(LinearSpec(tau=4, permutation=p)).matrix
    return near("K̃(1, 2) = ρ(0)", float(matrix[1, 2]), 1.0)


@PROOFS.item(
    "Eq. 86–90",
    "φ̃(x(p(t))) = φ(x(t)): of two different tokens, so no function φ̃ unless φ reads positions.",
    CONTENTS,
    "slip",
)
def two_tokens() -> Found:
    """τ = 2 in reverse: x(p(t)) = x(2) is held, x(t) = x(1) moves in its own interval."""
    tokens = encoded(np.stack([draw(50), np.full(50, 0.3)], -1))[:, 0]
    content, position = np.sin(2 * np.pi * tokens), np.floor(2 * tokens)
    spread = [float(np.ptp(values)) for values in (content, position)]
    computed = f"φ(x(t)) spreads by {number(spread[0])}; of position by {number(spread[1])}"
    return Found("one x(p(t)), one φ(x(t))", computed, spread[0] == 0, spread[1] == 0)


@PROOFS.item(
    "Eq. 91",
    "Permuted pieces keep the Hölder constant: each piece does, across the gaps it may grow.",
    CONTENTS,
    "slip",
)
def pieces() -> Found:
    before, after = (_lipschitz(np.array(values)) for values in ((0, 1, 2), (0, 2, 1)))
    shown = f"{number(before[0])} → {number(after[0])}, on a piece {number(after[1])}"
    stays = bool(np.isclose(before[1], after[1]))
    return Found("the Lipschitz constant stays", shown, after[0] <= before[0], stays)


def _lipschitz(values: np.ndarray) -> tuple[float, float]:
    """Of pieces of slope ½ on three intervals with gaps; of the whole, and on a piece."""
    inner = np.linspace(0, 0.2, 21)
    x, y = (0.4 * np.arange(3)[:, None] + inner, values[:, None] + inner / 2)
    on_a_piece = np.diff(y) / np.diff(x)
    whole = np.diff(y.ravel()) / np.diff(x.ravel())
    return float(np.abs(whole).max()), float(np.abs(on_a_piece).max())


@PROOFS.item(
    "Eq. 92–98", "ρ̃(s) = Σ θ(s′) ρ(s+s′): the terms of inputs to come are dropped.", SIGNED, "slip"
)
def dropped() -> Found:
    theta, rho, x, t = draw(5), np.exp(-np.arange(40)), draw(40, seed=1), 20
    whole = sum(rho[s] * theta[j] * x[t - s + j] for s in range(t + 1) for j in range(5))
    causal = sum(rho[s + j] * theta[j] * x[t - s] for s in range(t + 1) for j in range(5))
    lost = sum(rho[s] * theta[j] * x[t - s + j] for j in range(5) for s in range(j))
    added = sum(rho[s + j] * theta[j] * x[t - s] for j in range(5) for s in range(t - j + 1, t + 1))
    computed = f"{number(whole, 3)}, {number(causal, 3)}, dropped {number(lost, 3)}"
    exact = abs(whole - causal - lost + added) < 1e-12
    return Found("Eq. 95 = Eq. 96", computed, abs(whole - causal) < 1e-9, exact)


@PROOFS.item(
    "Eq. 99",
    "|ρ̃(s)| ≤ ‖θ‖₁ e^−βs; a causal filter of l taps adds a factor e^(β(l−1)).",
    altered(filter="average"),
    "slip",
)
def decay() -> Found:
    s, theta = np.arange(32), np.full(5, 0.2)
    mixed = np.convolve(np.exp(-s), theta)[:32]
    by = float((mixed * np.exp(s)).max())
    return Found("sup e^s |ρ̃(s)| ≤ 1", number(by), by <= 1, by <= np.exp(4))


@PROOFS.item("Eq. 100", "ρ = 1 + 2 sin 2πu sin 2πv has rank 2, σ = 1, 1.", EXAMPLE_D3)
def example() -> Found:
    sigma = mixed_spectrum(EXAMPLE, 0.0, 1.0).sigma()
    shown = ", ".join(map(number, sigma))
    return Found("two σ of 1", shown, len(sigma) == 2 and np.allclose(sigma, 1))


@PROOFS.item(
    "Eq. 101", "Mixed: σ = 1.265, 0.5, 0.4; exactly (√11 ± √3)/4 and ½.", MIXED, "slip", "d3"
)
def mixed() -> Found:
    sigma = mixed_spectrum(EXAMPLE, 1.0, 1.0).sigma()
    as_printed = bool(np.allclose(sigma, PRINTED, atol=5e-4, rtol=0))
    exact = bool(np.allclose(sigma, EXACT, atol=1e-12, rtol=0))
    return Found("1.265, 0.5, 0.4", ", ".join(number(x, 5) for x in sigma), as_printed, exact)


@PROOFS.item(
    "D.3, rank",
    "Rank 2 → 3, and complexity rises; C₁ falls for α < 2.28, and softmax sees 1 → 2.",
    MIXED,
    "slip",
)
def complexity() -> Found:
    before, after = (mixed_spectrum(EXAMPLE, a, 1.0, alpha=2.0) for a in (0.0, 1.0))
    seen = [len(spectrum.sigma(True)) for spectrum in (before, after)]
    computed = f"C₁ {number(before.c_1)} → {number(after.c_1)}, centred rank {seen[0]} → {seen[1]}"
    return Found("C₁ rises at α = 2", computed, after.c_1 > before.c_1, seen == [1, 2])


@PROOFS.item("D.3, last", "A suitable deconvolution lowers the complexity again.", ORDER)
def deconvolved() -> Found:
    best = filtered(EXAMPLE, 1.0, 1.0, 1.0, 1)
    computed = f"{number(best.without)} → {number(best.least)} by c = {best.best:g}"
    least_ = best.least < best.without
    return Found("a filter x₂ + c x₁ leaves less", f"Σσ² beyond one term {computed}", least_)
