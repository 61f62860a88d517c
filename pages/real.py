"""Real attention: spectra of couplings in models that others have trained, and k terms of them."""

import streamlit as st

from explorer.pages.real import head as real_head
from explorer.pages.real import models as real_models
from explorer.pages.real import more as real_more
from explorer.pages.real import order as real_order
from explorer.pages.real import page as real
from explorer.pages.real.view import cuts_told, real_view
from explorer.ui import chrome, mathematics, specs

for part in (real_head, real_order, real):
    part.begin()
now = real.LOOK.read()
with st.sidebar:
    real.choices(now)
found = real_view(now, real_head.seen_of_own(now))
chrome.question(real.badge(found), action=real_head.way)
specs.show_problems(real.PARAM)
real.main_panel(found)
chrome.verdict(found.verdict, lines=2, cut=cuts_told(found.look, found.curve, found.k))
mathematics.fold(real.notes)
real.take_home(found)
real_head.panel(found.look, found.k)
real_more.panel(found)
real_models.panel()
