"""The single-head Transformer learns the designed coupling, live."""

import streamlit as st

from explorer.pages.design import controls as coupling
from explorer.pages.train import page as train
from explorer.spec import coupling_spec
from explorer.ui import controls, samples, shown_run, specs

spec = coupling_spec(specs.begin(shown_run.linked()))
with st.sidebar:
    train.controls_of(spec)
    controls.folded("Coupling ρ(u, v)", coupling.controls_of, spec)
if shown_run.linked() is None:  # a run that is here says itself what it lacks
    samples.require(spec)
train.main_panel()
