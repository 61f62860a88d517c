"""Packages that take long to import, each imported when something of it is first asked for.

    from explorer.slow import alt, pd

stands at the top of a module like any import, and costs nothing there: the first page of a server
waits for none of them. A module that names their types says `from __future__ import annotations`,
or each of its functions would ask for one when it is made. Two threads may ask at once: Python
imports a package once. `Late(name)` is the same of a module of ours that not every reader needs.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd
    import torch
    import vl_convert as vl
    from PIL import Image, ImageDraw, ImageOps
    from scipy import linalg, optimize, special, stats

__all__ = [
    "Image",
    "ImageDraw",
    "ImageOps",
    "alt",
    "linalg",
    "optimize",
    "pd",
    "special",
    "stats",
    "torch",
    "vl",
]


class Late(ModuleType):
    """Stands for the package or module of its name."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


if not TYPE_CHECKING:
    alt, pd, torch, vl = map(Late, ("altair", "pandas", "torch", "vl_convert"))
    Image, ImageDraw, ImageOps = map(Late, ("PIL.Image", "PIL.ImageDraw", "PIL.ImageOps"))
    linalg, optimize = Late("scipy.linalg"), Late("scipy.optimize")
    special, stats = Late("scipy.special"), Late("scipy.stats")
