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
models = real_models.all_here()
with real_models.none_gone(models):
    now = real.linked().read()
    is_looked_at = real_head.is_looked_at(now)
    with st.sidebar:
        real.choices(now)
    view = real_view(now, real_head.seen_of_own(now, is_looked_at))
    chrome.question(real.badge(view), action=real_head.way)
    specs.show_problems(real.PARAM)
    real.main_panel(view)
    chrome.verdict(view.verdict, lines=2, cut=cuts_told(view.choice, view.curve, view.k))
    mathematics.fold(real.notes)
    real.take_home(view)
    real_head.panel(view.choice, view.k, is_looked_at)
    real_more.panel(view)
    real_models.panel(models)
