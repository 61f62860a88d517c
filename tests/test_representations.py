"""Other (F, f, ρ) of one H: H stays, the measures move as they must, the least ones are found."""

import math

import numpy as np
import pytest

from explorer.coupling.pod import gauss
from explorer.spec import CouplingSpec, compact
from explorer.theory.complexity import complexity
from explorer.theory.design import Design
from explorer.theory.rates import complexity_1
from explorer.theory.representations import FAMILIES, Gauge, Monotone, Scale, family_of, least_along

SPECS = (
    CouplingSpec(),
    CouplingSpec(alpha=2.0, rank=6, left_basis="fourier", right_basis="legendre"),
    CouplingSpec(left_basis="haar", right_basis="sine", rank=20, m_h=4),
    CouplingSpec(formula="-8*(u - v)**2", tau=5),
    CouplingSpec(formula="exp(2*u*v) + 3*u - abs(u - v)", outer="abs", inner="x - 0.5"),
    CouplingSpec(inner="identity; power 2", outer="x2 - x1**2", tau=9, rank=4),
    CouplingSpec(inner="tanh 4; x - 0.5; sin(6*x)", outer="x1*x2 + x3", rank=3, m_h=2),
    CouplingSpec(inner="tanh 4", outer="power 2", m_h=2),
)
WRITTEN = [spec for spec in SPECS if spec.formula]
LEVELS = 5, 11, 23


def of(name, spec, alpha=None):
    design = Design(spec)
    found = complexity(spec, design.coupling, design.decomposition(), alpha)
    return family_of(name, design, found)


def raw(gauge, position):
    """σ_k of ρ + γ g(u) by a plain SVD at the nodes: a second implementation."""
    modes = gauge.modes
    rho = gauge.design.coupling.matrix(modes.u, modes.v)
    shift = (position - gauge.written) * gauge.direction(modes.u)
    root = np.sqrt(np.outer(modes.wu, modes.wv))
    return np.linalg.svd(root * (rho + shift[:, None]), compute_uv=False)


def tail_at(m):
    return lambda measures: float(measures.tail[min(m, len(measures.tail) - 1)])


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_h_stays(spec, name):
    family = of(name, spec)
    positions = family.positions(LEVELS[2])
    assert family.own in positions and len(positions) >= LEVELS[2]
    assert (positions[0], positions[-1]) == pytest.approx(family.ends)
    assert max(family.off(p) for p in positions) < 1e-12


@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_what_is_no_representation_moves_h(spec):
    """Controls: a function of v in place of one of u, F∘s alone, h(ρ) where all of ρ counts."""
    x = np.random.default_rng(0).random((4, spec.tau))
    gauge, scale = of("gauge", spec), of("scale", spec)
    of_keys = gauge.logits(0.0, x) + x[..., None, :]
    own = gauge.answer(0.0, x)
    assert np.abs(gauge._answered(of_keys, x) - own).max() > 1e-3
    target = scale.design.target
    mean = target.attention(x) @ target.parts.inner(x)
    assert np.abs(target.parts.outer(2 * mean) - own).max() > 1e-2
    assert of("monotone", spec).soft(3.0) > 1e-3


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_a_family_begins_at_the_measures_of_the_design(spec, name):
    family = of(name, spec)
    own, found = family.measures(family.own), family.complexity
    energies = family.modes.tail_energy()
    m = min(spec.m_h, len(energies) - 1)
    near = {"rel": 1e-3, "abs": 1e-9}
    assert own.c_0 is None or own.c_0 == pytest.approx(found.c_0, **near)
    assert own.c_1 == pytest.approx(found.c_1, **near)
    assert tail_at(m)(own) ** 2 == pytest.approx(energies[m], rel=0.02, abs=1e-9)
    if own.c_2 is not None:
        assert own.c_2 == pytest.approx(found.c_2[: len(own.c_2)], rel=1e-9)


