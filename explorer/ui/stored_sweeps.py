"""The sweeps of the reader's store that a page compares with."""

from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any

from explorer.runs import sweep_rows
from explorer.runs.database import StoreError
from explorer.spec import AnySweep, SpecError
from explorer.targets import parse_sweep
from explorer.ui import registry
from explorer.views.sweeps import Finished

READ_SWEEPS = 20  # newest sweeps that are looked through


def newest(wanted: Callable[[AnySweep], bool]) -> list[Finished[Any]]:
    """The newest sweeps that are wanted, with the rows there are."""
    finished: list[Finished[Any]] = []
    with suppress(StoreError):
        store = registry.store()
        for identity, text, _ in sweep_rows.all_sweeps(store):
            sweep = _sweep_of(text)
            if sweep is not None and wanted(sweep) and len(finished) < READ_SWEEPS:
                rows = sweep_rows.read(store, identity).values()
                finished.append(Finished(sweep, tuple(rows)))
    return finished


@lru_cache(maxsize=256)
def _sweep_of(text: str) -> AnySweep | None:
    """A sweep of the store; None where another version wrote it."""
    with suppress(SpecError):
        return parse_sweep(text)
    return None
