"""Page 1: design a coupling, read its spectrum and the width it needs."""

import streamlit as st

from explorer.charts import design as charts
from explorer.spec import full_json, spec_id
from explorer.ui import chosen, controls, frame, state, theory, transport
from explorer.ui.components import heatmap
from explorer.views.design import design_view, trained_runs

spec, looked = state.begin("design"), chosen.begin()
with st.sidebar:
    theory.gallery_choice(spec)
    controls.coupling(spec)
    controls.field("m_h", st.slider, "m, terms kept = width m_h of a head", 1, 32,
                   help="The first m terms of the POD: what one head of width m_h = m can "
                   "represent (Eq. 18).")  # fmt: skip
    controls.picture("centred", st.toggle, "centred",
                     help="ρ less its v-mean for each u, unseen by softmax.")  # fmt: skip
    controls.picture("k", st.number_input, "k, singular function shown", 1, 64)

frame.question("How wide must one attention head be to represent this coupling?")
state.show_problems()
palette = frame.palette()
u, centred = looked.u, looked.centred
view = design_view(
    spec, m=spec.m_h, k=looked.k, u=u, centred=centred, load_grid=state.grid_loader()
)
trained = trained_runs(spec, transport.rows())
st.latex(view.latex)

left, right = st.columns([1, 1], gap="medium")
with left:
    st.markdown("**Spectrum**: the singular values of ρ")
    frame.chart(charts.spectrum_chart(view.spectrum, palette), "spectrum")
with right:
    st.markdown("**Coupling**: ρ(u, v) and what m terms keep of it")
    heatmap(view.pictures, u=u, key="coupling", on_u=controls.row_chosen)

first, second, third = st.columns(3, gap="medium")
with first:
    st.markdown("**Floor** by truncation; ◆ trained")
    frame.chart(charts.floor_chart(view.floor, trained, palette, spec.m_h), "floor")
with second:
    st.markdown(f"**Singular functions** for k = {view.k}")
    frame.chart(charts.functions_chart(view.functions, palette), "functions")
with third:
    st.markdown(f"**Attention** softmax ρ(u, ·) at u = {u:.2f}")
    frame.chart(charts.row_chart(view.row, palette), "row")

frame.verdict(view.verdict)
frame.facts(view.facts)
theory.bound(spec)
theory.gallery()
command = f"python -m explorer pod --design {spec_id(spec)}.json" + " --centred" * centred
frame.take_home(spec_id(spec), full_json(spec), command)
