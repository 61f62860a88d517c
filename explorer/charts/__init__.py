"""Tidy table → Altair chart. Nothing is computed here.

The same quantity has the same look on every page: designed = ink, learned = accent, floor = dashed
grey, theory = dotted grey; and each also differs by its shape or line. The colours themselves are
those of charts/palette.py.
"""

from explorer.charts.palette import DARK, LIGHT, Palette

__all__ = ["DARK", "LIGHT", "Palette"]
