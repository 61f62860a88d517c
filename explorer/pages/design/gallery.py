"""The gallery of the Design page: a coupling by its name, or by its picture in a dialog."""

import streamlit as st

from explorer.pages.design.view_drawing import Drawing
from explorer.pages.design.view_gallery import GALLERY, entry_of, gallery_drawing
from explorer.runs.frames import pack
from explorer.spec import DESIGN_FIELDS, CouplingSpec
from explorer.ui import chrome, specs
from explorer.ui.callbacks import uninterrupted
from explorer.ui.components import registered

_GALLERY = registered("gallery")
FEW = ("fig1a-6", "distance", "von-mises", "step", "high-frequency")
"""What a first visit shows of it: an end, a distance, a neighbourhood, causality, a fine grain."""
CHOOSE, ASKED = "choose …", "gallery of pictures"


def choice(spec: CouplingSpec) -> None:
    """A coupling of the gallery by name or picture, with what it teaches."""
    here = entry_of(spec)
    st.session_state["gallery"] = here.key if here else CHOOSE
    titles = {CHOOSE: CHOOSE} | {entry.key: entry.title for entry in GALLERY}
    st.selectbox(
        "gallery", titles, format_func=titles.__getitem__, key="gallery", on_change=_chosen
    )
    if here:
        with st.container(key="lesson"):
            chrome.note(here.lesson)
    st.button(
        f"All {len(GALLERY)} as pictures", icon=":material/grid_view:", key=ASKED, width="stretch"
    )


@uninterrupted
def _chosen() -> None:
    _open(st.session_state["gallery"])


def pictures(spec: CouplingSpec) -> None:
    """The dialog, where it was asked for. Call it last: the page does not wait for its pictures."""
    if st.session_state.get(ASKED):
        _dialog(spec)


def strip(spec: CouplingSpec) -> None:
    """The first few to try, as pictures without words."""
    _pictures(spec, "gallery strip", gallery_drawing(FEW), few=True)


@st.dialog("Couplings worth opening", width="large")
def _dialog(spec: CouplingSpec) -> None:
    """Every coupling as its map and spectrum."""
    _pictures(spec, "gallery pictures", gallery_drawing())


def _pictures(spec: CouplingSpec, key: str, drawing: Drawing, **more: bool) -> None:
    """Some couplings; a press on one opens it."""
    header, arrays = drawing
    here = entry_of(spec)
    data = pack({**header, **more, "here": here.key if here else None}, arrays)
    report = _GALLERY(key=key, data=data, on_chosen_change=lambda: None)
    if report.get("chosen"):
        _open(report["chosen"])
        st.rerun()


@uninterrupted
def _open(key: str) -> None:
    chosen = next((entry for entry in GALLERY if entry.key == key), None)
    if chosen:
        fields = chosen.spec.model_dump(mode="json")
        specs.change({name: fields[name] for name in DESIGN_FIELDS})
