"""What the kept picture of a specification holds: its numbers, and its arrays by name and shape."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from explorer.models.networks import NETWORKS
from explorer.runs import frames
from explorer.runs.zips import ArchiveError
from explorer.spec import AnySpec

MAX_NUMBERS = 40  # in the header of a picture
HEADER_BYTES = 16_384
"""Of a picture, at most: names and shapes of its arrays, and its numbers."""
OWN = 4096
"""Points or angles of a picture whose number is its own, at most."""
PICTURES_A_DECADE = 16
"""Of steps, at most: twice what training keeps (training/schedule.py)."""


def largest(spec: AnySpec) -> tuple[int, int]:
    """Bytes of a kept picture of a specification, and how many pictures, at most."""
    found = {"points": (OWN,), "angles": (OWN,)}
    shapes_of = NETWORKS[spec.recipe].pictures
    sizes = (
        sum(4 * math.prod(shape) for shape in shapes_of(spec.at(step), found).values())
        for step in (1, spec.steps)  # with the head start, and without
    )
    count = 2 + PICTURES_A_DECADE * math.ceil(math.log10(10 * spec.steps))
    return HEADER_BYTES + max(sizes), count


def checked_header(data: bytes, spec: AnySpec, step: int, name: str) -> dict[str, Any]:
    """The header of the packed picture of a step; raises ArchiveError, which calls it `name`, where
    it is not one of the specification."""
    try:
        header, arrays = frames.unpack(data)
    except frames.FrameError as error:
        raise ArchiveError(f"{name}: {error}") from error
    _check_header(header, spec, step, name)
    shapes = {key: values.shape for key, values in arrays.items()}
    if shapes != NETWORKS[spec.recipe].pictures(spec.at(step), shapes):
        raise ArchiveError(f"{name} does not hold the pictures of this specification")
    if not all(np.isfinite(values).all() for values in arrays.values()):
        raise ArchiveError(f"{name} holds numbers that are not finite")
    return header


def _check_header(header: Mapping[str, Any], spec: AnySpec, step: int, name: str) -> None:
    """Its step, and finite numbers: errors and what the specification measures none below 0."""
    numbers = {key: value for key, value in header.items() if key not in ("kind", "step")}
    if header.get("kind", "snapshot") != "snapshot" or header.get("step", step) != step:
        raise ArchiveError(f"{name} is not a picture of its step")
    if len(numbers) > MAX_NUMBERS or not all(type(x) in (float, int) for x in numbers.values()):
        raise ArchiveError(f"{name}: what stands beside its pictures must be numbers")
    needed = ("nmse", "mse", "mae", *spec.extra_metrics)
    if not all(numbers.get(key, -1.0) >= 0 for key in needed):
        raise ArchiveError(f"{name}: {', '.join(needed)} must be numbers from 0")
