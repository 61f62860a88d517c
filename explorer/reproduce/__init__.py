"""`python -m explorer reproduce`: the papers' figures and tables anew, beside printed numbers.

    request     what is asked, and what several share: a run, a sweep and what it says, a race
    fig1        error against attention width
    fig3        spectra and error of a vision Transformer against its heads' width
    attention   Figures 4 to 6: nearest point, centres of gravity, qSA
    without_aux what the loss of single tokens buys these
    table1      pictures and words in another order
    language    a language model on texts: in another order, or cut to k terms
    real        Figure 2 and cut couplings, on real models
    order       Tables 2 and 3, Prop. 6.2: order
    mixing      App. D.3, and the best filter in front
    parts       the error of trained heads told apart by part
    memory      depth, heads and encodings of positions (arXiv 2402.00522)
    memory_functions  four kernels with α, raced by every architecture

A figure is a function of a Request. It writes its CSV and SVG into the folder asked for and returns
what summary.json holds of it: `printed`, if anything (measured beside printed numbers), `checks`
(what must hold for it to count as reproduced, see request.check), `notes`, `text` (lines for a
terminal, to which those of the checks are added) and `files`.
"""

import json
from collections.abc import Callable
from typing import Any

from explorer.reproduce import attention
from explorer.reproduce.fig1 import figure_1
from explorer.reproduce.fig3 import figure_3
from explorer.reproduce.language import language_orders, rank_cut_kinds, words
from explorer.reproduce.memory import memory_depth, memory_encodings, memory_heads
from explorer.reproduce.memory_functions import memory_functions
from explorer.reproduce.mixing import best_filters, example_d3
from explorer.reproduce.order import proposition_62, table_2, table_3
from explorer.reproduce.parts import by_part
from explorer.reproduce.real import figure_2, rank_cut
from explorer.reproduce.request import (
    ORDER,
    SUMMARIES,
    Request,
    check_line,
    failed,
    raced,
    rank_optimal,
    swept,
    trained,
)
from explorer.reproduce.table1 import named, table_1
from explorer.reproduce.without_aux import with_and_without
from explorer.runs.files import write_durably
from explorer.spec import SpecError

FIGURES: dict[str, Callable[[Request], dict[str, Any]]] = {
    "fig1": figure_1,
    "fig3": figure_3,
    "fig4": lambda request: attention.reproduced(attention.FIGURE_4, request),
    "fig5": lambda request: attention.reproduced(attention.FIGURE_5, request),
    "fig6": lambda request: attention.reproduced(attention.FIGURE_6, request),
    "without-aux": with_and_without,
    "table1": table_1,
    "table2": table_2,
    "table3": table_3,
    "prop62": proposition_62,
    "d3": example_d3,
    "best-filter": best_filters,
    "parts": by_part,
    "memory-depth": memory_depth,
    "memory-heads": memory_heads,
    "memory-encodings": memory_encodings,
    "memory-functions": memory_functions,
    "fig2": figure_2,  # the last five need models that are fetched
    "rank-cut": rank_cut,
    "rank-cut-kinds": rank_cut_kinds,
    "words": words,
    "table1-language": language_orders,
}
"""What can be reproduced, in the order of `all`."""
NAMES = tuple(FIGURES)


def reproduce(name: str, request: Request) -> dict[str, Any]:
    """Write CSV, SVG and summary.json into its `out`; returns what that holds: under "figures" what
    each one asked for has found. It is written anew after each of them.

    Raises SpecError for an unknown name, and for an `order` that is none or of no table1.
    """
    if name not in (*NAMES, "all"):
        raise SpecError(f"reproduce {name!r}: known are {', '.join(NAMES)} and all")
    named(request.order)
    if request.order != ORDER and name != "table1":
        raise SpecError(f"--order is of table1 alone: {name} has none to choose")
    request.out.mkdir(parents=True, exist_ok=True)
    answer: dict[str, Any] = {"figures": {}}
    for wanted in NAMES if name == "all" else (name,):
        figure = {"quick": request.quick, "printed": []} | FIGURES[wanted](request)
        figure["text"] = [*figure["text"], *map(check_line, figure["checks"])]
        answer["figures"][wanted] = figure
        text = json.dumps(answer, indent=2, ensure_ascii=False, allow_nan=False)
        write_durably(request.out / "summary.json", f"{text}\n".encode())
    return answer
