"""What the pictures of a scene have in common: axes that hold all its steps, and the first as a
ghost under the others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from explorer.runs.frames import pack, unpack

Header = Mapping[str, Any]
Arrays = Mapping[str, np.ndarray]
Values = dict[str, Iterable[float]]


def held(component: str, frames: Sequence[bytes]) -> list[bytes]:
    """The frames of a scene's steps, each with the `extents`, least and greatest, of what all of
    them show by name, as far as the component draws it on an axis; and where the first shows
    another thing, with that as its ghost."""
    if component not in SHOWN or len(frames) < 2:
        return [*frames]
    unpacked = [unpack(frame) for frame in frames]
    extents = _extents([SHOWN[component](*each) for each in unpacked])
    first = unpacked[0]
    return [
        pack({**header, "extents": extents}, {**arrays, **_ghost(component, first, header)})
        for header, arrays in unpacked
    ]


def alone(frame: bytes) -> bytes:
    """A frame of a deck as its page gave it, without what `held` has added."""
    header, arrays = unpack(frame)
    if "extents" not in header:
        return frame
    bare = {name: value for name, value in header.items() if name != "extents"}
    return pack(bare, {name: array for name, array in arrays.items() if name != "ghost"})


def _extents(shown: Sequence[Values]) -> dict[str, list[float]]:
    extents = {}
    for name in shown[0]:
        values = [value for each in shown for value in each[name] if value > 0]
        if values:
            extents[name] = [float(min(values)), float(max(values))]
    return extents


def _ghost(component: str, first: tuple[Header, Arrays], header: Header) -> Arrays:
    if component != "design" or first[0]["sigma"] == header["sigma"]:
        return {}
    return {"ghost": first[1]["floor"]}


def _of_design(header: Header, arrays: Arrays) -> Values:
    """σ_k and how many, both norms of the floor, the error that is wanted, and where a floor is
    0."""
    return {
        "sigma": header["sigma"],
        "terms": [len(header["sigma"]), header["m"] + 1],
        "floor": [
            *np.ravel(arrays["floor"][:2, 1:]),
            *(error for _, error, *_ in header["trained"]),
            header["error"],
        ],
        "exact": [header["exact"] or 0],
    }


def _of_rates(header: Header, _: Arrays) -> Values:
    """Errors of trained models, and floors as far as the figure draws them (components/rates,
    heightRange), by the norm in which they are read."""
    series = [one for panel in header["panels"] for one in panel["series"]]
    errors = [point["error"] for one in series for point in one["points"]]
    deep = max(min(errors, default=1) / 30, 1e-8)
    floors = [error for one in series for _, error in one["floor"] if error > deep]
    return {norm: errors + floors if norm == header["norm"] else [] for norm in ("mse", "mae")}


SHOWN: dict[str, Callable[[Header, Arrays], Values]] = {
    "design": _of_design,
    "order": lambda header, _: {"errors": [run["mse"] for run in header["trained"]]},
    "rates": _of_rates,
}
"""What of a component's drawing stands on an axis that it could leave, by the names it knows."""
