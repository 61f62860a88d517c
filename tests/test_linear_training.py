"""Linear RNNs and Transformers with positions: gradients, stacks, resuming, what they reach."""

import numpy as np
import pytest
import torch

from explorer.families import ACTIVATIONS
from explorer.models import backward, named, positioned, rnn
from explorer.runs import archive
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, LinearSpec, amended
from explorer.targets import ORDERS, PRESETS, evaluation_inputs, linear_target, parse, target_of
from explorer.theory.linear import linear_floors
from explorer.theory.states import best_state_kernels
from explorer.training import Ensemble, train

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"tau": 6, "n": 8, "d_v": 5, "m_h": 4, "m_ff": 12, "batch": 6, "steps": 20, "warmup": 5}
RNN = LinearSpec(model="rnn", tau=7, hidden=5, steps=30, permutation="reverse", warmup=5)
PLAIN = parse({"target": "linear", **SMALL, "positions": 2, "permutation": "reverse"})
CONV = amended(PLAIN, conv=3, filter="signed", permutation=None)
ALTERED = amended(
    CouplingSpec(), **SMALL, rank=2, permutation="reverse", filter="average", positions=2
)
SPECS = {"rnn": RNN, "plain": PLAIN, "conv": CONV, "coupling": ALTERED}
EACH = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)


def last(spec, state=None):
    *_, snapshot = train(spec, state)
    return snapshot


# The RNN


