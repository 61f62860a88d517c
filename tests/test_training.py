"""Training: batch equals loop, resuming changes nothing, diverging is said."""

import json
import math

import numpy as np
import pytest
import torch
from references import PlainTransformer
from scipy.linalg import subspace_angles

from explorer.analysis import Learned, angles, learned_coupling
from explorer.coupling import Designed, Formula, Samples, pod
from explorer.coupling.leading import NODES
from explorer.models.named import shapes
from explorer.models.transformer import embed, forward, initial, queries_and_keys
from explorer.spec import CouplingSpec, amended
from explorer.targets import evaluation_inputs, parse, target_of
from explorer.training import Diverged, Ensemble, train
from explorer.training.schedule import is_log_spaced, keeps_history, keeps_snapshot, learning_rate

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = parse({"rank": 2, "m_h": 3, "n": 8, "d_v": 8, "m_ff": 16, "tau": 6, "batch": 4, "steps": 40})
OPTIMIZERS = ("soap", "adam")


def ensemble_of(spec, seeds=None, device="cpu"):
    """Models of one specification, one per seed."""
    members = [spec] if seeds is None else [amended(spec, seed=seed) for seed in seeds]
    return Ensemble(members, [target_of(spec)] * len(members), device)


def last(iterator):
    for item in iterator:
        final = item
    return final


def test_stacked_adam_equals_a_loop_of_modules():
    """Models trained in one batch step like each alone under torch.optim.Adam and autograd."""
    spec = amended(TINY, optimizer="adam", lr=3e-3)
    seeds = (3, 1, 4)
    stacked = ensemble_of(spec, seeds)
    loops = []
    for seed in seeds:
        alone = ensemble_of(spec, [seed])
        plain = PlainTransformer(spec, {k: w.detach().clone() for k, w in alone.weights.items()}, 0)
        plain.w = {name: torch.nn.Parameter(w) for name, w in plain.w.items()}
        loops.append((alone, plain, torch.optim.Adam(plain.w.values(), lr=1.0)))
    for step in range(1, 13):
        losses = stacked.advance()
        for model, (alone, plain, adam) in enumerate(loops):
            x, y = alone.batch()
            loss = (plain(x[0]) - y[0]).square().mean()
            adam.zero_grad()
            loss.backward()
            adam.param_groups[0]["lr"] = learning_rate(spec, step)
            adam.step()
            tolerance = 6e-7 if step == 1 else 2e-6
            assert float(losses[model]) == pytest.approx(loss.item(), abs=tolerance)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_stack_equals_its_members_alone(optimizer):
    spec = amended(TINY, optimizer=optimizer)
    stacked = ensemble_of(spec, (0, 7))
    for _ in range(25):
        together = stacked.advance()
    for model, seed in enumerate((0, 7)):
        alone = ensemble_of(spec, [seed])
        for _ in range(25):
            loss = alone.advance()
        assert float(together[model]) == pytest.approx(float(loss[0]), rel=2e-3)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("stop", [1, 10, 23])
@pytest.mark.parametrize("network", [{}, {"m_ff": 32, "n": 16, "d_v": 16, "tau": 16, "batch": 32}])
def test_resuming_is_bit_identical(optimizer, stop, network):
    """The wider network's products round by the memory layout of their operands, too."""
    spec = amended(TINY, optimizer=optimizer, **network)
    whole = last(train(spec))
    for snapshot in train(spec):
        if snapshot.step == stop:
            state = {key: value.clone() for key, value in snapshot.state().items()}
            break
    resumed = last(train(spec, state))
    assert resumed.weights_sha256() == whole.weights_sha256()
    assert float(resumed.loss) == float(whole.loss)
    assert resumed.step == spec.steps


def test_looking_and_evaluating_do_not_disturb_training():
    quiet = last(train(TINY))
    for snapshot in train(TINY):
        snapshot.diagnostics()
        snapshot.evaluate(64)
        snapshot.state()
    assert snapshot.weights_sha256() == quiet.weights_sha256()


def test_a_finished_state_yields_its_end_once():
    final = last(train(TINY))
    again = list(train(TINY, final.state()))
    assert [s.step for s in again] == [TINY.steps]
    assert again[0].weights_sha256() == final.weights_sha256()
    assert again[0].evaluate(64) == final.evaluate(64)


def test_seed_and_only_the_seed_changes_the_run():
    first, again, other = (last(train(amended(TINY, seed=s))) for s in (0, 0, 1))
    assert first.weights_sha256() == again.weights_sha256() != other.weights_sha256()


def test_metrics_against_their_definitions():
    snapshot = last(train(TINY))
    metrics = snapshot.evaluate(300)
    x = torch.as_tensor(evaluation_inputs(300, TINY.tau), dtype=torch.float32)
    y = target_of(TINY).answer(x)
    predicted = forward(TINY, snapshot.weights, x[None])[0][0]
    centre, scale, _ = ensemble_of(TINY).recipe.plan.calibrations[0]
    predicted = predicted * scale + centre
    assert metrics["mse"] == pytest.approx(float((predicted - y).square().mean()), rel=1e-4)
    assert metrics["mae"] == pytest.approx(float((predicted - y).abs().mean()), rel=1e-4)
    assert metrics["r2"] == pytest.approx(1 - metrics["mse"] / float(y.var(correction=0)), rel=1e-4)
    assert metrics["nmse"] == pytest.approx(1 - metrics["r2"], rel=1e-12)


