"""The seeds, line by line: every equation, statement, figure, table and slide, in their order, with
a verdict that a check finds again.

    item       a line, and what a check finds
    rates      Sections 3 and 4: model, targets, measures, the rate
    figures    Section 5 and App. C: Figures 1 to 3, settings
    order      Section 6: Tables 1 to 3, Propositions 6.1 to 6.3
    proofs     App. A: equivariance, density, the inequalities of the proof
    examples   App. B.1: Figures 4 to 6
    recurrent  App. D: RNNs, order, mixing
    slides     those of November 2024
    memory     arXiv 2402.00522 and its summary

    python -m explorer paper --check

A line stands above its check, a function that computes: a closed form, an identity, a second
implementation, or shipped results beside what is printed.
"""

from explorer.paper import examples, figures, memory, order, proofs, rates, recurrent, slides
from explorer.paper.item import Found, Item, Section, Verdict

__all__ = ["ITEMS", "SECTIONS", "Found", "Item", "Section", "Verdict"]

SECTIONS: tuple[Section, ...] = (
    rates.SETTING,
    rates.RATE,
    figures.FIGURES,
    order.COMPARED,
    proofs.SECTION,
    examples.SECTION,
    figures.SETTINGS,
    recurrent.PROOFS,
    slides.SECTION,
    memory.SECTION,
)
ITEMS: tuple[Item, ...] = tuple(item for section in SECTIONS for item in section.items)
