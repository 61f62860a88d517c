"""Tidy table → Altair chart. Nothing is computed here.

The same quantity has the same look on every page: designed = ink, learned = accent, floor = dashed
grey, theory = dotted grey; and each also differs by its shape or line.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Palette:
    """Colours of one theme, as .streamlit/config.toml has them for the canvases."""

    ink: str
    accent: str
    grey: str
    second: str
    diverging: tuple[str, ...]
    """From the least to the greatest value; in the middle 0 is the paper."""


LIGHT = Palette(
    ink="#1b1f24",
    accent="#0072b2",
    grey="#6b7280",
    second="#d55e00",
    diverging=(
        "#0a4b91",
        "#4171ae",
        "#7297c6",
        "#a4bddd",
        "#d9e3f0",
        "#ffffff",
        "#efded7",
        "#d9b19f",
        "#bf846a",
        "#a35936",
        "#832e05",
    ),
)
DARK = Palette(
    ink="#e8eaed",
    accent="#56b4e9",
    grey="#9aa4b1",
    second="#e69f00",
    diverging=(
        "#8ad8fb",
        "#6cadd9",
        "#5381a0",
        "#3c576a",
        "#273037",
        "#14171c",
        "#362d26",
        "#664e3a",
        "#9a7150",
        "#d09768",
        "#fdc088",
    ),
)
