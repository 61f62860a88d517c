"""The Real attention page: shipped numbers of real models, and the models themselves by a worker.

What is looked at stands in the address as `?real=`. No model is ever loaded in this process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import streamlit as st
from pydantic import ValidationError

from explorer.pages.real import view
from explorer.pages.real.chart import cut_chart, head_map, kinds_chart, rank_chart, spectrum_chart
from explorer.pages.real.view import RealView
from explorer.pages.real.view_drawing import real_drawing
from explorer.pages.real.view_look import Look, model_of
from explorer.pretrained.own import known
from explorer.runs.home import models as models_folder
from explorer.spec import valid_fields
from explorer.ui import chrome, components, controls, exchange, owner, selection, shown
from explorer.ui.address import Linked
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About, Build
from explorer.ui.part import part
from explorer.views.anew import Anew, of_figure

PARAM, PICTURE = "real", "real picture"
WIDTH = 760  # pixels of the chart by layers
MODEL = Anew("python -m explorer models import FOLDER --name NAME")
ALL = 0  # of a choice of layer or head
NONE = (None, None)  # of them


def _parse(text: str) -> tuple[Look, tuple[str, ...]]:
    return valid_fields(Look, text, PARAM, selection.LONGEST)


def linked() -> Linked[Look]:
    """What is looked at, read anew where other models are here: its own may have gone. A head that
    the model does not have is none."""
    return Linked(PARAM, _parse, selection.dump, Look, about=tuple(known(models_folder())))


def change(**changes: Any) -> None:
    """Look at something else; raises ValidationError for what cannot be."""
    linked().write(Look(**(linked().read().model_dump() | changes)))


def choices(now: Look) -> None:
    """Model, gauge and head, in the sidebar."""
    names = [*known(models_folder())]
    titled = {"format_func": lambda name: model_of(name).title}
    _choice("model", now.model, st.selectbox, "model", names, **titled)
    _choice(
        "centred",
        now.centred,
        st.toggle,
        "centred",
        help="Without the mean of each row, which softmax cannot see: it adds the same number to "
        "all keys of a query. The paper's figure is raw.",
    )
    for name, count in (("layer", now.pretrained.layers), ("head", now.pretrained.heads)):
        value = getattr(now, name)
        shown = value if value is not None and value <= count else ALL
        options = range(ALL, count + 1)
        _choice(name, shown, st.selectbox, name, options, format_func=lambda at: str(at or "all"))
    told = (now.pretrained.what, now.pretrained.weights, now.pretrained.licence)
    st.caption(" ".join(f"{each[:1].upper()}{each[1:]}." for each in told if each))


def _choice(name: str, value: Any, widget: Any, label: str, *args: Any, **kwargs: Any) -> None:
    key = f"real {name}"
    controls.draw(widget, key, value, label, *args, on_change=_chosen, args=(name, key), **kwargs)


@uninterrupted
def _chosen(name: str, key: str) -> None:
    of_head, to = name in ("layer", "head"), st.session_state[key]
    with suppress(ValidationError):  # it was a model that has gone meanwhile
        change(**{name: None if of_head and to == ALL else to})


def begin() -> None:
    """Call first in the page: takes what the reader has chosen in the picture."""
    exchange.take(PICTURE, _reported)


def _reported(report: Mapping[str, Any]) -> None:
    changes = {name: report[name] for name in ("centred", "k", "words") if name in report}
    if "one" in report:
        changes["layer"], changes["head"] = (
            (at + 1 for at in report["one"]) if report["one"] else NONE
        )
    change(**changes)


def badge(view_: RealView) -> str:
    """Where the numbers come from."""
    return owner.chip_of_model(view_.inputs, view_.choice.pretrained.own or view_.own)


def main_panel(view_: RealView) -> None:
    """The map of all heads, the spectrum of what is picked, and what k terms answer."""
    components.real(*real_drawing(view_), key=PICTURE)


def take_home(view_: RealView) -> None:
    """Every figure with its data, and the command that measures the numbers anew."""
    figures = partial(_figures, view_)
    shown.note(figures=figures)
    part(_menu)(figures, MODEL if view_.choice.pretrained.own else of_figure("fig2"))


def _menu(figures: Callable[[], dict[str, Any]], anew: Anew) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        chrome.figures_menu(figures, "real")
        chrome.command_line(anew)


def _figures(view_: RealView) -> dict[str, Any]:
    now = view_.choice
    return {
        "heads": (
            partial(head_map, view_.heads, now.one, now.pretrained.width),
            _about(view_, "heads", f"99 % rank of every head, {now.gauge}", view_.heads, HEADS),
        ),
        "spectrum": (
            partial(spectrum_chart, view_.spectrum),
            _about(view_, "spectrum", f"σ_k over inputs, {view_.shown}", view_.spectrum, SPECTRUM),
        ),
        "cut": (
            partial(cut_chart, view_.curve, view.ANSWERS[now.pretrained.says]),
            _about(
                view_,
                "cut",
                "Answers with k terms of every coupling",
                view_.curve,
                CUT,
                view_.cut_inputs,
            ),
        ),
        "layers": _layers(view_),
        **_kinds(view_),
    }


def _kinds(view_: RealView) -> dict[str, tuple[Build, About]]:
    """Of a language model what the median over its texts hides."""
    now = view_.choice
    if now.pretrained.says != "token":
        return {}
    table = view.kinds_of(now.pretrained)
    title, texts = "Perplexity with k terms, text by text", f"{table['kind'].nunique()} texts"
    about = _about(view_, "kinds", title, table, KINDS, texts)
    return {"kinds": (partial(kinds_chart, table), about)}


def _layers(view_: RealView) -> tuple[Build, About]:
    about = _about(view_, "layers", "99 % ranks by layer", view_.layers, LAYERS)
    return partial(rank_chart, view_.layers), about


def layers_panel(view_: RealView) -> None:
    """The 99 % ranks layer by layer."""
    build, about = _layers(view_)
    with st.container(width=WIDTH):
        chrome.chart(build, "real by layer", about, "**Layer by layer**")


HEADS = (
    "The least k with $\\sum_{i\\le k}\\sigma_i^2 \\ge 0.99\\sum_i\\sigma_i^2$ of the matrix "
    "$QK^\\top/\\sqrt{m_h}$ before softmax and mask, mean over inputs (Section 5.2, Figure 2)."
)
SPECTRUM = (
    "$\\sigma_k/\\sigma_1$ of $QK^\\top/\\sqrt{m_h}$: median, quartiles and extremes over the "
    "inputs, and over the heads where all are shown; dashed, of $W_Q^\\top W_K$ (Figure 2)."
)
CUT = (
    "Each coupling is replaced by its leading k terms on the text or picture at hand, before the "
    "mask, in all layers at once; band: the inputs apart."
)
KINDS = (
    "Perplexity of each text with the leading k terms of every coupling, before the mask, in all "
    "layers at once, divided by that of the whole model."
)
LAYERS = "Means over the heads of a layer, with the lowest and the highest head."


def _about(
    view_: RealView, name: str, title: str, table: Any, explain: str, inputs: str | None = None
) -> About:
    """`inputs` are others than those that the spectra are of."""
    now = view_.choice
    footer = now.signature(inputs or view_.inputs)
    table = table.assign(model=f"{now.pretrained.title}, {now.pretrained.origin}")
    return About(f"{now.model}-{name}", f"{now.pretrained.title}: {title}", footer, table, explain)


def notes() -> None:
    """What softmax cannot see, the mask, and where the paper's figure is another."""
    chrome.in_short(
        "Softmax cannot see a number that is added to all keys of a query: centred, a coupling "
        "has lost that part, often the largest term, and the others count for more.",
        "The mean of a row is one term of the coupling, $Q\\bar k^\\top$. Raw spectra, as in the "
        "paper's Figure 2, count it; where it is large, few terms hold 99 % of the raw matrix and "
        "more of the centred one. A causal mask takes the later keys away inside softmax; it is "
        "no part of the coupling, and the entries it hides are free: a causal head needs no more "
        "terms than are counted here. In five language models 2 to 11 terms hold 90 % of a "
        "coupling, and 38 to 75 those of the weights alone (arXiv 2604.04384). The paper shows the "
        "first head of ViT-B/16; these models are smaller, and all their heads are here.",
    )
