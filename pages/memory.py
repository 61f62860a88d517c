"""What depth, heads and positional encodings do for memories (arXiv 2402.00522)."""

import streamlit as st

from explorer.pages.memory import known as memory_known
from explorer.pages.memory import page as memory
from explorer.spec import MemorySpec, narrowed
from explorer.ui import selection, shown_run, specs

spec = narrowed(specs.begin(shown_run.linked()), MemorySpec)
selection.current()  # what is wrong with it is said above the picture
with st.sidebar:
    memory.controls_of(spec)
memory.main_panel()
memory_known.details()
