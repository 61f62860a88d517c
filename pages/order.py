"""What another order and a filter do to RNN and Transformer, mixing to a spectrum."""

from explorer.spec import alterable_spec
from explorer.ui import order, order_paper, samples, selection, shown_run, specs

spec = alterable_spec(specs.begin(shown_run.linked()))
selection.current()  # what is wrong with it is said above the picture
order.controls_of(spec)
samples.require(spec)
order.main_panel()
order_paper.details()
