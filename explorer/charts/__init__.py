"""Tidy table → Altair chart. Nothing is computed here.

The same quantity has the same look on every page: designed = ink, learned = accent, floor = dashed
grey, theory = dotted grey; and each also differs by its shape or line.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """Colours of one theme."""

    ink: str
    accent: str
    grey: str
    second: str


LIGHT = Palette(ink="#1b1f24", accent="#0072b2", grey="#6b7280", second="#d55e00")
DARK = Palette(ink="#e8eaed", accent="#56b4e9", grey="#9aa4b1", second="#e69f00")