def test_predicting_the_mean_has_nmse_one():
    training = ensemble_of(TINY)
    with torch.no_grad():
        for name, weight in training.weights.items():
            if name.startswith("F.2"):
                weight.zero_()
    assert training.evaluate_all(2000)[0]["nmse"] == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_divergence_is_said_with_what_to_lower(optimizer):
    spec = amended(TINY, optimizer=optimizer, lr=1000.0, warmup=0, activation_out="relu", steps=500)
    with pytest.raises(Diverged, match="lower lr") as error:
        last(train(spec))
    assert error.value.step > 1


def test_a_foreign_checkpoint_is_refused():
    state = last(train(TINY)).state()
    with pytest.raises(ValueError, match="W_Q must be"):
        next(train(amended(TINY, m_h=5), state))
    expected = {f"weights.{name}": (1, *shape) for name, shape in shapes(TINY).items()}
    assert {key: tuple(state[key].shape) for key in expected} == expected


def test_the_quick_preset_reaches_the_cliff_of_figure_1():
    """Figure 1 in small: m_h = r + 1 falls below 1e-3, m_h < r (the control) does not."""
    errors = {}
    for m_h in (1, 3):
        spec = parse({"rank": 2, "m_h": m_h, "m_ff": 64, "warmup": 50, "steps": 350})
        errors[m_h] = last(train(spec)).evaluate(512)["nmse"]
    assert errors[3] < 1e-3 < 3e-3 < errors[1]


def test_the_learned_coupling_is_the_svd_of_its_grid():
    """QR of the factors against the plain weighted SVD of ρ̂ − mean_v ρ̂."""
    training = ensemble_of(CouplingSpec())
    learned = learned_coupling(training.spec, training.weights)
    rho_hat, sigma_hat = learned.picture, learned.sigma
    nodes, w = np.polynomial.legendre.leggauss(200)
    x = torch.as_tensor((nodes + 1) / 2, dtype=torch.float32)
    w = w / 2
    with torch.no_grad():
        h = embed(training.spec, training.weights, x[None])
        sides = queries_and_keys(training.spec, training.weights, h)
    q, k = (side[0].double().numpy() for side in sides)
    rho = q @ k.T
    rho -= (rho @ w)[:, None]
    expected = np.linalg.svd(np.sqrt(w)[:, None] * rho * np.sqrt(w), compute_uv=False)
    np.testing.assert_allclose(sigma_hat, expected[: len(sigma_hat)], rtol=1e-4, atol=1e-6)
    assert expected[len(sigma_hat)] < 1e-10 * expected[0]
    assert np.abs(rho_hat.mean(axis=1)).max() < 0.05 * np.abs(rho_hat).max()


JUMPS = Formula("heaviside(u - 0.3)*sign(v - 0.57) + u*v")
GRID = Samples(np.random.default_rng(1).normal(size=(200, 200)))
EXACT = {
    "sine": Designed((1.0, 0.5, 0.2)),
    "haar": Designed(tuple(1.0 / k for k in range(1, 17)), "haar", "haar"),
    "legendre": Designed(tuple(1.0 / k for k in range(1, 17)), "legendre", "legendre"),
    "jumps": JUMPS,
    "kink": Formula("minimum(u, v)"),
    "noise": GRID,
}


def as_learned(coupling, designed):
    """The very coupling as one that was learned: sampled and decomposed as a model's ρ̂ is."""
    at = designed.quadrature(NODES)
    rho = coupling.matrix(at.u, at.v)
    rho = rho - (rho @ at.wv)[:, None]
    left, sigma, right = np.linalg.svd(np.sqrt(at.wu)[:, None] * rho * np.sqrt(at.wv))
    return Learned(np.zeros((1, 1)), sigma[:16], left[:, :16], right[:16].T, at)


@pytest.mark.parametrize("name", EXACT)
def test_a_coupling_learned_exactly_has_no_angles_whatever_its_kinks_and_jumps(name):
    designed = pod(EXACT[name], centred=True)
    measured = angles(as_learned(EXACT[name], designed), designed)
    assert len(measured) == min(16, len(designed.sigma[designed.sigma > designed.tolerance]))
    np.testing.assert_allclose(measured[measured >= 0], 0, atol=1e-3)


@pytest.mark.parametrize("name", EXACT)
def test_nodes_for_a_learned_coupling_are_those_of_the_designed_one(name):
    """Whatever is integrated in u alone or v alone, at the nodes φ_k and ψ_k are orthonormal."""
    designed = pod(EXACT[name], centred=True)
    at = designed.quadrature(NODES)
    assert min(len(at.u), len(at.v)) >= NODES
    for x, w, side in ((at.u, at.wu, designed.left), (at.v, at.wv, designed.right)):
        phi = side(x)[:, designed.sigma > max(designed.tolerance, 1e-6)][:, :16]
        np.testing.assert_allclose((phi.T * w) @ phi, np.eye(phi.shape[1]), atol=1e-6)


