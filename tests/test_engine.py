"""The kernel in C against torch: gradient, answers, optimisers; and the same bits in every home of
WebAssembly."""

import base64
import hashlib
import json
import shutil
import subprocess
from itertools import product

import numpy as np
import pytest
import torch
from random_words import philox
from references import stepped

from explorer.analysis.couplings import angles, learned_coupling
from explorer.coupling import Samples, coupling_of, pod, quadrature
from explorer.engine import EngineError, Model, Units, settings_of, wasm
from explorer.engine.home import WASM, build_wasm
from explorer.models.activations import ACTIVATIONS
from explorer.models.backward import loss_and_gradient
from explorer.models.named import shapes
from explorer.models.transformer import embed, forward, init_bounds, queries_and_keys
from explorer.spec import CouplingSpec
from explorer.targets import CouplingTarget, target_of
from explorer.training.ensemble import Ensemble, _start
from explorer.training.schedule import learning_rate
from explorer.training.soap import Soap, Stack
from explorer.training.truncation import truncated

SMALL = {"m_ff": 12, "n": 6, "d_v": 7, "batch": 5, "tau": 9}


PLAIN = Units(0.0, 1.0)


def model_of(spec, home, coupling=None, units=PLAIN):
    start = {name: value.numpy() for name, value in _start(spec).items()}
    return Model(spec, coupling or coupling_of(spec), home, start, units)


def random_batch(spec, seed=1):
    x, y = np.random.default_rng(seed).random((2, spec.batch, spec.tau), np.float32)
    return np.floor(x * 2**24) / np.float32(2**24), y


def torch_gradient(spec, model, x, y):
    """Loss and gradients by torch in float64."""
    weights = {n: torch.tensor(w)[None].double() for n, w in model.weights.items()}
    gradients = {name: torch.zeros_like(weight) for name, weight in weights.items()}
    sides = (torch.tensor(side)[None].double() for side in (x, y))
    loss = loss_and_gradient(spec, weights, *sides, gradients)
    return float(loss), {name: gradient[0].numpy() for name, gradient in gradients.items()}


def assert_gradient(spec, home):
    model = model_of(spec, home)
    x, y = random_batch(spec)
    loss, expected = torch_gradient(spec, model, x, y)
    assert model.differentiate(x, y) == pytest.approx(loss, rel=2e-6)
    size = max(np.abs(gradient).max() for gradient in expected.values())
    for name, gradient in expected.items():
        assert np.abs(model.gradient[name] - gradient).max() < 2e-5 * size, name


@pytest.mark.parametrize(("inner", "outer"), product(ACTIVATIONS, ACTIVATIONS))
def test_the_gradient_is_that_of_torch_for_each_activation(home, inner, outer):
    assert_gradient(CouplingSpec(**SMALL, m_h=3, activation=inner, activation_out=outer), home)


@pytest.mark.parametrize("width", range(1, 71))
def test_the_gradient_is_that_of_torch_at_each_width(home, width):
    """Of heads, values, hidden layers, features and sequences, each at its own."""
    widths = {
        "m_h": min(width, 64),
        "m_ff": width,
        "n": 71 - width,
        "d_v": (7 * width) % 71 + 1,
        "tau": max(2, min(width, 64)),
        "depth": 1 + width % 6,
        "batch": 1 + width % 11,
    }
    assert_gradient(CouplingSpec(**widths), home)


@pytest.mark.parametrize(
    "design",
    [
        *({"left_basis": a, "right_basis": a} for a in ("sine", "fourier", "legendre", "haar")),
        {"left_basis": "haar", "right_basis": "shifted_sine", "rank": 7, "alpha": 0.0},
    ],
)
def test_answers_are_those_of_the_target(home, design):
    spec = CouplingSpec(**SMALL, m_h=2, **design)
    x, y = model_of(spec, home, units=Units(0.5, 0.1)).fresh()
    assert np.abs((target_of(spec).answer(x.astype(float)) - 0.5) / 0.1 - y).max() < 1e-4


@pytest.mark.parametrize("shape", [(2, 2), (2, 9), (12, 2), (13, 9)])
def test_answers_of_samples_are_those_of_the_target(home, shape):
    samples = Samples(np.random.default_rng(0).normal(size=shape))
    spec = CouplingSpec(**SMALL, m_h=2)
    x, y = model_of(spec, home, samples).fresh()
    assert np.abs(CouplingTarget(samples, spec.tau).answer(x.astype(float)) - y).max() < 1e-5


