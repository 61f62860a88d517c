"""Heads that learn the attention tasks: gradients, resuming, metrics, what they come to."""

import json
import math

import numpy as np
import pytest
import torch

from explorer import cli
from explorer.analysis import centred_spectrum, spectrum, task_diagnostics
from explorer.models.named import shapes
from explorer.models.transformer import attend, features, value_map
from explorer.pages.attention.view_head import Head, ShapeError
from explorer.runs import archive, weights
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.runs.sweeps import units
from explorer.spec import amended, full_json, spec_id
from explorer.targets import PRESETS, evaluation_inputs, parse, parse_sweep, target_of, task_of
from explorer.targets.tasks.gravity import GravitySpec
from explorer.targets.tasks.nearest import NearestSpec, NearestTarget
from explorer.targets.tasks.selection import SelectionSpec
from explorer.training import Diverged, Ensemble, train
from explorer.training.schedule import learning_rate

pytestmark = pytest.mark.usefixtures("one_thread")

SMALL = {"n": 8, "d_v": 3, "m_ff": 12, "batch": 6, "steps": 40, "warmup": 5}
SPECS = [
    NearestSpec(tau=4, m_h=3, **SMALL),
    GravitySpec(tau=7, segments=2, m_h=5, **SMALL),
    SelectionSpec(tau=4, k=2, m_h=3, **SMALL),
]
KINDS = pytest.mark.parametrize("spec", SPECS, ids=[spec.target for spec in SPECS])


def one_head(spec):
    """An ensemble of one."""
    return Ensemble([spec], [target_of(spec)])


def last(iterator):
    for item in iterator:
        final = item
    return final


class PlainHead(torch.nn.Module):
    """Eq. 53 for one head in the words of torch.nn, one sequence at a time."""

    def __init__(self, spec, weights):
        super().__init__()
        self.w = {k: torch.nn.Parameter(w[0].detach().clone()) for k, w in weights.items()}
        self.depth = spec.depth

    def mlp(self, name, x):
        for layer in range(self.depth):
            x = torch.nn.functional.gelu(x) if layer else x
            weight, bias = self.w[f"{name}.{layer}.weight"], self.w[f"{name}.{layer}.bias"]
            x = torch.nn.functional.linear(x, weight, bias)
        return x

    def forward(self, x):
        h = self.mlp("f", x)
        logits = torch.einsum("ti,mi,mj,sj->ts", h, self.w["W_Q"], self.w["W_K"], h)
        attention = torch.softmax(torch.exp(self.w["lambda"]) * logits, dim=-1)
        return self.mlp("F", attention @ h @ self.w["W_V"].T), attention

    def alone(self, token):
        return self.mlp("F", self.w["W_V"] @ self.mlp("f", token))


