"""Heads that are given ρ, f or F of their target, and trained ones with exact parts in place."""

from typing import Any

import numpy as np
import pytest
import torch

from explorer.models import exact
from explorer.models.transformer import forward
from explorer.spec import (
    CouplingSpec,
    SpecError,
    SweepSpec,
    amended,
    compact,
    coupling_spec,
    spec_id,
)
from explorer.spec.couplings import KNOWN
from explorer.targets import parse, target_of
from explorer.targets.coupling import plain_target
from explorer.training import models_of, train

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = CouplingSpec(
    rank=2, m_h=3, m_ff=8, n=6, d_v=4, tau=6, batch=7, steps=40, outer="tanh 3", inner="power 2"
)
PLAIN = amended(SMALL, outer="identity", inner="identity")
ALL = ("rho", "inner", "outer")
GIVEN = [known for known in KNOWN if known != "none"]
X = torch.rand(3, 5, 6, generator=torch.Generator().manual_seed(0))
OWN = {"rho": ("W_Q", "W_K"), "inner": ("W_V",), "outer": ("F.",), "rho inner": ("f.",)}
"""How parameters begin on which nothing else hangs."""


def ensemble_of(*specs) -> Any:
    return models_of(specs, [target_of(spec) for spec in specs], "cpu")


def learned(ensemble, x):
    """The answers as they are learned, (model, …)."""
    plan = ensemble.recipe.plan
    pairs = [(*plan.assignment(model), x[model]) for model in range(len(x))]
    return torch.stack([(target.answer(x) - c.centre) / c.scale for target, c, x in pairs])


@pytest.mark.parametrize("spec", [SMALL, PLAIN, amended(SMALL, outer="power 0.5", answers="raw")])
def test_with_all_three_the_head_is_the_target(spec):
    ensemble = ensemble_of(*(amended(spec, seed=seed, alpha=1 + seed) for seed in range(3)))
    recipe = ensemble.recipe
    parts = [recipe.parts_of(model) for model in range(3)]
    found = exact.forward(ensemble.spec, ensemble.weights, X, parts, ALL)
    assert torch.allclose(found, learned(ensemble, X), rtol=0, atol=3e-5)
    assert recipe._errors(ensemble.member(0), 0, X[0], ALL)[0].abs().max() < 1e-5


def test_with_none_it_is_the_head():
    ensemble = ensemble_of(SMALL)
    recipe, x = ensemble.recipe, X[:1]
    parts = [recipe.parts_of(0)]
    found = exact.forward(SMALL, ensemble.weights, x, parts, ())
    assert torch.allclose(found[0], recipe.predicted(ensemble.weights, 0, x[0]), atol=1e-6)


def test_given_scores_and_values_leave_the_exact_means():
    """F̂ of them: by hand, with F = f = id in units of y itself."""
    ensemble = ensemble_of(amended(PLAIN, frozen="rho inner"))
    mean = learned(ensemble, X[:1])  # (1, batch, τ): y is the mean
    value = torch.nn.functional.pad(mean.unsqueeze(-1), (0, SMALL.d_v - 1))
    by_hand, w = value[0], {name: weight[0] for name, weight in ensemble.weights.items()}
    for i in range(3):
        by_hand = by_hand.tanh() if i else by_hand
        by_hand = by_hand @ w[f"F.{i}.weight"].T + w[f"F.{i}.bias"]
    found = ensemble.recipe.predicted(ensemble.weights, 0, X[0], ("rho", "inner"))
    assert torch.allclose(found, by_hand[..., 0], atol=1e-5)


@pytest.mark.parametrize("known", GIVEN)
def test_what_is_given_does_not_move_and_what_is_not_learns(known):
    before = ensemble_of(amended(SMALL, frozen=known))
    start = {name: weight.clone() for name, weight in before.weights.items()}
    losses = [float(before.advance()) for _ in range(40)]
    given = [own for part, own in OWN.items() if {*part.split()} <= {*known.split()}]
    still = tuple(begin for own in given for begin in own)
    moved = {name for name, w in before.weights.items() if not torch.equal(w, start[name])}
    assert moved == {name for name in start if not name.startswith(still)}
    assert np.mean(losses[-5:]) < np.mean(losses[:5])


