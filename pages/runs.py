"""Everything trained here: compare, rename, resume, export, import, delete."""

import streamlit as st

from explorer.pages.runs import actions as run_actions
from explorer.pages.runs import comparison
from explorer.pages.runs import page as runs
from explorer.pages.runs import work as run_work
from explorer.ui import chrome, components, page_visit, specs
from explorer.views import first_move

rows = runs.rows()
move = first_move.of_runs(rows, runs.CHOSEN.read())
first = None if rows else run_actions.train_first
chrome.question(runs.badge(rows), picture=False, move=move, action=first)
runs.filters(rows)
with st.container():  # always there, so that a message moves nothing into another's place
    runs.messages()
    chosen = runs.known(runs.CHOSEN.read())
    specs.show_problems("runs", "status", "filter")
if rows:
    runs.listing(rows)
else:
    chrome.verdict(
        "Nothing has been trained in this store yet. Choose a design, press Train, and the run "
        "appears here; or import the zip of a run from elsewhere."
    )
    with st.container(key="examples"):
        run_actions.examples()
if chosen:
    run_actions.actions(chosen)
    comparison.comparison(chosen)
elif rows:
    chrome.verdict(runs.summary(rows))
    st.caption(
        "Tick runs at the left of the list (or Shift and Space on a row): one to open, rename, "
        "resume or take home, up to six to compare."
    )
run_work.section()
components.shelved()
page_visit.keeping()
runs.end()
