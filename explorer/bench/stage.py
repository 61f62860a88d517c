"""What a speaker waits for, measured on the shipped talk as a file; and in the app what showing it
costs a training."""

import io
import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from explorer.bench.page import DRAG, PAIRS, headless, steps_a_second
from explorer.bench.serving import Figures, chromium, home, server, until
from explorer.pages.talk.deck import build
from explorer.pages.talk.decks import OURS, load
from explorer.runs.store import Store
from explorer.slow import Image
from explorer.spec import AdaptiveMemorySpec

OPENED = 3
LOOKED_AT = AdaptiveMemorySpec(
    tau=8, jumps=1, layers=1, heads=1, m_h=4, n=16, d_v=8, m_ff=16, batch=16, steps=2000
)
"""What a server trains for the stage: a coupling would be trained by the deck's own tab."""
WATCHED = 3.0
"""Seconds in which the speaker's pictures are counted."""
# Before the deck's own: from a key to the end of the frame in which the step it asked for is drawn.
TIMER = """
window.keys = [];
addEventListener("keydown", () => {
  const began = performance.now(), { probe, at } = __explorerStage, { shown } = probe;
  const drawn = () =>
    keys.push([performance.now() - began, at.scene !== __explorerStage.at.scene]);
  Object.defineProperty(probe, "shown", {
    configurable: true,
    get: () => shown,
    set(value) {
      Object.defineProperty(probe, "shown", { value, writable: true });
      requestAnimationFrame(() => setTimeout(drawn));
    },
  });
}, true);
"""
SPECTRUM = 7
"""The scene of the shipped talk whose first panel is the spectrum."""
SHOWN = "window.__explorerStage?.probe.shown ?? 0"
DOT = """() => {
  const { picture } = __explorerStage;
  window.__explorerDesign = picture.root.probe; // and not that of the step behind it
  const { x, y } = picture.canvases()[0].getBoundingClientRect();
  const [px, py] = __explorerDesign.handles("spectrum").at(-3);
  return [x + px, y + py];
}"""
BLOCK = 40
"""Pixels of a side of the squares that are counted."""
UNSEEN = 8
"""Of 255: what differs less from the ground is not seen from a seat."""
RESTS = "!__explorerStage.picture.gliding"
PLACE = """() => {
  const { x, y, width, height } = document.querySelector(".picture").getBoundingClientRect();
  return [x, y, width, height].map(Math.round);
}"""


def stage() -> Figures:
    """Size and opening of the file, steps and scenes by a key, drags without and with a mirror."""
    with chromium() as browser, TemporaryDirectory() as folder:
        file = Path(folder) / "talk.html"
        file.write_bytes(build(load(OURS)))
        yield "the shipped talk as a file", f"{file.stat().st_size / 1e6:.1f}", "MB", "≤ 6"
        reader = browser.new_context(viewport={"width": 1280, "height": 720})
        page = reader.new_page()
        page.add_init_script(TIMER)
        times = [_opened(page, file) for _ in range(OPENED)]
        yield "opened from a file → first scene", f"{median(times):.0f}", "ms", "≤ 1000"
        yield from _by_keys(page)
        yield from _under_the_hand(page)
        what = "blocks of 40 px of a picture that hold anything, median (scenes)"
        yield what, by_scene(_measured(page)), "%", "≥ 75"
        page.close()
        yield from _live(browser)


def _live(browser: Any) -> Figures:
    """Training in a step that shows it, and training that nobody looks at, in turn."""
    with home() as folder, server(folder) as (address, _):
        store = Store(folder)
        headless(store, spec=LOOKED_AT)  # warms the worker, and is the kept run
        first_run = store.list()[0].run
        (folder / "talk.json").write_text(json.dumps(_training(first_run)), "utf-8")
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.goto(f"{address}/stage")
        page.wait_for_selector("script[data-deck]", state="attached", timeout=120_000)
        until(lambda: page.evaluate(SHOWN))
        shares = []
        for _ in range(PAIRS):
            alone, before = headless(store, spec=LOOKED_AT), store.list()[0].run
            page.keyboard.press("F5")
            page.keyboard.press("PageDown")
            run = until(lambda old=before: (new := store.list()[0].run) != old and new)
            shares.append(100 * steps_a_second(store, run)[0] / alone)
    yield "training live on stage by the server, of headless", f"{median(shares):.0f}", "%", "≥ 95"


