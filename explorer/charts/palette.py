"""The colours of every figure: those of .streamlit/config.toml, which the canvases read as well."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

from explorer.folder import resource

CONFIG = resource(".streamlit") / "config.toml"
GREY, LINE, GRID = 0.38, 0.72, 0.89
"""How far quiet text, frames and grid lines are from ink to paper; `readTheme` of the canvases has
the same."""

DEFAULTS = {"font": '"Source Sans", "Source Sans 3", system-ui, sans-serif', "baseFontSize": "16px"}
"""What a theme that says nothing of it has."""


@dataclass(frozen=True)
class Palette:
    """Colours of one theme as "#rrggbb"; sequences go from the least to the greatest value."""

    paper: str
    ink: str
    accent: str
    """What is learned, and what may be taken hold of."""
    second: str
    """What is compared with it."""
    grey: str
    line: str
    grid: str
    categories: tuple[str, ...]
    """Colours that are told apart: accent, second and ink, then further ones."""
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]
    """In the middle 0 is the paper."""

    def series(self, count: int) -> list[str]:
        """Colours of so many lines, in order; from the ninth on they come again."""
        return [*islice(cycle(self.categories), count)]

    @property
    def weights(self) -> tuple[str, str]:
        """Ends of the scale of attention weights: 0 is the paper, 1 the accent."""
        return self.paper, self.accent


def _palette(theme: Mapping[str, Any]) -> Palette:
    paper, ink = theme["backgroundColor"], theme["textColor"]
    categories, diverging = theme["chartCategoricalColors"], theme["chartDivergingColors"]
    middle = len(diverging) // 2
    return Palette(
        paper=paper,
        ink=ink,
        accent=theme["primaryColor"],
        second=categories[1],
        grey=blend(ink, paper, GREY),
        line=blend(ink, paper, LINE),
        grid=blend(ink, paper, GRID),
        categories=tuple(categories),
        sequential=tuple(theme["chartSequentialColors"]),
        diverging=(*diverging[:middle], paper, *diverging[middle:]),
    )


def blend(start: str, end: str, share: float) -> str:
    """The colour a `share` in [0, 1] of the way from one "#rrggbb" to another."""
    pairs = zip(bytes.fromhex(start[1:]), bytes.fromhex(end[1:]), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def css_variables() -> tuple[str, str, str]:
    """The theme as Streamlit hands it to a component: declarations common to both, light, dark."""
    common = {name: value for name, value in _THEMES.items() if not isinstance(value, dict)}
    return _css(DEFAULTS | common), _css(_THEMES["light"]), _css(_THEMES["dark"])


def _css(values: Mapping[str, Any]) -> str:
    return "".join(
        f"--st-{re.sub('[A-Z]', lambda match: '-' + match[0].lower(), name)}:"
        f"{','.join(value) if isinstance(value, list) else value};"
        for name, value in values.items()
        if not (isinstance(value, list) and not isinstance(value[0], str))
    )


def _themes() -> dict[str, Any]:
    """What the file says of the themes; ValueError where one lacks colours that the other has."""
    themes = tomllib.loads(CONFIG.read_text("utf-8"))["theme"]
    for name, colours in themes["light"].items():
        count = {theme: len(themes[theme].get(name, ())) for theme in ("light", "dark")}
        if isinstance(colours, list) and count["light"] != count["dark"]:
            light, dark = count.values()
            raise ValueError(f"{CONFIG}: {name}: {light} in light, {dark} in dark")
    return themes


_THEMES = _themes()
LIGHT, DARK = _palette(_THEMES["light"]), _palette(_THEMES["dark"])
