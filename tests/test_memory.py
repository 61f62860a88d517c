"""Memories: exact answers, what is known without training, the causal Transformer, its training."""

import itertools
import json
import math

import numpy as np
import pytest
import torch

from explorer.models import causal, decays
from explorer.pages.runs import comparison
from explorer.runs.execute import execute
from explorer.runs.store import Store
from explorer.runs.sweeps import train_unit, units
from explorer.spec import (
    AdaptiveMemorySpec,
    EssentialMemorySpec,
    FixedMemorySpec,
    InductionSpec,
    SpecError,
    amended,
    spec_id,
)
from explorer.targets import KINDS, MEMORIES, parse, parse_leniently, parse_sweep, target_of
from explorer.targets.memory import kernel_of
from explorer.theory import memory as theory
from explorer.theory.best_heads import best_heads
from explorer.theory.memory_sweep import group_lines, mean_of, summary
from explorer.theory.rates import power_fit
from explorer.training import Ensemble, train
from explorer.training.recipes import recipe_of
from explorer.ui.pages import page_of
from explorer.ui.topics import figures_of, view_of

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = {"n": 6, "m_h": 3, "d_v": 3, "m_ff": 8, "heads": 2, "batch": 4, "steps": 6, "warmup": 2}
SPECS = {
    "fixed": FixedMemorySpec(tau=9, lags=(0, 3, 5), **TINY),
    "adaptive": AdaptiveMemorySpec(tau=9, vocabulary=3, values="normal", **TINY),
    "essential": EssentialMemorySpec(tau=9, **TINY),
    "induction": InductionSpec(tau=9, vocabulary=3, **TINY),
}
EACH = pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
ENCODINGS = ("learned", "sinusoidal", "log", "lin", "t5", "none")


def drawn(target, count=200):
    return target.drawn(np.random.default_rng(0).random((count, target.n_uniform)))


# What is remembered


def by_hand(spec, x, b, t):
    """y_t of one sequence, as the definitions have it."""
    if spec.target == "fixed_memory":
        return sum(b[t - lag] for lag in spec.lags if lag <= t) / math.sqrt(len(spec.lags))
    if spec.target == "adaptive_memory":
        place = t
        for _ in range(spec.jumps):
            place = max(place - int(x[place]), 0)
        return b[place]
    if spec.target == "essential_memory":
        return sum(s**-0.5 * b[t - s] for s in range(1, t + 1))
    same = [s for s in range(t) if x[s] == x[t]]
    return b[same[-1] + 1] if same else 0.0


@EACH
def test_answers_are_those_of_the_definitions(spec):
    target = target_of(spec)
    x, b = drawn(target, 20)
    y = target.answer(x, b)
    assert np.unique(x).tolist() == list(range(1, target.tokens + 1))
    for row, t in itertools.product(range(20), range(spec.tau)):
        assert y[row, t] == pytest.approx(by_hand(spec, x[row], b[row], t), abs=1e-12)


@EACH
def test_torch_answers_like_numpy_and_a_model_sees_tokens_and_values(spec):
    target = target_of(spec)
    x, b = drawn(target)
    torches = [torch.tensor(a) for a in (x, b)]
    np.testing.assert_allclose(target.answer(*torches).numpy(), target.answer(x, b), atol=1e-12)
    seen = target.seen(x, b)
    assert seen.shape == (*x.shape, spec.d_in)
    np.testing.assert_array_equal(seen[..., -1], b)
    if target.tokens > 1:
        np.testing.assert_array_equal(seen[..., :-1].argmax(axis=-1) + 1, x)


