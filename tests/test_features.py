"""f of several features and F of several numbers: closed forms, a second implementation, rotations,
and what is refused."""

import math

import numpy as np
import pytest
import torch

from explorer.coupling import CouplingError, Formula
from explorer.engine import EngineError, settings_of
from explorer.pages.design.view_same import families, same_said, same_view
from explorer.pages.design.view_theory import bound_of, measures, theory_view
from explorer.spec import CouplingSpec, SpecError, amended, spec_id
from explorer.targets import CouplingTarget, target_of
from explorer.targets.coupling.chosen import read
from explorer.targets.coupling.features import Hull
from explorer.theory.design import Design
from explorer.theory.floor import truncation_floor
from explorer.theory.infima import together
from explorer.theory.representations import family_of
from explorer.training.train import models_of

TAU = 7
X = np.random.default_rng(0).random((50, TAU))
RHO = Formula("3*cos(4*u*v) - 2*u*v**2")
VARIANCE = ("x2 - x1**2", "identity; power 2")
CHOSEN = (
    VARIANCE,
    ("x1*x2", "identity; sin(6*x)"),
    ("abs", "x - 0.5; tanh 3; power 2"),
    ("x1*x2 + x3", "clip 0.2 0.8; power 2; cos(6*x)"),
)
MAPS = {
    "identity": lambda x: x,
    "power 2": lambda x: x * x,
    "sin(6*x)": lambda x: math.sin(6 * x),
    "cos(6*x)": lambda x: math.cos(6 * x),
    "x - 0.5": lambda x: x - 0.5,
    "tanh 3": lambda x: math.tanh(3 * x),
    "clip 0.2 0.8": lambda x: min(max(x, 0.2), 0.8),
}
OUTER = {
    "x2 - x1**2": lambda a, b: b - a * a,
    "x1*x2": lambda a, b: a * b,
    "abs": math.hypot,
    "x1*x2 + x3": lambda a, b, c: a * b + c,
}


@pytest.mark.parametrize(("outer", "inner"), CHOSEN)
def test_answers_in_the_letters_of_the_paper(outer, inner):
    """A second implementation, one number at a time; torch beside numpy."""
    target = CouplingTarget(RHO, TAU, read(outer, inner))
    found = target.answer(X[:5])
    for x, y in zip(X[:5], found, strict=True):
        for t in range(TAU):
            rho = [RHO.matrix(x[t : t + 1], x[s : s + 1])[0, 0] for s in range(TAU)]
            a = np.exp(rho) / np.exp(rho).sum()
            means = [a @ [MAPS[name](s) for s in x] for name in inner.split("; ")]
            assert y[t] == pytest.approx(OUTER[outer](*means), rel=1e-12)
    assert np.allclose(target.answer(torch.as_tensor(X[:5])).numpy(), found, rtol=0, atol=1e-12)


def test_one_feature_beside_others_changes_nothing_that_f_does_not_use():
    alone = CouplingTarget(RHO, TAU, read("tanh 3", "power 2")).answer(X)
    among = CouplingTarget(RHO, TAU, read("tanh(3*x2)", "sin(6*x); power 2; x")).answer(X)
    assert np.allclose(alone, among, rtol=0, atol=1e-14)


def test_a_variance_is_what_is_left_of_the_second_moment():
    """F = x₂ − x₁² of (x, x²): Σ a (x − Σ a x)², from 0 to ¼."""
    target = CouplingTarget(RHO, TAU, read(*VARIANCE))
    a = target.attention(X)
    mean = a @ X[..., None]
    apart = (X[:, None, :] - mean) ** 2
    assert np.allclose(target.answer(X), (a * apart).sum(-1), rtol=0, atol=1e-14)
    assert target.parts.answers == pytest.approx((0, 0.25), abs=1e-6)


@pytest.mark.parametrize(
    ("outer", "inner", "k", "sup"),
    [
        ("x1 + 2*x2", "x; x", 3 / math.sqrt(2), math.sqrt(2)),  # the hull is a segment
        ("x1 + 2*x2", "x; power 2", math.sqrt(5), math.sqrt(2)),
        ("x2 - x1**2", "x; power 2", math.sqrt(5), math.sqrt(2)),  # |(−2x₁, 1)| at x₁ = 1
        ("abs", "x - 0.5; power 2", 1.0, math.hypot(0.5, 1.0)),
        ("x1*x2", "x; cos(pi*x)", math.sqrt(2), math.sqrt(2)),  # |(x₂, x₁)|
        ("sqrt(maximum(x2 - x1**2, 0))", "x; power 2", math.inf, math.sqrt(2)),
        ("heaviside(x1 - 0.31) + x2", "x; power 2", math.inf, math.sqrt(2)),
        ("1/(x1 - 0.1234)", "x; power 2", math.inf, math.sqrt(2)),  # between all points of a grid
        ("tanh(200*(x1 - 0.31))", "x; power 2", 200.0, math.sqrt(2)),
    ],
)
def test_lipschitz_and_supremum(outer, inner, k, sup):
    parts = read(outer, inner)
    assert parts.k_outer == pytest.approx(k, rel=2e-3)
    assert parts.sup_inner == pytest.approx(sup, rel=1e-5)


