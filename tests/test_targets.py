"""Targets of Eq. 8: gauge, equivariance, torch against numpy, and what cannot be built."""

import numpy as np
import pytest
import torch
from couplings import COUPLINGS, D3
from hypothesis import given
from hypothesis import strategies as st

from explorer.coupling import CouplingError, Formula, GridError
from explorer.spec import CouplingSpec, SpecError
from explorer.targets import (
    CouplingTarget,
    evaluation_inputs,
    example_inputs,
    softmax,
    target_of,
)

TAU = 7
X = np.random.default_rng(0).random((5, TAU))
EPS = np.finfo(float).eps


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_answers_in_the_letters_of_the_paper(coupling):
    """Second implementation: loops over t and s."""
    target = CouplingTarget(coupling, TAU)
    for x, y in zip(X, target.answer(X), strict=True):
        for t in range(TAU):
            rho = np.array([coupling.matrix(x[t : t + 1], x[s : s + 1])[0, 0] for s in range(TAU)])
            expected = np.sum(np.exp(rho) * x) / np.sum(np.exp(rho))
            assert y[t] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_attention_is_a_distribution_over_s(coupling):
    attention = CouplingTarget(coupling, TAU).attention(X)
    assert attention.shape == (5, TAU, TAU) and attention.min() > 0
    assert np.allclose(attention.sum(axis=-1), 1, rtol=0, atol=4 * EPS)


@pytest.mark.parametrize("coupling", COUPLINGS)
def test_permutation_equivariance(coupling):
    """H(x∘p) = H(x)∘p, to the rounding of sums in another order."""
    target = CouplingTarget(coupling, TAU)
    p = np.random.default_rng(1).permutation(TAU)
    assert np.allclose(target.answer(X[:, p]), target.answer(X)[:, p], rtol=0, atol=1e-14)


@pytest.mark.parametrize("coupling", COUPLINGS)
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-14), (torch.float32, 1e-4)])
def test_torch_equals_numpy(coupling, dtype, tolerance):
    # Away from the jumps of Haar and heaviside, where single precision may fall on either side.
    x = np.floor(X * 64) / 64 + 1 / 300
    target = CouplingTarget(coupling, TAU)
    found = target.answer(torch.as_tensor(x, dtype=dtype))
    assert found.dtype == dtype
    assert np.allclose(found.numpy(), target.answer(x), rtol=0, atol=tolerance)


def test_softmax_cannot_see_functions_of_u():
    plain = CouplingTarget(Formula(D3), TAU)
    shifted = CouplingTarget(Formula(f"{D3} + sin(9*u)"), TAU)
    other = CouplingTarget(Formula(f"{D3} + sin(9*v)"), TAU)
    assert np.abs(plain.attention(X) - shifted.attention(X)).max() < 4 * EPS
    assert np.abs(plain.attention(X) - other.attention(X)).max() > 0.01


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=9), st.floats(-1e4, 1e4))
def test_softmax_does_not_overflow(logits, shift):
    logits = np.array(logits)
    assert np.allclose(softmax(logits + shift), softmax(logits), rtol=0, atol=1e-9)
    assert softmax(logits).sum() == pytest.approx(1, abs=1e-14)


def test_no_coupling_gives_the_mean():
    answer = CouplingTarget(Formula("0"), TAU).answer(X)
    assert np.allclose(answer, X.mean(axis=-1, keepdims=True), rtol=0, atol=4 * EPS)


def test_target_of_a_spec():
    grid = np.random.default_rng(2).normal(size=(4, 6))
    fields = {
        "64 terms, sine × shifted_sine": {},
        "2 terms, haar × legendre": {"rank": 2, "left_basis": "haar", "right_basis": "legendre"},
        "u*v": {"formula": "u*v"},
        "samples 4 × 6": {"grid": "a" * 64},
    }
    for label, values in fields.items():
        target = target_of(CouplingSpec(tau=TAU, **values), {"a" * 64: grid}.__getitem__)
        assert (target.tau, target.coupling.label) == (TAU, label)
        assert target.answer(X).shape == X.shape


@pytest.mark.parametrize(
    ("fields", "load", "why"),
    [
        ({"formula": "u*w"}, None, "formula = 'u\\*w': at character 3: unknown name 'w'"),
        ({"grid": "b" * 64}, None, "grid = bbb.*not here"),
        ({"grid": "b" * 64}, {}.__getitem__, "not here"),
        ({"grid": "b" * 64}, lambda sha: np.ones((1, 1)), "2 to 512"),
    ],
)
def test_what_cannot_be_built_is_a_problem_of_the_spec(fields, load, why):
    with pytest.raises(CouplingError, match=why) as refusal:
        target_of(CouplingSpec(**fields), load)
    assert isinstance(refusal.value, SpecError) and len(refusal.value.problems) == 1


def test_other_errors_of_the_loader_are_not_hidden():
    def load(sha):
        raise PermissionError(sha)

    with pytest.raises(PermissionError):
        target_of(CouplingSpec(grid="c" * 64), load)


@pytest.mark.parametrize("method", ["inputs", "attention", "answer"])
def test_the_length_of_a_sequence_is_checked(method):
    target = CouplingTarget(Formula("u*v"), TAU)
    with pytest.raises(ValueError, match=r"\(…, 7\), got \(3, 8\)"):
        getattr(target, method)(np.zeros((3, 8)))
    assert target.inputs(X) is X


def test_fixed_inputs():
    assert np.array_equal(evaluation_inputs(9, 4), evaluation_inputs(9, 4))
    x = evaluation_inputs(4096, 16)
    assert x.shape == (4096, 16) and x.min() >= 0 and x.max() < 1
    assert abs(x.mean() - 0.5) < 5 / np.sqrt(12 * x.size)
    example = example_inputs(16)
    assert example.shape == (16,) and np.all(np.diff(example) > 0)


def test_a_grid_error_is_a_value_error():
    assert issubclass(GridError, ValueError) and issubclass(CouplingError, ValueError)
