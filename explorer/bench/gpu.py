"""The goals of a machine with a CUDA device, in one table; without one it says what is missing."""

from collections.abc import Iterator
from statistics import median

import torch

from explorer.bench.backend import FIGURE
from explorer.bench.ensembles import PAPER, ensemble_of, figure, seconds_per_step
from explorer.bench.page import headless
from explorer.bench.serving import home, until
from explorer.runs.pool import Pool
from explorer.runs.store import Store

MODELS, PAIRS = 288, 3
GOALS = (
    ("72 models of Figure 1 on this GPU", "s", "≤ 15"),
    (f"{MODELS} models in one batch against a sequential loop", "×", "≥ 100"),
    ("training with a viewer, of headless", "%", "≥ 95"),
)


def gpu() -> Iterator[FIGURE]:
    """The whole table; a line of each goal where there is no CUDA device."""
    if not torch.cuda.is_available():
        for what, unit, goal in GOALS:
            yield what, "no CUDA", unit, goal
        return
    yield from figure()
    yield from _many_models()
    yield from _live_view()


def _many_models() -> Iterator[FIGURE]:
    """The cost of a step of one model, times the models, over that of all in a batch."""
    one, many = (ensemble_of(PAPER, models, "cuda") for models in (1, MODELS))
    pairs = [(seconds_per_step(one, 100), seconds_per_step(many, 100)) for _ in range(PAIRS)]
    ratio = median(MODELS * alone / batch for alone, batch in pairs)
    what, unit, goal = GOALS[1]
    yield what, f"{ratio:.0f}", unit, goal


def _live_view() -> Iterator[FIGURE]:
    with home() as folder:
        store = Store(folder)
        pool = Pool(store)
        pool.start()
        try:
            until(lambda: any(worker.state == "idle" for worker in pool.workers()))
            headless(store)  # warms the worker
            pairs = [(headless(store), headless(store, watch=True)) for _ in range(PAIRS)]
        finally:
            pool.close(5)
    what, unit, goal = GOALS[-1]
    yield what, f"{100 * median(seen / alone for alone, seen in pairs):.0f}", unit, goal
