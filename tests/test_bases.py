"""Bases: orthonormal by quadrature, in closed form, one implementation for numpy and torch."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import eval_legendre

from explorer.coupling.pod import gauss
from explorer.coupling.spectra import singular_values
from explorer.families import BASES, TERMS
from explorer.spec import CouplingSpec

SIDES = ("left", "right")


def nodes_for(name, side, count=TERMS):
    return gauss(BASES[name].breakpoints(count, side), BASES[name].gauss_nodes(count, side))


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("name", BASES)
def test_orthonormal(name, side):
    x, w = nodes_for(name, side)
    functions = BASES[name].functions(x, TERMS, side)
    assert functions.shape == (len(x), TERMS)
    off = np.abs(functions.T @ (w[:, None] * functions) - np.eye(TERMS))
    i, j = np.unravel_index(off.argmax(), off.shape)
    assert off[i, j] < 1e-12, (
        f"{name}, {side}: ∫ of functions {i} and {j} is off by {off[i, j]:.1g}: "
        "they are not orthonormal, or `nodes` or `panels` are too few"
    )


@pytest.mark.parametrize("name", BASES)
def test_the_quadrature_is_not_orthonormal_by_accident(name):
    """Negative control: half the nodes do not integrate 64 terms."""
    x, w = gauss((0.0, 1.0), 40)
    functions = BASES[name].functions(x, TERMS)
    assert not np.allclose(functions.T @ (w[:, None] * functions), np.eye(TERMS), atol=1e-2)


@pytest.mark.parametrize("name", BASES)
def test_right_hand_bases_have_no_constant(name):
    x, w = nodes_for(name, "right")
    assert np.abs(w @ BASES[name].functions(x, TERMS, "right")).max() < 1e-13
    first = BASES[name].functions(x, 1, "left")[:, 0]
    assert np.array_equal(first, np.ones_like(x)) == BASES[name].has_constant


@pytest.mark.parametrize("name", BASES)
def test_right_is_left_without_the_constant(name):
    x = np.linspace(0, 1, 41)
    left = BASES[name].functions(x, 9, "left")[:, 1 - BASES[name].first_index("left") :]
    right = BASES[name].functions(x, 9, "right")[:, : left.shape[1]]
    assert np.array_equal(left, right)


@pytest.mark.parametrize(("side", "count"), [("left", 1), ("right", 1), ("left", 64), ("right", 7)])
@pytest.mark.parametrize("name", BASES)
def test_torch_equals_numpy(name, side, count):
    x = np.random.default_rng(0).random((3, 5))
    expected = BASES[name].functions(x, count, side)
    followed = torch.as_tensor(x).requires_grad_()  # which a function of numpy does not take
    found = BASES[name].functions(followed, count, side)
    assert found.dtype == torch.float64 and expected.shape == (3, 5, count)
    assert np.allclose(found.detach().numpy(), expected, rtol=0, atol=1e-12)
    single = BASES[name].functions(torch.as_tensor(x, dtype=torch.float32), count, side)
    assert single.dtype == torch.float32
    assert np.allclose(single.numpy(), expected, rtol=0, atol=2e-3)


@pytest.mark.parametrize("name", BASES)
def test_periodic_is_what_goes_on_with_period_1(name):
    x = np.linspace(0.03, 0.97, 20)
    here, beyond = (BASES[name].functions(x + shift, 9) for shift in (0, 1))
    assert np.allclose(here, beyond, atol=1e-9) == BASES[name].periodic, f"{name}: `periodic`"


def test_closed_forms():
    x = np.linspace(0, 1, 57)
    k = np.arange(1, TERMS + 1)
    sines = math.sqrt(2) * np.sin(2 * np.pi * x[:, None] * k)
    assert np.allclose(BASES["sine"].functions(x, TERMS), sines, rtol=0, atol=2e-13)
    shifted = math.sqrt(2) * np.sin(2 * np.pi * (x[:, None] + 0.5) * k)
    assert np.allclose(BASES["shifted_sine"].functions(x, TERMS), shifted, rtol=0, atol=4e-13)
    legendre = np.sqrt(2 * k + 1) * eval_legendre(k, 2 * x[:, None] - 1)
    assert np.allclose(BASES["legendre"].functions(x, TERMS, "right"), legendre, rtol=0, atol=1e-12)
    waves = [np.cos(2 * np.pi * x), np.sin(2 * np.pi * x), np.cos(4 * np.pi * x)]
    fourier = BASES["fourier"].functions(x, 3, "right")
    assert np.allclose(fourier, math.sqrt(2) * np.stack(waves, -1), rtol=0, atol=1e-14)


def test_haar_cells_are_half_open_and_the_last_one_closed():
    r = math.sqrt(2)
    x = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    expected = [[1, 1, r, 0], [1, 1, -r, 0], [1, -1, 0, r], [1, -1, 0, -r], [1, -1, 0, -r]]
    assert np.allclose(BASES["haar"].functions(x, 4), expected)
    assert BASES["haar"].functions(np.float32([1.0]), 4)[0].tolist() == pytest.approx(expected[-1])


@given(st.integers(1, 64))
def test_haar_panels_are_dyadic_and_just_fine_enough(count):
    """Constant on every panel, and on no coarser dyadic panels."""
    panels = BASES["haar"].breakpoints(count, "right")
    cells = len(panels) - 1
    assert panels == tuple(i / cells for i in range(cells + 1)) and cells & (cells - 1) == 0
    middle = (np.arange(cells) + 0.5) / cells
    inside = BASES["haar"].functions(middle, count, "right")
    assert np.array_equal(inside, BASES["haar"].functions(middle - 0.4 / cells, count, "right"))
    assert not np.array_equal(inside[0::2], inside[1::2])


@pytest.mark.parametrize(("name", "side"), [("sines", "left"), ("sine", "up")])
def test_unknown_names_are_refused(name, side):
    with pytest.raises(KeyError, match=name if name not in BASES else side):
        BASES[name].functions(np.zeros(1), 1, side)


def test_spectra():
    def sigma(**fields):
        return singular_values(CouplingSpec(**fields))

    k = np.arange(1, TERMS + 1)
    assert np.allclose(sigma(alpha=1.5, c=2.0), 2 * k**-1.5, rtol=1e-15)
    assert np.allclose(sigma(spectrum="exponential", decay=0.5, rank=4), [1, 0.5, 0.25, 0.125])
    assert sigma(alpha=0.0, rank=3).tolist() == [1, 1, 1]
    assert sigma(spectrum="list", sigma=(0.2, 3.0, 0.0)).tolist() == [0.2, 3.0, 0.0]
    assert sigma(spectrum="list", sigma=(0.2, 3.0, 0.0), rank=2).tolist() == [0.2, 3.0]
    assert sigma().dtype == np.float64 and len(sigma()) == TERMS


def test_remembered_values_are_those_of_the_points_asked_for_and_read_only():
    x = np.linspace(0.1, 0.9, 7)
    first = BASES["sine"].functions(x, 3)
    x += 0.05
    second = BASES["sine"].functions(x, 3)
    np.testing.assert_allclose(second, np.sqrt(2) * np.sin(2 * np.pi * x[:, None] * [1, 2, 3]))
    assert not np.allclose(first, second) and BASES["sine"].functions(x, 3) is second
    assert BASES["sine"].functions(x.astype(np.float32), 3).dtype == np.float32
    with pytest.raises(ValueError, match="read-only"):
        second[0, 0] = 1.0
