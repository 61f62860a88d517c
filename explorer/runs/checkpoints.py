"""The file that a run goes on from: parameters, optimiser, generators and the open history row.

The row of a run names the last one. The one before it stays beside it: should the disk have lost
or damaged the last, the run goes on from there.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from explorer.runs.files import PARTIAL, write_durably

NAME = re.compile(r"checkpoint-(\d{1,9})\.safetensors")

State = dict[str, torch.Tensor]


class CheckpointError(ValueError):
    """The checkpoint of a run cannot be used."""


def file_name(step: int) -> str:
    """The checkpoint of a step; the row of a run names the one that counts."""
    return f"checkpoint-{step}.safetensors"


def is_finite(state: State) -> bool:
    """Whether a run can go on from this state."""
    numbers = (value for value in state.values() if value.is_floating_point())
    return all(bool(value.isfinite().all()) for value in numbers)


def write(folder: Path, state: State, metadata: Mapping[str, str]) -> str:
    """Write the checkpoint of a state; returns its file name. Raises StoreError on a full disk."""
    name = file_name(int(state["step"]))
    write_durably(folder / name, save(state, dict(metadata)))
    return name


def read(path: Path) -> tuple[State, dict[str, str]]:
    """The state and what `write` got as metadata; raises CheckpointError."""
    try:
        with safe_open(path, framework="pt") as file:
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = file.metadata() or {}
    except (OSError, SafetensorError) as error:
        why = str(error).replace(str(path), path.name)  # a page shows it to whoever has the run
        raise CheckpointError(
            f"the checkpoint {path.name} is missing or damaged ({why}): start the run anew"
        ) from error
    if "step" not in state:
        raise CheckpointError(
            f"the checkpoint {path.name} does not say its step: start the run anew"
        )
    return state, metadata


def last(folder: Path, name: str) -> tuple[str, State, dict[str, str]]:
    """The checkpoint of that name or, where it is gone or damaged, the last good one before it;
    else the newest, as the row may come from a log that is older than the files.

    Raises CheckpointError, about the one that was asked for, when there is none.
    """
    try:
        return name, *read(folder / name)
    except CheckpointError:
        older, every = _before(folder, name), _before(folder, None)
        newer = [each for each in every if each not in (name, *older)]
        for other in (*reversed(older), *reversed(newer)):
            with suppress(CheckpointError):
                return other, *read(folder / other)
        raise


def newest(folder: Path) -> tuple[State, dict[str, str]] | None:
    """The last good checkpoint of a folder in which no row names one; None where there is none."""
    for name in reversed(_before(folder, None)):
        with suppress(CheckpointError):
            return read(folder / name)
    return None


def tidy(folder: Path, keep: str | None, older: int = 1) -> None:
    """Remove every checkpoint but this one and so many before it, and what a crash left
    half-written."""
    names = {keep, *(_before(folder, keep)[-older:] if keep and older else ())}
    for path in folder.glob("*"):
        ours = NAME.fullmatch(path.name) or path.name.startswith(PARTIAL)
        if ours and path.name not in names:
            path.unlink(missing_ok=True)


def _before(folder: Path, name: str | None) -> list[str]:
    """The checkpoints of earlier steps than that of `name`, or all of them, in order."""
    names = {_step(path.name): path.name for path in folder.glob("*") if NAME.fullmatch(path.name)}
    return [names[step] for step in sorted(names) if name is None or step < _step(name)]


def _step(name: str) -> int:
    match = NAME.fullmatch(name)
    return int(match[1]) if match else -1
