"""Design as a browser sees it that was never here: the picture, some couplings to try, a field for
one's own, the guided tour; the controls come when they are asked for."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer.pages.design import controls, gallery
from explorer.spec import CouplingSpec
from explorer.ui import address, tour
from explorer.ui.opening import FIRST_VISIT, VISITS
from explorer.ui.tour import NEW

ALL = "all controls"


def is_first() -> bool:
    """Whether it is that: the address was bare, and nobody has asked for all controls."""
    if NEW not in st.session_state:
        new = st.context.cookies.get(VISITS) == FIRST_VISIT
        st.session_state[NEW] = new and not address.params()
    if st.session_state.get(ALL):
        st.session_state[NEW] = False
    return st.session_state[NEW]


def actions() -> None:
    """The two ways on."""
    if st.button("Show me (2 minutes)", type="primary", key="show me"):
        tour.turn(1)
    st.button(
        "All controls", key=ALL, type="tertiary", icon=":material/tune:", help="Kept for next time."
    )


def beside(spec: CouplingSpec) -> DeltaGenerator:
    """The place of the picture; beside it some of the gallery, and the field for one's own."""
    with st.container(key="first visit"):
        picture, strip = st.columns((4, 1), gap="medium")
    with strip:
        controls.formula_field(spec, "")
        gallery.strip(spec)
    return picture
