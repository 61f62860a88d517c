"""Parts of an archive, checked: run.json, what the store's row says of a run beside its
specification; and the numbers and arrays of its kept pictures, by name and shape."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from explorer.models.networks import NETWORKS
from explorer.runs import frames
from explorer.runs.zips import ArchiveError
from explorer.spec import AnySpec

MAX_TEXT = 500

Seconds = Annotated[float, Field(ge=0, le=1e11)]
Text = Annotated[str, Field(max_length=MAX_TEXT)]


STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)
Size = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]


class Metrics(BaseModel):
    """What a finished run has been measured to be: finite numbers, and the hash of its weights."""

    model_config = STRICT

    mse: Size
    nmse: Size
    mae: Size
    r2: float
    weights_sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    population_mse: Size | None = None
    agreement: Share | None = None
    agreement_asking: Share | None = None
    agreement_points: Share | None = None
    attention_error: Size | None = None
    value_error: Size | None = None
    cross_entropy: Size | None = None
    accuracy: Share | None = None
    training_cross_entropy: Size | None = None
    training_accuracy: Share | None = None
    accuracy_original: Share | None = None
    accuracy_moved: Share | None = None
    moved_gap: Size | None = None
    train_nmse: Size | None = None
    rested: Size | None = None
    nmse_rho: Size | None = None
    nmse_networks: Size | None = None
    claimed: Literal[True] | None = None

    @model_validator(mode="after")
    def _one_error(self) -> Metrics:
        if abs(1 - self.nmse - self.r2) > 1e-12 * max(1.0, self.nmse):
            raise ValueError("r2 must be 1 - nmse")
        return self


class RunFile(BaseModel):
    """run.json."""

    model_config = STRICT

    run: Annotated[str, Field(pattern=r"^[0-9a-f]{12}-[1-9][0-9]{0,8}$")]
    name: Annotated[str, Field(max_length=80)]
    status: Literal["paused", "stopped", "interrupted", "diverged", "failed", "finished"]
    step: Annotated[int, Field(ge=0)]
    created: Seconds
    started: Seconds | None
    ended: Seconds | None
    seconds: Seconds
    device: Annotated[str, Field(max_length=80)]
    versions: Annotated[dict[Text, Text], Field(max_length=20)]
    message: Text
    metrics: Metrics | None


def read_run_file(data: bytes) -> RunFile:
    """Raises ArchiveError, which names the field."""
    try:
        return RunFile.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])[:80]
        raise ArchiveError(f"run.json: {where}: {first['msg']}") from error


MAX_NUMBERS = 40  # in the header of a picture
HEADER_BYTES = 16_384
"""Of a picture, at most: names and shapes of its arrays, and its numbers."""
OWN = 4096
"""Points or angles of a picture whose number is its own, at most."""
PICTURES_A_DECADE = 16
"""Of steps, at most: twice what training keeps (training/schedule.py)."""


def largest(spec: AnySpec) -> tuple[int, int]:
    """Bytes of a kept picture of a specification, and how many pictures, at most."""
    shapes = {"points": (OWN,), "angles": (OWN,)}
    shapes_of = NETWORKS[spec.recipe].pictures
    sizes = (
        sum(4 * math.prod(shape) for shape in shapes_of(spec.at(step), shapes).values())
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
