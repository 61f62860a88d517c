"""F and f of Eq. 8: closed forms, a second implementation, and what is refused."""

import math

import numpy as np
import pytest
import torch

from explorer.coupling import CouplingError, Formula, FormulaError
from explorer.engine import EngineError, settings_of
from explorer.pages.design.view_losses import losses_view
from explorer.pages.design.view_terms import terms_drawing
from explorer.pages.design.view_theory import measures, theory_view
from explorer.spec import CouplingSpec, SpecError, amended, compact, design_of, spec_id
from explorer.targets import CouplingTarget, part_of, parts_of, target_of
from explorer.targets.coupling.chosen import read
from explorer.theory.complexity import complexity
from explorer.theory.design import Design
from explorer.theory.floor import truncation_floor
from explorer.training.train import models_of

TAU = 7
X = np.random.default_rng(0).random((50, TAU))
RHO = Formula("3*cos(4*u*v) - 2*u*v**2")
TEXTS = ("identity", "abs", "power 2", "power 0.7", "tanh 3", "clip 0.2 0.8", "exp(-x) + sin(3*x)")
INTERVALS = ((0.0, 1.0), (0.3, 2.0), (-1.5, 0.5))


def by_hand(text, x):
    """A second implementation, one number at a time."""
    name, *numbers = text.split()
    match name, *map(float, numbers if name in ("power", "tanh", "clip") else ()):
        case ["identity"]:
            return x
        case ["abs"]:
            return x if x >= 0 else -x
        case ["power", p]:
            return math.pow(x, p)
        case ["tanh", kappa]:
            return math.tanh(kappa * x)
        case ["clip", low, high]:
            return low if x < low else high if x > high else x
    return math.exp(-x) + math.sin(3 * x)


@pytest.mark.parametrize("text", TEXTS)
def test_numpy_torch_and_a_second_implementation_agree(text):
    part, x = part_of(text), np.linspace(0, 1, 101)
    found = part(x)
    assert found == pytest.approx([by_hand(text, each) for each in x], rel=1e-12, abs=1e-15)
    assert np.allclose(part(torch.as_tensor(x)).numpy(), found, rtol=0, atol=1e-12)
    assert part_of(part.words) == part


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("text", [text for text in TEXTS if text != "power 0.7"])
def test_the_lipschitz_constant_is_the_steepest_slope(text, interval):
    x = np.linspace(*interval, 200_001)
    steepest = np.abs(np.diff(part_of(text)(x)) / np.diff(x)).max()
    assert part_of(text).lipschitz(*interval) == pytest.approx(steepest, rel=1e-3)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("text", ["power 2", "power 3", "tanh 3", "exp(-x) + sin(3*x)"])
def test_the_bound_of_barrons_constant_by_quadrature(text, interval):
    """|f(b) − f(a)| + (b − a)^{3/2} ‖f''‖₂/√3 with f'' by differences; at least (b − a) sup|f'|."""
    part, x = part_of(text), np.linspace(*interval, 20_001)
    step = x[1] - x[0]
    square = np.sum(np.diff(part(x), 2) ** 2) / step**3
    length, (low, high) = interval[1] - interval[0], part(np.array(interval))
    found = part.barron(*interval)
    assert found.value == pytest.approx(abs(high - low) + math.sqrt(length**3 * square / 3), 1e-3)
    assert found.value >= length * part.lipschitz(*interval) and "upper bound" in found.how


@pytest.mark.parametrize("scale", [0.5, 4.0])
def test_barrons_constant_knows_no_unit(scale):
    """f(x/s) on s times the interval is the same function of [0, 1]."""
    for name, other in (("tanh 3", f"tanh {3 / scale}"), ("exp(-x)", f"exp(-x/{scale})")):
        plain, scaled = part_of(name).barron(0, 1), part_of(other).barron(0, scale)
        assert scaled.value == pytest.approx(plain.value, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "interval", "value"),
    [
        ("identity", (0.2, 0.7), 0.5),
        ("power 1", (0, 2), 2),
        ("abs", (0.5, 2), 1.5),
        ("abs", (-1, 1), math.inf),
        ("clip 0 1", (0, 1), 1),
        ("clip 0.2 1", (0, 1), math.inf),
        ("power 0.5", (0, 1), math.inf),
        ("power 1.5", (0, 1), None),
        ("sqrt(x)", (0, 1), math.inf),
        ("heaviside(x - 0.3)", (0, 1), math.inf),
        ("abs(x - 0.3)", (0, 1), None),
    ],
)
def test_what_is_exact_infinite_or_not_known(text, interval, value):
    found = part_of(text).barron(*interval).value
    assert found == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize("text", ["sqrt(x)", "heaviside(x - 0.3)", "x**0.8", "sign(x - pi/5)"])
