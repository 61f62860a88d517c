"""Design a coupling, read its spectrum and the width it needs."""

from functools import partial

import streamlit as st

from explorer.pages.design import controls as coupling
from explorer.pages.design import gallery
from explorer.pages.design import page as designs
from explorer.pages.design.view import badge, design_view, latex, trained_fact, trained_runs
from explorer.pages.design.view_drawing import design_drawing
from explorer.ui import chrome, controls, mathematics, samples, shown_run, specs, transport
from explorer.ui.components import design
from explorer.views.glossary import explained

spec, selected = designs.begin()
designed = specs.design(spec)
with st.sidebar:
    gallery.choice(spec)
    coupling.controls_of(spec)
    controls.picture("centred", st.toggle, "centred", help=explained("centred"))
    controls.folded("More", designs.more_controls)

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
facts = view.facts | trained_fact(trained)
mathematics.fold(
    partial(designs.mathematics, designed, view, facts, selected),
    formulas=latex(designed),
    facts=facts,
)
designs.exact_table(spec)
designs.take_home(spec, drawing)
coupling.dropped()
gallery.pictures(spec)