@KINDS
def test_the_head_against_a_plain_one(spec):
    training = one_head(spec)
    plain = PlainHead(spec, training.weights)
    x, _ = training.batch()
    h = features(spec, training.weights, x.flatten(1, 2))
    y, attention = attend(spec, training.weights, h, spec.tau)
    own = value_map(spec, training.weights, h).view(spec.batch, spec.tau, -1)
    for i in range(spec.batch):
        expected, weights = plain(x[0, i])
        torch.testing.assert_close(y[0, i], expected, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(attention[0, i], weights, rtol=1e-4, atol=1e-6)
        torch.testing.assert_close(own[i, 1], plain.alone(x[0, i, 1]), rtol=1e-4, atol=1e-6)


@KINDS
def test_steps_are_those_of_adam_on_a_plain_head(spec):
    """Loss with aux and emphasis, clipping and optimiser, written out for one model."""
    spec = amended(spec, optimizer="adam", clip=0.3)
    training, data = one_head(spec), one_head(spec)
    plain = PlainHead(spec, training.weights)
    adam = torch.optim.Adam(plain.w.values(), lr=1.0)
    for step in range(1, 6):
        data.step = step - 1
        x, y = (part[0] for part in data.batch())
        counted = target_of(spec).has_value(x)
        total = 0.0
        positions = [(2 * step + i) % spec.tau for i in range(2)]
        for i in range(spec.batch):
            squared = (plain(x[i])[0] - y[i]).square().mean(dim=-1)
            factor = torch.where(counted[i] == 1, 1.0, getattr(spec, "emphasis", 1.0))
            total = total + (factor * squared).mean() / spec.batch
            for s in positions:
                missed = plain.alone(x[i, s]) - target_of(spec).values(x)[i, s]
                total = total + counted[i, s] * missed.square().mean() / (2 * spec.batch)
        adam.zero_grad()
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(plain.w.values(), 0.3)
        assert norm > 0
        adam.param_groups[0]["lr"] = learning_rate(spec, step)
        adam.step()
        training.advance()
        for name, weight in plain.w.items():
            torch.testing.assert_close(
                training.weights[name][0], weight.detach(), rtol=1e-3, atol=2e-5
            )


@KINDS
def test_a_stack_equals_its_members_alone(spec):
    """Two widths and two seeds in one batch, the narrow one padded; joint clipping would fail."""
    wide = amended(spec, optimizer="adam", clip=0.2)
    members = [wide, amended(wide, m_h=2, seed=7), amended(wide, m_ff=9)]
    together = Ensemble(members, [target_of(wide)] * 3)
    for _ in range(15):
        losses = together.advance()
    for model, member in enumerate(members):
        single = one_head(member)
        for _ in range(15):
            loss = single.advance()
        assert float(losses[model]) == pytest.approx(float(loss[0]), rel=2e-3)


@KINDS
def test_padding_stays_zero_under_soap(spec):
    """Stacks agree in the first step only: SOAP's bases of a null space are free to turn."""
    members = [spec, amended(spec, m_h=2), amended(spec, m_ff=9)]
    together = Ensemble(members, [target_of(spec)] * 3)
    singles = [one_head(member) for member in members]
    first = torch.stack([single.advance()[0] for single in singles])
    torch.testing.assert_close(together.advance(), first, rtol=1e-5, atol=0)
    for _ in range(25):
        together.advance()
    assert together.weights["W_Q"][1, 2:].abs().sum() == 0
    assert together.weights["f.1.weight"][2, 9:].abs().sum() == 0
    assert together.weights["F.1.weight"][2, :, 9:].abs().sum() == 0


@KINDS
@pytest.mark.parametrize("stop", [1, 10, 23])
def test_resuming_is_bit_identical(spec, stop):
    whole = last(train(spec))
    state = next(s.state() for s in train(spec) if s.step == stop)
    resumed = last(train(spec, state))
    assert resumed.weights_sha256() == whole.weights_sha256()
    assert float(resumed.loss) == float(whole.loss)


@KINDS
def test_looking_and_evaluating_do_not_disturb_training(spec):
    spec = amended(spec, steps=12)
    quiet = last(train(spec))
    for snapshot in train(spec):
        snapshot.diagnostics(), snapshot.evaluate(16), snapshot.state()
    assert snapshot.weights_sha256() == quiet.weights_sha256()
    assert last(train(amended(spec, seed=1))).weights_sha256() != quiet.weights_sha256()


@KINDS
def test_aux_is_a_part_of_the_loss(spec):
    """Without it a step is another one, and the reported error is that of y alone in both."""
    with_aux, without = (one_head(amended(spec, aux=aux)) for aux in (True, False))
    assert float(with_aux.advance()) == float(without.advance())
    assert not torch.equal(with_aux.flat, without.flat)


# Metrics


@KINDS
def test_metrics_against_their_definitions(spec):
    snapshot = last(train(spec))
    metrics = snapshot.evaluate(60)
    task, plain = target_of(spec), PlainHead(spec, snapshot.weights)
    uniform = torch.as_tensor(evaluation_inputs(60, task.n_uniform), dtype=torch.float32)
    rows = []
    with torch.no_grad():
        for x in task.inputs(uniform):
            predicted, attention = plain(x)
            ideal, counted = task.attention(x), task.has_value(x)
            for t in range(spec.tau):
                best = int(attention[t].argmax())
                own = (plain.alone(x[t]) - task.values(x)[t]).square().mean()
                error = (predicted[t] - task.answer(x)[t]).double()
                rows.append(
                    (
                        error.square().mean(),
                        error.abs().mean(),
                        ideal[t, best] == ideal[t].max(),
                        (attention[t] - ideal[t]).abs().mean(),
                        own,
                        counted[t],
                    )
                )
    table = np.array([[float(value) for value in row] for row in rows])
    counted = table[:, 5] == 1
    expected = {
        "mse": table[:, 0].mean(),
        "mae": table[:, 1].mean(),
        "agreement": table[:, 2].mean(),
        "attention_error": table[:, 3].mean(),
        "value_error": table[counted, 4].mean(),
    }
    y = task.answer(task.inputs(uniform)).double()
    expected["nmse"] = expected["mse"] / float(y.var(correction=0))
    expected["r2"] = 1 - expected["nmse"]
    if spec.target == "cog":
        expected["agreement_asking"] = table[~counted, 2].mean()
        expected["agreement_points"] = table[counted, 2].mean()
    assert metrics == pytest.approx(expected, rel=2e-3, abs=1e-6)


def exact_nearest(d, sharpness):
    """h = (u, v, |v|², 1) with m_h = d + 1: the logits are e^λ (2u·v − |v|²), which softmax takes
    for −e^λ |u − v|²."""
    spec = NearestSpec(d=d, m_h=d + 1, n=2 * d + 2, d_v=d)
    weights = {name: torch.zeros(1, *shape) for name, shape in shapes(spec).items()}
    weights["lambda"] += math.log(sharpness)
    for i in range(d):
        weights["W_Q"][0, i, i] = 2.0
        weights["W_K"][0, i, d + i] = weights["W_V"][0, i, d + i] = 1.0
    weights["W_Q"][0, d, 2 * d + 1], weights["W_K"][0, d, 2 * d] = 1.0, -1.0
    return spec, weights


@pytest.mark.parametrize("d", [1, 2, 3])
def test_d_plus_1_is_enough_for_the_nearest_point(d):
    """The construction behind `sufficient_width`: A tends to the hard-max as e^λ grows."""
    spec, weights = exact_nearest(d, 1e5)
    assert spec.m_h == task_of(spec).sufficient_width
    task = NearestTarget(spec.tau, d)
    x = torch.as_tensor(task.inputs(evaluation_inputs(200, task.n_uniform)), dtype=torch.float64)
    v = x[..., d:]
    h = torch.cat([x, v.square().sum(-1, keepdim=True), torch.ones_like(x[..., :1])], dim=-1)
    doubles = {name: weight.double() for name, weight in weights.items()}
    _, attention = attend(spec, doubles, h.view(1, -1, 2 * d + 2), spec.tau)
    missed = (attention[0] - task.attention(x)).abs().mean()
    assert missed < 1e-3 < (attention[0] - task.attention(x.flip(1))).abs().mean()


@KINDS
def test_what_is_looked_at(spec):
    snapshot = last(train(spec))
    weights, task = snapshot.weights, target_of(spec)
    look = snapshot.diagnostics()
    assert all(array.dtype == np.float32 and np.isfinite(array).all() for array in look.values())
    np.testing.assert_allclose(look["ideal"], task.attention(task.example()), atol=1e-6)
    np.testing.assert_allclose(look["attention"].sum(axis=-1), 1, atol=1e-5)
    assert look["points"].shape == (256, spec.d) and look["alone"].shape == (256, spec.d_out)
    if spec.target == "cog":
        np.testing.assert_allclose(
            look["values"][:, 0], np.linalg.norm(look["points"], axis=1), atol=1e-6
        )
    else:
        assert np.array_equal(look["values"], look["points"])
    w = {name: weight[0].double().numpy() for name, weight in weights.items()}
    product = np.exp(w["lambda"]) * w["W_Q"].T @ w["W_K"]
    sigma = np.linalg.svd(product, compute_uv=False)
    np.testing.assert_allclose(look["sigma_hat"], sigma[: spec.m_h], rtol=1e-5)
    assert np.array_equal(task_diagnostics(spec, weights, task)["alone"], look["alone"])


def test_the_centred_spectrum_is_that_of_the_matrix():
    spec = SPECS[0]
    training = one_head(spec)
    tokens = training.batch()[0].flatten(0, 2)
    with torch.no_grad():
        h = features(spec, training.weights, tokens.unsqueeze(0))[0].double()
        w = {name: weight[0].double() for name, weight in training.weights.items()}
        rho = torch.exp(w["lambda"]) * (h @ w["W_Q"].T) @ (w["W_K"] @ h.T)
        rho -= rho.mean(dim=1, keepdim=True)
        found = centred_spectrum(spec, training.weights, tokens)
    expected = torch.linalg.svdvals(rho)[: spec.m_h] / len(tokens)
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-9)
    assert len(spectrum(spec, training.weights)) == spec.m_h