def test_what_is_not_lipschitz_is_found(text):
    assert part_of(text).lipschitz(0, 1) == math.inf


@pytest.mark.parametrize(("text", "k"), [("tanh(500*(x - pi/5))", 500), ("abs(x - 0.3)", 1)])
def test_what_is_steep_or_bent_is_lipschitz(text, k):
    assert part_of(text).lipschitz(0, 1) == pytest.approx(k, rel=1e-2)


@pytest.mark.parametrize(("outer", "inner"), [("tanh 3", "power 2"), ("exp(x)", "clip 0.2 0.8")])
def test_answers_in_the_letters_of_the_paper(outer, inner):
    target = CouplingTarget(RHO, TAU, read(outer, inner))
    outer_of = math.exp if outer == "exp(x)" else lambda z: by_hand(outer, z)
    for x, y in zip(X[:5], target.answer(X[:5]), strict=True):
        for t in range(TAU):
            rho = [RHO.matrix(x[t : t + 1], x[s : s + 1])[0, 0] for s in range(TAU)]
            inside = np.exp(rho) @ [by_hand(inner, each) for each in x] / np.exp(rho).sum()
            assert y[t] == pytest.approx(outer_of(inside), rel=1e-12)


def test_the_identity_changes_no_bit():
    for spec in (CouplingSpec(tau=TAU, rank=4), CouplingSpec(tau=TAU, formula="u*v")):
        target = target_of(spec)
        bare = (target.attention(X) @ X[..., None])[..., 0]
        assert target.answer(X).tobytes() == bare.tobytes()
        named = amended(spec, outer="identity", inner="identity")
        assert compact(named) == compact(spec) and "outer" not in compact(spec)


def test_a_constant_goes_through_attention_and_linear_maps_commute():
    plain = CouplingTarget(RHO, TAU).answer(X)
    shifted = CouplingTarget(RHO, TAU, read(inner="x + 5")).answer(X)
    outside = CouplingTarget(RHO, TAU, read(outer="3*x - 2")).answer(X)
    inside = CouplingTarget(RHO, TAU, read(inner="3*x - 2")).answer(X)
    assert np.allclose(shifted, plain + 5, rtol=0, atol=1e-13)
    assert np.allclose(outside, 3 * plain - 2, rtol=0, atol=1e-13)
    assert np.allclose(outside, inside, rtol=0, atol=1e-13)
    bent = CouplingTarget(RHO, TAU, read(outer="tanh 3")).answer(X)
    other = CouplingTarget(RHO, TAU, read(inner="tanh 3")).answer(X)
    assert np.abs(bent - other).max() > 0.01  # no other maps do


def test_floors_scale_with_linear_maps():
    """nMSE is that of the identity, the absolute error is |a| times it."""
    plain = Design(CouplingSpec(rank=6, tau=8))
    linear = Design(amended(plain.spec, outer="3 - 2*x"))
    assert np.allclose(linear.floor.nmse, plain.floor.nmse, rtol=1e-9)
    assert np.allclose(linear.floor.mae, 2 * plain.floor.mae, rtol=1e-9)
    assert linear.exact_rank == plain.exact_rank == 6


def test_the_floor_by_a_second_implementation():
    """The mean square of H with ρ less H with ρ_m, both by `answer`, within the error bars."""
    spec = CouplingSpec(rank=4, tau=8, outer="tanh 3", inner="power 2")
    design, kept = Design(spec), CouplingSpec(**(spec.model_dump() | {"rank": 2}))
    x = np.random.default_rng(5).random((40_000, 8))
    errors = (target_of(spec).answer(x) - target_of(kept).answer(x))[:, 0] ** 2
    floor = truncation_floor(design.target, [2], samples=4000)
    half = 4 * (floor.mse_se[0] + errors.std() / math.sqrt(len(errors)))
    assert abs(floor.mse[0] - errors.mean()) < half


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"outer": "log(x)"}, r"outer = 'log\(x\)': it gives -inf at x = 0; .* between 0 and 1"),
        ({"inner": "1/(x - 0.5)"}, "inner = .* at x = 0.5; it must be finite"),
        ({"inner": "2*y"}, "inner = .*: at character 3: unknown name 'y'"),
        ({"outer": "tanh"}, "outer = 'tanh': tanh takes the steepness κ, above 0 and up to 100"),
        ({"outer": "clip 0.8 0.2"}, "the smaller number first"),
        ({"outer": "abs 3"}, "abs takes no number"),
        ({"inner": "0*x"}, "inner = .* there is nothing to learn"),
        ({"inner": "x + 1", "outer": "clip 0 1"}, "outer = .* same for all x between 1 and 2"),
        ({"inner": "2*x - 1", "outer": "power 0.5"}, "outer = .* nan at x = -1"),
    ],
)
def test_what_cannot_be_built_is_a_problem_of_its_field(fields, why):
    with pytest.raises(CouplingError, match=why):
        target_of(CouplingSpec(**fields))