def test_values_are_signs_or_normal():
    signs = drawn(target_of(SPECS["fixed"]), 4000)[1]
    normal = drawn(target_of(SPECS["adaptive"]), 4000)[1]
    assert set(np.unique(signs)) == {-1, 1} and abs(signs.mean()) < 0.02
    moments = [np.mean(normal**k) for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(moments, [0, 1, 0, 3], atol=0.1)


@EACH
def test_where_it_is_asked_all_memories_lie_in_the_sequence(spec):
    """From `first` on the variance of y is that of its class, and before it is another."""
    longer = amended(spec, tau=40)
    x, b = drawn(target_of(longer), 20_000)
    late = target_of(longer).answer(x, b)[:, spec.first :].var(axis=0)
    wanted = {"fixed_memory": 1.0, "adaptive_memory": 1.0}.get(spec.target)
    if wanted:
        np.testing.assert_allclose(late, wanted, atol=0.06)
    if spec.target == "essential_memory":
        np.testing.assert_allclose(late, np.cumsum(1 / np.arange(1, 40)), rtol=0.06)


def test_the_words_of_a_memory_begin_with_its_class():
    assert [*MEMORIES] == [name for name, kind in KINDS.items() if kind.Spec.topic == "memory"]
    for name, kind in MEMORIES.items():
        words = kind.words(parse({"target": name}))
        assert words.startswith(kind.title) and "2 layers of 4 learned heads" in words


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"target": "fixed_memory", "lags": [5, 3]}, "lags: ascending"),
        ({"target": "fixed_memory", "lags": [3, 40]}, "tau = 32: memories reach back 40"),
        ({"target": "adaptive_memory", "jumps": 8}, "tau = 32: memories reach back 32"),
        ({"target": "adaptive_memory", "vocabulary": 1}, "vocabulary = 1"),
        ({"target": "essential_memory", "model": "heads"}, 'encoding = "learned": heads alone'),
        ({"target": "essential_memory", "tau": 500}, "at most 128 tokens"),
        ({"target": "induction", "encoding": "rope"}, 'encoding = "rope"'),
    ],
)
def test_a_specification_that_does_not_fit_is_refused(fields, said):
    with pytest.raises(SpecError) as caught:
        parse(fields)
    assert said in str(caught.value)
    spec, problems = parse_leniently(json.dumps(fields))
    assert problems and spec == parse({"target": fields["target"]})


# Without training


@pytest.mark.parametrize("heads", [1, 2, 3, 4, 6])
def test_heads_that_know_distances_leave_the_line(heads):
    """The best linear answer from H random mixtures of V normal values leaves 1 − H/V of b_{t−x}
    on average over x; from H of signs that are weighted by powers of 2 nothing is left."""
    tokens = 4
    mixtures = np.random.default_rng(heads).random((heads, tokens))
    projection = np.linalg.pinv(mixtures) @ mixtures
    left = 1 - np.diag(projection).mean()
    assert left == pytest.approx(theory.head_floor(heads, tokens), abs=1e-12)
    signs = np.array(list(itertools.product([-1, 1], repeat=tokens)))
    assert len(np.unique(signs @ 2 ** np.arange(tokens))) == 2**tokens  # why b must be normal


def test_pointers_are_followed_by_doubling():
    """Tokens that look once a layer and read what is known there: after L layers as many jumps as
    the bound says, and not one more."""
    x = np.random.default_rng(1).integers(1, 4, 200)
    once = np.maximum(np.arange(200) - x, 0)

    def jumped(jumps):
        place = np.arange(200)
        for _ in range(jumps):
            place = once[place]
        return place

    pointer, value = once, np.arange(200)  # where 2^l jumps lead, and whose value is known
    for layers in range(1, 5):
        pointer, value = pointer[pointer], value[pointer]
        furthest = 2**layers - 1
        np.testing.assert_array_equal(value, jumped(furthest))
        assert theory.doubling_layers(furthest) == layers
        assert theory.doubling_layers(furthest + 1) == layers + 1
    assert [theory.doubling_layers(k) for k in (1, 2, 3)] == [1, 2, 2]
    assert [theory.sufficient_layers(k) for k in (1, 2, 3)] == [2, 3, 4]


def test_memories_beyond_the_pointers_need_a_layer_more():
    assert [theory.sufficient_layers(2, memories) for memories in (None, 2, 3, 9)] == [3, 3, 4, 4]


@pytest.mark.parametrize("n", [1, 2, 4])
def test_rates_fall_by_their_order_and_by_no_other(n):
    heads = np.array([4, 8, 16, 64])
    for rate in (
        lambda h: theory.attention_rate((3, 7), h, n, "log"),
        lambda h: theory.attention_rate((3, 7), h, n, "lin"),
        lambda h: theory.kernel_rate(3, h, n),
        lambda h: theory.jump_rate((3, 7, 9), 2, h, n, "log"),
    ):
        fit = power_fit(heads, [rate(int(h)) for h in heads])
        assert fit.slope == pytest.approx(-n, abs=1e-9)


def test_a_long_lag_costs_log_heads_a_power_and_lin_heads_an_exponential():
    """The law of the one does not fit the other: the negative control."""
    lags = np.array([50, 100, 200, 400, 800])
    log, lin = (
        np.log([theory.attention_rate((int(lag),), 1, 1, encoding) for lag in lags])
        for encoding in ("log", "lin")
    )

    def misfit(y, x):
        return float(np.abs(np.polyval(np.polyfit(x, y, 1), x) - y).max())

    assert misfit(log, np.log(lags)) < 1e-9 < 0.5 < misfit(log, lags)
    assert misfit(lin, lags) < 1e-9 < 0.5 < misfit(lin, np.log(lags))
    assert np.polyfit(np.log(lags), log, 1)[0] == pytest.approx(2.02)


