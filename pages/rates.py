"""How fast the error falls with the width of the head, for all targets of a sweep."""

import streamlit as st

from explorer.ui import chosen, controls, frame, rates, samples, state, surgery, sweeps
from explorer.views.rates import rates_view
from explorer.views.sweeps import designs_of

state.begin()
sweep, looked = sweeps.begin(), chosen.begin()
with st.sidebar:
    sweeps.choice(sweep)
    sweeps.lists(sweep)
    controls.folded("More", sweeps.settings, sweep)

samples.demand(next(iter(designs_of(sweep).values())))
found = rates.with_optimum(sweeps.found(sweep))
frame.question(rates.badge(found))
state.show_problems(sweeps.PROBLEMS)
view = rates_view(found, looked.norm, looked.statistic, state.grid_loader())
frame.verdict(view.verdict, lines=3)
rates.read_as()
rates.stage(found, view)
rates.numbers(view)
rates.budget(found, view)
rates.optimum(found)
surgery.surgery()
rates.take_home(found, view)
