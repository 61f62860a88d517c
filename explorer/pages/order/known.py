"""What the Order page compares with: runs and sweeps of the store, what is shipped, and the orders
that a session has tried, with the search for a harder one."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from explorer.pages.order import view
from explorer.pages.order import view_shipped as order_shipped
from explorer.pages.order import view_trained as known
from explorer.pages.order.view_kinds import view_of
from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import AlterableSpec, LinearSweep, alterable_spec
from explorer.theory.orders import hardest_order
from explorer.ui import address, owner, registry, shown_run, specs, stored_sweeps
from explorer.ui.owner import Owner
from explorer.views.sweeps import Finished

READ = 300  # newest runs of the store that are looked through for the same target
TRIED, SEARCHES = "orders tried", "order searches"
FOUND = "found by search"


def trained_on(
    spec: AlterableSpec,
    rows: Mapping[str, RunRow],
    shown: str | None,
    finished: Sequence[Finished[LinearSweep]],
) -> list[known.Known]:
    """What has been trained on a target: the run shown, others, sweeps, shipped rows, printed
    values."""
    own = known.comparable(spec, rows.values(), shown)
    return [*own, *known.of_sweeps(spec, finished), *order_shipped.trained(spec)]


def whose(spec: AlterableSpec) -> Owner:
    """The run on this very target; else the one on another order or filter of it stays in grey."""
    return owner.of_target(
        lambda other: known.same_target(other, spec),
        lambda other: known.altered_alike(other, spec),
    )


def ghosts(
    owner_: Owner, rows: Mapping[str, RunRow], finished: Sequence[Finished[LinearSweep]]
) -> dict[str, Any] | None:
    """What has been trained on the target of a ghost, and what that is called."""
    if owner_.ghost is None:
        return None
    other = alterable_spec(owner_.ghost[1].spec)
    points = trained_on(other, rows, None, finished)
    trained = [each for each in points if isinstance(each, known.Trained)]
    return {"name": known.target_name(other, owner_.settings), "trained": trained}


def runs() -> dict[str, RunRow]:
    """The run of the address, the shipped ones and the newest of the store by name, each once."""
    named = shown_run.named()
    rows = ({named[0]: named[1]} if named else {}) | shown_run.shipped_rows()
    with suppress(StoreError):
        rows |= {each.run: each for each in registry.store().list(READ)}
    once = {each.run: name for name, each in rows.items()}  # a shipped run may be in the store too
    return {name: rows[name] for name in once.values()}


def sweeps() -> list[Finished[LinearSweep]]:
    """The newest sweeps of linear targets in the store, with the rows there are."""
    return stored_sweeps.newest(lambda sweep: sweep.topic == address.page().topic)


def tried(spec: AlterableSpec) -> list[dict[str, Any]]:
    """Note the order of the target shown; those of the session, hardest first. Of a target without
    floors there is nothing to compare them by."""
    if (matrix := view_of(spec).matrix(view.in_order(spec))) is None:
        return []
    memory: dict[tuple[int, ...], view.Tried] = st.session_state.setdefault(TRIED, {})
    this = view.tried(spec)
    memory.setdefault(this.order, this)
    return view.listed(matrix, [*memory.values()])  # a script that ends may still add one


def search(spec: AlterableSpec) -> None:
    """Show the hardest order that is found: another search starts elsewhere."""
    if (matrix := view_of(spec).matrix(view.in_order(spec))) is None:
        return
    seed = st.session_state.get(SEARCHES, 0)
    st.session_state[SEARCHES] = seed + 1
    hardest = hardest_order(matrix, seed)
    st.session_state.setdefault(TRIED, {}).setdefault(hardest, view.Tried(FOUND, hardest))
    specs.change({"permutation": hardest})