# What goes wrong


@KINDS
def test_divergence_is_said_with_what_to_lower(spec):
    wild = amended(spec, optimizer="adam", lr=1000.0, clip=1e6, warmup=0, steps=300)
    with pytest.raises(Diverged, match=r"lower lr .* or sharpness"):
        last(train(amended(wild, activation="relu", activation_out="relu")))


def test_a_checkpoint_of_another_shape_is_refused():
    nearest, _, selection = SPECS
    state = last(train(nearest)).state()
    with pytest.raises(ValueError, match=r"checkpoint: W_Q must be \[1, 4, 8\], found \[1, 3, 8\]"):
        next(train(amended(nearest, m_h=4), state))
    with pytest.raises(ValueError, match=r"checkpoint: f.0.weight must be"):
        next(train(selection, state))
    with pytest.raises(ValueError, match="checkpoint"):
        next(train(parse({"n": 8, "d_v": 3, "m_ff": 12, "m_h": 3}), state))


def test_one_batch_is_of_one_task():
    specs = [NearestSpec(), NearestSpec(tau=5)]
    with pytest.raises(ValueError, match="one batch has one tau"):
        Ensemble(specs, [target_of(spec) for spec in specs])


# Store, archive, command line


@KINDS
def test_a_run_of_a_task_rests_goes_on_and_travels(spec, tmp_path):
    store, undisturbed = Store(tmp_path / "a"), last(train(spec))
    with store.start(spec, "cpu") as lease:
        store.request(lease.row.run, "pause")
        row = execute(store, lease.row)
    if row.status == "paused":
        with store.take(row.run, "cpu") as lease:
            row = execute(store, lease.row)
    assert (row.status, row.step) == ("finished", spec.steps)
    assert row.metrics["weights_sha256"] == undisturbed.weights_sha256()
    assert row.metrics["agreement"] == undisturbed.evaluate()["agreement"]
    record = store.read(row.run)
    header, look = record.latest()
    assert header["attention_error"] == row.metrics["attention_error"]
    assert look["attention"].shape == (spec.tau, spec.tau)
    data = archive.export(store, row.run)
    other = Store(tmp_path / "b")
    again = other.get(archive.import_(other, data))
    assert again.spec == spec and again.metrics == {**row.metrics, "claimed": True}
    assert len(data) < 300_000


