"""What training costs in a reader's own browser: a page's file, opened without a network."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from explorer.bench.engine import ALONE, GOALS
from explorer.bench.ensembles import PAPER, ensemble_of
from explorer.bench.numerics import in_turn
from explorer.bench.serving import Figures, chromium, home, until
from explorer.spec import CouplingSpec, amended, compact, coupling_spec
from explorer.ui import page_file
from explorer.ui.live import open_stream
from explorer.ui.shown import Shown

PRESSES, WATCHED, ROUNDS = 5, 4.0, 3
WITHOUT_END = 1_000_000
HEADER = "__explorerLive.header"


def tab() -> Figures:
    """Bytes, waits, steps and pictures of a run that a file trains."""
    with home() as folder, chromium() as browser:
        spec = amended(PAPER, batch=8, steps=WITHOUT_END)
        yield "added to a file of Train by what trains in it", _added(spec), "kB", "≤ 40"
        waits = [_first_step(browser, _file(folder, spec)) for _ in range(PRESSES)]
        yield "file: Train pressed → first step", f"{1000 * median(waits):.0f}", "ms", "≤ 100"
        for optimizer, batch in GOALS:
            each = amended(spec, optimizer=optimizer, batch=batch)
            what = f"{optimizer}, batch {batch}, one model with its pictures"
            ratio, rate = _beside_torch(browser, _file(folder, each), each)
            yield f"{what}: Chromium against torch", f"{ratio:.2f}", "×", ALONE[optimizer]
            yield "  steps a second", f"{rate:.0f}", "steps/s", ""
        with _workers(folder, 2):
            drawn = _pictures(browser, _file(folder, spec))
        yield "pictures of a run beside two training workers", f"{drawn:.0f}", "/s", "≥ 20"
        cliff = [coupling_spec(open_stream(f"asset-cliff-{m}").record.spec) for m in (5, 6)]
        seconds = sum(_whole(browser, _file(folder, each)) for each in cliff)
        what = "the live cliff, m_h = 5 and 6 at r = 6, one after the other"
        yield what, f"{seconds:.1f}", "s", "≤ 20"


def _drawn(spec: CouplingSpec) -> Shown:
    return page_file.drawn("train", {"spec": compact(spec)})


def _added(spec: CouplingSpec) -> str:
    shown = _drawn(spec)
    with_, without = (page_file.html(each) for each in (shown, replace(shown, offer=None)))
    return f"{(len(with_) - len(without)) / 1000:.1f}"


def _file(folder: Path, spec: CouplingSpec) -> str:
    """The address of a file that can train a specification, which it has never done before."""
    path = folder / f"{time.monotonic_ns()}.html"
    path.write_bytes(page_file.html(_drawn(spec)))
    return path.as_uri()


@contextmanager
def _pressed(browser: Any, address: str) -> Iterator[Any]:
    """The page of a file, in which Train was pressed; it knows no other run."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(address)
    page.locator("[data-here] [data-act=train]").click()
    yield page
    context.close()


def _step(page: Any) -> int:
    return page.evaluate(f"{HEADER}?.step ?? 0")


def _first_step(browser: Any, address: str) -> float:
    with _pressed(browser, address) as page:
        begun = time.perf_counter()
        until(lambda: _step(page) > 0, pause=0.002)
        return time.perf_counter() - begun


def _rate(page: Any) -> float:
    """Steps a second over some seconds."""
    before, begun = _step(page), time.perf_counter()
    time.sleep(WATCHED)
    return (_step(page) - before) / (time.perf_counter() - begun)


def _beside_torch(browser: Any, address: str, spec: CouplingSpec) -> tuple[float, float]:
    """In turn: the ratio of the rates, and that of the tab."""
    one, pairs = ensemble_of(spec, 1), []
    with _pressed(browser, address) as page:
        until(lambda: _step(page) > 0)
        for _ in range(ROUNDS):
            here = _rate(page)
            page.locator("[data-here] [data-act=pause]").click()
            (costs,) = in_turn(one.advance, steps=20)
            page.locator("[data-here] [data-act=resume]").click()
            pairs.append((here, 1 / median(costs)))
    return median(a / b for a, b in pairs), median(a for a, _ in pairs)


@contextmanager
def _workers(folder: Path, count: int) -> Iterator[None]:
    """So many processes that train, each on one thread."""
    spec = compact(amended(PAPER, steps=WITHOUT_END))
    words = [sys.executable, "-m", "explorer", "train", spec]
    alone = {**os.environ, "EXPLORER_HOME": str(folder), "OMP_NUM_THREADS": "1"}
    with (folder / "workers.txt").open("w") as out:
        processes = [
            subprocess.Popen(words, env=alone, stdout=out, stderr=out) for _ in range(count)
        ]
    time.sleep(5 * WATCHED)  # until they train
    yield
    for process in processes:
        process.kill()
        process.wait()


def _pictures(browser: Any, address: str) -> float:
    with _pressed(browser, address) as page:
        until(lambda: _step(page) > 0)
        before = page.evaluate("__explorerLive.draws")
        time.sleep(WATCHED)
        return (page.evaluate("__explorerLive.draws") - before) / WATCHED


def _whole(browser: Any, address: str) -> float:
    """Seconds of a run from its press on."""
    with _pressed(browser, address) as page:
        begun = time.perf_counter()
        for status in ("running", "finished"):  # a kept run of it is what the file shows first
            until(lambda wanted=status: page.evaluate(f"{HEADER}?.status") == wanted)
        return time.perf_counter() - begun
