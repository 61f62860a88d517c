"""The value after the last token that was alike."""

from explorer.pages.memory.view_kinds.view import Least, MemoryView
from explorer.spec import InductionSpec
from explorer.targets.memory import INDUCTION_KIND

VIEW = MemoryView[InductionSpec](
    kind=INDUCTION_KIND,
    name="what followed last time",
    preset="memory-induction",
    says="beyond the paper: the answer follows the last token that was alike",
    tex=lambda spec: r"y_t=b_{s+1},\ x_s=x_t\ \text{the last time}",
    drawn=lambda spec: {},
    least=lambda spec: Least(),
    known=lambda spec: (
        "Copying what followed can be done in two steps: look one back, then for a match."
    ),
    law=None,
)