def test_the_place_of_a_bad_sign_is_known():
    with pytest.raises(FormulaError) as refusal:
        part_of("2*x + $")
    assert refusal.value.position == 6


def test_where_f_ends_f_outer_begins():
    parts = parts_of(CouplingSpec(inner="2*x - 1", outer="power 2"))
    assert parts.inner.ends == ((-1, 1),) and parts.answers == (0, 1)
    assert (parts.k_outer, parts.sup_inner) == (2, 1)


def test_both_belong_to_the_design_also_of_a_formula():
    spec = CouplingSpec(formula="u*v", outer="tanh 3", lr=0.5)
    assert design_of(spec) == CouplingSpec(formula="u*v", outer="tanh 3")
    assert spec_id(spec) != spec_id(amended(spec, outer="identity"))


def test_the_kernel_says_that_torch_trains_them():
    with pytest.raises(SpecError, match=r'"torch" where outer or inner'):
        amended(CouplingSpec(outer="tanh 3"), engine="native")
    spec = CouplingSpec(inner="power 2")
    with pytest.raises(EngineError, match="F and f as the identity only"):
        settings_of(spec, target_of(spec).coupling)


def test_a_head_learns_f_and_f_outer():
    """Far below what a target of the identity alone would leave of this one."""
    fields = {"rank": 1, "m_ff": 32, "n": 8, "d_v": 8, "tau": 8, "lr": 3e-3, "warmup": 20}
    spec = CouplingSpec(
        **fields, m_h=2, steps=400, batch=32, outer="tanh 6", inner="sin(6*x)", c=0.5
    )
    target = target_of(spec)
    models = models_of([spec], [target], "cpu")
    for _ in range(spec.steps):
        models.advance()
    x = np.random.default_rng(3).random((2000, spec.tau))
    plain = CouplingTarget(target.coupling, spec.tau).answer(x).ravel()
    unexplained = 1 - np.corrcoef(plain, target.answer(x).ravel())[0, 1] ** 2
    nmse = models.recipe.metrics(models.weights, 0, 512)["nmse"]
    assert nmse < 0.1 < unexplained


def measured(**fields):
    design = Design(CouplingSpec(rank=3, **fields))
    return complexity(design.spec, design.coupling, design.decomposition())


def test_the_measures_of_chosen_parts():
    """C₀ = K_F ‖f‖_∞ 2√2; C₂(0) = C_FF(F) + C_FF(f); C₁ is that of ρ alone."""
    plain, found = measured(), measured(inner="2*x", outer="power 2")
    assert found.c_0 == pytest.approx(4 * 2 * 2 * math.sqrt(2))  # F'= 2x up to x = 2
    bound = 4 + math.sqrt(2**3 * 4 * 2 / 3)  # F(2) − F(0), and ∫ F''² = 4·2
    assert found.c_2 - plain.c_2 == pytest.approx(bound + 2 - 2)
    assert found.c_1 == plain.c_1
    assert "That of F is an upper bound by the second derivative." in found.c_2_reason
    assert plain.c_2[0] == 2 and plain.c_0 == pytest.approx(2 * math.sqrt(2))


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"outer": "clip 0.2 0.8"}, "constant of F is infinite, since its derivative jumps"),
        ({"inner": "power 1.5"}, "constant of f is not known, since its second derivative"),
        ({"outer": "power 0.5"}, "F is not Lipschitz on the values of f: K_F = ∞"),
    ],
)
def test_what_theorem_41_asks_for_is_said(fields, why):
    found = theory_view(Design(CouplingSpec(rank=3, **fields)))
    assert found.here is None and any(why in reason for reason in found.missing)


def test_a_constant_answer_is_the_middle_of_what_there_is():
    design = Design(CouplingSpec(rank=3, tau=8, outer="power 2", inner="2*x - 1"))
    found = theory_view(design)
    assert found.trivial.most == pytest.approx(4, rel=1e-9) and found.here
    drawn = terms_drawing(design.spec, found.bound, None)
    assert drawn["answer"] == "4.00: always answering 0.500"
    plain = theory_view(Design(CouplingSpec(tau=8)))
    assert plain.trivial == ("always answering ½", "τ/2 = 4", 4)


def test_the_steps_of_the_proof_are_those_of_the_identity():
    plain, other = (Design(CouplingSpec(rank=3, m_h=2, outer=F)) for F in ("identity", "tanh 3"))
    assert losses_view(plain, measures(plain.bare)) is not None
    assert losses_view(other, measures(other.bare)) is None
