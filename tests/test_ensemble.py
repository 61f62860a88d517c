"""Ensembles: the gradient by hand against autograd, masks that nothing leaks through, surgery."""

import math

import pytest
import torch
from references import LR, ReferenceSoap, stepped

from explorer.coupling.pod import gauss
from explorer.families import ACTIVATIONS
from explorer.models.backward import loss_and_gradient
from explorer.models.named import shapes
from explorer.models.transformer import embed, forward, initial, queries_and_keys
from explorer.spec import CouplingSpec, amended
from explorer.targets import parse, target_of
from explorer.training import Ensemble, TopDown, rank_surgery
from explorer.training.ensemble import views, widest_spec
from explorer.training.optimizers import optimizer, padding, stacks
from explorer.training.soap import REFRESH, Soap, Stack
from explorer.training.truncation import truncated

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = parse({"rank": 2, "m_h": 5, "n": 8, "d_v": 8, "m_ff": 16, "tau": 6, "batch": 4, "steps": 40})
MEMBERS = [
    amended(TINY, **changes)
    for changes in (
        {"m_h": 1, "seed": 3},
        {"m_h": 5, "alpha": 2.0},
        {"m_h": 3, "m_ff": 7, "seed": 3},
        {"m_h": 2, "m_ff": 16, "rank": 4},
    )
]


def ensemble_of(members, device="cpu"):
    return Ensemble(members, [target_of(member) for member in members], device)


def true_part(weight, shape):
    return weight[tuple(map(slice, shape))]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("tokens", ["centred", "raw"])
def test_the_gradient_by_hand_is_autograds(depth, activation, tokens):
    same = {"activation": activation, "activation_out": activation}
    spec = amended(TINY, depth=depth, tokens=tokens, **same)
    generator = torch.Generator().manual_seed(0)
    starts = [initial(spec, generator) for _ in range(3)]
    weights = {
        name: torch.stack([start[name] for start in starts]).double().requires_grad_()
        for name in shapes(spec)
    }
    x, y = torch.rand(2, 3, spec.batch, spec.tau, dtype=torch.float64, generator=generator)
    losses = (forward(spec, weights, x)[0] - y).square().mean(dim=(1, 2))
    losses.sum().backward()
    plain = {name: weight.detach() for name, weight in weights.items()}
    gradients = {name: torch.full_like(weight, math.nan) for name, weight in plain.items()}
    torch.testing.assert_close(loss_and_gradient(spec, plain, x, y, gradients), losses.detach())
    for name, weight in weights.items():
        scale = float(weight.grad.abs().max())
        torch.testing.assert_close(gradients[name], weight.grad, atol=1e-11 * scale, rtol=0)


def test_the_gradient_by_hand_is_autograds_in_single_precision():
    """To 1e-6 of the largest entry, at the paper's size and over a chunk of models."""
    spec = CouplingSpec(batch=32)
    ensemble = ensemble_of([amended(spec, seed=seed) for seed in range(3)])
    x, y = ensemble.batch()
    leaves = {name: w.clone().requires_grad_() for name, w in ensemble.weights.items()}
    (forward(spec, leaves, x)[0] - y).square().mean(dim=(1, 2)).sum().backward()
    loss_and_gradient(spec, ensemble.weights, x, y, ensemble.gradients)
    for name, leaf in leaves.items():
        scale = float(leaf.grad.abs().max())
        torch.testing.assert_close(ensemble.gradients[name], leaf.grad, atol=1e-6 * scale, rtol=0)


def test_masked_adam_equals_separate_trainings():
    """FACTS: 6e-8 at step 1, 1e-6 after a dozen; the weights too."""
    members = [amended(member, optimizer="adam", lr=3e-3) for member in MEMBERS]
    together = ensemble_of(members)
    alone = [ensemble_of([member]) for member in members]
    for step in range(12):
        losses = together.advance()
        for model, single in enumerate(alone):
            tolerance = 6e-7 if step == 0 else 2e-6
            assert float(losses[model]) == pytest.approx(float(single.advance()[0]), abs=tolerance)
    for model, (member, single) in enumerate(zip(members, alone, strict=True)):
        for name, shape in shapes(member).items():
            mine = true_part(together.weights[name][model], shape)
            torch.testing.assert_close(mine, single.weights[name][0], atol=2e-5, rtol=0)


@pytest.mark.parametrize("optimizer", ["adam", "soap"])
def test_the_padding_stays_zero(optimizer):
    members = [amended(member, optimizer=optimizer) for member in MEMBERS]
    ensemble = ensemble_of(members)
    start = {name: weight.clone() for name, weight in ensemble.weights.items()}
    for _ in range(25):
        ensemble.advance()
    for model, member in enumerate(members):
        for name, shape in shapes(member).items():
            weight = ensemble.weights[name][model].clone()
            assert not torch.equal(weight, start[name][model])
            true_part(weight, shape).zero_()
            assert not weight.any(), (model, name)


