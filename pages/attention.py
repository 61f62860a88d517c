"""Page 4: the attention tasks of App. B.1, learned, dragged and compared with the truth."""

from explorer.ui import attention, state, transport

spec = state.begin("nearest", transport.linked())
attention.controls_of(spec)
attention.stage()
attention.more()
