"""Sections 3 and 4: the model, the targets, their measures, and the rate."""

import math
from functools import cache, partial
from itertools import pairwise

import numpy as np

from explorer.coupling import Formula, Truncated, pod
from explorer.families import BASES
from explorer.models.named import shapes
from explorer.pages.attention.view_head import ACTIVATIONS, Head
from explorer.paper.item import Found, Section, at, least, near
from explorer.runs import weights
from explorer.spec import CouplingSpec, compact, coupling_spec, task_spec
from explorer.targets import CouplingTarget, task_of
from explorer.targets.shipped import RUNS, spec_of
from explorer.theory.bound import Bound, ModelDims, parameters
from explorer.theory.complexity import Complexity, complexity
from explorer.theory.design import Design
from explorer.theory.infima import together
from explorer.theory.rates import complexity_1, power_fit
from explorer.theory.representations import family_of, least_along
from explorer.views.sweeps import ASSETS
from explorer.views.text import number

SETTING = Section("Section 3: sequence modelling as approximation")
RATE = Section("Section 4: the approximation rate")
DESIGN, TRAIN, RATES, ATTENTION = at(), at("train"), at("rates"), at("attention")
SMOOTH = at(spec=compact(CouplingSpec(formula="exp(2*cos(2*pi*(u - v)))")))
CLIFF = at("train", run="asset-cliff-6")
ORDER = at("order")


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    """Uniform random numbers in [0, 1)."""
    return np.random.default_rng(seed).random(shape)


@cache
def head(name: str) -> Head:
    """A shipped head of an attention task."""
    name = f"attention-{name}"
    return Head(task_spec(spec_of(RUNS[name])), weights.of_archive(ASSETS / f"{name}.zip"))


@cache
def measures(spec: CouplingSpec) -> Complexity:
    """C₀, C₁ and C₂ of a design."""
    design = Design(spec)
    return complexity(spec, design.coupling, design.decomposition())


def bound() -> Bound:
    """Eq. 17 of σ_k = 1/k, as printed."""
    constants = measures(CouplingSpec())
    assert constants.c_2 is not None
    return Bound(16, constants.c_0, constants.c_1, constants.exponent.alpha, constants.c_2)


@SETTING.item("Eq. 1", "A bound of the complexity C(H) and the budget m, which falls to 0.", DESIGN)
def jackson() -> Found:
    m = 2 ** np.arange(0, 7)
    bounds = bound()(m, m**8.0)
    falls = all(a > b for a, b in pairwise(bounds))
    shown = f"{number(bounds[0])} → {number(bounds[-1])}"
    return Found("Eq. 17 falls along m_FF = m_h⁸", shown, falls and bounds[-1] < bounds[0] / 10)


@SETTING.item("Eq. 2", "Polynomials of degree below m err by at most c m^−α max ‖H^(r)‖.", DESIGN)
def polynomials() -> Found:
    x = np.cos(np.linspace(0, np.pi, 4001)) / 2 + 0.5
    degrees = 2 ** np.arange(3, 8)
    fits = [np.polynomial.Chebyshev.interpolate(_kink, int(m), domain=[0, 1]) for m in degrees]
    kinked = [np.abs(_kink(x) - fit(x)).max() for fit in fits]
    slope = power_fit(degrees, kinked).slope
    return Found("|x − ½| has α = 1: slope −1", number(slope, 3), abs(slope + 1) < 0.1)


def _kink(x: np.ndarray) -> np.ndarray:
    return np.abs(x - 0.5)


@SETTING.item("Eq. 3, 4", "Inputs are τ points of [0, 1]^d, outputs τ real numbers.", TRAIN)
def spaces() -> Found:
    target = Design(CouplingSpec()).target
    x = target.inputs(draw(64, target.tau))
    y = target.answer(x)
    fits = x.shape == y.shape and 0 <= x.min() <= x.max() <= 1 and np.isfinite(y).all()
    return Found("x in [0, 1]^τ, y real", f"x {x.shape}, y {y.shape}", bool(fits))


@SETTING.item(
    "Eq. 5", "Ĥ_t = F̂(Σ_s softmax[⟨W_Q f̂(x_t), W_K f̂(x_·)⟩](s) W_V f̂(x_s)), no residual.", ATTENTION
)
def model() -> Found:
    """The shipped head's forward pass, beside its weights term by term."""
    trained, w, x = head("cog"), head("cog").weights, tokens("cog")[0]
    f = [layers(trained, "f", token) for token in x]
    summed = []
    for query in f:
        logits = [np.exp(w["lambda"][0]) * (w["W_Q"] @ query) @ (w["W_K"] @ key) for key in f]
        share = np.exp(logits) / np.exp(logits).sum()
        summed.append(sum(a * (w["W_V"] @ value) for a, value in zip(share, f, strict=True)))
    y = np.stack([layers(trained, "F", each) for each in summed])
    return least("the sum, term by term", y - trained.respond(x)[0], 1e-5)


