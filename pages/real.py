"""Real attention: spectra of couplings in models that others have trained, and k terms of them."""

import streamlit as st

from explorer.ui import (
    chrome,
    real,
    real_budget,
    real_head,
    real_models,
    real_order,
    real_width,
    specs,
    trained_here,
)
from explorer.views.real import real_view

for part in (real_head, real_order, real):
    part.begin()
now = real.look()
with st.sidebar:
    real.choices(now)
found = real_view(now, real_head.seen_of_own(now))
chrome.question(real.badge(now))
specs.show_problems(real.PARAM)
chrome.verdict(found.verdict, lines=2)
real.main_panel(found)
real.take_home(found)
real_head.panel(found.look, found.k)
if not now.of.own:  # theirs are shipped
    real_budget.panel(found.look)
real.layers_panel(found)
real_width.panel(found.look)
trained_here.panel(found.look)
real_models.panel()
