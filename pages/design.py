"""Design a coupling, read its spectrum and the width it needs."""

from functools import partial

import streamlit as st

from explorer.pages.design import controls as coupling
from explorer.pages.design import gallery, theory
from explorer.pages.design import page as designs
from explorer.pages.design.view import badge, design_view, latex, schema, trained_fact, trained_runs
from explorer.pages.design.view_drawing import design_drawing
from explorer.ui import chrome, controls, samples, shown_run, specs, transport
from explorer.ui.components import design
from explorer.views.glossary import explained

spec, selected = designs.begin()
designed = specs.design(spec)
with st.sidebar:
    gallery.choice(spec)
    coupling.controls_of(spec)
    controls.field(
        "m_h",
        st.slider,
        "m, terms kept = width $m_h$ of a head",
        1,
        32,
        help=explained("rho-m", "m_h"),
    )
    controls.picture("centred", st.toggle, "centred", help=explained("centred"))
    controls.norm("wanted error", {"mse": "nMSE", "mae": "MAE"})

samples.require(spec)
trained = trained_runs(spec, shown_run.trained(spec))
view = design_view(
    designed,
    centred=selected.centred,
    tolerance=selected.tolerance,
    error=selected.error,
    norm=selected.norm,
)
chrome.question(badge(trained), action=partial(designs.ways_on, spec))
specs.show_problems(specs.SPEC, "view")
transport.show_problem()
drawing = design_drawing(
    designed,
    k=selected.k,
    u=selected.u,
    v=selected.v,
    centred=selected.centred,
    tolerance=selected.tolerance,
    error=selected.error,
    norm=selected.norm,
    map=selected.map,
    shown=designs.chosen_below(selected),
    trained=trained,
)
design(*drawing, refused=coupling.refusal(spec) is not None, on_open=designs.opened)
chrome.verdict(view.verdict, lines=2)
with st.container(key="mathematics"):
    chrome.steps(schema(designed))
    chrome.formulas(latex(designed))
with st.container():  # one place, however many lines: the table below stays what it is
    if view.cliff:
        chrome.note(view.cliff)
    chrome.facts(view.facts | trained_fact(trained))
    if view.gauge:
        chrome.note(view.gauge)
designs.exact_table(spec)
theory.bound(spec, selected)
designs.take_home(spec, drawing)
coupling.dropped()
gallery.pictures(spec)