def _training(run: str) -> dict[str, Any]:
    """A talk whose second step trains what a run has learned."""
    first = {"words": "Before.", "panels": ["path", "error"]}
    steps = [first, {"words": "It trains.", "live": True}]
    return {
        "version": 1,
        "title": "Live",
        "scenes": [{"title": "Live", "address": f"memory?run={run}", "steps": steps}],
    }


def _opened(page: Any, file: Path) -> float:
    """Milliseconds until the first scene is shown."""
    page.goto(file.as_uri())
    until(lambda: page.evaluate(SHOWN))
    return page.evaluate("__explorerStage.probe.at")


def _by_keys(page: Any) -> Figures:
    """PageDown through the whole talk, as soon as a step rests."""
    steps = page.evaluate("__explorerStage.talk.scenes.reduce((n, s) => n + s.steps.length, 0)")
    for done in range(1, steps):
        page.keyboard.press("PageDown")
        until(lambda done=done: page.evaluate("keys.length") >= done, pause=0.02)
        page.wait_for_timeout(250)
    taken = page.evaluate("keys")
    for name, turns, goal in (("next step", False, "≤ 50"), ("next scene", True, "≤ 300")):
        times = [took for took, turned in taken if turned is turns]
        value = f"{median(times):.0f} · {max(times):.0f}"
        yield f"key → {name} drawn: median · longest", value, "ms", goal


def _under_the_hand(page: Any) -> Figures:
    """Frames in a second while a σ_k is dragged; then with the speaker's window open."""
    page.keyboard.press(str(SPECTRUM))
    page.keyboard.press("Enter")
    page.wait_for_timeout(1000)
    yield "draws while σ_k is dragged", f"{_dragged(page):.0f}", "/s", "≥ 60"
    with page.context.expect_page() as opened:
        page.keyboard.press("s")
    speaker = opened.value
    until(lambda: speaker.evaluate("window.__explorerSpeaker?.picture ?? 0") > 3)
    page.bring_to_front()
    yield "the same with the speaker's mirror open", f"{_dragged(page):.0f}", "/s", "≥ 30"
    before = speaker.evaluate("__explorerSpeaker.picture")
    page.wait_for_timeout(1000 * WATCHED)
    rate = (speaker.evaluate("__explorerSpeaker.picture") - before) / WATCHED
    yield "pictures that the speaker's window gets", f"{rate:.0f}", "/s", "≥ 10"


def _dragged(page: Any) -> float:
    x, y = page.evaluate(DOT)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 5)  # a dot that is hardly moved stays, and is not drawn
    spectrum = page.evaluate_handle("__explorerStage.picture.canvases()[0]")
    drawn = spectrum.evaluate(DRAG, ["__explorerDesign", x, y, 20])
    page.mouse.move(x, y)
    page.mouse.up()
    return drawn


def touched(pixels: np.ndarray, ground: np.ndarray) -> float:
    """Share of the blocks of `pixels` (height, width, 3) that hold anything but `ground` (3,).

    Blocks are counted from the upper left; those at the right and lower edge may be smaller.
    """
    away = np.abs(pixels.astype(int) - ground.astype(int)).max(-1) > UNSEEN
    spare = [(0, -size % BLOCK) for size in away.shape]
    padded = np.pad(away, spare)
    rows, columns = (size // BLOCK for size in padded.shape)
    return padded.reshape(rows, BLOCK, columns, BLOCK).any((1, 3)).mean()


def _measured(page: Any) -> Iterator[tuple[int, int, float]]:
    """Scene and step, from 1, of each picture, and what is touched of its place."""
    page.set_viewport_size({"width": 1920, "height": 1080})
    scenes = page.evaluate("__explorerStage.talk.scenes.map((s) => [s.kind, s.steps.length])")
    for scene, (kind, steps) in enumerate(scenes):
        for step in range(steps if kind == "page" else 0):
            page.evaluate(f"__explorerStage.go({{ scene: {scene}, step: {step} }})")
            page.wait_for_timeout(1000)
            page.wait_for_function(RESTS)
            screen = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
            x, y, w, h = page.evaluate(PLACE)
            yield scene + 1, step + 1, touched(screen[y : y + h, x : x + w], screen[0, 0])


def by_scene(rows: Iterable[tuple[int, int, float]]) -> str:
    """The median in per cent, and the number of each scene with the median of its steps."""
    shares = [(scene, 100 * share) for scene, _, share in rows]
    scenes = [
        f"{scene}: {median(share for _, share in steps):.0f}"
        for scene, steps in groupby(shares, key=itemgetter(0))
    ]
    return f"{median(share for _, share in shares):.0f} ({', '.join(scenes)})"
