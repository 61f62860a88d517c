"""What the Order page compares with: runs and sweeps of the store, and what is shipped."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from explorer.pages.order import view_shipped as order_shipped
from explorer.pages.order import view_trained as view
from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import AlterableSpec, LinearSweep, alterable_spec
from explorer.ui import address, owner, registry, shown_run, stored_sweeps
from explorer.ui.owner import Owner
from explorer.views.sweeps import Finished

READ = 300  # newest runs of the store that are looked through for the same target


def trained_on(
    spec: AlterableSpec,
    rows: Mapping[str, RunRow],
    shown: str | None,
    finished: Sequence[Finished[LinearSweep]],
) -> list[view.Known]:
    """What has been trained on a target: the run shown, others, sweeps, shipped rows, printed
    values."""
    own = view.comparable(spec, rows.values(), shown)
    return [*own, *view.of_sweeps(spec, finished), *order_shipped.trained(spec)]


def whose(spec: AlterableSpec) -> Owner:
    """The run on this very target; else the one on another order or filter of it stays in grey."""
    return owner.of_target(
        lambda other: view.same_target(other, spec), lambda other: view.altered_alike(other, spec)
    )


def ghosts(
    found: Owner, rows: Mapping[str, RunRow], finished: Sequence[Finished[LinearSweep]]
) -> dict[str, Any] | None:
    """What has been trained on the target of a ghost, and what that is called."""
    if found.ghost is None:
        return None
    other = alterable_spec(found.ghost[1].spec)
    trained = view.Trained
    points = [each for each in trained_on(other, rows, None, finished) if isinstance(each, trained)]
    return {"name": view.target_name(other, found.settings), "trained": points}


def runs() -> dict[str, RunRow]:
    """The run of the address, the shipped ones and the newest of the store by name, each once."""
    named = shown_run.named()
    found = ({named[0]: named[1]} if named else {}) | shown_run.shipped_rows()
    with suppress(StoreError):
        found |= {each.run: each for each in registry.store().list(READ)}
    once = {each.run: name for name, each in found.items()}  # a shipped run may be in the store too
    return {name: found[name] for name in once.values()}


def sweeps() -> list[Finished[LinearSweep]]:
    """The newest sweeps of linear targets in the store, with the rows there are."""
    return stored_sweeps.newest(lambda sweep: sweep.topic == address.page().topic)
