"""Alterations and linear targets against the formulas they state, written out as loops."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from explorer.spec import CouplingSpec, LinearSpec, amended
from explorer.targets import (
    FILTERS,
    ORDERS,
    Alteration,
    alteration_of,
    filter_matrix,
    kernel_of,
    linear_target,
    named_order,
    named_taps,
    parse,
    target_of,
    toeplitz,
)

MODES = ("causal", "ahead", "centred", "circular")


def filtered(taps, x, mode):
    """θ*x by whole sequences: convolved, or turned round and added."""
    if mode == "circular":
        return sum(theta * np.roll(x, s) for s, theta in enumerate(taps))
    if mode == "ahead":
        return filtered(taps, x[::-1], "causal")[::-1]
    late = (len(taps) - 1) // 2 if mode == "centred" else 0
    return np.convolve(taps, x)[late : late + len(x)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("length", [1, 2, 5, 8])
def test_a_filter_is_its_sum(mode, length):
    rng = np.random.default_rng(length)
    taps, x = tuple(rng.normal(size=length)), rng.random(8)
    expected = filtered(taps, x, mode)
    np.testing.assert_allclose(filter_matrix(taps, 8, mode) @ x, expected, atol=1e-14)
    np.testing.assert_allclose(Alteration(8, None, taps, mode).mixed(x), expected, atol=1e-14)
    for other in set(MODES) - {mode}:  # the conventions do differ
        same = np.allclose(filtered(taps, x, other), expected)
        assert same == (length == 1 or (length == 2 and {mode, other} == {"causal", "centred"}))


def test_orders_are_those_of_the_paper():
    assert named_order("block", 32) == (*range(22, 32), *range(10, 22), *range(10))
    assert named_order("roll", 32) == (*range(10, 32), *range(10))
    assert named_order("reverse", 4) == (3, 2, 1, 0)
    assert named_order("random", 16, 1) == named_order("random", 16, 1) != named_order("random", 16)
    for name in ORDERS:
        for tau in (2, 3, 31, 64):
            assert sorted(named_order(name, tau)) == list(range(tau))
    with pytest.raises(ValueError, match="block, roll, reverse, random"):
        named_order("shuffle", 8)


def test_named_filters():
    x = np.random.default_rng(0).random(8)
    np.testing.assert_allclose(filtered(named_taps("delay"), x, "causal")[1:], x[:-1])
    np.testing.assert_allclose(filtered(named_taps("difference"), x, "causal")[1:], np.diff(x))
    assert np.isclose(filtered(named_taps("average", 4), x, "causal")[3], x[:4].mean())
    for name in ("positive", "signed"):
        taps = np.array([named_taps(name, 5, seed) for seed in range(20)])
        np.testing.assert_allclose(np.abs(taps).sum(axis=1), 1)
        assert (taps >= 0).all() == (name == "positive")
    for name in FILTERS:
        assert len(named_taps(name, 5)) <= 5
    with pytest.raises(ValueError, match="delay"):
        named_taps("blur")


KERNELS = [
    ({}, lambda s: np.exp(-s)),
    ({"rate": 0.25}, lambda s: np.exp(-s / 4)),
    ({"kernel": "power", "alpha": 1.5}, lambda s: (s + 1) ** -1.5),
    ({"kernel": "taps", "taps": [1, -2]}, lambda s: np.where(s == 0, 1.0, np.where(s == 1, -2, 0))),
    ({"kernel": "formula", "formula": "cos(s) * exp(-s/3)"}, lambda s: np.cos(s) * np.exp(-s / 3)),
    ({"kernel": "formula", "formula": "2"}, lambda s: 2 + 0 * s),
]


@pytest.mark.parametrize(("values", "rho"), KERNELS, ids=[str(v) for v, _ in KERNELS])
def test_kernels(values, rho):
    spec = parse({"target": "linear", "tau": 12, **values})
    np.testing.assert_allclose(kernel_of(spec), rho(np.arange(12.0)), atol=1e-15)


def test_a_random_kernel_is_of_its_seed():
    first, again, other = (kernel_of(LinearSpec(kernel="random", kernel_seed=k)) for k in (1, 1, 2))
    assert (first == again).all() and not (first == other).all()
    assert (first >= 0).all() and (first < 1).all()


@given(
    st.sampled_from([None, *ORDERS]),
    st.sampled_from([None, *FILTERS]),
    st.sampled_from(MODES),
    st.integers(5, 20),
)
def test_the_matrix_maps_what_is_seen_to_the_answer(order, taps, mode, tau):
    """y_t = Σ_{s≤t} ρ(s)(θ*x)(t−s) of the original x, while the model sees x(p(t))."""
    spec = LinearSpec(tau=tau, permutation=order, filter=taps, filter_mode=mode, rate=0.3)
    target, alteration = linear_target(spec), alteration_of(spec)
    x = np.random.default_rng(tau).random(tau)
    z = x if alteration.taps is None else filtered(alteration.taps, x, mode)
    y = [sum(np.exp(-0.3 * s) * z[t - s] for s in range(t + 1)) for t in range(tau)]
    seen = x if alteration.order is None else np.array([x[p] for p in alteration.order])
    np.testing.assert_allclose(target.matrix @ seen, y, atol=1e-13)
    np.testing.assert_allclose(target.answer(x), y, atol=1e-13)
    np.testing.assert_array_equal(target.seen(x), seen)


def test_numpy_and_torch_agree_and_shapes_are_checked():
    spec = LinearSpec(permutation="block", filter="signed", filter_mode="centred")
    target = linear_target(spec)
    x = np.random.default_rng(0).random((3, 32))
    for of in (target.answer, target.seen, target.alteration.mixed):
        np.testing.assert_allclose(of(torch.as_tensor(x)).numpy(), of(x), atol=1e-14)
        assert of(torch.as_tensor(x, dtype=torch.float32)).dtype == torch.float32
    with pytest.raises(ValueError, match=r"\(…, 32\)"):
        target.answer(x[:, :5])
    assert target == linear_target(spec) and hash(target) == hash(linear_target(spec))
    assert target != linear_target(amended(spec, filter_seed=1))
    assert not target.matrix.flags.writeable


def test_an_altered_coupling():
    spec = amended(CouplingSpec(), tau=8, rank=2, permutation="reverse", filter="average")
    target, plain = target_of(spec), target_of(amended(spec, permutation=None, filter=None))
    x = np.random.default_rng(0).random((4, 8))
    mixed = np.array([filtered((0.2,) * 5, row, "causal") for row in x])
    np.testing.assert_allclose(target.answer(x), plain.answer(mixed), atol=1e-14)
    np.testing.assert_array_equal(target.seen(x), x[:, ::-1])
    assert target.inputs(x) is x


def test_the_equivariant_form_holds_and_that_of_proposition_62_does_not():
    """H(x∘p) = H(x)∘p for every H of Eq. 8 without positions; H̃(x∘p) = H(x) is another target."""
    plain = target_of(amended(CouplingSpec(), tau=8, rank=2))
    order = list(named_order("reverse", 8))
    x = np.random.default_rng(0).random((4, 8))
    np.testing.assert_allclose(plain.answer(x[:, order]), plain.answer(x)[:, order], atol=1e-14)
    assert np.abs(plain.answer(x[:, order]) - plain.answer(x)).max() > 0.1


def test_toeplitz():
    expected = [[1, 0, 0], [2, 1, 0], [3, 2, 1]]
    np.testing.assert_array_equal(toeplitz(np.array([1.0, 2, 3])), expected)
