"""Page 2: the single-head Transformer learns the designed coupling, live."""

import streamlit as st

from explorer.ui import controls, state, train, transport

spec = state.begin("train", transport.linked())
with st.sidebar:
    controls.training(spec)
    controls.folded("Coupling ρ(u, v)", controls.coupling, spec)
train.stage()