def test_the_hull_holds_every_mean_and_no_more():
    """Of (x, x²) between the parabola and its chord; means of nine values lie in it."""
    rng = np.random.default_rng(3)
    hull = Hull(read(*VARIANCE).inner)
    x1, x2 = hull.means(rng.random((5000, 4))).T
    assert np.all(x2 >= x1**2 - 1e-12) and np.all(x2 <= x1 + 1e-12)
    weights = rng.dirichlet(np.full(9, 0.3), 4000)
    means = (weights[..., None] * hull.inner(rng.random((4000, 9)))).sum(1)
    for of in (lambda p: p @ [1.0, 0.3], lambda p: -np.hypot(*p.T), lambda p: p[:, 0] * p[:, 1]):
        assert of(means).max() <= max(hull.greatest(lambda p, _, of=of: of(p))) + 1e-9


@pytest.mark.parametrize(
    ("outer", "inner", "value"),
    [
        ("2*x1 - 3*x2", "x; cos(6*x)", 2 + 3 * 2),  # Σ |a_j| times the width
        ("x1*x2", "x; x", 1 + 2 / math.sqrt(3)),  # of (x, x) it is x²
        ("x2 - x1**2", "x; power 2", 1 + 1 + 2 / math.sqrt(3)),
        ("heaviside(x1 - 0.3)*x2", "x; power 2", math.inf),
        ("x1*x2*x3", "x; power 2; cos(6*x)", None),
        ("abs", "x - 0.5; power 2", None),
    ],
)
def test_barrons_constant_of_sums_along_directions(outer, inner, value):
    found = read(outer, inner).barron["F"]
    assert found.value == (value if value is None else pytest.approx(value, rel=2e-3))
    assert found.how


def test_barrons_constant_of_a_product_bounds_its_gradient():
    """∫ w(ω)|F̂| ≥ the most that F varies over the hull, whichever directions it is found in."""
    for outer, inner in CHOSEN[:2]:
        parts = read(outer, inner)
        low, high = parts.answers
        assert parts.barron["F"].value >= high - low


def test_a_turned_target_is_the_same_and_so_are_its_measures():
    """R = 0.6, 0.8: f turned by hand and F∘R⁻¹ as formulas, H to 1e-12, K_F, ‖f‖, C_FF(F) stay."""
    plain = read("x1*x2", "x; sin(6*x)")
    turned = read(
        "(0.6*x1 + 0.8*x2)*(-0.8*x1 + 0.6*x2)", "0.6*x - 0.8*sin(6*x); 0.8*x + 0.6*sin(6*x)"
    )
    of, other = (CouplingTarget(RHO, TAU, parts).answer(X) for parts in (plain, turned))
    assert np.abs(of - other).max() < 1e-12
    assert turned.sup_inner == pytest.approx(plain.sup_inner, rel=1e-9)
    assert turned.k_outer == pytest.approx(plain.k_outer, rel=1e-4)
    assert turned.barron["F"].value == pytest.approx(plain.barron["F"].value, rel=1e-4)
    assert abs(turned.barron["f"].value - plain.barron["f"].value) > 0.1


def test_a_rotation_finds_that_two_features_are_one():
    """(x, x) turned by 45° is (0, √2 x): C_FF(f) falls from 2 to √2, nothing else moves."""
    design = Design(CouplingSpec(rank=3, inner="x; identity", outer="x1 + 2*x2", m_h=2))
    found = measures(design.bare)
    rotation = family_of("rotation", design, found)
    at = rotation.measures(math.pi / 4)
    assert at.parts == pytest.approx((3, math.sqrt(2)), rel=1e-6)
    own = rotation.measures(0.0)
    assert own.parts == pytest.approx((3, 2)) and (own.c_0, own.c_1) == (at.c_0, at.c_1)
    assert at.c_2 - own.c_2 == pytest.approx(math.sqrt(2) - 2)
    bound, _ = bound_of(design)
    view = same_view(design, "rotation", found, bound, 2.0)
    assert [*view.curves] == ["C₂(2)", "C_{FF}(f)"] and "C_{FF}(F)" in view.standing
    assert view.least["C_{FF}(f)"].position == pytest.approx(math.pi / 4, abs=1e-3)
    assert "At θ = 0" in same_said(design, view, 2.0)[0]
    assert together(design, found, bound, 2, 100.0).c_0 <= found.c_0


def test_one_feature_has_no_rotation():
    plain, both = CouplingSpec(), CouplingSpec(inner="x; power 2", outer="x1*x2")
    assert "rotation" not in families(plain) and "rotation" in families(both)
    design = Design(plain)
    view = same_view(design, "rotation", measures(design.bare))
    assert view.family.letter == "γ"


