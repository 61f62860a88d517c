"""What of a page can be shown on a stage: its pictures, and what may be tried by hand there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

from explorer.ui import components

PANEL = re.compile(r'data-panel="(\w+)"')


@dataclass(frozen=True)
class WhatIf:
    """What a speaker may try: the words that say it, and the controls that it needs beside the
    pictures, as a CSS selector within the component's markup."""

    words: str
    controls: str = ""
    mark: str = ""
    """What is marked while it is to be tried on the page: the name of a picture, or the class of a
    control in the component's markup."""

    panel: str = ""
    """The picture on which it is done, where it is done on one."""


@dataclass(frozen=True)
class Staged:
    """A page on the stage: its component, and what may be tried, by name."""

    component: str
    what_ifs: dict[str, WhatIf]
    best: tuple[str, ...]
    """The pictures that say most of it: those of a view that is taken into a talk."""

    numbers: tuple[str, ...] = ()
    """What words may say of the picture, as it is shown (components/stage/numbers.js)."""

    presses: dict[str, str] = field(default_factory=dict)
    """What a step may press, as CSS selectors within the component's markup."""

    needs: dict[str, str] = field(default_factory=dict)
    """Panels that are drawn from what another has laid out."""

    trains: bool = False
    """Whether its pictures follow a run while it trains."""

    first: tuple[str, ...] = ()
    """The pictures that are shown where none are named; without any, all."""

    more: dict[str, Staged] = field(default_factory=dict)
    """Others of the page that have components of their own, by name."""

    @cached_property
    def panels(self) -> tuple[str, ...]:
        """The names of its pictures."""
        return tuple(PANEL.findall(components.source(self.component)["html"]))


STAGED = {
    "design": Staged(
        "design",
        {
            "sigma": WhatIf(r"drag a $\sigma_k$", ".switch", "spectrum", "spectrum"),
            "decay": WhatIf("drag the decay", mark="spectrum", panel="spectrum"),
            "m": WhatIf("drag $m$", mark="width", panel="spectrum"),
            "error": WhatIf("drag the wanted error", panel="floor"),
            "crosshair": WhatIf("drag the crosshair", panel="maps"),
        },
        best=("maps", "spectrum"),
        numbers=("m", "terms", "rank", "ranks", "share", "part", "slope", "c1"),
        needs={"floor": "spectrum"},
        more={
            "theorem": Staged(
                "theorem",
                {
                    "ff": WhatIf("turn $m_{FF}$", ".ff", "ff", "terms"),
                    "sigma": WhatIf(r"turn a $\sigma_k$", ".size", "size", "losses"),
                },
                best=("terms",),
                numbers=("ff", "least"),
            )
        },
    ),
    "train": Staged(
        "live",
        {"step": WhatIf("go back through the training", ".scrub", "scrub")},
        best=("error", "coupling"),
        numbers=("m", "rank", "held"),
        trains=True,
    ),
    "rates": Staged(
        "rates",
        {
            "predict": WhatIf(
                "draw your own curve",
                "[data-act=predict], [data-act=reveal], [data-act=clear]",
                "figure",
                "figure",
            ),
            "point": WhatIf("click a point", panel="figure"),
        },
        best=("figure", "spectrum"),
        presses={"predict": "[data-act=predict]"},
    ),
    "attention": Staged(
        "attention",
        {
            "token": WhatIf("drag a point", mark="plane", panel="plane"),
            "temperature": WhatIf("turn the softmax to hard-max", ".temperature", "temperature"),
            "order": WhatIf("shuffle the tokens", "[data-act=shuffle], .positions"),
        },
        best=("plane", "matrix"),
        numbers=("find", "all", "top", "says", "wanted"),
        presses={"shuffle": "[data-act=shuffle]"},
        first=("plane", "graph", "matrix"),
    ),
    "order": Staged(
        "order",
        {
            "token": WhatIf("drag a token", mark="tokens", panel="tokens"),
            "taps": WhatIf("drag a tap of the filter", panel="filter"),
            "kernel": WhatIf(r"drag $\rho(s)$", panel="kernels"),
        },
        best=("tokens", "errors"),
        first=("tokens", "errors", "filter", "kernels", "learning", "maps"),
        numbers=(
            *("states", "channels", "causal", "memory", "recent"),
            *("learned", "transformer", "signs"),
        ),
    ),
    "real": Staged(
        "real",
        {
            "k": WhatIf("drag $k$", mark="cut", panel="cut"),
            "words": WhatIf("drag $k$", mark="words", panel="words"),
            "head": WhatIf("click a head", "[data-act=all]", panel="heads"),
            "centred": WhatIf("take off what softmax cannot see", "[data-act=centred]"),
        },
        best=("heads", "spectrum"),
        numbers=("k", "same", "of", "whose", "terms", "alone", "perplexity"),
        presses={"centred": "[data-act=centred]"},
        more={
            "head": Staged(
                "head",
                {
                    "k": WhatIf("keep fewer terms", ".keep"),
                    "token": WhatIf("point at a token", ".tokens"),
                },
                best=("coupling", "kept"),
                first=("coupling", "whole", "kept"),
            )
        },
    ),
    "memory": Staged(
        "memory",
        {
            "token": WhatIf("click a token", mark="path", panel="path"),
            "step": WhatIf("go back through the training", ".scrub", "scrub"),
        },
        best=("error", "path"),
        numbers=("t", "layers", "left", "pinned", "near", "far", "early"),
        trains=True,
    ),
}