def test_sequences_are_those_of_philox(home):
    """Whose first words for the key and counter 0 are known from its authors' test vectors."""
    assert [hex(int(v * 2**24)) for v in philox(0, 0, 0, 2)] == ["0x6627e8", "0xe169c5"]
    spec = CouplingSpec(**SMALL, m_h=2, seed=77)
    model = model_of(spec, home)
    model.take(model.state, 123)
    x, _ = model.fresh()
    assert np.array_equal(x.ravel(), philox(77, 1, 123, x.size))


def order_of(spec):
    """Of the matrices in kernel.c, whose parts of the stream are numbered so."""
    f, F = ([f"{side}.{layer}" for layer in range(spec.depth)] for side in "fF")
    return [*f, "W_V", *F, "W_Q", "W_K"]


@pytest.mark.parametrize("init", ["siren", "torch"])
def test_the_start_is_drawn_by_counter_between_the_bounds_of_the_recipe(home, init):
    spec = CouplingSpec(**SMALL, m_h=3, init=init, seed=2**31 - 1)
    weights, bounds, order = (
        Model(spec, coupling_of(spec), home).weights,
        init_bounds(spec),
        order_of(spec),
    )
    for name, shape in shapes(spec).items():
        matrix, bias = name.removesuffix(".weight").removesuffix(".bias"), name.endswith("bias")
        part = 2 * order.index(matrix) + bias
        drawn = 2 * philox(spec.seed, 0, part, int(np.prod(shape))) - 1
        assert np.array_equal(weights[name], np.float32(bounds[name]) * drawn.reshape(shape)), name


@pytest.mark.parametrize("answers", ["standardised", "raw"])
def test_units_and_errors_are_those_of_torch_on_the_same_fixed_sequences(home, answers):
    spec = CouplingSpec(m_h=3, answers=answers, batch=7)
    model, ensemble = Model(spec, coupling_of(spec), home), Ensemble([spec], [target_of(spec)])
    assert model.units == pytest.approx(ensemble.recipe.plan.calibrations[0], rel=1e-5)
    weights = {name: torch.tensor(value)[None] for name, value in model.weights.items()}
    expected = ensemble.recipe.metrics(weights, 0, 1000)
    mse, mae, variance = model.evaluate(1000)
    found = {"mse": mse, "nmse": mse / variance, "mae": mae, "r2": 1 - mse / variance}
    assert found == pytest.approx(expected, rel=1e-4)


def test_coupling_and_attention_are_those_of_torch(home):
    spec = CouplingSpec(m_h=5, tau=11, tokens="raw")
    model, random = Model(spec, coupling_of(spec), home), np.random.default_rng(5)
    weights = {name: torch.tensor(value)[None] for name, value in model.weights.items()}
    points = [random.random(count).astype(np.float32) for count in (256, 99)]
    sides = [embed(spec, weights, torch.tensor(side)[None]) for side in points]
    (query, _), (_, key) = (queries_and_keys(spec, weights, side) for side in sides)
    assert np.abs(model.grid(*points) - (query[0] @ key[0].T).numpy()).max() < 1e-5
    x = random.random(11).astype(np.float32)
    _, attention = forward(spec, weights, torch.tensor(x)[None, None])
    assert np.abs(model.attention(x) - attention[0, 0].numpy()).max() < 1e-5