@pytest.mark.parametrize("encoding", ["log", "lin"])
@pytest.mark.parametrize("n", [1, 3])
def test_jumps_cost_what_their_layers_cost(encoding, n):
    """Without jumps it is Theorem 3.1; one memory costs the same, found by a jump or at once; of
    many found one by one the furthest decides, and together they cost more."""
    lags = (4, 8, 12)
    once = theory.attention_rate(lags, 5, n, encoding)
    assert theory.jump_rate(lags, 0, 5, n, encoding) == pytest.approx(once)
    alone = [theory.attention_rate((lag,), 5, n, encoding) for lag in lags]
    assert theory.jump_rate((4,), 1, 5, n, encoding) == pytest.approx(alone[0])
    apart = theory.jump_rate(lags, 3, 5, n, encoding)
    assert apart == pytest.approx(math.hypot(*alone))
    assert apart < theory.jump_rate(lags, 1, 5, n, encoding) < once


def test_log_pointers_need_the_wider_layer():
    """From T = 3 on, where log T passes 1; below it they need the narrower one."""
    for lag, wider in ((2, False), (3, True), (64, True)):
        widths = [theory.pointer_width((lag,), 0, encoding) for encoding in ("lin", "log")]
        assert (widths[1] > widths[0]) == wider


def test_nested_pointers_cost_their_widest_and_others_their_sum():
    """Theorem 4.4: the maximum over the first K, or the sum over the rest; K = 2 jumps of V = 4."""
    assert theory.pointer_width((4, 8), 1, "lin") == 64
    assert theory.pointer_width((4, 8), 0, "lin") == 16 + 64, "Theorem 4.1, all of x_t alone"
    assert theory.pointer_width((1, 2, 9, 2, 3), 3, "lin") == 81
    assert theory.pointer_width((1, 2, 3, 4, 5), 2, "lin") == 9 + 16 + 25
    assert theory.pointer_width((4, 8), 1, "log") == pytest.approx((8 * math.log(8)) ** 2)


def test_a_readout_falls_by_the_root_of_its_width():
    widths = [16, 64, 1024]
    assert power_fit(widths, [theory.readout_rate(m) for m in widths]).slope == pytest.approx(-0.5)


def test_from_the_reach_on_higher_orders_are_better():
    enough = theory.reach((3, 7), "log")
    for heads, sign in ((math.floor(enough), 1), (math.ceil(enough), -1)):
        errors = [theory.attention_rate((3, 7), heads, n, "log") for n in (1, 2, 3)]
        assert (np.sign(np.diff(errors)) == sign).all()


# The Transformer


def weights_of(spec, seed=0):
    values = recipe_of(spec).initial(spec, torch.Generator().manual_seed(seed))
    return {name: value.double().unsqueeze(0) for name, value in values.items()}


def naive(spec, weights, x):
    """The formulas of models/causal.py for one sequence, token by token, head by head."""
    w = {name: value[0] for name, value in weights.items()}

    def normed(h):
        return (h - h.mean()) / (h.var(correction=0) + 1e-5).sqrt() if spec.layer_norm else h

    def bias(layer, head, s):
        if spec.encoding == "t5":
            return w["by_distance"][layer, head, s]
        if spec.encoding in ("log", "lin"):
            phi = s if spec.encoding == "lin" else math.log(s) if s else 1e9
            return -w["log_p"][layer, head].exp() * phi
        return torch.tensor(0.0)

    h = [x[t] @ w["embedding"] + w["embedding_bias"] for t in range(len(x))]
    if spec.encoding == "learned":
        h = [h[t] + w["positions"][t] for t in range(len(x))]
    if spec.encoding == "sinusoidal":
        h = [h[t] + causal.sinusoidal(spec.tau, spec.n)[t] for t in range(len(x))]
    for i in range(spec.layers):
        seen, out = [normed(each) for each in h], []
        for t in range(len(x)):
            total = h[t].clone()
            for head in range(spec.heads):
                logits = torch.stack([bias(i, head, t - s).double() for s in range(t + 1)])
                if spec.dot_product:
                    keys = torch.stack([w["W_K"][i, head] @ seen[s] for s in range(t + 1)])
                    logits = logits + keys @ (w["W_Q"][i, head] @ seen[t])
                values = torch.stack([w["W_V"][i, head] @ seen[s] for s in range(t + 1)])
                total = total + (logits.softmax(dim=0) @ values) @ w["W_O"][i, head]
            inner = torch.nn.functional.gelu(w["inner"][i] @ normed(total) + w["inner_bias"][i])
            out.append(total + inner @ w["outer"][i] + w["outer_bias"][i])
        h = out
    return torch.stack([normed(each) @ w["answer"] + w["answer_bias"][0] for each in h])


