"""How fast the error falls with the width of the head, for all targets of a sweep."""

from functools import partial

import streamlit as st

from explorer.pages.rates import controls as sweeps
from explorer.pages.rates import page as rates
from explorer.pages.rates import surgery
from explorer.pages.rates.take_home import take_home
from explorer.pages.rates.view import rates_view
from explorer.pages.rates.view_text import factors
from explorer.ui import chrome, controls, mathematics, samples, selection, specs
from explorer.views.equations import RATE
from explorer.views.sweeps import designs_of

specs.begin()
sweep, selected = sweeps.linked().read(), selection.current()
with st.sidebar:
    sweeps.choice(sweep)
    controls.folded("Change the sweep", sweeps.changes, sweep)

samples.require(next(iter(designs_of(sweep).values())))
done = rates.done_so_far(sweep)
finished = rates.with_optimum(sweeps.finished(sweep))
chrome.question(rates.badge(finished), move=rates.first_move_of(finished))
specs.show_problems("spec", "sweep", "view")
rates.stop_without_coupling()
view = rates_view(finished, selected.norm, selected.statistic, selected.all_lines)
rates.main_panel(finished, view, done)
chrome.verdict(view.verdict, lines=2, drop=factors(finished.sweep, view.groups))
rates.read_as(finished)
mathematics.fold(partial(rates.numbers, view), formulas=(RATE,))
rates.budget(finished, view)
rates.optimum(finished)
surgery.surgery()
take_home(finished, view)