@pytest.mark.parametrize("done", [0, 25, 60])
@pytest.mark.parametrize("coupling", ["shifted_sine", "fourier", "legendre", "haar", "samples"])
def test_the_pod_of_what_is_learned_is_that_of_the_analysis(home, coupling, done):
    """Before and after the cut of a head start, with as many nodes along v as along u or not."""
    design = {"left_basis": "sine" if coupling == "haar" else coupling, "right_basis": coupling}
    fields = {"m_h": 5, "head_start": 4, "steps": 60, "lr": 1e-2, "rank": 16}
    spec = CouplingSpec(**SMALL | {"n": 12} | fields | ({} if coupling == "samples" else design))
    values = np.random.default_rng(0).normal(size=(12, 20))
    to_learn = Samples(values) if coupling == "samples" else coupling_of(spec)
    model, designed = model_of(spec, home, to_learn), pod(to_learn, centred=True)
    model.advance(done)
    at = designed.quadrature(256)
    weights = {name: torch.tensor(value)[None] for name, value in model.weights.items()}
    learned = learned_coupling(spec.at(done), weights, at)
    exact = angles(learned, designed)
    told = exact >= 0
    told_by_arrays = designed.left(at.u).T, designed.right(at.v).T
    for functions in (told_by_arrays,) if coupling == "samples" else (told_by_arrays, 16):
        sigma, cosines = model.pod(at, functions)
        assert len(sigma) == (5 if done > 30 else 9)
        assert np.abs(sigma - learned.sigma).max() < 2e-6 * learned.sigma[0]
        assert len(cosines) >= len(exact) > 3
        parted = cosines[: len(exact)] - np.cos(np.radians(exact))
        assert np.abs(parted[told]).max() < 1e-4


def test_a_pod_at_too_many_nodes_is_refused(home):
    spec = CouplingSpec(**SMALL, m_h=2)
    at = quadrature(coupling_of(spec), 512)
    with pytest.raises(EngineError, match="512 nodes"):
        model_of(spec, home).pod(at, (at.u[None], at.v[None]))


@pytest.mark.parametrize("formula", [None, "exp(-8*(u-v)**2) + where(u < v, u**1.5, tan(v))"])
def test_fifty_steps_of_adam_have_the_losses_of_torch(home, formula):
    """On answers of torch's own."""
    spec = CouplingSpec(m_h=4, optimizer="adam", lr=1e-3, steps=600, batch=8, formula=formula)
    target = target_of(spec)
    ensemble = Ensemble([spec], [target])
    units = Units(*ensemble.recipe.plan.calibrations[0])
    model = model_of(spec, home, units=units)
    for _ in range(50):
        x = torch.tensor(model.fresh()[0])[None]
        y = (target.answer(x.double()).float() - units.centre) / units.scale
        loss = ensemble.learn(x, y)[0]
        assert model.advance() == pytest.approx(float(loss) * units.variance, rel=1e-5)


@pytest.mark.parametrize("schedule", ["cosine", "constant"])
@pytest.mark.parametrize("warmup", [0, 5, 100])
@pytest.mark.parametrize(("head_start", "steps"), [(0, 30), (1, 61)])
def test_the_rate_of_a_step_is_that_of_the_schedule(home, schedule, warmup, head_start, steps):
    """From the same state at each step, so that no difference grows."""
    fields = {"schedule": schedule, "warmup": warmup, "lr": 1e-2, "optimizer": "adam"}
    spec = CouplingSpec(**SMALL, m_h=2, steps=steps, head_start=head_start, **fields)
    alone, led = model_of(spec, home), model_of(spec, home)
    for step in range(1, steps + 1):
        led.take(alone.state, alone.step)
        alone.advance()
        led.learn(*led.fresh(), learning_rate(spec, step))
        assert np.abs(alone.state - led.state).max() < 1e-6, step


def coupling_by_torch(spec, weights, u, v):
    """ρ̂(u_i, v_j) in float64."""
    weights = {name: torch.tensor(value)[None].double() for name, value in weights.items()}
    sides = (embed(spec, weights, torch.tensor(side)[None].double()) for side in (u, v))
    (query, _), (_, key) = (queries_and_keys(spec, weights, side) for side in sides)
    return (query[0] @ key[0].T).numpy()


