"""Page 5: what another order and a filter do to RNN and Transformer, mixing to a spectrum."""

from explorer.ui import order, state, transport

spec = state.begin("order", transport.linked())
order.controls_of(spec)
order.stage()
order.more()
