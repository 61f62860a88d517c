"""run.json of an archive: what the store's row says of a run beside its specification."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from explorer.runs.zips import ArchiveError

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
