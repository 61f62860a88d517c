"""A sweep that the reader's own browser trains and keeps; see ui/here.py.

The browser reports the models that have finished there: they are this session's, as long as the
page is open, and drawn and read as any others.
"""

import math
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from explorer.runs import jobs, sweep_rows
from explorer.runs.database import StoreError
from explorer.runs.sweep_rows import Row
from explorer.spec import SweepSpec, amended, spec_id
from explorer.ui import here, registry, shown, specs
from explorer.ui.shown import Offer
from explorer.views import sweeps as about

COMPONENT, TRAINED = "rates", "trained"
"""The component of the picture, and what of its state the browser reports."""
DEVICE = "in a browser"
ON_SERVER = (
    "All widths of a target in one batch, on a worker of this machine. It can be stopped and goes "
    "on later; what is trained stays."
)
HELP = (
    "In this browser, as many models at once as your machine has cores less one. It goes on in a "
    "hidden tab, and can be stopped; what is trained stays in this browser."
)
ERRORS = ("mse", "nmse", "mae", "r2")


def refusal(sweep: SweepSpec) -> str:
    """Why a browser does not train a sweep; "" where it does."""
    if sweep.method == "top_down":
        return "top-down, the widest model of a target is cut to each width"
    reasons = (here.refusal(spec) for spec in about.designs_of(sweep).values())
    return next(filter(None, reasons), "") or _held_by_server(sweep)


def _held_by_server(sweep: SweepSpec) -> str:
    store, identity = registry.store(), spec_id(sweep)
    try:
        work = jobs.get(store, f"sweep-{identity}")
    except StoreError:
        work = None
    begun = (work and work.at_work) or sweep_rows.read(store, identity)
    return "there some of its models are trained" if begun else ""


def is_chosen(sweep: SweepSpec) -> bool:
    """Whether the reader's browser trains a sweep."""
    return here.is_chosen() and not about.shipped_name(sweep) and not refusal(sweep)


def offer(sweep: SweepSpec) -> Offer:
    """What the browser needs to train it."""
    designs = about.Finished(sweep, (), load_grid=specs.grid_loader())
    keys = about.designs_of(sweep)
    return here.offer_of_sweep(sweep, {key: designs.design(key) for key in keys})


def note(sweep: SweepSpec) -> None:
    """Write down what a file of the page begins with, and whose its picture is."""
    offered = None if refusal(sweep) else partial(offer, sweep)
    shown.note(offer=offered, of_browser=is_chosen(sweep))


def drawn(sweep: SweepSpec) -> Offer:
    """The same for the picture, with what of it is known here."""
    header, arrays = offer(sweep)
    known = {"known": len(_reported(sweep)), "at_work": is_at_work(sweep)}
    return {**header, **known, "start": here.pressed()}, arrays


def is_at_work(sweep: SweepSpec) -> bool:
    """Whether the browser has said that it trains."""
    return bool(_said(sweep).get("at_work"))


def _said(sweep: SweepSpec) -> dict[str, Any]:
    """What it has reported of a sweep."""
    told = (st.session_state.get(COMPONENT) or {}).get(TRAINED) or {}
    return told if told.get("sweep") == spec_id(sweep) else {}


def _reported(sweep: SweepSpec) -> dict[str, Any]:
    return _said(sweep).get("rows") or {}


@lru_cache(maxsize=32)
def _members(sweep: SweepSpec) -> dict[str, Any]:
    """The models as the browser trains them, by spec id."""
    members = (amended(member, engine="wasm") for member in sweep.members())
    return {spec_id(member): member for member in members}


def rows(sweep: SweepSpec) -> tuple[Row, ...]:
    """The models that have finished in the browser, in the order of the members, as
    `runs.sweep_rows` has them; what is no row of one is left out."""
    told = _reported(sweep)
    finished = (_row(member, told.get(key)) for key, member in _members(sweep).items())
    return tuple(filter(None, finished))


def _row(member: Any, told: Any) -> Row | None:
    if not isinstance(told, dict) or not _is_number(told.get("seconds")):
        return None
    errors, sigma, names = told.get("errors"), told.get("sigma"), (*ERRORS, *member.extra_metrics)
    whole = isinstance(errors, dict) and all(_is_number(errors.get(name)) for name in names)
    learned = isinstance(sigma, list) and len(sigma) == member.m_h and all(map(_is_number, sigma))
    if errors and not (whole and learned and min(errors[k] for k in names if k != "r2") >= 0):
        return None
    return {
        **{name: getattr(member, name) for name in SweepSpec.swept},
        "spec_id": spec_id(member),
        "status": "finished" if errors else "diverged",
        **{name: errors[name] if errors else None for name in names},
        "sigma": sigma if errors else None,
        "surgery": None,
        "seconds": told["seconds"],
        "device": DEVICE,
    }


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
