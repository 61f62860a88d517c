"""The goals of a machine with a CUDA device, in one table; without one it says what is missing."""

from statistics import median

import torch

from explorer.bench.ensembles import PAPER, ensemble_of, figure, seconds_per_step
from explorer.bench.page import headless
from explorer.bench.serving import Figures, home, idle_pool
from explorer.runs.store import Store

MODELS, PAIRS = 288, 3
GOALS = (
    ("72 models of Figure 1 on this GPU", "s", "≤ 15"),
    (f"{MODELS} models in one batch against a sequential loop", "×", "≥ 100"),
    ("training with a viewer, of headless", "%", "≥ 95"),
)


def gpu() -> Figures:
    """The whole table; a line of each goal where there is no CUDA device."""
    if not torch.cuda.is_available():
        for what, unit, goal in GOALS:
            yield what, "no CUDA", unit, goal
        return
    yield from figure()
    yield from _many_models()
    yield from _live_view()


def _many_models() -> Figures:
    """The cost of a step of one model, times the models, over that of all in a batch."""
    one, many = (ensemble_of(PAPER, models, "cuda") for models in (1, MODELS))
    pairs = [(seconds_per_step(one, 100), seconds_per_step(many, 100)) for _ in range(PAIRS)]
    ratio = median(MODELS * alone / batch for alone, batch in pairs)
    what, unit, goal = GOALS[1]
    yield what, f"{ratio:.0f}", unit, goal


def _live_view() -> Figures:
    with home() as folder:
        store = Store(folder)
        with idle_pool(store):
            headless(store)  # warms the worker
            pairs = [(headless(store), headless(store, watch=True)) for _ in range(PAIRS)]
    what, unit, goal = GOALS[-1]
    yield what, f"{100 * median(seen / alone for alone, seen in pairs):.0f}", unit, goal
