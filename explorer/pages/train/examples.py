"""The line above a run of a coupling: in what it is not what the settings say, and what else there
is to see."""

import streamlit as st

from explorer.pages.design.view import final_nmse
from explorer.runs.database import StoreError
from explorer.runs.record import RunRow
from explorer.spec import coupling_spec, design_fields
from explorer.targets.shipped import RUNS
from explorer.ui import address, controls, owner, registry, shown_run, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.owner import Owner
from explorer.views.glossary import typeset
from explorer.views.text import number

KEY = "run to see"
TRAINED = 3  # runs of this coupling that are offered


def line(found: Owner) -> None:
    """Where the run shown has other settings than those at the left, both, and the way back to
    one's own; runs to be seen: examples, and where nothing is trained those on this coupling."""
    with st.container(horizontal=True, vertical_alignment="center", key="what is shown"):
        if found.apart:
            _apart(found)
        _others(found.run, found.row)


def _apart(found: Owner) -> None:
    owner.both(found)
    st.button(
        "Show mine",
        key="show mine",
        icon=":material/undo:",
        type="tertiary",
        on_click=_show,
        args=(None,),
        help="The coupling of your settings, its truncation, and what is not learned yet.",
    )


def _others(run: str | None, row: RunRow | None) -> None:
    named = {f"asset-{name}": run.label for name, run in RUNS.items() if run.label}
    examples = {name: words for name, words in named.items() if shown_run.is_shipped(name)}
    offered = examples | (_on_this_coupling() if row is None else {})
    controls.show(KEY, run if run in offered else None, *offered)
    st.pills(
        "runs to see",
        offered,
        format_func=lambda name: typeset(offered[name]),
        key=KEY,
        on_change=_chosen,
        label_visibility="collapsed",
    )


def _on_this_coupling() -> dict[str, str]:
    """The newest runs of the store that have learned all of this coupling, and their errors."""
    spec = specs.of_couplings()
    try:
        found = registry.store().finished({f: getattr(spec, f) for f in design_fields(spec)})
    except StoreError:
        return {}
    own = [row for row in found if not coupling_spec(row.spec).known]
    return {
        row.run: f"◆ m_h = {row.spec.m_h}, seed {row.spec.seed}: {number(nmse)}"
        for row in own[:TRAINED]
        if (nmse := final_nmse(row)) is not None
    }


@uninterrupted
def _chosen() -> None:
    _show(st.session_state[KEY])


@uninterrupted
def _show(run: str | None) -> None:
    address.set_params(run=run, at=None)
