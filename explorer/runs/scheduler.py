"""Whose work is next where several stores share the devices of one machine (hosting/turns.py): what
pool and workers ask of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from explorer.runs.store import Store


class Turn(Protocol):
    """The time of one store at work; what it took is counted at the end."""

    def over(self) -> bool:
        """Whether what is at work has to give way now."""
        ...

    def __enter__(self) -> Turn: ...

    def __exit__(self, *_: object) -> None: ...


class Scheduler(Protocol):
    """Serves one store after another, each for a turn."""

    @property
    def megabytes(self) -> int:
        """MB of memory that a training process may take."""
        ...

    @property
    def seconds(self) -> float:
        """The most processor seconds that a run or a sweep may be estimated at."""
        ...

    def worker(self) -> Sequence[str]:
        """The module of a worker that serves these stores, and its arguments."""
        ...

    def waiting(self) -> Sequence[object]:
        """All that waits."""
        ...

    def take(self) -> Store | None:
        """The store that is served next."""
        ...

    def turn(self, store: Any, /) -> Turn:
        """A turn of it that begins now."""
        ...

    def recover(self) -> None:
        """Revive what a dead server has left."""
        ...

    def recheck(self, why: str) -> None:
        """A worker has died, and its run says why."""
        ...

    def remove_idle(self) -> object:
        """Remove the stores that nobody needs."""
        ...