@pytest.mark.parametrize("name", ["nearest", "cog", "qsa"])
def test_presets_train_from_the_command_line(name, tmp_path, capsys, monkeypatch):
    small = amended(PRESETS[name][1], **SMALL)
    path = tmp_path / "spec.json"
    path.write_text(full_json(small))
    monkeypatch.setattr("sys.argv", ["explorer", "train", str(path), "--json", "--device", "cpu"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    wanted = {
        "run",
        "status",
        "steps",
        "mse",
        "nmse",
        "mae",
        "r2",
        "weights_sha256",
        "agreement",
        "attention_error",
        "value_error",
    }
    assert wanted <= set(answer) and answer["status"] == "finished"
    assert ("agreement_asking" in answer) == (name == "cog")


# What they come to


def test_selection_is_learned_in_small_and_not_by_a_head_that_cannot():
    """τ = 4, k = 1 with m_h = 3 = τ − 1; the control has no width to tell four positions apart:
    the argmax of logits q·k with one number each is at the largest or the smallest key."""
    small = SelectionSpec(tau=4, d=1, k=1, m_h=3, m_ff=32, n=16, batch=64, steps=200, warmup=40)
    good, bad = (last(train(amended(small, m_h=m))).evaluate(512) for m in (3, 1))
    assert good["agreement"] > 0.99 > 0.8 > bad["agreement"]
    assert good["nmse"] < 0.02 < 0.1 < bad["nmse"]


LEAST = {"nearest": 0.97, "cog": 0.96, "qsa": 0.995}


@pytest.mark.slow
@pytest.mark.parametrize("name", LEAST)
def test_four_of_five_seeds_find_the_attention_in_a_quick_run(name):
    found = [
        last(train(amended(PRESETS[name][1], seed=seed))).evaluate() for seed in range(101, 106)
    ]
    good = [errors for errors in found if errors["agreement"] >= LEAST[name]]
    assert len(good) >= 4, found
    assert all(errors["value_error"] < 1e-3 for errors in good)


def test_a_sweep_of_a_task_goes_through_the_sweeps_of_the_store(tmp_path, capsys, monkeypatch):
    """One unit for each k, the widths of it in one batch; no slope, but a knee and a width."""
    values = {"target": "qsa", "tau": 4, "k": [1, 2], "m_h": [1, 3], "seed": [0, 1], **SMALL}
    monkeypatch.setattr(
        "sys.argv", ["explorer", "sweep", json.dumps(values), "--json", "--workers", "1"]
    )
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "finished" and answer["slope"] is None
    assert len(answer["rows"]) == 8 and len(answer["groups"]) == 2
    sweep = parse_sweep(values)
    assert [row["spec_id"] for row in answer["rows"]] == [spec_id(m) for m in sweep.members()]
    assert {len(unit.members) for unit in units(sweep)} == {2}
    assert {len(unit.members) for unit in units(sweep, device="cuda")} == {4}
    for row, member in zip(answer["rows"], sweep.members(), strict=True):
        assert (row["tau"], row["k"], row["m_h"]) == (4, member.k, member.m_h)
        assert len(row["sigma"]) == row["m_h"] and row["surgery"] is None
    group = answer["groups"][0]
    assert (group["k"], group["m_h"], group["seeds"]) == (1, [1, 3], 2)
    assert group["sufficient_width"] == 3
    mine = [row["nmse"] for row in answer["rows"] if row["k"] == 1 and row["m_h"] == 3]
    assert group["best"][1] == min(mine)


@KINDS
@pytest.mark.parametrize("activation", ["gelu", "sine"])
def test_the_head_in_numpy_is_that_of_torch(spec, activation):
    spec = amended(spec, activation=activation, activation_out="tanh", depth=2)
    snapshot = last(train(spec))
    weights = {name: weight[0].numpy() for name, weight in snapshot.weights.items()}
    head, look = Head(spec, weights), snapshot.diagnostics()
    y, attention = head.respond(look["tokens"])
    np.testing.assert_allclose(y, look["predicted"], rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(attention, look["attention"], rtol=1e-4, atol=1e-6)
    own = one_head(spec).batch()[0][0, 0]
    h = features(spec, snapshot.weights, own.unsqueeze(0))
    expected = value_map(spec, snapshot.weights, h)[0]
    np.testing.assert_allclose(head.value_map(own.numpy()), expected, rtol=1e-4, atol=1e-6)
    with pytest.raises(ShapeError, match=r"W_Q must be \[9, 8\], found \(\d, 8\)"):
        Head(amended(spec, m_h=9), weights)
    with pytest.raises(ShapeError, match=r"lambda must be \[1\], found nothing"):
        Head(spec, {name: value for name, value in weights.items() if name != "lambda"})


def test_weights_come_from_a_run_and_from_its_archive(tmp_path):
    store = Store(tmp_path)
    with store.start(SPECS[0], "cpu") as lease:
        run = lease.row.run
        with pytest.raises(weights.WeightsError, match="no checkpoint yet"):
            weights.of_run(store, run)
        execute(store, lease.row)
    expected = last(train(SPECS[0])).weights
    for found in (weights.of_run(store, run), weights.of_archive(archive.export(store, run))):
        assert set(found) == set(expected)
        assert all(np.array_equal(found[name], expected[name][0]) for name in expected)
    with pytest.raises(weights.WeightsError, match="exported to be looked at"):
        weights.of_archive(archive.export(store, run, checkpoint=False))