@pytest.mark.parametrize(
    ("m_h", "head_start", "wide", "n", "tolerance"),
    [(1, 16, 17, 6, 1e-5), (3, 2, 5, 6, 1e-5), (8, 4, 12, 6, 1e-5), (60, 16, 64, 80, 1e-2)],
)
def test_a_head_start_is_cut_to_the_leading_terms_of_what_it_has_learned(
    home, m_h, head_start, wide, n, tolerance
):
    """Where the head is wider than f̂ has features, terms that are 0 stay so. Terms at the rounding
    of f̂, in float32, may add a function of u, which softmax cannot see."""
    fields = {"head_start": head_start, "steps": 61, "lr": 1e-2, "c": 20.0}
    spec = CouplingSpec(**SMALL | {"n": n}, m_h=m_h, **fields)
    model, grid = model_of(spec, home), np.linspace(0, 1, 99, dtype=np.float32)
    assert model.weights["W_Q"].shape == (wide, spec.n)
    model.advance(30)
    before = {name: weight.copy() for name, weight in model.weights.items()}
    assert before["W_K"].shape == (wide, spec.n)
    model.learn(*model.fresh(), rate=0.0)
    held = {name: torch.tensor(weight)[None] for name, weight in before.items()}
    w_q, w_k = (side[0, :m_h].numpy() for side in truncated(spec.at(1), held, [m_h]))
    assert model.weights["W_Q"].shape == (m_h, spec.n)
    exact = coupling_by_torch(spec, before | {"W_Q": w_q, "W_K": w_k}, grid, grid)
    parted = (model.grid(grid, grid) - exact) / np.abs(exact).max()
    assert np.abs(parted).max() < tolerance
    assert np.abs(parted - parted.mean(1, keepdims=True)).max() < 1e-5
    for name in ("W_Q", "W_K"):
        assert not model.weights[name][n:].any(), name
        before.pop(name)
    assert all(np.array_equal(model.weights[name], weight) for name, weight in before.items())


def test_a_head_start_of_one_step_is_none(home):
    spec = CouplingSpec(**SMALL, m_h=2, head_start=3, steps=1)
    assert Model(spec, coupling_of(spec), home).weights["W_Q"].shape == (2, 6)


def test_a_seed_draws_the_same_leading_rows_of_a_head_start(home):
    specs = [CouplingSpec(**SMALL, m_h=2, head_start=wider) for wider in (0, 3)]
    plain, wide = (Model(spec, coupling_of(spec), home).weights for spec in specs)
    for name, weight in plain.items():
        assert np.array_equal(wide[name][: len(weight)], weight), name


@pytest.mark.parametrize("optimizer", ["soap", "adam"])
def test_soap_parts_from_torch_as_torch_does_from_itself_in_float64(home, optimizer):
    """On the gradients of square matrices under noise, of full rank from the first on: else a basis
    is not unique. Over four refreshes; Adam goes another way."""
    widths = {"m_h": 8, "m_ff": 8, "n": 8, "d_v": 8, "depth": 2}
    spec = CouplingSpec(**widths, tau=16, batch=64, optimizer=optimizer)
    model, noise = model_of(spec, home), np.random.default_rng(3)
    square = [name for name, shape in shapes(spec).items() if shape == (8, 8)]
    begun = {name: torch.tensor(model.weights[name]).flatten() for name in square}
    soaps = {
        (name, kind): Soap(begun[name].to(kind, copy=True), [Stack(0, 1, 8, 8)])
        for name, kind in product(square, (torch.float32, torch.float64))
    }
    for _ in range(41):
        x, y = model.fresh()
        model.learn(x, noise.normal(size=y.shape), 1e-3)
        for (name, kind), soap in soaps.items():
            stepped(soap, torch.tensor(model.gradient[name].copy()).flatten().to(kind), 1e-3)
    ratios = {}
    for name in square:
        exact = soaps[name, torch.float64].flat.numpy()
        ours, theirs = (
            np.linalg.norm(side - exact)
            for side in (model.weights[name].ravel(), soaps[name, torch.float32].flat.numpy())
        )
        ratios[name] = ours / theirs
    typical = np.exp(np.mean(np.log([*ratios.values()])))  # one alone may part by chance
    assert (typical < 2) == (optimizer == "soap"), ratios


@pytest.mark.parametrize(
    ("head_start", "done"), [(0, 17), (2, 17), (2, 20), (2, 21), (2, 33), (6, 20), (6, 21)]
)
@pytest.mark.parametrize("optimizer", ["soap", "adam"])
def test_a_model_goes_on_from_its_state_bit_for_bit(home, head_start, done, optimizer):
    """Before, at and after the cut of a head start, and from where another model had got to."""
    spec = CouplingSpec(**SMALL, m_h=3, steps=40, head_start=head_start, optimizer=optimizer)
    whole, first, fresh, used = (model_of(spec, home) for _ in range(4))
    whole.advance(40)
    first.advance(done)
    used.advance(40 if done <= 20 else 5)
    for second in (fresh, used):
        second.take(first.state, first.step)
        second.advance(40 - done)
        assert np.array_equal(whole.state, second.state)