def tokens(name: str, count: int = 3) -> np.ndarray:
    """Sequences of a task (count, τ, d_in)."""
    task = task_of(head(name).spec)
    return task.inputs(draw(count, task.n_uniform))


def layers(trained: Head, name: str, x: np.ndarray) -> np.ndarray:
    """f̂ or F̂ of one token."""
    activate = ACTIVATIONS[trained.spec.activation if name == "f" else trained.spec.activation_out]
    for layer in range(trained.spec.depth):
        weight, bias = (trained.weights[f"{name}.{layer}.{which}"] for which in ("weight", "bias"))
        x = weight @ (activate(x) if layer else x) + bias
    return x


@SETTING.item("Eq. 6", "Budgets m = (n, m_h, m_v, m_FF) say how large a model is.", TRAIN)
def budgets() -> Found:
    spec = coupling_spec(spec_of(RUNS["train"]))
    counted = sum(math.prod(shape) for shape in shapes(spec).values())
    dims = ModelDims(spec.n, spec.d_v, spec.depth)
    return near("numbers in the shipped run", parameters(dims, spec.m_h, spec.m_ff), counted)


def equivariant(name: str) -> Found:
    """Of a shipped head; the control is an order that changes its answers."""
    x, trained = tokens(name), head(name)
    p = np.random.default_rng(1).permutation(x.shape[1])
    y, permuted = trained.respond(x)[0], trained.respond(x[:, p])[0]
    assert np.abs(permuted - y).max() > 0.1
    return least(f"Ĥ(x∘p) = Ĥ(x)∘p, {name}", permuted - y[:, p], 1e-5)


RATE.item("Section 4.1", "Without positions a model is equivariant: Ĥ(x∘p) = Ĥ(x)∘p.", ATTENTION)(
    partial(equivariant, "nearest")
)


@RATE.item("x ↦ Ax + e(t)", "Position encodings, A x + e(t), lift the symmetry.", ORDER)
def positions() -> Found:
    target, x = Design(CouplingSpec()).target, draw(8, 16)
    p = np.random.default_rng(1).permutation(16)
    off = [
        np.abs(target.answer(encode(x[:, p])) - target.answer(encode(x))[:, p]).max()
        for encode in (lambda x: x, encoded)
    ]
    claim, shown = "|H(x∘p) − H(x)∘p| is 0 without, not with", ", ".join(map(number, off))
    return Found(claim, shown, bool(off[0] < 1e-12 < 1e-3 < off[1]))


def encoded(x: np.ndarray) -> np.ndarray:
    """x/2τ + t/τ (…, τ): each in an interval of its own."""
    return x / (2 * x.shape[-1]) + np.arange(x.shape[-1]) / x.shape[-1]


@RATE.item("Eq. 7", "Encoded tokens lie in disjoint compact sets, one for each position.", ORDER)
def disjoint() -> Found:
    ends = encoded(np.array([[0.0] * 16, [1.0] * 16]))
    gap = float((ends[0, 1:] - ends[1, :-1]).min())
    return Found("a gap between any two sets", number(gap), gap > 0)


@RATE.item("Eq. 8", "H_t = F(Σ_s softmax[ρ(x_t, x_·)](s) f(x_s)).", TRAIN)
def target_form() -> Found:
    target, x = Design(CouplingSpec(rank=3)).target, draw(16)
    k = np.arange(1, 4)[:, None, None]
    rho = (2 * np.sin(2 * np.pi * k * x[:, None]) * np.sin(2 * np.pi * k * (x + 0.5)) / k).sum(0)
    y = [sum(np.exp(row) * x) / sum(np.exp(row)) for row in rho]
    return least("the sum, term by term", target.answer(x) - y)


@RATE.item(
    "Eq. 8, f: ℝ → ℝ^q",
    "f may have several features; a rotation of them, undone in F, leaves H.",
    at(spec='{"inner":"identity; power 2","outer":"x2 - x1**2"}', view='{"same":"rotation"}'),
)
def rotated() -> Found:
    """F(x) = x₂ − x₁² of (x, x²): the variance of what attention sees."""
    spec = CouplingSpec(inner="identity; power 2", outer="x2 - x1**2")
    rotation = family_of("rotation", Design(spec).bare, measures(spec))
    x = draw(16)
    a = Design(spec).target.attention(x)
    variance = a @ x**2 - (a @ x) ** 2
    return least("Σ a x² − (Σ a x)², turned by 0.7", rotation.answer(0.7, x) - variance)