def test_one_panel_of_nodes_saw_angles_in_an_exact_haar_coupling():
    """Negative control: what the panels are for."""
    designed = pod(EXACT["haar"], centred=True)
    smooth = pod(EXACT["sine"], centred=True).quadrature(NODES)
    rho = EXACT["haar"].matrix(smooth.u, smooth.v)
    left, sigma, right = np.linalg.svd(np.sqrt(smooth.wu)[:, None] * rho * np.sqrt(smooth.wv))
    same = Learned(np.zeros((1, 1)), sigma[:16], left[:, :16], right[:16].T, smooth)
    assert angles(same, designed).max() > 5


def test_angles_are_the_principal_angles_of_scipy():
    """On bases that are known: one turned by 30°; and none where σ₁ = σ₂."""
    found = pod(target_of(parse({"rank": 3})).coupling, centred=True)
    same = as_learned(found.coupling, found)
    left, right = same.left[:, :3], same.right[:, :3]
    turn = np.radians(30)
    turned = left.copy()
    turned[:, 0] = np.cos(turn) * left[:, 0] + np.sin(turn) * left[:, 2]
    turned[:, 2] = -np.sin(turn) * left[:, 0] + np.cos(turn) * left[:, 2]
    measured = angles(Learned(np.zeros((1, 1)), found.sigma[:3], turned, right, same.at), found)
    np.testing.assert_allclose(measured, [30, 30, 0], atol=1e-5)
    for k in (1, 2, 3):
        scipys = np.degrees(subspace_angles(turned[:, :k], left[:, :k])[0])
        assert measured[k - 1] == pytest.approx(scipys, abs=1e-5)
    tied = pod(target_of(parse({"spectrum": "list", "sigma": [1, 1, 0.5]})).coupling, centred=True)
    assert angles(same, tied)[0] == -1
    assert angles(same, tied)[1] >= 0


def test_learning_rate_warms_up_and_falls_to_zero():
    spec = parse({"lr": 0.5, "warmup": 100, "steps": 1000})
    rates = [learning_rate(spec, step) for step in range(1, 1001)]
    assert rates[0] == 0.005
    assert rates[99] == 0.5 == max(rates)
    assert rates[549] == pytest.approx(0.25, abs=0.002)
    assert 0 < rates[-1] < 1e-5
    constant = parse({"lr": 0.5, "warmup": 0, "steps": 10, "schedule": "constant"})
    assert {learning_rate(constant, step) for step in range(1, 11)} == {0.5}
    short = parse({"warmup": 200, "steps": 30})
    assert learning_rate(short, 10) == short.lr


@pytest.mark.parametrize("per_decade", [8, 100])
def test_log_spaced_steps(per_decade):
    kept = [step for step in range(1, 100_001) if is_log_spaced(step, per_decade)]
    assert kept[0] == 1
    assert {10, 100, 1000, 10_000, 100_000} <= set(kept)
    in_decade = [step for step in kept if 10_000 < step <= 100_000]
    assert len(in_decade) == per_decade
    ratios = np.diff(np.log10(in_decade))
    np.testing.assert_allclose(ratios, 1 / per_decade, rtol=0.05)
    assert keeps_history(777, 777) and keeps_snapshot(777, 777)


def test_states_are_plain_tensors():
    state = next(train(TINY)).state()
    assert all(tensor.is_contiguous() and tensor.device.type == "cpu" for tensor in state.values())
    json.dumps(sorted(state))
    assert math.isfinite(float(state["loss"]))
    assert set(shapes(TINY)) == {k.removeprefix("weights.") for k in state if k[:8] == "weights."}
    assert len(initial(TINY, torch.Generator())) == len(shapes(TINY))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_cuda_learns_and_resumes_like_the_cpu(optimizer):
    spec = amended(TINY, optimizer=optimizer, steps=300, m_ff=64)
    alike = [amended(spec, seed=seed) for seed in range(9)]  # single ones get stuck on either
    on_cpu, on_cuda = (
        [last(train(each, device=device)).evaluate(512)["nmse"] for each in alike]
        for device in ("cpu", "cuda")
    )
    assert abs(math.log10(np.median(on_cuda) / np.median(on_cpu))) < 0.5
    snapshot = last(train(spec, device="cuda"))
    start = ensemble_of(spec, device="cuda")
    reference = ensemble_of(spec)
    for name, weight in start.weights.items():
        torch.testing.assert_close(weight.cpu(), reference.weights[name])
    halfway = next(s.state() for s in train(spec, device="cuda") if s.step == 100)
    resumed = last(train(spec, halfway, device="cuda"))
    assert resumed.evaluate(512)["nmse"] == pytest.approx(snapshot.evaluate(512)["nmse"], rel=0.5)
