"""What this machine can train on, and how many runs at once."""

import os

from explorer.slow import torch

FULL = (
    "{device} has not enough memory for it: lower the batch, the widths or the sequence length, or "
    "train it on the CPU"
)
LOST = (
    "{device} was lost in training ({error}); the run goes on from its last checkpoint once it is "
    "resumed, in a new process"
)


class DeviceError(ValueError):
    """This machine has no such device."""


def best() -> str:
    """ "cuda" where there is one, else "cpu"."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def capacity(kind: str) -> int:
    """How many runs may be at work on a kind of device: one a GPU, on the CPU cores − 1."""
    if kind == "cpu":
        told = hasattr(os, "sched_getaffinity")  # the cores that this process may use
        return max(1, (len(os.sched_getaffinity(0)) if told else os.cpu_count() or 1) - 1)
    return torch.cuda.device_count()


def gpus() -> list[str]:
    """The GPUs that this process may use, as CUDA_VISIBLE_DEVICES names them."""
    named = os.environ.get("CUDA_VISIBLE_DEVICES")
    if named:
        return named.split(",")
    return [str(index) for index in range(capacity("cuda"))] if best() == "cuda" else []


def name(kind: str, index: int) -> str:
    """The device of a slot, as torch names it."""
    return "cpu" if kind == "cpu" else f"{kind}:{index}"


def kind_of(wish: str) -> str:
    """The kind behind "auto", "cpu" or "cuda"; raises DeviceError where there is none."""
    kind = best() if wish in ("auto", "cuda") else wish
    if kind not in ("cpu", "cuda") or (wish == "cuda" and kind != "cuda"):
        raise DeviceError(f"no device {wish!r} here; allowed are auto, cpu and, with a GPU, cuda")
    return kind
