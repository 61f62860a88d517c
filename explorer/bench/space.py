"""How much of a talk's picture holds anything, on a screen of 1920 × 1080."""

import io
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from statistics import median
from typing import Any

import numpy as np

from explorer.slow import Image

BLOCK = 40
"""Pixels of a side of the squares that are counted."""
UNSEEN = 8
"""Of 255: what differs less from the ground is not seen from a seat."""
RESTS = "!__explorerStage.picture.gliding"
PLACE = """() => {
  const { x, y, width, height } = document.querySelector(".picture").getBoundingClientRect();
  return [x, y, width, height].map(Math.round);
}"""


def touched(pixels: np.ndarray, ground: np.ndarray) -> float:
    """Share of the blocks of `pixels` (height, width, 3) that hold anything but `ground` (3,).

    Blocks are counted from the upper left; those at the right and lower edge may be smaller.
    """
    away = np.abs(pixels.astype(int) - ground.astype(int)).max(-1) > UNSEEN
    spare = [(0, -size % BLOCK) for size in away.shape]
    padded = np.pad(away, spare)
    rows, columns = (size // BLOCK for size in padded.shape)
    return padded.reshape(rows, BLOCK, columns, BLOCK).any((1, 3)).mean()


def measured(page: Any) -> Iterator[tuple[int, int, float]]:
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


def by_scene(found: Iterable[tuple[int, int, float]]) -> str:
    """The median in per cent, and the number of each scene with the median of its steps."""
    shares = [(scene, 100 * share) for scene, _, share in found]
    scenes = [
        f"{scene}: {median(share for _, share in steps):.0f}"
        for scene, steps in groupby(shares, key=itemgetter(0))
    ]
    return f"{median(share for _, share in shares):.0f} ({', '.join(scenes)})"
