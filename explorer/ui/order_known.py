"""What the Order page compares with: runs and sweeps of the store, and what is shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import AlterableSpec, LinearSweep, is_linear
from explorer.ui import registry, shown_run, stored_sweeps
from explorer.views import order_trained as view
from explorer.views.sweeps import Finished

READ = 300  # newest runs of the store that are looked through for the same target


def trained_on(
    spec: AlterableSpec,
    rows: Mapping[str, RunRow],
    shown: str,
    finished: Sequence[Finished[LinearSweep]],
) -> list[view.Known]:
    """What has been trained on a target: the run shown, others, sweeps, shipped rows, printed
    values."""
    from explorer.views import order_shipped

    own = view.comparable(spec, rows.values(), shown)
    return [*own, *view.of_sweeps(spec, finished), *order_shipped.trained(spec)]


def runs() -> dict[str, RunRow]:
    """The run shown, the shipped ones and the newest of the store by name, each once."""
    run, row = shown_run.shown()
    found = {run: row} | shown_run.shipped_rows()
    with suppress(StoreError):
        found |= {each.run: each for each in registry.store().list(READ)}
    once = {each.run: name for name, each in found.items()}  # a shipped run may be in the store too
    return {name: found[name] for name in once.values()}


def sweeps() -> list[Finished[LinearSweep]]:
    """The newest sweeps of linear targets in the store, with the rows there are."""
    return stored_sweeps.newest(is_linear)
