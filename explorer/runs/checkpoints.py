"""The file that a run goes on from: parameters, optimiser, generators and the open history row."""

import re
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save

from explorer.runs.files import PARTIAL, write_durably

NAME = re.compile(r"checkpoint-\d{1,9}\.safetensors")

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


def write(folder: Path, state: State, carry: Mapping[str, str]) -> str:
    """Write the checkpoint of a state; returns its file name. Raises StoreError on a full disk."""
    name = file_name(int(state["step"]))
    write_durably(folder / name, save(state, dict(carry)))
    return name


def read(path: Path) -> tuple[State, dict[str, str]]:
    """The state and what `write` got as carry; raises CheckpointError."""
    try:
        with safe_open(path, framework="pt") as file:
            state = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            carry = file.metadata() or {}
    except (OSError, SafetensorError) as error:
        raise CheckpointError(
            f"the checkpoint {path} is missing or damaged ({error}): start the run anew"
        ) from error
    if "step" not in state:
        raise CheckpointError(f"the checkpoint {path} does not say its step: start the run anew")
    return state, carry


def tidy(folder: Path, keep: str | None) -> None:
    """Remove every other checkpoint, and what a crash left half-written."""
    for path in folder.glob("*"):
        ours = NAME.fullmatch(path.name) or path.name.startswith(PARTIAL)
        if ours and path.name != keep:
            path.unlink(missing_ok=True)