@pytest.mark.parametrize("plain", [False, True], ids=["whole", "no dot product, no norm"])
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_transformer_is_its_formulas(encoding, plain):
    spec = amended(
        SPECS["adaptive"], encoding=encoding, dot_product=not plain, layer_norm=not plain
    )
    weights = weights_of(spec)
    if "by_distance" in weights:
        weights["by_distance"] = torch.randn(weights["by_distance"].shape).double()
    x = torch.tensor(target_of(spec).seen(*drawn(target_of(spec), 2)))
    found = causal.forward(spec, weights, x.unsqueeze(0))
    wanted = torch.stack([naive(spec, weights, each) for each in x])
    torch.testing.assert_close(found.answer[0], wanted)
    assert len(found.attention) == spec.layers
    for attention in found.attention:
        assert attention.shape == (1, 2, spec.heads, spec.tau, spec.tau)
        torch.testing.assert_close(attention.sum(dim=-1), torch.ones_like(attention[..., 0]))
        assert (attention.triu(1) == 0).all()


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_future_changes_no_answer(encoding):
    spec = amended(SPECS["adaptive"], encoding=encoding)
    x = torch.tensor(target_of(spec).seen(*drawn(target_of(spec), 2))).unsqueeze(0)
    changed = x.clone()
    changed[..., 6:, :] += 1.0
    before, after = (causal.forward(spec, weights_of(spec), each).answer for each in (x, changed))
    torch.testing.assert_close(before[..., :6], after[..., :6], rtol=0, atol=0)
    assert (before[..., 6:] - after[..., 6:]).abs().max() > 1e-3


def test_without_dot_product_and_positions_all_that_came_before_weighs_the_same():
    spec = amended(SPECS["fixed"], encoding="none", dot_product=False)
    x = torch.tensor(target_of(spec).seen(*drawn(target_of(spec), 1))).unsqueeze(0)
    first = causal.forward(spec, weights_of(spec), x).attention[0]
    equal = torch.tril(torch.ones(9, 9).double()) / torch.arange(1, 10)[:, None]
    torch.testing.assert_close(first[0, 0, 0], equal)


def test_heads_alone_are_a_sum_of_powers_normalised_or_plain():
    spec = EssentialMemorySpec(model="heads", encoding="log", tau=5, heads=2)
    weights = {"c": torch.tensor([[2.0, -1.0]]), "log_p": torch.tensor([[1.0, 2.0]]).log()}
    s = np.arange(1, 6.0)
    powers = s**-1.0, s**-2.0
    one, two = (power / power.sum() for power in powers)
    wanted = {
        "softmax": 2 * one - two,
        "scaled": (s**-0.5).sum() * (2 * one - two),
        "plain": 2 * powers[0] - powers[1],
    }
    for kappa, kernel in wanted.items():
        found = decays.kernel(amended(spec, kappa=kappa), weights)[0]
        np.testing.assert_allclose(found, kernel, rtol=1e-6)


def test_from_c_of_order_1_the_steps_do_not_reach_a_kernel_that_is_exact():
    """One log head is s^−0.5 at p = 0.5 however it is written; Σρ = 61.8 is far from c ~ N(0, 1),
    and what is then left measures the steps."""
    spec = EssentialMemorySpec(model="heads", encoding="log", heads=1, tau=1000, lr=0.03, steps=300)
    assert kernel_of(spec).sum() == pytest.approx(61.8, abs=0.01)
    left = {}
    for kappa in ("softmax", "scaled", "plain"):
        *_, last = train(amended(spec, kappa=kappa))
        left[kappa] = last.evaluate()["nmse"]
    assert max(left["scaled"], left["plain"]) < 1e-6 < 0.1 < left["softmax"]


def test_how_heads_are_written_leaves_old_ids_as_they_are():
    """The id of a row of the table that commit 4854646 shipped."""
    old = EssentialMemorySpec(model="heads", encoding="log", tau=1000, lr=1e-2, steps=2000, heads=2)
    assert spec_id(old) == "38d69db0e236"
    assert spec_id(amended(old, kappa="softmax")) == spec_id(old)
    assert "kappa" in EssentialMemorySpec().idle_fields(), "a Transformer has none"