def test_theorem_41_follows():
    """C₀ = K_F ‖f‖_∞ 2√2, C₂(0) = C_FF(F) + C_FF(f), and there is a bound."""
    design = Design(CouplingSpec(rank=3, outer=VARIANCE[0], inner=VARIANCE[1]))
    found, of_square = measures(design.bare), 1 + 2 / math.sqrt(3)
    assert found.c_0 == pytest.approx(math.sqrt(5 * 2) * 2 * math.sqrt(2), rel=1e-4)
    assert found.c_2[0] == pytest.approx(1 + of_square + 1 + of_square, rel=1e-3)
    assert "That of f is an upper bound, the sum of its features'." in found.c_2_reason
    assert theory_view(design).here.bound > 0
    product = Design(CouplingSpec(rank=3, outer="x1*x2*x3", inner="x; power 2; power 3"))
    assert any("constant of F is not known" in why for why in theory_view(product).missing)


def test_the_floor_by_a_second_implementation():
    spec = CouplingSpec(rank=4, tau=8, outer=VARIANCE[0], inner=VARIANCE[1])
    kept = amended(spec, rank=2)
    x = np.random.default_rng(5).random((40_000, 8))
    errors = (target_of(spec).answer(x) - target_of(kept).answer(x))[:, 0] ** 2
    floor = truncation_floor(Design(spec).target, [2], samples=4000)
    half = 4 * (floor.mse_se[0] + errors.std() / math.sqrt(len(errors)))
    assert abs(floor.mse[0] - errors.mean()) < half


@pytest.mark.parametrize(
    ("outer", "inner", "why"),
    [
        ("identity", "x; x**2", "outer = 'identity': of 2 features F is a formula in x1 and x2"),
        ("x1 + x", "x; x**2", "outer = .*: at character 6: unknown name 'x'"),
        ("x1", "x", "outer = 'x1': at character 1: unknown name 'x1'"),
        ("x1/x2", "x; x**2", "outer = .*: it gives nan at x1 = 0, x2 = 0; .* x1 between 0 and 1"),
        ("x1*0", "x; x**2", "outer = .* nothing to learn"),
        ("x1", "x; 1", "inner = .* nothing to learn"),
        ("x1", "x; 1/x", "inner = .*: it gives inf at x = 0"),
        ("x1", "x; ", "inner = .*: the formula is empty"),
        ("x1", "x; x; x; x", "inner = .*: f has 4 features; at most 3 are allowed"),
        ("+".join(["sin(x1)*cos(x2)"] * 50), "x; x**2", "µs a point; at most 1.5 are allowed"),
    ],
)
def test_what_cannot_be_built_is_a_problem_of_its_field(outer, inner, why):
    with pytest.raises(CouplingError, match=why):
        target_of(CouplingSpec(outer=outer, inner=inner))


def test_values_of_a_head_need_room_for_the_features():
    with pytest.raises(SpecError, match="d_v: f has 2 features"):
        amended(CouplingSpec(inner="x; x**2", outer="x1*x2"), d_v=1)
    spec = CouplingSpec(inner="x; x**2", outer="x1*x2", d_v=2)
    assert spec_id(spec) != spec_id(amended(spec, inner="x; x**3"))
    with pytest.raises(EngineError, match="F and f as the identity only"):
        settings_of(spec, target_of(spec).coupling)


def test_a_head_with_all_three_parts_is_the_target():
    spec = CouplingSpec(rank=2, m_h=2, tau=6, n=6, m_ff=8, d_v=3, outer="x1*x2 + x3")
    spec = amended(spec, inner="x; sin(6*x); power 2")
    models = models_of([spec], [target_of(spec)], "cpu")
    x = torch.rand((64, 6), generator=torch.Generator().manual_seed(1))
    error, y = models.recipe._errors(models.weights, 0, x, ("rho", "inner", "outer"))
    assert error.abs().max() < 1e-5 < 0.01 < y.std()


@pytest.mark.parametrize("frozen", ["none", "rho inner", "inner outer"])
def test_a_head_learns_a_variance(frozen):
    """Far below what any target of the mean alone leaves of it."""
    fields = {"rank": 1, "m_ff": 32, "n": 8, "d_v": 4, "tau": 8, "lr": 3e-3, "warmup": 20}
    spec = CouplingSpec(**fields, m_h=2, steps=500, batch=32, c=0.5, frozen=frozen)
    spec = amended(spec, outer=VARIANCE[0], inner=VARIANCE[1])
    target = target_of(spec)
    models = models_of([spec], [target], "cpu")
    for _ in range(spec.steps):
        models.advance()
    nmse = models.recipe.metrics(models.weights, 0, 512)["nmse"]
    x = np.random.default_rng(3).random((4000, spec.tau))
    mean = CouplingTarget(target.coupling, spec.tau).answer(x).ravel()
    best = np.polynomial.Polynomial.fit(mean, target.answer(x).ravel(), 6)
    left = np.var(target.answer(x).ravel() - best(mean)) / np.var(target.answer(x))
    assert nmse < 0.25 < 0.5 < left
