"""What another order and a filter do to RNN and Transformer, mixing to a spectrum."""

from explorer.pages.order import page as order
from explorer.pages.order import paper as order_paper
from explorer.spec import alterable_spec
from explorer.ui import samples, selection, shown_run, specs

spec = alterable_spec(specs.begin(shown_run.linked()))
selection.current()  # what is wrong with it is said above the picture
order.controls_of(spec)
samples.require(spec)
order.main_panel()
order_paper.details()