def test_training_closes_the_gap(home):
    """A head as wide as the rank learns its coupling; a narrower one does not."""
    design = {"rank": 2, "m_ff": 32, "n": 16, "d_v": 16, "steps": 600, "batch": 16, "lr": 3e-3}
    errors = {}
    for m_h in (1, 3):
        spec = CouplingSpec(**design, m_h=m_h)
        errors[m_h] = Model(spec, coupling_of(spec), home).advance(600)
    assert errors[3] < 0.2 * errors[1]


def test_what_the_kernel_does_not_know_is_said():
    for altered in ({"permutation": "reverse"}, {"filter": (0.5, 0.5)}, {"positions": 2}):
        spec = CouplingSpec(**altered)
        with pytest.raises(EngineError, match="no order, filter or positions"):
            settings_of(spec, coupling_of(spec))


IN_NODE = """
const fs = require("node:fs");
const { code, settings, numbers, steps } = JSON.parse(fs.readFileSync(0));
const { exports: k } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(code)));
const aligned = (at) => Math.ceil(at / 64) * 64;
let free = aligned(k.__heap_base.value);
const room = (size) => {
  const at = free;
  free = aligned(at + size);
  const lacking = free - k.memory.buffer.byteLength;
  if (lacking > 0) k.memory.grow(Math.ceil(lacking / 65536));
  return at;
};
const bytes = Buffer.from(settings, "base64");
const at = room(bytes.length);
new Uint8Array(k.memory.buffer, at, bytes.length).set(bytes);
const model = k.begin(at, room(k.bytes_of(at)));
const floats = (at, count) => new Float32Array(k.memory.buffer, at, count);
floats(k.numbers_of(model), numbers.length).set(numbers);
k.start(model);
k.advance(model, steps);
const state = floats(k.state_of(model), k.state_size(model));
const sha = require("node:crypto").createHash("sha256");
const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);
console.log(sha.update(bytesOf(state)).digest("hex"));
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
@pytest.mark.parametrize(
    ("fields", "sha"),
    [
        ({"m_h": 3, "rank": 4}, "ec43806ced758f41"),
        (
            {"m_h": 5, "left_basis": "legendre", "right_basis": "haar", "optimizer": "adam"},
            "31b17f55ab1191a7",
        ),
        (
            {"m_h": 2, "activation": "gelu", "activation_out": "relu", "init": "torch", "tau": 7},
            "0400137cd19a1642",
        ),
        ({"m_h": 4, "rank": 4, "head_start": 4}, "d5e2097229778da8"),
        (
            {"m_h": 3, "formula": "tan(u*v) + exp(-9*(u-v)**2) - u**1.7 * sin(1e7*v)"},
            "cb756579c958d23f",
        ),
        ({"m_h": 3, "grid": "0" * 64, "optimizer": "adam"}, "c3ee614a89af7cb6"),
    ],
)
def test_three_hundred_steps_have_the_same_bits_in_node_and_in_python(fields, sha):
    """And they are those of 670668d0: a kernel that is made faster changes no run."""
    try:
        here = wasm()
    except EngineError as error:
        pytest.skip(str(error))
    spec = CouplingSpec(**SMALL | {"steps": 300} | fields)
    coupling = coupling_of(spec, lambda _: np.random.default_rng(0).normal(size=(7, 9)))
    settings, numbers = settings_of(spec, coupling)
    asked = {
        "code": str(WASM),
        "settings": base64.b64encode(bytes(settings)).decode(),
        "numbers": numbers.tolist(),
        "steps": 300,
    }
    node = subprocess.run(
        ["node", "-e", IN_NODE], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    model = Model(spec, coupling, here)
    model.advance(300)
    assert node.stdout.strip() == hashlib.sha256(model.state.tobytes()).hexdigest()
    assert node.stdout.startswith(sha)


def test_the_webassembly_is_what_the_source_makes(tmp_path):
    try:
        build_wasm(tmp_path / "kernel.wasm")
    except EngineError as error:
        pytest.skip(str(error))
    assert (tmp_path / "kernel.wasm").read_bytes() == WASM.read_bytes()
