"""What the page on real attention waits for: a model that answers with heads cut, in a worker."""

import json
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import torch
from threadpoolctl import threadpool_limits

from explorer.bench.serving import Figures, Lacking, chromium, home, row_of, server, until
from explorer.pretrained import probe
from explorer.pretrained.catalogue import MODELS
from explorer.pretrained.fetch import is_here
from explorer.pretrained.seen import MOST_TOKENS, Cutting, Input
from explorer.pretrained.texts import TEXTS
from explorer.runs.home import models as models_folder
from explorer.runs.store import Store
from explorer.spec import CouplingSpec

NAME = "smollm2"
LOOK = {"model": NAME, "text": TEXTS[0][:600], "layer": 18, "head": 6, "k": 16}
SLIDER = "k, the terms"
KEYS = 9  # presses of the slider
CUTS = {"all heads": (None, None), "layer 18": (17, None), "one head": (17, 5)}


def real() -> Figures:
    """SmolLM2 on 96 tokens: a forward, cuts, and the way from the slider to the answer."""
    models = models_folder()
    if not is_here(models, MODELS[NAME]):
        raise Lacking(f"needs `models fetch {NAME}`")
    with threadpool_limits(1):
        yield from _alone(models)
    with ExitStack() as stack:
        folder = stack.enter_context(home())
        browser = stack.enter_context(chromium("slider → answer: "))
        (folder / "models").symlink_to(models, target_is_directory=True)
        address, _ = stack.enter_context(server(folder))
        reader = browser.new_context(viewport={"width": 1280, "height": 1000})
        yield from _in_the_page(Store(folder), reader, address)


def _alone(models: Path) -> Figures:
    asked = Input(NAME, LOOK["text"])
    shown = probe.shown(probe.open_model(models, NAME), asked)
    if len(shown.tokens) != MOST_TOKENS:
        raise RuntimeError(f"the text has {len(shown.tokens)} tokens, not {MOST_TOKENS}")
    with torch.no_grad():
        waits = [_seconds(lambda: shown.opened.model(shown.inputs)) for _ in range(7)]
    yield f"forward of {MOST_TOKENS} tokens, one core", f"{1e3 * median(waits):.0f}", "ms", "≤ 500"
    for name, (layer, head) in CUTS.items():
        cuts = [Cutting(asked, k, False, layer, head) for k in range(1, 9)]
        waits = [_seconds(partial(probe.answered, models, cutting)) for cutting in cuts]
        yield f"cut of {name}, one core", f"{1e3 * median(waits[1:]):.0f}", "ms", "≤ 1000"


def _seconds(act: Any) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _in_the_page(store: Store, reader: Any, address: str) -> Figures:
    page = reader.new_page()
    page.set_default_timeout(120_000)
    begun = time.perf_counter()
    page.goto(f"{address}/real?real={quote(json.dumps(LOOK))}")
    _answered(page, 16)
    first = time.perf_counter() - begun
    yield "page opened → its first answer, no worker there yet", f"{first:.1f}", "s", ""
    for name, label, key in (
        ("all heads", "all heads", "ArrowLeft"),
        ("one head", "this head alone", "ArrowRight"),
    ):
        page.get_by_role("radio", name=label.removesuffix(" alone")).click()
        page.get_by_text(f"terms of {label} the perplexity").wait_for()
        waits = [_answer(page, key) for _ in range(KEYS)]
        yield f"slider → answer, {name}", f"{1e3 * median(waits):.0f}", "ms", "≤ 1000"
    yield from _beside_a_training(store, page)


def _answer(page: Any, key: str) -> float:
    """Seconds from a key on the slider to the sentence with its k."""
    slider = page.get_by_role("slider", name=SLIDER)
    slider.focus()
    begun = time.perf_counter()
    page.keyboard.press(key)
    _answered(page, slider.input_value())
    return time.perf_counter() - begun


def _answered(page: Any, k: int | str) -> None:
    """Wait for the sentence with this k; a locator would look again at half a second's end."""
    page.wait_for_function(SAID, arg=f"With k = {k} terms of", polling=10)


SAID = """words => [...document.querySelectorAll("[data-testid=stMarkdownContainer] p")]
  .some((each) => each.textContent.includes(words))"""


def _beside_a_training(store: Store, page: Any) -> Figures:
    """The same while a run trains, and what that takes of its steps."""
    run = store.create(CouplingSpec(steps=100_000))
    until(lambda: row_of(store, run).step > 0)
    page.get_by_role("slider", name=SLIDER).press("Home")
    _answered(page, 1)
    alone = _rate(store, run, lambda: time.sleep(8))
    waits: list[float] = []
    beside = _rate(
        store, run, lambda: waits.extend(_answer(page, "ArrowRight") for _ in range(KEYS))
    )
    store.request(run, "stop")
    yield "slider → answer, one head, while a run trains", f"{1e3 * median(waits):.0f}", "ms", ""
    yield "the training meanwhile, of its rate alone", f"{100 * beside / alone:.0f}", "%", ""


def _rate(store: Store, run: str, act: Any) -> float:
    """Steps a second of a run while something is done."""
    before, begun = row_of(store, run).step, time.perf_counter()
    act()
    return (row_of(store, run).step - before) / (time.perf_counter() - begun)
