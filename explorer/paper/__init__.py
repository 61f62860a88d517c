"""The seeds, line by line: every equation, statement, figure, table and slide, in their order, with
a verdict that a check finds again.

    item    a line, and what a check finds
    rates   Sections 3 and 4: model, targets, measures, the rate

    python -m explorer paper --check

A line stands above its check, a function that computes: a closed form, an identity, a second
implementation, or shipped results beside what is printed.
"""

from __future__ import annotations

from explorer.paper import rates
from explorer.paper.item import Found, Item, Section, Verdict

__all__ = ["ITEMS", "SECTIONS", "Found", "Item", "Section", "Verdict"]

SECTIONS: tuple[Section, ...] = (rates.SETTING, rates.RATE)
ITEMS: tuple[Item, ...] = tuple(item for section in SECTIONS for item in section.items)
