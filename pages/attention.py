"""The attention tasks of App. B.1, learned, dragged and compared with the truth."""

from explorer.ui import attention, state, transport

spec = state.begin(transport.linked())
attention.controls_of(spec)
attention.main_panel()
attention.details()