def test_the_start_is_that_of_the_head_that_is_given_nothing():
    plain, given = ensemble_of(SMALL), ensemble_of(amended(SMALL, frozen="rho"))
    assert all(torch.equal(plain.weights[n], given.weights[n]) for n in plain.weights)
    assert torch.equal(plain.batch()[0], given.batch()[0])


def test_the_gradient_is_that_written_by_hand():
    """By autograd through the exact parts with none given, against `loss_and_gradient`."""
    ensemble, x = ensemble_of(SMALL), X[:1]
    y = learned(ensemble, x)
    ensemble.recipe.gradient(ensemble.weights, x, y, ensemble.gradients, 1)
    leaves = {n: w.clone().requires_grad_() for n, w in ensemble.weights.items()}
    parts = [ensemble.recipe.parts_of(0)]
    (exact.forward(SMALL, leaves, x, parts, ()) - y).square().mean().backward()
    for name, gradient in ensemble.gradients.items():
        assert torch.allclose(gradient, leaves[name].grad, atol=1e-5), name


def test_a_trained_head_with_exact_parts_is_measured_where_it_has_parts():
    ensemble = ensemble_of(SMALL)
    found = ensemble.evaluate_all(64)[0]
    x = X[0]
    assert {"nmse_rho", "nmse_networks"} <= found.keys()
    error, _ = ensemble.recipe._errors(ensemble.weights, 0, x, ("inner", "outer"))
    target = ensemble.recipe.plan.targets[0]
    _, attention = forward(SMALL, ensemble.weights, x.unsqueeze(0))
    mean = attention[0] @ target.parts.inner(x)
    assert torch.allclose(error.float(), target.parts.outer(mean) - target.answer(x), atol=1e-5)
    for spec in (PLAIN, amended(SMALL, frozen="rho")):
        assert not {"nmse_rho", "nmse_networks"} & ensemble_of(spec).evaluate_all(8)[0].keys()


def test_of_a_given_coupling_the_pictures_are_its_own():
    *_, last = train(amended(SMALL, frozen="rho", steps=2))
    found, target = last.diagnostics(), plain_target(SMALL)
    cells = (np.arange(48) + 0.5) / 48
    rho = target.coupling.matrix(cells, cells)
    assert np.allclose(found["rho_hat"], rho, atol=1e-5)  # this ψ has no mean
    assert np.allclose(found["sigma_hat"], [1, 0.5, 0], atol=1e-6)
    assert np.allclose(found["attention"], target.attention(found["tokens"]), atol=1e-5)
    assert not (found["angles"] > 0).any()


def test_ids_are_as_they_were_and_a_given_part_has_its_own():
    assert compact(CouplingSpec()) == '{"version":1}' == compact(parse({"frozen": "none"}))
    assert len({spec_id(amended(SMALL, frozen=known)) for known in KNOWN}) == len(KNOWN)
    read = parse(compact(amended(SMALL, frozen="rho outer")))
    assert coupling_spec(read).known == {"rho", "outer"}


@pytest.mark.parametrize(
    "fields",
    [
        {"frozen": "rho inner outer"},
        {"frozen": "sigma"},
        {"frozen": "rho", "engine": "native"},
        {"frozen": "outer", "positions": 1},
    ],
)
def test_what_cannot_be_given_is_refused_by_name(fields):
    with pytest.raises(SpecError, match="frozen"):
        parse(fields)
    with pytest.raises(SpecError, match="frozen"):
        amended(SweepSpec(), frozen="rho", method="top_down")


def test_a_sweep_of_given_scores_has_their_sigma():
    specs = [amended(SMALL, frozen="rho", seed=seed, steps=3) for seed in (0, 1)]
    ensemble = ensemble_of(*specs)
    for _ in ensemble.run():
        pass
    assert ensemble.recipe.columns(ensemble.member(1), 1) == {"sigma": [1.0, 0.5, 0.0]}