def random_weights(spec, models, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return {
        name: torch.randn(models, *shape, generator=generator, dtype=torch.float64) / 3
        for name, shape in named.shapes(spec).items()
    }


def test_the_kernel_is_the_recursion_of_eq_72_and_73():
    weights = random_weights(RNN, 2)
    x = torch.rand(3, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    by_kernel = x @ rnn.toeplitz(rnn.kernel(weights, 7)).mT + weights["b"].unsqueeze(1)
    for model in range(2):
        w = {name: value[model] for name, value in weights.items()}
        h = torch.zeros(3, 5, dtype=torch.float64)
        for t in range(7):
            h = h @ w["W"].T + x[:, t : t + 1] * w["U"]
            torch.testing.assert_close(by_kernel[model, :, t], h @ w["c"] + w["b"][t])


def test_the_loss_is_the_error_on_many_sequences():
    weights = random_weights(RNN, 1)
    target = linear_target(RNN)
    matrix = torch.tensor(target.matrix).unsqueeze(0)
    empty = {name: torch.empty_like(value) for name, value in weights.items()}
    exact = rnn.loss_and_gradient(weights, matrix, torch.ones(1).double(), empty)
    x = np.random.default_rng(0).random((200_000, 7))
    predicted = target.seen(x) @ rnn.toeplitz(rnn.kernel(weights, 7))[0].numpy().T
    error = predicted + weights["b"][0].numpy() - target.answer(x)
    assert float(exact) == pytest.approx(np.mean(error**2), rel=0.01)


def test_the_gradient_by_hand_is_that_of_autograd():
    weights = random_weights(RNN, 3)
    generator = torch.Generator().manual_seed(2)
    matrices = torch.randn(3, 7, 7, generator=generator, dtype=torch.float64)
    variances = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)
    gradients = {name: torch.empty_like(value) for name, value in weights.items()}
    losses = rnn.loss_and_gradient(weights, matrices, variances, gradients)
    leaves = {name: value.clone().requires_grad_() for name, value in weights.items()}
    error = rnn.toeplitz(rnn.kernel(leaves, 7)) - matrices
    mean = error.sum(dim=2) / 2 + leaves["b"]
    again = (error.square().sum(dim=(1, 2)) / 84 + mean.square().mean(dim=1)) / variances
    again.sum().backward()
    torch.testing.assert_close(losses, again.detach())
    for name, leaf in leaves.items():
        torch.testing.assert_close(gradients[name], leaf.grad)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize(
    "of", [PLAIN, CONV, amended(ALTERED, tokens="raw")], ids=["", "conv", "raw"]
)
def test_a_transformers_gradient_by_hand_is_that_of_autograd(of, activation, depth, monkeypatch):
    """Of every parameter and of each model, a chunk of two and one of one, to 1e-11 of the largest
    entry."""
    monkeypatch.setattr(backward, "CACHED_TOKENS", 2 * of.batch * of.tau)
    spec = amended(of, activation=activation, activation_out=activation, depth=depth)
    weights = random_weights(spec, 3)
    generator = torch.Generator().manual_seed(2)
    x, y = torch.rand(2, 3, spec.batch, spec.tau, dtype=torch.float64, generator=generator)
    gradients = {name: torch.full_like(value, torch.nan) for name, value in weights.items()}
    losses = positioned.loss_and_gradient(spec, weights, x, y, gradients)
    leaves = {name: value.clone().requires_grad_() for name, value in weights.items()}
    again = (positioned.forward(spec, leaves, x)[0] - y).square().mean(dim=(1, 2))
    again.sum().backward()
    torch.testing.assert_close(losses, again.detach(), rtol=1e-12, atol=0)
    for name, leaf in leaves.items():
        scale = float(leaf.grad.abs().max())
        torch.testing.assert_close(gradients[name], leaf.grad, atol=1e-11 * scale, rtol=0)


@pytest.mark.parametrize(("optimizer", "sizes"), [("adam", (5, 2, 3)), ("soap", (5, 5, 5))])
def test_rnns_in_one_batch_are_those_trained_alone(optimizer, sizes):
    """Of several sizes too; SOAP's bases of padded ones differ by rounding."""
    members = [
        amended(RNN, hidden=hidden, seed=seed, optimizer=optimizer, permutation=order)
        for hidden, seed, order in zip(sizes, (0, 1, 0), (None, "roll", "block"), strict=True)
    ]
    together = Ensemble(members, [target_of(member) for member in members])
    losses = torch.stack(list(together.run()))
    for model, member in enumerate(members):
        alone = [float(snapshot.loss) for snapshot in train(member)]
        np.testing.assert_allclose(losses[:10, model], alone[:10], rtol=2e-4, atol=1e-7)
        h = member.hidden
        w, c = (together.member(model)[name][0] for name in ("W", "c"))
        assert not (w[h:].any() or w[:, h:].any() or c[h:].any())


def lands(spec):
    """Within 2 % of the closed-form optimum, or 1e-6 where that is 0."""
    found = last(spec).evaluate()
    best = linear_floors(linear_target(spec).matrix).time_invariant
    assert found["population_mse"] >= best - 1e-12
    if best < 1e-20:
        assert found["population_mse"] < 1e-6
    else:
        assert found["population_mse"] < 1.02 * best
        assert found["mse"] == pytest.approx(best, rel=0.02)


@pytest.mark.parametrize("order", [None, "block", "reverse"])
def test_an_rnn_lands_on_its_closed_form_optimum(order):
    """With fewer steps and units than a preset has."""
    lands(LinearSpec(model="rnn", permutation=order, hidden=24, steps=600))


def test_kernels_of_any_size_are_learned_alike():
    spec = LinearSpec(model="rnn", filter=(1.0,) * 5, hidden=24, steps=300)
    small = last(spec)
    large = last(amended(spec, filter=(1000.0,) * 5))
    assert large.evaluate()["nmse"] == pytest.approx(small.evaluate()["nmse"], rel=0.05)
    np.testing.assert_allclose(
        large.diagnostics()["kernel_hat"],
        1000 * small.diagnostics()["kernel_hat"],
        rtol=0.01,
        atol=1,
    )


@pytest.mark.slow
@pytest.mark.parametrize("order", [None, *ORDERS])
@pytest.mark.parametrize("kernel", ["exponential", "power", "random"])
def test_the_presets_rnn_lands_for_every_order(kernel, order):
    lands(amended(PRESETS["table2-rnn"][1], kernel=kernel, permutation=order))


def test_few_units_reach_the_best_kernel_of_as_many_states():
    spec = LinearSpec(model="rnn", kernel="power", hidden=2, steps=800)
    found = min(last(amended(spec, seed=seed)).evaluate()["population_mse"] for seed in range(2))
    best = best_state_kernels(np.arange(1, 33.0) ** -1, [1, 2])
    assert found >= 0.999 * best.mse[1] and found < 1.05 * best.mse[1]
    assert found < 0.1 * best.mse[0]  # one state would not do


# The Transformer


@pytest.mark.slow
@pytest.mark.parametrize("order", [None, "block"])
def test_the_preset_transformer_learns_the_exponential(order):
    found = last(amended(PRESETS["table2"][1], permutation=order)).evaluate()
    assert found["mse"] < 1e-4


@pytest.mark.slow
def test_proposition_62_fails_for_content_queries():
    """The same coupling, steps and seed; only the order in which the tokens are seen differs."""
    spec = amended(CouplingSpec(), tau=8, rank=2, positions=4, steps=1500, permutation=None)
    plain = last(spec).evaluate()["nmse"]
    reversed_ = last(amended(spec, permutation="reverse")).evaluate()["nmse"]
    assert plain < 1e-4 and reversed_ > 100 * plain


@pytest.mark.parametrize("spec", [PLAIN, CONV, ALTERED], ids=["plain", "conv", "coupling"])
def test_the_transformer_with_positions_against_a_plain_one(spec):
    training = Ensemble([spec], [target_of(spec)])
    x, _ = training.batch()
    w = {name: value[0] for name, value in training.weights.items()}
    if "conv" in w:
        assert w["conv"].tolist() == [1, 0, 0]
        w["conv"].copy_(torch.tensor([0.5, -0.2, 0.1]))
    predicted, attention = positioned.forward(spec, training.weights, x)
    acts = {"tanh": torch.tanh, "sine": torch.sin}
    for sequence, expected, rows in zip(x[0], predicted[0], attention[0], strict=True):
        tokens = []
        for t in range(spec.tau):
            z = sequence[t]
            if "conv" in w:
                z = sum(w["conv"][s] * sequence[t - s] for s in range(min(t, 2) + 1))
            angles = [2 * np.pi * j * t / spec.tau for j in (1, 2)]
            tokens.append([float(2 * z - 1), *np.cos(angles), *np.sin(angles)])
        h = torch.tensor(tokens, dtype=torch.float32)
        for i in range(3):
            h = h @ w[f"f.{i}.weight"].T + w[f"f.{i}.bias"]
            h = acts[spec.activation](h) if i < 2 else h
        a = torch.softmax((h @ w["W_Q"].T) @ (h @ w["W_K"].T).T, dim=-1)
        out = a @ (h @ w["W_V"].T)
        for i in range(3):
            out = out @ w[f"F.{i}.weight"].T + w[f"F.{i}.bias"]
            out = acts[spec.activation_out](out) if i < 2 else out
        torch.testing.assert_close(rows, a, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(expected, out[:, 0], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("spec", [PLAIN, ALTERED], ids=["linear", "coupling"])
def test_what_is_learned_is_the_standardised_answer_to_what_is_seen(spec):
    training = Ensemble([amended(spec, batch=4096)], [target_of(spec)])
    seen, y = (part[0].double().numpy() for part in training.batch())
    x = seen[:, ::-1]  # of both the order is reversed
    assert abs(y.mean()) < 0.05 and y.std() == pytest.approx(1, abs=0.05)
    centre, scale, _ = training.recipe.plan.calibrations[0]
    np.testing.assert_allclose(y * scale + centre, target_of(spec).answer(x), atol=1e-5)


def test_a_stack_of_seeds_and_targets_equals_its_members_alone():
    members = [
        amended(CONV, optimizer="adam", clip=0.2),
        amended(CONV, optimizer="adam", clip=0.2, seed=3, m_h=2, kernel="random"),
    ]
    together = Ensemble(members, [target_of(member) for member in members])
    losses = torch.stack(list(together.run()))
    for model, member in enumerate(members):
        alone = [float(snapshot.loss) for snapshot in train(member)]
        np.testing.assert_allclose(losses[:, model], alone, rtol=2e-3)


def test_the_nearest_linear_map_of_a_linear_model_is_the_map_itself():
    """Written into a Transformer: f̂ and F̂ without hidden layers, attention without queries."""
    spec = amended(PLAIN, depth=1, n=1, d_v=1, m_h=1, permutation=None)
    training = Ensemble([spec], [linear_target(spec)])
    for name, weight in training.weights.items():
        weight.fill_(0 if name in ("W_Q", "f.0.bias", "F.0.bias") else 1)
    training.weights["f.0.weight"][0, 0, 1:] = 0
    pictures = training.recipe.diagnostics(training.weights)
    centre, scale, _ = training.recipe.plan.calibrations[0]
    np.testing.assert_allclose(pictures["matrix_hat"], 2 * scale / 6, atol=1e-5)
    assert pictures["nonlinear"].max() < 1e-6 and np.isfinite(centre)
    weight = training.weights["W_Q"]
    weight.fill_(2.0)
    by_content = training.recipe.diagnostics(training.weights)
    assert by_content["nonlinear"].max() > 1e-3  # attention by content is not linear


@EACH
def test_a_run_goes_on_bit_for_bit(spec):
    state, whole = None, last(spec)
    for snapshot in train(spec):
        if snapshot.step == 11:
            state = snapshot.state()
            break
    again = last(spec, state)
    assert again.weights_sha256() == whole.weights_sha256()
    assert again.evaluate(256) == whole.evaluate(256)
    other = last(amended(spec, seed=1))
    assert other.weights_sha256() != whole.weights_sha256()


@EACH
def test_metrics_are_those_of_the_fixed_sequences(spec):
    snapshot, target = last(spec), target_of(spec)
    found, weights = snapshot.evaluate(512), snapshot.weights
    centre, scale, _ = Ensemble([spec], [target]).recipe.plan.calibrations[0]
    x = evaluation_inputs(512, spec.tau).astype(np.float32).astype(np.float64)
    y = target.answer(x)
    if spec is RNN:
        kernel = rnn.kernel(weights, spec.tau)
        predicted = target.seen(x) @ rnn.toeplitz(kernel)[0].numpy().T
        predicted += weights["b"][0].numpy()
        predicted *= scale
    else:
        seen = torch.tensor(target.seen(x).copy(), dtype=torch.float32).unsqueeze(0)
        predicted = positioned.forward(spec, weights, seen)[0][0].numpy() * scale + centre
    error = predicted - y
    assert found["mse"] == pytest.approx(np.mean(error**2), rel=1e-4)
    assert found["mae"] == pytest.approx(np.abs(error).mean(), rel=1e-4)
    assert found["nmse"] == pytest.approx(found["mse"] / y.var(), rel=1e-9)
    assert found["r2"] == 1 - found["nmse"]


@EACH
def test_runs_live_in_the_store_and_travel_as_archives(spec, tmp_path):
    store = Store()
    with store.start(spec, "cpu") as lease:
        row = execute(store, lease.row)
    assert row.status == "finished" and row.metrics["mse"] > 0, row.message
    _, pictures = store.read(row.run).latest()
    shared = {"tokens", "attention", "predicted", "answer"}
    expected = {
        "rnn": {"kernel_hat", "kernel", "matrix_hat", "matrix", "offsets", "eigenvalues"},
        "coupling": shared,
        "plain": shared | {"matrix", "matrix_hat", "nonlinear"},
        "conv": shared | {"matrix", "matrix_hat", "nonlinear", "taps"},
    }
    name = next(name for name, other in SPECS.items() if other is spec)
    assert expected[name] <= set(pictures)
    archived = tmp_path / "run.zip"
    archived.write_bytes(archive.export(store, row.run))
    again = archive.import_(store, archived)
    assert store.get(again).metrics["weights_sha256"] == row.metrics["weights_sha256"]


def test_pictures_of_an_rnn():
    snapshot = last(amended(RNN, hidden=16, steps=400))
    pictures = snapshot.diagnostics()
    matrix = linear_target(RNN).matrix
    np.testing.assert_allclose(pictures["matrix"], matrix, atol=1e-6)
    np.testing.assert_allclose(pictures["kernel"], linear_floors(matrix).kernel, atol=1e-6)
    np.testing.assert_allclose(pictures["kernel_hat"], pictures["kernel"], atol=0.05)
    off, weights = pictures["kernel_hat"] - pictures["kernel"], np.arange(len(matrix), 0, -1)
    assert weights @ off**2 / 12 / len(matrix) < 1e-3
    sizes = np.hypot(*pictures["eigenvalues"].T)
    assert (np.diff(sizes) <= 1e-6).all()


def test_a_run_that_blows_up_says_what_to_lower():
    store = Store()
    wild = amended(RNN, lr=1000.0, warmup=0, schedule="constant", optimizer="adam", clip=1e6)
    with store.start(wild, "cpu") as lease:
        row = execute(store, lease.row)
    assert row.status == "diverged" and row.message.endswith("lower lr (now 1000)")