def test_masked_soap_equals_separate_training_from_the_same_bases():
    """The bases of a null space are anyone's choice: the lone model takes the masked one's."""
    together = ensemble_of(MEMBERS)
    together.advance()
    for model, member in enumerate(MEMBERS):
        single = ensemble_of([member])
        single.advance()
        _take_bases(together, model, single)
        for _ in range(2 * REFRESH + 3):
            alone = single.advance()
        twin = ensemble_of(MEMBERS)
        for _ in range(2 * REFRESH + 4):
            losses = twin.advance()
        assert float(losses[model]) == pytest.approx(float(alone[0]), rel=5e-3)


def _take_bases(together, model, single):
    """Copy one member's bases and moments, cut to its shapes, into a lone optimiser."""
    ours, theirs = together.optimizer, single.optimizer
    count, lone = len(together.members), stacks(single.spec, 1)
    places = {}
    for name, shape in shapes(together.spec).items():
        if len(shape) == 2:
            places.setdefault(shape, []).append(name)
    for index, names in enumerate(places.values()):
        for slot, name in enumerate(names):
            here = slot * count + model
            rows, columns = shapes(single.spec)[name]
            there, inside = _slot(single.spec, lone, name)
            for side, size in (("L", rows), ("R", columns)):
                if f"{there}.{side}" in theirs.bases:
                    basis = ours.bases[f"{index}.{side}"][here][:size, :size]
                    theirs.bases[f"{there}.{side}"][inside] = basis
            for moment in ("momentum", "second_moment"):
                source = ours.stacks[index].view(getattr(ours, moment))[here]
                lone[there].view(getattr(theirs, moment))[inside] = source[:rows, :columns]


def _slot(spec, lone, name):
    """Stack and place in it of a matrix of a lone model."""
    shape = shapes(spec)[name]
    index = next(i for i, s in enumerate(lone) if (s.rows, s.columns) == shape)
    names = [other for other, its in shapes(spec).items() if its == shape]
    return index, names.index(name)


def test_padded_matrices_step_like_the_reference_without_padding():
    """SOAP's second implementation, on the true 3 × 4 part of a stack of 5 × 6 matrices."""
    rows, columns, count = 3, 4, 2
    generator = torch.Generator().manual_seed(0)
    start = torch.zeros(count, 5, 6, dtype=torch.float64)
    start[:, :rows, :columns] = torch.randn(count, rows, columns, generator=generator)
    flat = start.flatten().clone()
    masks = (torch.arange(5) >= rows).expand(count, -1), (torch.arange(6) >= columns).expand(2, -1)
    soap = Soap(flat, [Stack(0, count, 5, 6)], {0: masks})
    references = [
        ReferenceSoap(w[:rows, :columns].numpy(), TruePart(soap, rows, columns), i)
        for i, w in enumerate(start)
    ]
    for _ in range(2 * REFRESH + 5):
        gradient = torch.zeros_like(start)
        drawn = torch.randn(count, rows, columns, generator=generator)
        gradient[:, :rows, :columns] = drawn
        stepped(soap, gradient.flatten(), LR)
        for reference, g in zip(references, drawn.double().numpy(), strict=True):
            reference.step(g)
    ended = flat.view(count, 5, 6)
    for reference, w in zip(references, ended, strict=True):
        expected = torch.from_numpy(reference.w)
        torch.testing.assert_close(w[:rows, :columns], expected, atol=1e-9, rtol=0)
    assert not ended[:, rows:].any() and not ended[:, :, columns:].any()


class TruePart:
    """An optimiser's bases without the padding."""

    def __init__(self, soap, rows, columns):
        self.soap, self.sizes = soap, {"0.L": rows, "0.R": columns}

    @property
    def bases(self):
        found = self.soap.bases
        return {key: found[key][:, :size, :size] for key, size in self.sizes.items()}


def test_members_draw_the_data_of_their_seed_alone():
    ensemble = ensemble_of(MEMBERS)
    x, y = ensemble.batch()
    for model, member in enumerate(MEMBERS):
        own_x, own_y = ensemble_of([member]).batch()
        assert torch.equal(x[model], own_x[0])
        torch.testing.assert_close(y[model], own_y[0], atol=1e-6, rtol=0)
    assert torch.equal(x[0], x[2]) and not torch.equal(x[0], x[1])


def test_a_seeded_ensemble_is_deterministic():
    first, again = (ensemble_of(MEMBERS) for _ in range(2))
    for ensemble in (first, again):
        for _ in range(12):
            ensemble.advance()
    assert torch.equal(first.flat, again.flat)
    assert first.evaluate_all(64) == again.evaluate_all(64)


def test_an_ensemble_resumes_bit_for_bit():
    whole = ensemble_of(MEMBERS)
    for step in range(15):
        if step == 8:
            state = whole.state()
        whole.advance()
    resumed = ensemble_of(MEMBERS)
    resumed.load(state)
    for _ in range(7):
        resumed.advance()
    assert torch.equal(whole.flat, resumed.flat)


