"""The only package that imports Streamlit: navigation, server state, live feed, components.

shell.py       the UI script: page list, navigation, the message for a store that cannot be used
registry.py    the one store and pool of this server
attach.py      the run and spec in the address, kept from page to page
live.py        the WebSocket that feeds the live picture of a run
components/    canvas components: `live` draws a training run, `design` a coupling
"""
