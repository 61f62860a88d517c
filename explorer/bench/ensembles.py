"""Many models in one batch: against a loop of modules, against JAX, against the machine's peak."""

import importlib.util
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from statistics import median

import torch

from explorer.bench.numerics import in_turn, ratio, textbook_step
from explorer.bench.serving import Figures
from explorer.coupling import coupling_of
from explorer.engine import EngineError
from explorer.models.named import shapes
from explorer.spec import CouplingSpec, amended
from explorer.targets import CouplingTarget, coupling, target_of
from explorer.training import Ensemble
from explorer.training.kernels import Kernels
from explorer.training.trained import Trained

MODELS, SCALES = 16, (1, 4, 16, 64, 256)
PAPER = CouplingSpec(m_h=16, optimizer="adam", lr=1e-3)
GOALS = {32: "≥ 1.7", 8: "≥ 4.5"}


@contextmanager
def one_core() -> Iterator[None]:
    """This thread, and those it starts, on one core: JAX takes all there are, whatever it is told.
    Where the system has no affinities, on as many as there are."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def ensemble() -> Figures:
    """16 models of the paper's size, Adam, one CPU thread, sequences and answers being ready."""
    with one_core():
        yield from _against_others()


def _against_others() -> Figures:
    peak = sgemm_peak()
    for batch, goal in GOALS.items():
        spec = amended(PAPER, batch=batch)
        ours = ensemble_of(spec, MODELS)
        x, y = ours.batch()
        textbook = textbook_step(spec, lambda both=(x, y): both)
        loop, stacked = in_turn(textbook, partial(ours.learn, x, y), steps=160 // batch)
        per_model = [cost / MODELS for cost in stacked]
        what = f"{MODELS} models, batch {batch}: ours against an nn.Module + Adam loop"
        yield what, f"{ratio(loop, per_model):.2f}", "×", goal
        yield f"  ours, batch {batch}", f"{1 / median(per_model):.0f}", "steps/s", ""
        share = 100 * flops(spec) / median(per_model) / peak
        yield f"  of the measured sgemm peak, {peak / 1e9:.0f} GFLOP/s", f"{share:.0f}", "%", ""
        yield from _jax(spec, ours, x, y)


def scaling() -> Figures:
    """Model-steps per second for more and more models in one batch, fresh sequences included."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for models in SCALES:
        many = ensemble_of(amended(PAPER, batch=8), models, device)
        seconds = seconds_per_step(many, max(2, 64 // models))
        what = f"Adam, batch 8, {models:3d} models in one batch on {device}"
        yield what, f"{models / seconds:.0f}", "steps/s", ""


def figure() -> Figures:
    """Cost of the grid of Figure 1, from the rate of its own batch: 72 models, SOAP, batch 32."""
    sweep = amended(coupling.KIND.sweeps["fig1"][1], seed=[0])
    members, on_gpu = sweep.members(), torch.cuda.is_available()
    chosen = members if on_gpu else members[-12:]
    grid = Ensemble(chosen, [target_of(m) for m in chosen], "cuda" if on_gpu else "cpu")
    rate = len(chosen) / seconds_per_step(grid, 200 if on_gpu else 20)
    seconds = len(members) * sweep.steps / rate
    yield "SOAP, batch 32, 12 widths in one batch", f"{rate:.0f}", "steps/s", ""
    if on_gpu:
        yield "72 models of Figure 1 on this GPU, extrapolated", f"{seconds:.0f}", "s", "≤ 15"
    else:
        what = "72 models of Figure 1 on 2 cores, extrapolated from one"
        yield what, f"{seconds / 120:.1f}", "min", "≤ 4"
        yield from _figure_natively([amended(member, engine="native") for member in members])


def _figure_natively(members: list[CouplingSpec]) -> Figures:
    what = "the same by the machine's own code"
    try:
        targets = [CouplingTarget(coupling_of(member), member.tau) for member in members]
        every = Kernels(members, targets)
    except EngineError as error:
        yield what, str(error), "", "≤ 1.8"
        return
    seconds = members[0].steps * seconds_per_step(every, 20)
    yield what, f"{seconds / 120:.1f}", "min", "≤ 1.8"


def ensemble_of(spec: CouplingSpec, models: int, device: str = "cpu") -> Ensemble:
    members = [amended(spec, seed=seed) for seed in range(models)]
    return Ensemble(members, [target_of(spec)] * models, device)


def seconds_per_step(many: Trained, steps: int) -> float:
    """After a warm-up that includes SOAP's first bases and the capture of a CUDA graph."""
    for _ in range(5):
        many.advance()
    _wait(many)
    begun = time.perf_counter()
    for _ in range(steps):
        many.advance()
    _wait(many)
    return (time.perf_counter() - begun) / steps


def _wait(many: Trained) -> None:
    if many.device.type == "cuda":
        torch.cuda.synchronize()


def flops(spec: CouplingSpec) -> float:
    """Of the matrix products in a step of one model: 6 a weight and token, 12 τ a token and
    column of queries or keys, and of values."""
    tokens = spec.batch * spec.tau
    weights = sum(math.prod(shape) for shape in shapes(spec).values() if len(shape) == 2)
    return tokens * (6 * weights + 6 * spec.tau * (spec.m_h + spec.d_v))


def sgemm_peak(size: int = 1024) -> float:
    """FLOP/s of a large product."""
    a, b = torch.rand(2, size, size)
    costs = in_turn(lambda: torch.mm(a, b), steps=3)[0]
    return 2 * size**3 / min(costs)


def _jax(spec: CouplingSpec, ours: Ensemble, x: torch.Tensor, y: torch.Tensor) -> Figures:
    """The same step by JAX jit + vmap with Adam written out, where JAX is; on the same core."""
    what = f"{MODELS} models, batch {spec.batch}: ours against JAX jit + vmap, a core each"
    if importlib.util.find_spec("jax") is None:
        yield what, "not installed", "", "≥ 1.2"
        return
    step, sides = _jax_step(spec, ours), (x.numpy(), y.numpy())
    theirs, stacked = in_turn(
        lambda: step(*sides), lambda: ours.learn(x, y), steps=160 // spec.batch
    )
    yield what, f"{ratio(theirs, stacked):.2f}", "×", "≥ 1.2"


def _jax_loss(spec: CouplingSpec) -> Callable:
    import jax  # pyright: ignore[reportMissingImports] - optional
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    def mlp(w, name, activate, a):
        for layer in range(spec.depth):
            a = activate(a) if layer else a
            a = a @ w[f"{name}.{layer}.weight"].T + w[f"{name}.{layer}.bias"]
        return a

    def loss(w, x, y):
        h = mlp(w, "f", jnp.sin, 2 * x[..., None] - 1)
        logits = (h @ w["W_Q"].T) @ jnp.swapaxes(h @ w["W_K"].T, -1, -2)
        mixed = jax.nn.softmax(logits, axis=-1) @ (h @ w["W_V"].T)
        return jnp.mean((mlp(w, "F", jnp.tanh, mixed)[..., 0] - y) ** 2)

    return loss


def _jax_step(spec: CouplingSpec, ours: Ensemble) -> Callable:
    import jax  # pyright: ignore[reportMissingImports] - optional
    import jax.numpy as jnp  # pyright: ignore[reportMissingImports]

    loss = _jax_loss(spec)

    def adam(w, m, v, t, x, y):
        g = jax.grad(loss)(w, x, y)
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)

        def moved(w, m, v):
            return w - spec.lr * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)

        return jax.tree.map(moved, w, m, v), m, v

    many = jax.jit(jax.vmap(adam, in_axes=(0, 0, 0, None, 0, 0)))
    w = {name: jnp.asarray(weight.numpy()) for name, weight in ours.weights.items()}
    zeros = jax.tree.map(jnp.zeros_like, w)
    state = [w, zeros, zeros, 0]

    def step(x, y) -> None:
        state[3] += 1
        state[:3] = many(state[0], state[1], state[2], float(state[3]), x, y)
        jax.block_until_ready(state[0])

    return step