@RATE.item("Eq. 9", "C is what has some F, f, ρ; ρ is one of many.", DESIGN, slow="parts")
def not_unique() -> Found:
    x = draw(16)
    one, other = Formula("3*u*v"), Formula("3*u*v + exp(sin(9*u))")
    answers = [CouplingTarget(rho, 16).answer(x) for rho in (one, other)]
    return least("ρ + g(u) gives the same H", answers[0] - answers[1])


@RATE.item("Eq. 10", "POD: ρ = Σ σ_k φ_k(u) ψ_k(v), orthonormal, σ_k descending.", SMOOTH)
def decomposition() -> Found:
    modes = pod(smooth())
    grams = [(f * w) @ f.T for f, w in ((modes.phi, modes.wu), (modes.psi, modes.wv))]
    x = draw(50)
    back = (modes.left(x) * modes.sigma) @ modes.right(x).T - smooth().matrix(x, x)
    off = [*(np.abs(g - np.eye(len(g))).max() for g in grams), np.abs(back).max()]
    return least("orthonormal, and the sum is ρ", off, 1e-8)


def smooth() -> Formula:
    return Formula("exp(2*cos(2*pi*(u - v)))")


@RATE.item("Eq. 11", "No coupling of rank r is nearer than Σ_{k>r} σ_k²; truncation is.", SMOOTH)
def eckart_young() -> Found:
    modes, r = pod(smooth()), 4
    weight = np.outer(modes.wu, modes.wv)
    left = smooth().matrix(modes.u, modes.v) - Truncated(modes, r).matrix(modes.u, modes.v)
    error, tail = float((weight * left**2).sum()), float(modes.tail_energy()[r])
    other = left + 0.01 * np.outer(modes.phi[0], modes.psi[0])
    assert (weight * other**2).sum() > error
    return near("‖ρ − ρ_4‖²", error, tail, 1e-6)


@RATE.item("Eq. 12", "C₁ = inf c with σ_k ≤ c k^−α, over all ρ; here of one.", DESIGN)
def decay_measure() -> Found:
    sigma, k = pod(smooth()).sigma[:20], np.arange(1, 21)
    c = complexity_1(sigma, 1.5)
    slack = float((c * k**-1.5 - sigma).min())
    return Found("touches, and is never exceeded", f"least gap {number(slack)}", abs(slack) < 1e-12)


@RATE.item(
    "Eq. 13",
    "Networks of width m err by C_FF m^−β; Barron: β = ½, C_FF a Fourier moment.",
    at("rates"),
)
def barron() -> Found:
    """Σ 2π|k| |F(k)| of the third sine by its Fourier coefficients."""
    x = np.arange(512) / 512
    modes = np.fft.fft(np.sqrt(2) * np.sin(6 * np.pi * x)) / 512
    moment = float((2 * np.pi * np.abs(np.fft.fftfreq(512, 1 / 512)) * np.abs(modes)).sum())
    constants = BASES["sine"].barron_constants(3)
    assert constants is not None
    return near("C_FF(√2 sin 6πx)", float(constants[2]), moment)


@RATE.item("Eq. 14", "C₂(k) = C_FF(F) + C_FF(f) + Σ_{i≤k} (C_FF(φ_i) + C_FF(ψ_i)).", DESIGN)
def elementwise() -> Found:
    c_2 = measures(CouplingSpec()).c_2
    assert c_2 is not None
    return near("C₂(8) of sines, 2 + 2√2 π 8·9", float(c_2[8]), 2 + 2 * np.sqrt(2) * np.pi * 72)


@RATE.item("Eq. 15", "C₀ = inf{…, 1}; it must be max{…, 1}, or every target had 1.", DESIGN, "slip")
def norm_measure() -> Found:
    specs = [CouplingSpec(rank=2, left_basis=b) for b in ("sine", "legendre")]
    c_0 = [measures(spec).c_0 for spec in specs]
    as_printed = {min(c, 1.0) for c in c_0}
    shown = f"with max {' and '.join(number(c, 3) for c in c_0)}"
    return Found("inf tells targets apart", shown, as_printed != {1.0}, min(c_0) > 1)