# Training


@EACH
def test_the_gradient_is_that_of_the_error_where_it_is_asked(spec):
    ensemble = Ensemble([spec], [target_of(spec)])
    weights = {name: value.double() for name, value in ensemble.weights.items()}
    x, y = (each.double() for each in ensemble.batch())
    gradients = {name: torch.zeros_like(value) for name, value in weights.items()}
    ensemble.recipe.gradient(weights, x, y, gradients, 1)

    def loss(name, change):
        answer = causal.forward(spec, weights | {name: weights[name] + change}, x).answer
        return (answer - y)[..., spec.first :].square().mean()

    for name in weights:
        towards = torch.randn(weights[name].shape, dtype=torch.float64) * 1e-5
        central = (loss(name, towards) - loss(name, -towards)) / 2
        torch.testing.assert_close(
            (gradients[name] * towards).sum(), central, rtol=1e-4, atol=1e-12
        )


def test_seeds_of_one_batch_learn_as_if_they_were_alone():
    members = [amended(SPECS["adaptive"], seed=seed) for seed in (0, 1, 2)]
    together = Ensemble(members, [target_of(member) for member in members])
    *_, losses = together.run()
    for i, member in enumerate(members):
        *_, last = train(member)
        torch.testing.assert_close(losses[i], last.loss, rtol=1e-4, atol=1e-6)
        assert together.evaluate_all(50)[i]["mse"] == pytest.approx(
            last.evaluate(50)["mse"], rel=1e-4
        )


def test_the_exact_error_of_heads_alone_is_that_of_sequences():
    spec = EssentialMemorySpec(
        model="heads", encoding="log", tau=30, heads=2, steps=50, lr=0.05, warmup=2
    )
    *_, last = train(spec)
    pictures = last.diagnostics()
    left = pictures["kernel"] - pictures["kernel_hat"]
    x = np.random.default_rng(0).choice([-1.0, 1.0], (100_000, 30))
    assert last.evaluate()["mse"] == pytest.approx(np.square(x @ left).mean(), rel=0.02)
    assert last.evaluate()["nmse"] >= best_heads(kernel_of(spec), 2, "log").error


@EACH
def test_a_run_is_kept_and_goes_on_with_the_same_bits(spec):
    store = Store()
    with store.start(spec, "cpu") as lease:
        row = execute(store, lease.row)
    assert row.status == "finished"
    assert comparison._sentence([row]).startswith("After 6 steps (one seed) the nMSE of 2 layers")
    figures = figures_of(store.read(row.run))
    assert [*figures] == ["error", "kernel" if spec.recipe == "decays" else "layers"]
    assert view_of(spec).drawing(spec, None)[0]["first"] == spec.first
    assert page_of(spec).name == "memory"
    halfway = next(s for s in train(spec) if s.step == 3)
    *_, last = train(spec, halfway.state())
    assert last.weights_sha256() == row.outcome["weights_sha256"]
    pictures = store.read(row.run).snapshot(spec.steps)[1]
    assert pictures["attention"].shape == (2, 2, 9, 9)
    answer = pictures["ideal"] @ pictures["tokens"][:, -1]
    np.testing.assert_allclose(answer, pictures["answer"], atol=1e-6)


def test_seeds_of_a_sweep_are_one_unit_and_its_groups_have_intervals():
    sweep = parse_sweep(
        {"target": "adaptive_memory", "tau": 9, "vocabulary": 3, **TINY}
        | {"jumps": [1, 2], "layers": [1, 2], "seed": [0, 1, 2]}
    )
    found = units(sweep)
    assert [len(unit.members) for unit in found] == [3, 3, 3, 3]
    rows = [row for unit in found for row in train_unit(unit.text())]
    groups = summary(sweep, rows)["groups"]
    assert [(g["jumps"], g["layers"], g["seeds"]) for g in groups] == [
        (1, [1, 2], [3, 3]),
        (2, [1, 2], [3, 3]),
    ]
    for group in groups:
        for mean, (low, high) in zip(group["mean"], group["interval"], strict=True):
            assert low < mean < high
    assert group_lines(groups)[0].startswith("jumps = 1, heads = 2, layers = 1: nMSE ")


def test_intervals_hold_the_mean_in_95_of_100():
    rng = np.random.default_rng(0)
    held = [
        low < 1 < high
        for low, high in (mean_of(np.exp(rng.normal(0, 1, 5))).interval for _ in range(2000))
    ]
    assert 0.93 < np.mean(held) < 0.97
    assert mean_of([0.1, 0.2]).interval is None
