"""What the Order page compares with: runs and sweeps of the store, and what is shipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache

from explorer.runs import sweep_rows
from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import AlterableSpec, AnySweep, LinearSweep, SpecError, is_linear
from explorer.targets import parse_sweep
from explorer.ui import registry, shown_run
from explorer.views import order_trained as view
from explorer.views.sweeps import Finished

READ_SWEEPS = 20  # newest sweeps and
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
    found: list[Finished[LinearSweep]] = []
    with suppress(StoreError):
        store = registry.store()
        for identity, text, _ in sweep_rows.all_sweeps(store):
            sweep = _sweep_of(text)
            if sweep is not None and is_linear(sweep) and len(found) < READ_SWEEPS:
                rows = sweep_rows.read(store, identity).values()
                found.append(Finished(sweep, tuple(rows)))
    return found


@lru_cache(maxsize=256)
def _sweep_of(text: str) -> AnySweep | None:
    """A sweep of the store; None where another version wrote it."""
    with suppress(SpecError):
        return parse_sweep(text)
    return None
