"""The model of Eq. 5 against its closed forms and a plain second implementation."""

import math

import numpy as np
import pytest
import torch
from references import PlainTransformer

from explorer.families import ACTIVATIONS
from explorer.models.named import shapes
from explorer.models.transformer import (
    embed,
    forward,
    init_bounds,
    initial,
    queries_and_keys,
)
from explorer.spec import CouplingSpec
from explorer.targets import parse

SMALL = parse({"tau": 6, "m_h": 3, "n": 5, "d_v": 4, "m_ff": 7})


def weights_of(spec, models=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    starts = [initial(spec, generator) for _ in range(models)]
    return {name: torch.stack([start[name] for start in starts]).double() for name in shapes(spec)}


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_batch_of_models_equals_the_textbook_one_by_one(depth, activation):
    spec = parse(SMALL.model_dump() | {"depth": depth, "activation": activation})
    weights = weights_of(spec)
    x = torch.rand(2, 3, spec.tau, dtype=torch.float64)
    y, attention = forward(spec, weights, x)
    for model in range(2):
        expected = PlainTransformer(spec, weights, model)(x[model])
        torch.testing.assert_close(y[model], expected, atol=1e-12, rtol=1e-12)
    torch.testing.assert_close(attention.sum(-1), torch.ones_like(y), atol=1e-12, rtol=0)


def test_permutation_equivariance():
    """App. A.1: Ĥ(x∘p) = Ĥ(x)∘p."""
    weights = weights_of(SMALL)
    x = torch.rand(2, 4, SMALL.tau, dtype=torch.float64)
    p = torch.randperm(SMALL.tau, generator=torch.Generator().manual_seed(3))
    y, _ = forward(SMALL, weights, x)
    permuted, _ = forward(SMALL, weights, x[..., p])
    torch.testing.assert_close(permuted, y[..., p], atol=3e-15, rtol=0)
    assert not torch.allclose(permuted, y)


def test_a_key_offset_is_invisible():
    """ρ̂(u, v) + g(u) gives the same attention: keys may all be shifted by one vector."""
    spec = SMALL
    weights = weights_of(spec, models=1)
    x = torch.rand(1, 4, spec.tau, dtype=torch.float64)
    query, key = queries_and_keys(spec, weights, embed(spec, weights, x[:, 0]))
    plain = torch.softmax(query @ key.mT, -1)
    shifted = torch.softmax(query @ (key + torch.randn(spec.m_h, dtype=torch.float64)).mT, -1)
    torch.testing.assert_close(plain, shifted, atol=1e-14, rtol=0)


def test_equation_18_reproduces_a_coupling_of_rank_m_h():
    """[W_Q]_k = σ_k e_k and [W_K]_k = e_(k+m_h) on f̂ = (φ_1 … φ_m, ψ_1 … ψ_m): ρ̂ = ρ exactly.

    √2 sin 2πkx is a sine network of one hidden layer: sin(πk(2x−1) + πk).
    """
    rank = 4
    sigma = torch.tensor([1.0, 0.5, 0.3, 0.2], dtype=torch.float64)
    spec = parse({"m_h": rank, "n": 2 * rank, "m_ff": rank, "depth": 2, "tau": 8})
    weights = {name: torch.zeros(1, *s, dtype=torch.float64) for name, s in shapes(spec).items()}
    k = torch.arange(1, rank + 1, dtype=torch.float64)
    signs = (-1.0) ** k  # ψ_k(v) = φ_k(v + ½)
    weights["f.0.weight"][0, :, 0] = math.pi * k
    weights["f.0.bias"][0] = math.pi * k
    weights["f.1.weight"][0, :rank] = math.sqrt(2) * torch.eye(rank, dtype=torch.float64)
    weights["f.1.weight"][0, rank:] = math.sqrt(2) * torch.diag(signs)
    weights["W_Q"][0, :, :rank] = torch.diag(sigma)
    weights["W_K"][0, :, rank:] = torch.eye(rank, dtype=torch.float64)
    u = torch.rand(1, 20, dtype=torch.float64)
    v = torch.rand(1, 30, dtype=torch.float64)
    query, _ = queries_and_keys(spec, weights, embed(spec, weights, u))
    _, key = queries_and_keys(spec, weights, embed(spec, weights, v))
    phi = math.sqrt(2) * torch.sin(2 * math.pi * u[0, :, None] * k)
    psi = math.sqrt(2) * torch.sin(2 * math.pi * (v[0, :, None] + 0.5) * k)
    torch.testing.assert_close(
        (query @ key.mT)[0], phi @ torch.diag(sigma) @ psi.T, atol=1e-13, rtol=0
    )


def test_starts_are_pytorchs_and_siren():
    """Bounds against torch.nn.Linear itself and against Sitzmann et al. 2020."""
    torch.manual_seed(0)
    bounds = init_bounds(parse({"init": "torch", "m_ff": 100}))
    layer = torch.nn.Linear(100, 5000)
    for name, parameter in (("f.1.weight", layer.weight), ("f.1.bias", layer.bias)):
        assert bounds[name] == pytest.approx(float(parameter.detach().abs().max()), rel=1e-3)
    siren = init_bounds(parse({"init": "siren", "m_ff": 128}))
    assert siren["f.0.weight"] == 30
    assert siren["f.0.bias"] == math.pi
    assert siren["f.1.weight"] == pytest.approx(math.sqrt(6 / 128))
    assert siren["F.1.weight"] == pytest.approx(1 / math.sqrt(128))


def test_a_start_depends_on_its_generator_alone():
    spec = CouplingSpec()
    first, again, other = (initial(spec, torch.Generator().manual_seed(seed)) for seed in (5, 5, 6))
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["W_Q"], other["W_Q"])
    spread = first["f.1.weight"].abs().max() / init_bounds(spec)["f.1.weight"]
    assert 0.99 < spread <= 1


def test_equal_shapes_are_neighbours():
    """So that they are one stack in the flat buffer."""
    order = list(shapes(CouplingSpec()).values())
    seen = [shape for i, shape in enumerate(order) if i == 0 or order[i - 1] != shape]
    assert len(seen) == len(set(seen))
    assert np.prod(shapes(CouplingSpec())["W_V"]) == 32 * 32
