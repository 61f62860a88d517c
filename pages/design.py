"""Design a coupling, read its spectrum and the width it needs."""

from contextlib import nullcontext
from functools import partial

import streamlit as st

from explorer.pages.design import controls as coupling
from explorer.pages.design import gallery
from explorer.pages.design import page as designs
from explorer.pages.design.view import (
    badge,
    design_view,
    latex,
    left_text,
    trained_fact,
    trained_runs,
)
from explorer.pages.design.view_drawing import design_drawing, generator
from explorer.ui import chrome, here, mathematics, samples, shown, shown_run, specs, tour, transport
from explorer.ui.components import design

spec, selected = designs.begin()
designed = specs.design(spec)
is_first = designs.is_first()
if not is_first:
    with st.sidebar:
        designs.all_controls(spec)

samples.require(spec)
trained = trained_runs(spec, shown_run.trained(spec))
view = design_view(designed, selected)
ways_on = designs.first_ways_on if is_first else partial(designs.ways_on, spec)
chrome.question(badge(trained), action=ways_on)
specs.show_problems(specs.SPEC, "view")
transport.show_problem()
drawing = design_drawing(designed, selected, trained)
with designs.beside_first(spec) if is_first and not tour.number() else nullcontext():
    design(*drawing, refused=coupling.refusal(spec) is not None, on_open=designs.opened)
    shown.note(alone=generator(drawing[0]["floor_seed"]))
    here.offer_in_files(designed, here.watched)
chrome.verdict(view.verdict, lines=2, m=str(spec.m_h), left=left_text(designed))
facts = view.facts | trained_fact(trained)
mathematics.fold(
    partial(designs.computed, designed, view, facts, selected),
    formulas=latex(designed),
    facts=facts,
)
designs.exact_table(spec)
designs.take_home(spec, drawing)
coupling.dropped()
gallery.pictures(spec)