@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_the_pod_of_a_gauge_is_that_of_the_sum(spec):
    gauge = of("gauge", spec)
    for position in gauge.positions(LEVELS[0]):
        sigma, _, _ = gauge.svd(position)
        within = 2e-10 if gauge.modes.rank else 2e-6  # of 64 terms of a spectrum that goes on
        assert sigma == pytest.approx(raw(gauge, position)[: len(sigma)], abs=within)


def test_singular_functions_of_a_gauge_are_orthonormal_and_make_the_sum():
    gauge = of("gauge", CouplingSpec(formula="cos(2*pi*(u - v)) + 3*u"))
    sigma, left, right = gauge.svd(gauge.written)
    x, w = gauss((0.0, 1.0), 40)
    along, rest = gauge._seen
    phi = gauge.modes.left(x)[:, : gauge._rank]
    phi = np.column_stack([phi, (gauge.direction(x) - phi @ along) / rest]) @ left
    psi = gauge.modes.right(x)[:, : gauge._rank]
    psi = np.column_stack([psi, np.ones_like(x)]) @ right
    for side in (phi, psi):
        gram = (side * w[:, None]).T @ side
        assert gram == pytest.approx(np.eye(3), abs=1e-9)
    rho = np.cos(2 * np.pi * np.subtract.outer(x, x)) + 3 * x[:, None]
    assert (phi * sigma) @ psi.T == pytest.approx(rho, abs=1e-8)


@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_centring_is_the_least_gauge_for_each_singular_value(spec):
    gauge = of("gauge", spec)
    centred = raw(gauge, 0.0)
    for position in gauge.positions(LEVELS[1]):
        assert np.all(raw(gauge, position) >= centred - 1e-9)


@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_the_least_finds_the_centring(spec):
    gauge = of("gauge", spec)
    m = min(2, gauge._rank - 1)
    for measure in (lambda measures: measures.c_1, tail_at(m)):
        found = least_along(gauge, measure)
        assert found.position == pytest.approx(0.0, abs=1e-6)
        assert found.value == pytest.approx(measure(gauge.measures(0.0)), rel=1e-9)


def test_a_gauge_of_keys_has_its_least_elsewhere():
    """The control of the proof: of ρ + γ g(v), which softmax sees, σ_k fall below the centred."""
    gauge = of("gauge", CouplingSpec(formula="-8*(u - v)**2"))
    u, wu, v, wv = (getattr(gauge.modes, name) for name in ("u", "wu", "v", "wv"))
    moved = gauge.design.coupling.matrix(u, v) + 8 * v**2
    moved -= (moved @ wv)[:, None]
    sigma = np.linalg.svd(np.sqrt(np.outer(wu, wv)) * moved, compute_uv=False)
    assert sigma[1] < 1e-12 < 0.1 < gauge.modes.sigma[1]


def test_what_a_formula_adds_in_u_is_undone():
    for spec in WRITTEN:
        gauge = of("gauge", spec)
        assert gauge.written > 0.1
        at_written = gauge.measures(gauge.written)
        assert at_written.c_1 > 1.01 * gauge.measures(0.0).c_1
        plain = gauge.design.decomposition(centred=False).sigma[:3]
        assert gauge.svd(gauge.written)[0][:3] == pytest.approx(plain, abs=1e-8)


def test_a_constant_beside_sines_is_one_more_term():
    """σ = 1/k with γ among them; C_FF of a constant is 0, and its place is one that sines lose."""
    gauge = of("gauge", CouplingSpec(rank=8, m_h=8))
    assert gauge.written == 0.0
    sigma = np.sort(np.append(1 / np.arange(1, 9), 0.4))[::-1]
    found = gauge.measures(-0.4)
    assert gauge.svd(-0.4)[0] == pytest.approx(sigma)
    assert found.c_1 == pytest.approx(complexity_1(sigma, 1.0))
    assert found.c_0 == pytest.approx(2 * math.sqrt(2), rel=1e-5)
    of_sines = 2 * math.sqrt(2) * 2 * math.pi
    assert found.c_2[2:5] == pytest.approx(2 + of_sines * np.array([3, 3, 6]))
    assert found.c_2[8] == pytest.approx(gauge.measures(0.0).c_2[7])


