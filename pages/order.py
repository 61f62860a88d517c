"""Page 5: what another order and a filter do to RNN and Transformer, mixing to a spectrum."""

from explorer.ui import order, samples, state, transport
from explorer.views.order import QUESTION

spec = state.begin("order", transport.linked())
order.controls_of(spec)
samples.demand(spec, QUESTION)
order.stage()
order.more()
