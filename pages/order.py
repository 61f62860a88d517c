"""What another order and a filter do to RNN and Transformer, mixing to a spectrum."""

from explorer.ui import order, samples, state, transport

spec = state.begin(transport.linked())
order.controls_of(spec)
samples.demand(spec)
order.main_panel()
order.details()