def test_members_of_other_shapes_are_refused():
    with pytest.raises(ValueError, match="one batch has one tau"):
        widest_spec([TINY, amended(TINY, tau=7)])
    widest = widest_spec(MEMBERS)
    assert (widest.m_h, widest.m_ff) == (5, 16)
    assert padding(widest, [widest, widest]) == {}


def test_truncation_is_the_best_rank_k_part_of_the_learned_coupling():
    """Eckart–Young in L²([0, 1]²): the error is the tail of ρ̂'s own singular values, by an SVD of
    its weighted grid at other nodes; full rank changes nothing."""
    ensemble = ensemble_of([amended(TINY, seed=seed) for seed in (0, 1)])
    nodes, w = (torch.from_numpy(a.copy()) for a in gauss((0.0, 1.0), 150))
    root = w.sqrt()

    def weighted_rho(weights):
        u = nodes.expand(2, -1)
        h = embed(ensemble.spec, weights, u)
        query, key = queries_and_keys(ensemble.spec, weights, h)
        return root[:, None] * (query @ (key - (w @ key)[:, None]).mT) * root

    weights = {name: weight.double() for name, weight in ensemble.weights.items()}
    w_q, w_k = truncated(ensemble.spec, ensemble.weights, [2, 5])
    assert not w_q[0, 2:].any() and not w_k[0, 2:].any()
    whole = weighted_rho(weights)
    part = weighted_rho(weights | {"W_Q": w_q.double(), "W_K": w_k.double()})
    torch.testing.assert_close(part[1], whole[1], atol=1e-6, rtol=0)
    sigma = torch.linalg.svdvals(whole[0])
    error = float(torch.linalg.matrix_norm(part[0] - whole[0]))
    assert error == pytest.approx(float(sigma[2:].square().sum().sqrt()), rel=1e-4)
    assert error > 0.01 * float(sigma[0])


def test_surgery_at_full_width_changes_nothing_and_the_error_grows_below():
    ensemble = ensemble_of([amended(TINY, m_ff=64, steps=300, batch=16, warmup=50)])
    for _ in ensemble.run():
        pass
    errors = [
        found["nmse"]
        for found in rank_surgery(ensemble.recipe, ensemble.member(0), 0, [5, 2, 1, 0], 256)
    ]
    assert errors[0] == pytest.approx(ensemble.evaluate_all(256)[0]["nmse"], rel=0.02)
    assert errors[1] < 0.1 * errors[2] and errors[2] < 0.5 * errors[3]


def test_top_down_reaches_what_separate_training_reaches():
    spec = amended(TINY, m_ff=64, steps=300, batch=16, warmup=50)
    members = [amended(spec, m_h=m_h) for m_h in (1, 2, 5)]
    sweep = TopDown(members, [target_of(member) for member in members], fine_tune=100)
    assert len(list(sweep.run())) == sweep.steps == 400
    assert len(sweep.wide.members) == 1
    one, two, five = (found["nmse"] for found in sweep.final.evaluate_all(256))
    assert max(two, five) < 3e-2 * one
    alone = ensemble_of(members[:1])
    for _ in alone.run():
        pass
    assert 0.5 < one / alone.evaluate_all(256)[0]["nmse"] < 2


@pytest.mark.parametrize("models", [1, 4])
@pytest.mark.parametrize("activation", ["sine", "relu", "gelu", "tanh"])
def test_what_a_cuda_graph_holds_asks_nothing_of_the_host(activation, models):
    """Walked on the meta device, where shapes are checked and a value cannot be read: loss,
    gradient and every step of SOAP from the second on are launches alone."""
    members = [amended(m, activation=activation, optimizer="soap") for m in MEMBERS][:models]
    real = ensemble_of(members)
    flat = real.flat.to("meta")
    weights = views(real.spec, flat, len(members))
    gradient = torch.zeros_like(flat)
    soap = optimizer(real.spec, flat, members)
    soap.step_count = 1  # the first update differs, and is never captured
    x, y = (side.to("meta") for side in real.batch())
    for _ in range(REFRESH + 1):
        soap.prepare(1e-2)
        gradients = views(real.spec, gradient, len(members))
        losses = loss_and_gradient(real.spec, weights, x, y, gradients)
        soap.update(gradient)
        soap.finish()
    assert losses.shape == (len(members),) and losses.is_meta and soap.flat.is_meta
    with pytest.raises((RuntimeError, NotImplementedError)):  # the control: it would be noticed
        float(losses.sum())


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("optimizer", ["adam", "soap"])
def test_a_captured_step_equals_an_eager_one(optimizer, monkeypatch):
    members = [amended(member, optimizer=optimizer) for member in MEMBERS]
    captured, eager = ensemble_of(members, "cuda"), ensemble_of(members, "cuda")
    eager._capture = lambda x, y: setattr(eager, "losses", eager._update(x, y))
    for _ in range(25):
        ours, theirs = captured.advance(), eager.advance()
    assert captured.graph is not None and eager.graph is None
    torch.testing.assert_close(ours, theirs, rtol=2e-3, atol=1e-6)
