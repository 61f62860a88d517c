"""Trainings on x and y as they are: what the paper prints, against a textbook loop."""

import pytest
import torch
from torch import nn

from explorer.models.transformer import embed
from explorer.spec import CouplingSpec, amended, compact
from explorer.targets import PRESETS, SWEEPS, evaluation_inputs, parse, target_of
from explorer.training import Ensemble, train

pytestmark = pytest.mark.usefixtures("one_thread")

LITERAL = amended(PRESETS["paper"][1], rank=2, m_h=3, m_ff=16, n=8, d_v=8, tau=6, batch=8, steps=5)


class Textbook(nn.Module):
    """Eq. 5 as the paper says it, in PyTorch's own words: ReLU networks on x, nothing scaled."""

    def __init__(self, spec):
        super().__init__()
        f = [nn.Linear(1, spec.m_ff), nn.ReLU(), nn.Linear(spec.m_ff, spec.m_ff), nn.ReLU()]
        out = [nn.Linear(spec.d_v, spec.m_ff), nn.ReLU(), nn.Linear(spec.m_ff, spec.m_ff)]
        self.f = nn.Sequential(*f, nn.Linear(spec.m_ff, spec.n))
        self.F = nn.Sequential(*out, nn.ReLU(), nn.Linear(spec.m_ff, 1))
        sizes = {"W_Q": spec.m_h, "W_K": spec.m_h, "W_V": spec.d_v}
        for name, rows in sizes.items():
            setattr(self, name, nn.Linear(spec.n, rows, bias=False))

    def forward(self, x):
        h = self.f(x.unsqueeze(-1))
        attention = torch.softmax(self.W_Q(h) @ self.W_K(h).mT, dim=-1)
        return self.F(attention @ self.W_V(h)).squeeze(-1)


def textbook_of(ensemble):
    """The same start: layer i of f̂ and F̂ is the 2i-th module of a Sequential."""
    model = Textbook(ensemble.spec)
    own = dict(model.named_parameters())
    for name, weight in ensemble.weights.items():
        if "." in name:
            network, layer, kind = name.split(".")
            name = f"{network}.{2 * int(layer)}.{kind}"
        else:
            name += ".weight"
        own.pop(name).data.copy_(weight[0])
    assert not own
    return model


def test_the_literal_recipe_is_a_textbook_loop_on_x_and_y_as_they_are():
    target = target_of(LITERAL)
    ensemble = Ensemble([LITERAL], [target])
    model = textbook_of(ensemble)
    optimizer = torch.optim.Adam(model.parameters())  # 1e-3
    for _ in range(LITERAL.steps):
        x, y = ensemble.batch()
        torch.testing.assert_close(y[0], target.answer(x[0]), rtol=0, atol=0)
        loss = nn.functional.mse_loss(model(x[0]), y[0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        said = ensemble.learn(x, y)
        assert float(said[0] * ensemble.variances[0]) == pytest.approx(loss.item(), rel=1e-5)
    for name, weight in textbook_of(ensemble).named_parameters():
        torch.testing.assert_close(weight, dict(model.named_parameters())[name], atol=1e-6, rtol=0)


def test_its_loss_is_said_in_units_of_the_variance_and_its_error_in_those_of_y():
    """Before a step a raw model and one that is standardised differ by the affine map alone."""
    target = target_of(LITERAL)
    raw, ensemble = next(train(LITERAL, target=target)), Ensemble([LITERAL], [target])
    y = target.answer(evaluation_inputs(512, LITERAL.tau))
    mean, deviation = y.mean(), y.std()
    assert float(ensemble.variances[0]) == pytest.approx(deviation**2, rel=0.01)
    errors = raw.evaluate()
    assert errors["nmse"] == pytest.approx(errors["mse"] / deviation**2, rel=0.05)
    zero = {name: weight * 0 for name, weight in raw.weights.items()}
    silent = ensemble.recipe.metrics(zero, 0, 4096)
    assert silent["nmse"] == pytest.approx(1 + (mean / deviation) ** 2, rel=0.02), "ŷ = 0 is 0"


def test_an_altered_coupling_is_learned_as_it_is_too():
    spec = amended(LITERAL, positions=1, permutation="reverse", right_basis="shifted_sine")
    target = target_of(spec)
    ensemble = Ensemble([spec], [target])
    x, y = ensemble.batch()
    torch.testing.assert_close(y[0], target.answer(target.original.inputs(x[0].flip(-1))).float())
    assert float(ensemble.learn(x, y)[0]) > 0 and ensemble.recipe.plan.calibrations[0][:2] == (
        0.0,
        1.0,
    )


def test_raw_tokens_are_seen_as_they_are():
    ensemble = Ensemble([LITERAL], [target_of(LITERAL)])
    x = torch.rand(1, 7)
    centred = embed(amended(LITERAL, tokens="centred"), ensemble.weights, (x + 1) / 2)
    torch.testing.assert_close(embed(LITERAL, ensemble.weights, x), centred)


def test_what_was_trained_before_these_fields_keeps_its_id():
    assert compact(CouplingSpec()) == '{"version":1}'
    assert parse({"tokens": "centred", "answers": "standardised"}) == CouplingSpec()


def test_the_paper_leaves_nothing_scaled():
    spec = PRESETS["paper"][1]
    assert (spec.tokens, spec.answers, spec.init, spec.optimizer) == ("raw", "raw", "torch", "adam")
    assert (spec.activation, spec.activation_out) == ("relu", "relu")
    assert (spec.left_basis, spec.right_basis, spec.n, spec.d_v) == ("sine", "sine", 32, 32)
    sweep = SWEEPS["rates-paper"][1]
    shared = set(type(spec).model_fields) - {*sweep.swept, "steps"}
    assert all(getattr(sweep, name) == getattr(spec, name) for name in shared)
