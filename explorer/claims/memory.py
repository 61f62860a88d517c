"""What the page Memory and its talk scene say by hand: statements of the paper, settings of sweeps.

What is measured they compute as they say it (pages/memory/view_tables.py, memory_kernels.py).
"""

from typing import Any

from explorer.claims.claim import Claim
from explorer.claims.sentences import DEFINITION
from explorer.claims.talk import counted
from explorer.pages.memory.view_tables import ENOUGH
from explorer.targets import SWEEPS
from explorer.targets.memory.falling import LAGS
from explorer.theory.theorems import STATEMENTS
from explorer.ui.live import open_stream
from explorer.views.text import number

PAPER = "arXiv 2402.00522, NeurIPS 2024"
HELD = "theory/theorems.py, tests/test_theorems.py"
TALK, PAGES = "assets/talk.json", "docs/pages.md"
FIGURES, PRESETS = "explorer/pages/memory/figures.py", "explorer/targets/memory/presets.py"
TABLES = "explorer/pages/memory/view_tables.py"
SPOKEN, EACH = "explorer/pages/memory/view.py", "explorer/pages/memory/view_kinds.py"


def _theorem_44() -> dict[str, object]:
    return {"theorem": STATEMENTS["4.4"].name}


def _deep() -> dict[str, object]:
    sweep: Any = SWEEPS["memory-depth"][1]
    return {"heads": sweep.heads[0], "steps": sweep.steps}


def _left() -> dict[str, Any]:
    """What the two runs leave of the variance, in per cent."""
    one, more = (open_stream(f"asset-memory-jumps{end}").record.row for end in ("-1", ""))
    spec: Any = more.spec
    layers = {2: "two"}[spec.layers]
    left = {"one": one, "more": more}
    return {"layers": layers} | {
        name: number(100 * float(row.outcome["nmse"])) for name, row in left.items()
    }


def _looked() -> dict[str, Any]:
    """The most that a head gives the stops of the last token's way: in the last layer both, in the
    first the last of them."""
    record = open_stream("asset-memory-jumps").record
    spec: Any = record.spec
    arrays = record.snapshot(record.steps[-1])[1]
    most = arrays["attention"].max(axis=1)[:, -1]  # (layers, τ)
    steps = 1 + arrays["tokens"][:, :-1].argmax(axis=1)
    way = [len(steps) - 1]
    while len(way) <= spec.jumps:
        way.append(way[-1] - steps[way[-1]])
    near, far = way[1], way[-1]
    weights = {"near": most[-1, near], "far": most[-1, far], "early": most[0, far]}
    named = {name: f"{weight:.2f}" for name, weight in weights.items()}
    return named | {"t": way[0], "stops": {2: "two"}[spec.jumps]}


JUMPS = f"{DEFINITION}: the target of the preset memory-jumps"
CLAIMS = (
    Claim(TALK, "the answer lies two jumps away", JUMPS),
    Claim(TALK, "a head for each place that two jumps can reach", "tests/test_one_layer.py"),
    Claim(
        TALK,
        "one layer leaves {one} % of the variance here, {layers} layers {more} %.",
        "assets/memory-jumps-1.zip and memory-jumps.zip",
        _left,
    ),
    Claim(
        TALK,
        "puts weights of {near} and {far} on the {stops} stops of token {t}'s way, the first "
        "{early} on the second.",
        "the attention of the last step of assets/memory-jumps.zip",
        _looked,
    ),
    Claim(TALK, "Watch two layers learn it", JUMPS),
    Claim(TALK, "$K+1$ layers are enough ({theorem})", f"{PAPER}, {HELD}", _theorem_44),
    Claim(TALK, "By doubling each layer sees twice as far", "tests/test_memory.py, doubling"),
    Claim(PAGES, "trains one layer and two in one picture", "pages/memory/view.py, counterpart"),
    Claim(PAGES, "up to eight, for any power", "theory/best_heads.py, MOST"),
    Claim(PAGES, "count from five seeds of one recipe on", "pages/memory/view_tables.py, ENOUGH"),
    Claim(TALK, "Two runs of one seed that differ", "memory-jumps.zip and memory-jumps-1.zip"),
    Claim(EACH, "Theorem 5.1 speaks of log and lin encodings alone", f"{PAPER}, {HELD}"),
    Claim(EACH, "heads that each find one (Theorem 3.1)", f"{PAPER}, {HELD}"),
    Claim(EACH, "can be done in two steps", "a construction: look one back, then for a match"),
    Claim(
        TABLES,
        "Fixed lags need one layer (Theorem 3.1): by one and by two the medians",
        f"{PAPER}, {HELD}; the medians are computed of assets/memory-depth.csv as they are said",
    ),
    Claim(TABLES, "for two jumps", f"{DEFINITION}: the rows of assets/memory-depth.csv"),
    Claim(TABLES, "two fixed lags", f"{DEFINITION}: the rows of assets/memory-depth.csv"),
    Claim(
        TABLES,
        "a pointer 0, 1 or 2 places back",
        f"{PAPER}, Proposition 4.2: its target; {HELD}, by linear programming",
    ),
    Claim(SPOKEN, "Twice the heads", "H^−n of each theorem; tests/test_memory.py, rates"),
    Claim(
        "explorer/pages/memory/page.py",
        "two runs that differ in nothing else",
        "pages/memory/view.py",
    ),
    Claim(FIGURES, "$K+1$ layers ({theorem})", f"{PAPER}, {HELD}", _theorem_44),
    Claim(FIGURES, "{heads} heads, {steps} steps", "the sweep memory-depth", _deep),
    Claim(FIGURES, "{lags} lags", "targets/memory/falling.py", lambda: {"lags": LAGS}),
    Claim(
        "explorer/pages/memory/known.py",
        "counted from {seeds} seeds on",
        "pages/memory/view_tables.py, ENOUGH",
        lambda: {"seeds": counted(ENOUGH)},
    ),
    *(
        Claim(PRESETS, says, f"{DEFINITION}: the preset or sweep itself")
        for says in (
            "values at two fixed lags, by one layer",
            "two jumps that the tokens point, by two layers",
            "what followed the last time, by two layers",
            "fixed memories against layers, five seeds",
            "one and two jumps against layers, five seeds",
            "two jumps by the K + 1 layers of Theorem 4.4, five seeds",
            "two jumps against layers at half the learning rate, five seeds",
            "two jumps by one layer, against heads",
            "a kernel s^−0.5 by six heads",
            "weights hang on distances alone, five seeds",
            "the pair of the page Memory, five seeds",
            "induction against layers, five seeds",
        )
    ),
)
