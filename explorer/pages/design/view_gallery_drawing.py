"""The gallery as the component `gallery` draws it: of each coupling its map and its σ_k."""

from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import numpy as np

from explorer.coupling import coupling_of, pod
from explorer.pages.design.view import cells
from explorer.pages.design.view_drawing import Drawing
from explorer.pages.design.view_gallery import GALLERY, Entry

SIDE = 64
"""Cells of a map along each side: 24 oscillations are seen as such."""
TERMS = 12


@lru_cache(maxsize=2)
def gallery_drawing(keys: tuple[str, ...] = tuple(entry.key for entry in GALLERY)) -> Drawing:
    """Header and arrays: of each entry of these `keys` its words, ρ (entries, SIDE, SIDE) as given
    over its largest absolute value, and σ (entries, TERMS) over the largest, 0 beyond its last."""
    chosen = [entry for entry in GALLERY if entry.key in keys]
    rho, sigma = zip(*map(_pictures, chosen), strict=True)
    entries = [_words(entry) for entry in chosen]
    return {"entries": entries}, {"rho": np.stack(rho), "sigma": np.stack(sigma)}


def _words(entry: Entry) -> dict[str, Any]:
    words = {name: getattr(entry, name) for name in ("key", "group", "title", "lesson")}
    rank = entry.rank.partition(" ")[0].replace("∞", "infinite")
    centred = entry.centred_rank.partition(" ")[0].replace("∞", "infinite")
    seen = f", centred {centred}" if centred != rank else ""
    href = f"./?{urlencode({'spec': entry.link})}"  # wherever the pages lie
    return words | {"href": href, "facts": f"rank {rank}{seen} · {entry.decay}"}


def _pictures(entry: Entry) -> tuple[np.ndarray, np.ndarray]:
    coupling, at = coupling_of(entry.spec, None), cells(SIDE)
    rho = coupling.matrix(at, at)
    found = pod(coupling, centred=False)
    sigma = np.zeros(TERMS)
    kept = found.sigma[: found.rank][:TERMS]
    sigma[: len(kept)] = kept / kept[0]
    return rho / np.abs(rho).max(), sigma
