"""Costs of server, store and workers, without a browser."""

import os
import time
from statistics import median
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from explorer.bench.serving import (
    ROOT,
    Figures,
    home,
    idle_pool,
    need_proc,
    resident,
    row_of,
    server,
    until,
)
from explorer.runs.pool import Pool
from explorer.runs.store import Store
from explorer.spec import CouplingSpec, compact

LONG = CouplingSpec(rank=2, m_h=4, steps=1500)
SHORT = CouplingSpec(rank=2, m_ff=16, warmup=0, steps=20)
RUNS = 50
RERUN = ("design", "train", "rates", "attention", "order", "real", "memory", "runs")
REPEATS = 3


def start() -> Figures:
    """From pressing Train to the first step, by a worker that is already warm."""
    with home() as folder:
        store = Store(folder)
        with idle_pool(store) as pool:
            waits = [_first_step(store, pool) for _ in range(9)]
    yield "Train pressed → first step, warm worker", f"{1e3 * median(waits):.0f}", "ms", "≤ 200"


def _first_step(store: Store, pool: Pool) -> float:
    begun = time.perf_counter()
    run = store.create(LONG)
    store.watch(run)
    pool.wake()
    until(lambda: store.live(run), pause=0.001)
    waited = time.perf_counter() - begun
    store.request(run, "stop")
    until(lambda: row_of(store, run).status == "stopped")
    return waited


def reruns() -> Figures:
    """Processor time of a rerun of each page on the server, without a browser: median over its
    sliders, or of the page as it is where it has none; and of the Design page far from its default,
    with the first view of such a design."""
    with home() as folder, threadpool_limits(1):  # as in the server
        os.environ["EXPLORER_HOME"] = str(folder)
        for page in RERUN:
            app, _ = _viewed(page, None if page == "memory" else CouplingSpec())
            _timed(app)  # what is imported at the first rerun
            sliders = app.slider or [None]
            waits = [_rerun(app, slider) for slider in sliders for _ in range(REPEATS)]
            what = "a slider's rerun" if app.slider else "a rerun"
            cost = f"{1e3 * median(waits):.0f}"
            yield f"{what} of the {page} page, on the server", cost, "CPU-ms", "≤ 100"
        for name, spec in far_designs(Store(folder)).items():
            app, first = _viewed("design", spec)
            slowest = max(median(_rerun(app, slider) for _ in range(3)) for slider in app.slider)
            yield f"{name}: the slowest slider's rerun", f"{1e3 * slowest:.0f}", "CPU-ms", "≤ 150"
            yield f"{name}: the first view", f"{first:.2f}", "CPU-s", "≤ 2"


def far_designs(store: Store) -> dict[str, CouplingSpec]:
    """Couplings that cost the Design page most, of each kind."""
    walk = np.random.default_rng(0).normal(size=(512, 512)).cumsum(0).cumsum(1)
    sines = "+".join(f"sin({k}*u*v+{k})" for k in range(1, 56))
    return {
        "τ = 64": CouplingSpec(tau=64),
        "Haar": CouplingSpec(left_basis="haar", right_basis="haar"),
        "a kink, minimum(u, v)": CouplingSpec(formula="minimum(u, v)"),
        "samples 200 × 200": CouplingSpec(grid=store.put_grid(walk[:200, :200] / 500)),
        "samples 512 × 512, τ = 64": CouplingSpec(grid=store.put_grid(walk / 500), tau=64),
        "55 sines of u·v, τ = 64": CouplingSpec(formula=sines, tau=64),
    }


def _viewed(page: str, spec: CouplingSpec | None) -> tuple[Any, float]:
    """A page that shows a design, or what it opens with, and the seconds of processor time that
    this has taken."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(ROOT / "explorer" / "ui" / "shell.py", default_timeout=60)
    if spec is not None:
        app.query_params["spec"] = compact(spec)
    app.switch_page(str(ROOT / "pages" / f"{page}.py"))
    return app, _timed(app)


def _rerun(app: Any, slider: Any) -> float:
    """Seconds of processor time of the script after a slider, if there is one, has moved by a
    step."""
    if slider:
        step = slider.step if slider.value + slider.step <= slider.max else -slider.step
        app.slider(key=slider.key).set_value(type(slider.value)(slider.value + step))
    return _timed(app)


def _timed(app: Any) -> float:
    begun = time.process_time()
    app.run()
    return time.process_time() - begun


def memory() -> Figures:
    """Resident memory of a server before and after 50 runs (Linux)."""
    need_proc()
    with home() as folder, server(folder) as (_, pid):
        store = Store(folder)
        _many(store, 5)
        before = resident(pid)
        _many(store, RUNS)
        grown = resident(pid) - before
    yield f"server before {RUNS} runs", f"{before:.0f}", "MB", ""
    yield f"its growth over {RUNS} runs", f"{grown:+.1f}", "MB", "none"


def _many(store: Store, count: int) -> None:
    for _ in range(count):
        run = store.create(SHORT)
        until(lambda run=run: row_of(store, run).status == "finished")