@RATE.item(
    "Eq. 12–15, infima",
    "Eq. 17 has three infima apart; its proof one (F, f, ρ), whose bound is larger.",
    at(view='{"along":0.4,"ff":9.0}'),
    "slip",
)
def infima() -> Found:
    """Of gauge, scale and shift: C₁ asks for the centred ρ, C₂ for a constant among its terms."""
    design = Design(CouplingSpec())
    bounds = together(design.bare, measures(CouplingSpec()), bound(), 8, 1e9)
    claim = "one (F, f, ρ) reaches all three"
    shown = f"apart {number(bounds.apart, 3)}, at once {number(bounds.at_once, 3)}"
    return Found(
        claim, shown, bounds.at_once <= 1.005 * bounds.apart, bounds.at_once > bounds.apart
    )


@RATE.item(
    "Eq. 12, gauge",
    "Of all ρ + g(u) the centred one has the least σ_k, each.",
    at(view='{"along":0}'),
)
def centring() -> Found:
    spec = CouplingSpec(formula="exp(2*u*v) + 3*u - abs(u - v)")
    gauge = family_of("gauge", Design(spec).bare, measures(spec))
    best = least_along(gauge, lambda constants: constants.c_1)
    assert gauge.at(gauge.ends[1]).c_1 > 1.1 * best.value
    off = max(gauge.off(float(position)) for position in gauge.positions(9))
    shown = f"at γ = {number(best.position)}, H off by {number(off)}"
    return Found("C₁ is least at γ = 0, H the same", shown, best.position == 0 and off < 1e-12)


@RATE.item("Eq. 16", "The approximation space: C₀ + C₁ + C₂ < ∞, α > ½.", DESIGN)
def space() -> Found:
    constants = measures(CouplingSpec())
    assert constants.c_2 is not None
    total = constants.c_0 + constants.c_1 + float(constants.c_2.max())
    try:
        Bound(16, 1.0, 1.0, 0.5, np.ones(9))
        refused = False
    except ValueError:
        refused = True
    return Found("finite for σ_k = 1/k; α = ½ refused", number(total), total < np.inf and refused)


@RATE.item("Theorem 4.1, Eq. 17", "τ² C₀ (C₁ m_h^−(2α−1) + C₂ m_h^(β+1) m_FF^−β).", RATES)
def theorem() -> Found:
    second = (2 + 2 * np.sqrt(2) * np.pi * 72) * 8**1.5 / 128**0.5
    by_hand = 256 * 2 * np.sqrt(2) * (1 / 8 + second)
    return near("at (m_h, m_FF) = (8, 128)", float(bound()(8, 128)), by_hand)


@RATE.item("Eq. 17, tail", "C₁ m^−(2α−1); the tail is C₁² m^−(2α−1)/(2α−1).", DESIGN, "slip")
def first_term() -> Found:
    c, m, k = 10.0, 4, np.arange(5, 10**6)
    tail = float((c**2 / k**2.0).sum())
    computed = f"tail {number(tail, 3)}, printed {number(c / m, 3)}, squared {number(c**2 / m, 3)}"
    return Found("Σ_{k>4} (10/k)² ≤ 10/4", computed, tail <= c / m, tail <= c**2 / m)


@RATE.item("Eq. 18", "[W_K]_k = e_{k+m_h+1}; with e_{k+m_h} ρ̂ is ρ_{m_h}.", TRAIN, "slip")
def construction() -> Found:
    m, x = 4, draw(30)
    modes = Design(CouplingSpec()).decomposition(centred=False)
    f = np.hstack([modes.left(x)[:, :m] * modes.sigma[:m], modes.right(x)[:, :m], x[:, None]])
    wanted = (modes.left(x)[:, :m] * modes.sigma[:m]) @ modes.right(x)[:, :m].T
    w_q = np.eye(m, 2 * m + 1)
    off = [
        np.abs(f @ w_q.T @ (f @ np.eye(m, 2 * m + 1, m + shift).T).T - wanted).max()
        for shift in (1, 0)
    ]
    shown = f"off by {number(off[0])}, by e_{{k+m_h}} {number(off[1])}"
    return Found("ρ̂ = ρ_4 by e_{k+m_h+1}", shown, bool(off[0] < 1e-9), bool(off[1] < 1e-9))


@RATE.item("After Eq. 18", "With m_h the bound rises; the best error need not.", RATES)
def bound_and_error() -> Found:
    widths = np.arange(1, 17)
    rises = bool((np.diff(bound()(widths, 128)[1:]) > 0).all())
    floor = Design(CouplingSpec()).floor.nmse
    falls = bool((np.diff(floor[1:17]) < 0).all())
    return Found("bound up, truncation down", f"{rises}, {falls}", rises and falls)
