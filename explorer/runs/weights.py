"""The parameters of a trained model as numpy arrays: for pages, which never import torch."""

from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from explorer.runs import archive, layout
from explorer.runs.store import Store
from explorer.runs.zips import unpack
from explorer.spec import AnySpec


class WeightsError(ValueError):
    """There are no parameters to be had."""


def of_run(store: Store, run: str) -> dict[str, np.ndarray]:
    """Parameters of a run at its last checkpoint, by name; raises WeightsError without one."""
    row = store.read(run).row
    if row.checkpoint is None:
        raise WeightsError(f"run {run} has no checkpoint yet")
    return of_file(store.folder(run) / row.checkpoint, row.spec)


def of_file(file: Path, spec: AnySpec) -> dict[str, np.ndarray]:
    """Parameters of a checkpoint, by name; raises WeightsError where it cannot be read, or is not
    of the specification."""
    try:
        return _weights(file.read_bytes(), spec)
    except OSError as error:
        run = file.parent.name
        raise WeightsError(f"the checkpoint of {run} is missing ({error.strerror})") from error


def of_archive(source: bytes | Path) -> dict[str, np.ndarray]:
    """Parameters of the run in an archive; raises ArchiveError, WeightsError without one."""
    spec = archive.read(source).spec  # refuses what contradicts itself
    data = unpack(source).get("checkpoint.safetensors")
    if data is None:
        raise WeightsError("this archive has no checkpoint: it was exported to be looked at")
    return _weights(data, spec)


def _weights(data: bytes, spec: AnySpec) -> dict[str, np.ndarray]:
    """Of the first model, without its model axis."""
    try:
        tensors = load(data)
    except (SafetensorError, ValueError, TypeError, KeyError) as error:
        raise WeightsError(f"the checkpoint cannot be read ({error})") from error
    if problem := layout.problem(spec, tensors):
        raise WeightsError(f"the checkpoint is not one of this run: {problem}")
    return layout.weights(tensors)
