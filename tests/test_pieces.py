"""Pieces of φ_k under an order: σ_k stay where intervals are equal, and Eq. 90 has a limit."""

import numpy as np
import pytest

from explorer.coupling import pod
from explorer.coupling.couplings import coupling_of
from explorer.spec import CouplingSpec, compact
from explorer.theory.pieces import NODES, left_of_content, pieces

TAU = 6
SPECS = (
    CouplingSpec(rank=6),
    CouplingSpec(left_basis="fourier", right_basis="legendre", rank=5),
    CouplingSpec(formula="exp(2*u*v) + u"),
)
ORDERS = [tuple(np.random.default_rng(seed).permutation(TAU).tolist()) for seed in range(4)]
REVERSED = tuple(range(TAU))[::-1]


def distinct(sigma):
    """How many leading σ_k are above rounding."""
    return int((sigma > 1e-9 * sigma[0]).sum())


@pytest.mark.parametrize("order", [*ORDERS, REVERSED])
@pytest.mark.parametrize("spec", SPECS, ids=compact)
def test_an_order_of_the_pieces_moves_phi_alone(spec, order):
    own, moved = (pieces(coupling_of(spec), TAU, p) for p in (None, order))
    assert moved.sigma == pytest.approx(own.sigma, abs=1e-12)
    for k in range(min(distinct(own.sigma), 3)):
        sign = np.sign(np.sum(own.psi[k] * moved.psi[k]))
        assert sign * moved.psi[k] == pytest.approx(own.psi[k], abs=1e-6)
        assert sign * moved.phi[k] == pytest.approx(own.phi[k][list(order)], abs=1e-6)


def test_pieces_in_intervals_of_other_lengths_move_the_singular_values():
    """The control: an order of them is no longer unitary."""
    length = np.repeat(np.linspace(0.5, 2.0, TAU), NODES)
    rho = np.cos(3 * np.add.outer(np.arange(TAU * NODES), np.arange(TAU * NODES)) / TAU)
    p = (np.array(REVERSED)[:, None] * NODES + np.arange(NODES)).ravel()
    one, other = (
        np.linalg.svd(np.sqrt(np.outer(length, length)) * each, compute_uv=False)
        for each in (rho, rho[p])
    )
    assert np.abs(one - other).max() > 1e-2 * one[0]


def test_singular_functions_of_the_union_are_orthonormal():
    own = pieces(coupling_of(SPECS[0]), TAU)
    weights = np.polynomial.legendre.leggauss(NODES)[1] / 2 / (2 * TAU)
    gram = np.einsum("itn,jtn,n->ij", own.phi[:3], own.phi[:3], weights)
    assert gram == pytest.approx(np.eye(3), abs=1e-10)


def test_content_of_another_token_is_not_to_be_had():
    """Sines have mean 0, so all is left; of a ρ(v) nothing is; at a fixed point nothing, too."""
    sines = pod(coupling_of(CouplingSpec(rank=6)))
    assert left_of_content(sines, REVERSED) == pytest.approx(1.0)
    assert left_of_content(sines, (1, 0, 2, 3, 4, 5)) == pytest.approx(1 / 3)
    assert left_of_content(sines, range(TAU)) == 0.0
    of_keys = pod(coupling_of(CouplingSpec(formula="sin(3*v)")))
    assert left_of_content(of_keys, REVERSED) == pytest.approx(0.0, abs=1e-12)


def test_what_is_left_is_the_variance_over_the_query():
    modes = pod(coupling_of(CouplingSpec(formula="exp(2*u*v)")))
    rho = np.exp(2 * np.outer(modes.u, modes.v))
    apart = rho - modes.wu @ rho
    share = (modes.wu @ apart**2 @ modes.wv) / (modes.wu @ rho**2 @ modes.wv)
    assert left_of_content(modes, REVERSED) == pytest.approx(share, rel=1e-9)


def test_what_is_no_order_is_refused():
    with pytest.raises(ValueError, match="no order"):
        pieces(coupling_of(SPECS[0]), TAU, (0, 0, 1, 2, 3, 4))