def test_no_gauge_has_the_least_of_all_measures():
    gauge = of("gauge", CouplingSpec())
    c_2 = least_along(gauge, lambda measures: float(measures.c_2[8]))
    assert c_2.value == pytest.approx(gauge.complexity.c_2[7]) and abs(c_2.position) > 1 / 8
    assert gauge.measures(c_2.position).c_1 > 1.05 * gauge.complexity.c_1


def test_scaling_moves_f_and_f_against_each_other():
    scale = of("scale", SPECS[-1], alpha=1.0)
    outer, inner = (each.value for each in scale.design.target.parts.barron.values())
    assert inner > 1.5 * outer
    rest = scale.complexity.c_2[2] - outer - inner
    for s in scale.positions(LEVELS[0]):
        found = scale.measures(s)
        assert found.c_2[2] == pytest.approx(rest + s * outer + inner / s)
        assert (found.c_0, found.c_1) == (scale.complexity.c_0, scale.complexity.c_1)
    found = least_along(scale, lambda measures: float(measures.c_2[2]))
    assert found.position == pytest.approx(math.sqrt(inner / outer), rel=1e-4)
    assert found.value == pytest.approx(rest + 2 * math.sqrt(inner * outer))


def test_the_scale_that_keeps_f_in_its_interval_is_least_for_the_identity():
    scale = of("scale", CouplingSpec())
    assert least_along(scale, lambda measures: float(measures.c_2[8])).position == 1.0
    k_outer = [scale.design.target.parts.k_outer * s for s in (1.0, 4.0)]
    assert k_outer[1] * (1 / 4) == k_outer[0]  # K_F ‖f‖ stays


@pytest.mark.parametrize("spec", [SPECS[0], SPECS[4]], ids=compact)
def test_a_shift_is_least_in_the_middle_of_f(spec):
    shift = of("shift", spec)
    ((low, high),) = shift.design.target.parts.inner.ends
    found = least_along(shift, lambda measures: measures.c_0)
    assert found.position == pytest.approx((low + high) / 2, abs=1e-6)
    terms = np.max(np.add(*shift.complexity.suprema))
    k_outer = shift.design.target.parts.k_outer
    assert found.value == pytest.approx(max(k_outer * (high - low) / 2 * terms, 1.0))
    assert shift.measures(found.position).c_2 is shift.complexity.c_2


def test_a_monotone_map_lowers_the_rank_of_what_a_hard_head_needs():
    """e^ρ of ρ = log(0.2 + uv) has centred rank 1; its inverse has not."""
    spec = CouplingSpec(formula="log(0.2 + u*v)")
    family = of("monotone", spec)
    _, spread = family._range
    assert spread == pytest.approx(math.log(1.2 / 0.2), rel=1e-2)
    found = least_along(family, tail_at(1))
    assert found.position == pytest.approx(spread, rel=1e-4)
    here, log, other = (tail_at(1)(family.measures(p)) for p in (spread, 0.0, -spread))
    assert here < 1e-12 < 0.01 < log < other
    assert family.off(spread) < 1e-12 < 1e-3 < family.soft(spread)


def test_a_monotone_map_keeps_the_size_of_the_centred_coupling():
    family = of("monotone", SPECS[4])
    assert isinstance(family, Monotone)
    sizes = [family.measures(p).tail[0] for p in family.positions(LEVELS[0])]
    assert sizes == pytest.approx([sizes[0]] * len(sizes))
    rho = np.linspace(*sorted(family._range), 50) - family._range[1]
    for position in family.positions(LEVELS[0]):
        assert np.all(np.diff(family.mapped(position, rho)) > 0)


def test_families_are_named_once():
    assert [FAMILIES[name] for name in ("gauge", "scale")] == [Gauge, Scale]
    assert len({family.letter for family in FAMILIES.values()}) == len(FAMILIES)
    with pytest.raises(KeyError):
        of("reflection", CouplingSpec())
