"""What is known of the attention tasks without training, against quadrature and sampled ranks."""

import numpy as np
import pytest

from explorer.coupling import Formula, pod
from explorer.targets import parse_sweep, target_of, task_of
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec, squared_distance_spectrum
from explorer.targets.tasks.selection import SelectionSpec
from explorer.theory.tasks import (
    group_lines,
    knee,
    summary,
)


@pytest.mark.parametrize("centred", [False, True])
def test_the_spectrum_on_the_line_is_the_pod_of_the_formula(centred):
    found = pod(Formula("-(u - v)**2"), centred=centred)
    expected = squared_distance_spectrum(1, centred)
    assert found.rank == len(expected) == (2 if centred else 3)
    np.testing.assert_allclose(found.sigma[: len(expected)], expected, atol=1e-14)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("centred", [False, True])
def test_the_spectrum_in_d_dimensions_by_quadrature(d, centred):
    """SVD of √w ρ √w at the product of Gauss–Legendre nodes: exact, ρ being a polynomial."""
    nodes, w = np.polynomial.legendre.leggauss(4)
    axes = np.meshgrid(*[(nodes + 1) / 2] * d, indexing="ij")
    points = np.stack([axis.ravel() for axis in axes], axis=-1)
    weights = np.prod(np.meshgrid(*[w / 2] * d, indexing="ij"), axis=0).ravel()
    rho = -((points[:, None] - points[None]) ** 2).sum(axis=-1)
    if centred:
        rho -= (rho @ weights)[:, None]
    root = np.sqrt(weights)
    sigma = np.linalg.svd(root[:, None] * rho * root, compute_uv=False)
    expected = squared_distance_spectrum(d, centred)
    assert len(expected) == d + (1 if centred else 2)
    np.testing.assert_allclose(sigma[: len(expected)], expected, atol=1e-14)
    assert len(sigma) == len(expected) or sigma[len(expected)] < 1e-14


def coupling(spec, queries, keys):
    """A coupling ρ(x_t, x_s) whose softmax is the ideal attention as the number 20 grows."""
    d, tau = spec.d, spec.tau
    if isinstance(spec, NearestSpec):
        return -20 * ((queries[:, None, :d] - keys[None, :, d:]) ** 2).sum(-1)
    if isinstance(spec, SelectionSpec):
        asked = queries[:, d : d + tau] @ keys[:, d + tau :].T
        return np.log(np.maximum(asked, np.exp(-20)))
    asks, asked = queries[:, d + 1, None] == 1, keys[None, :, d + 1] == 1
    same = queries[:, d + 2 + tau :] @ keys[:, d + 2 + tau :].T
    own = queries[:, d + 2 : d + 2 + tau] @ keys[:, d + 2 : d + 2 + tau].T
    masses = np.log(np.where(asked, np.exp(-40), keys[None, :, d]))
    return np.where(asks, masses + 20 * same, 20 * own)


SPECS = [
    NearestSpec(),
    NearestSpec(d=1),
    NearestSpec(d=4),
    SelectionSpec(),
    SelectionSpec(tau=5, k=2),
    GravitySpec(),
    GravitySpec(tau=6, segments=2),
]


@pytest.mark.parametrize("spec", SPECS, ids=[f"{s.target}-{s.tau}-{s.d}" for s in SPECS])
def test_the_sufficient_width_is_the_centred_rank_of_a_coupling_that_solves_the_task(spec):
    task = target_of(spec)
    x = task.inputs(np.random.default_rng(0).random((60, task.n_uniform)))
    for sequence in x[:20]:
        rho = coupling(spec, sequence, sequence)
        rho = 1e6 * rho if isinstance(spec, NearestSpec) else rho
        attention = np.exp(rho - rho.max(axis=1, keepdims=True))
        attention /= attention.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(attention, task.attention(sequence), atol=1e-6)
    queries, keys = (half.reshape(-1, half.shape[-1]) for half in (x[:30], x[30:]))
    rho = coupling(spec, queries, keys)
    rho -= rho.mean(axis=1, keepdims=True)
    assert (
        np.linalg.matrix_rank(rho, tol=1e-8 * np.linalg.norm(rho)) == task_of(spec).sufficient_width
    )


def test_a_knee_is_where_the_errors_stop_falling():
    assert knee([1, 2, 3, 4], [1.0, 0.5, 0.011, 0.01]) == 3
    assert knee([4, 3, 2, 1], [0.01, 0.011, 0.5, 1.0]) == 3
    assert knee([1, 2, 3], [1.0, 0.1, 0.01]) is None, "it may fall further"
    assert knee([1, 2, 3, 4], [0.02, 0.1, 0.02, 0.01]) == 3, "from which on every error is low"
    assert knee([1, 2], [0.01, 0.01]) == 1
    assert knee([5], [0.1]) == 5


def test_the_groups_of_a_sweep_have_their_knees_beside_the_sufficient_width():
    """Rows as measured for d = 1, 2 (one seed): the agreement stops rising at d + 1."""
    sweep = parse_sweep({"target": "nearest", "d": [1, 2], "m_h": [1, 2, 3, 4]})
    measured = {
        1: [(6.5e-2, 0.425), (2.9e-3, 0.987), (3.1e-3, 0.986), (3.1e-3, 0.989)],
        2: [(4.8e-1, 0.355), (1.5e-1, 0.724), (7.0e-3, 0.995), (7.1e-3, 0.995)],
    }
    rows = [
        {
            "tau": 6,
            "d": d,
            "seed": 0,
            "m_h": m_h,
            "nmse": nmse,
            "agreement": agreement,
            "status": "finished",
        }
        for d, cells in measured.items()
        for m_h, (nmse, agreement) in enumerate(cells, start=1)
    ]
    rows.append(rows[0] | {"status": "diverged", "nmse": None, "agreement": None})
    found = summary(sweep, rows)
    assert found["slope"] is None and len(found["rows"]) == 9
    for group in found["groups"]:
        assert group["agreement_knee"] == group["knee"] == group["sufficient_width"]
        assert group["sufficient_width"] == group["d"] + 1 and group["m_h"] == [1, 2, 3, 4]
    assert group_lines(found["groups"])[1] == (
        "tau = 6, d = 2: lowest nMSE 7.00e-03; knee of the best seed (of 1) m_h = 3, of their "
        "median m_h = 3; median agreement 0.995, its knee m_h = 3; m_h = 3 is enough"
    )


def test_seeds_that_stop_early_leave_the_best_a_knee_and_the_median_none():
    sweep = parse_sweep({"target": "qsa", "k": 2, "m_h": [2, 3, 4], "seed": [0, 1, 2]})
    errors = {2: [0.3, 0.3, 0.3], 3: [2e-5, 1e-2, 9e-5], 4: [5e-5, 1e-2, 2e-2]}
    rows = [
        {
            "tau": 8,
            "k": 2,
            "seed": seed,
            "m_h": m_h,
            "nmse": nmse,
            "status": "finished",
            "agreement": [0.9, 1.0, 0.2][seed] if m_h == 2 else 1.0,
        }
        for m_h, of in errors.items()
        for seed, nmse in enumerate(of)
    ]
    (group,) = summary(sweep, rows)["groups"]
    assert group["knee"] == 3 and group["median_knee"] is None, "the median is lowest at 3, not 4"
    assert group["there"] == [0, 2, 1], "an error of 1e-4 is learned, however low the others are"
    assert group["agreement"][0] == 0.9 and group["agreement_knee"] == 3
    assert group["median"] == pytest.approx([0.3, 9e-5, 1e-2])
