"""The single-head Transformer learns the designed coupling, live."""

import streamlit as st

from explorer.ui import controls, samples, state, train, transport

spec = state.begin(transport.linked())
with st.sidebar:
    controls.training(spec)
    controls.folded("Coupling ρ(u, v)", controls.coupling, spec)
if transport.linked() is None:  # a run that is here says itself what it lacks
    samples.demand(spec)
train.main_panel()
