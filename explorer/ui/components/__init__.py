"""The canvas components of the pages: registered when first drawn; the functions below mount them.

A component is a folder: name/name.html, .css and .js, a module that imports what it uses (see
modules.py). core/ holds what all draw with, run/ what follows a run; a comment stands in the place
of markup that several share. One with buttons has their core/tools.css, or core/quiet.css. page/
and first/ are of the document: what every page has, and what stands there until it is here.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from streamlit.components.v2 import component
from streamlit.components.v2.types import ComponentRenderer

from explorer.runs.frames import pack
from explorer.ui import exchange, shown
from explorer.ui.components import modules

HERE = Path(__file__).parent
RUN = "<!-- run -->"
SHARED = {
    RUN: "run/stream",
    "<!-- undo -->": "core/undo",
    "<!-- keys -->": "core/keys",
    "<!-- here -->": "here/here",
}
"""The markup that components share, by its place in theirs: the scrub bar and status line of a run,
the buttons of undo and redo, the one that lists mouse and keys, those that train in the browser."""
STYLES = {
    "core/core": "<canvas",
    "run/stream": RUN,
    "core/tools": 'class="tools"',
    "core/quiet": ' quiet"',  # its buttons look like text
    "core/cards": ' cards"',
    "core/carried": ' carried"',  # one of a row is moved to another place
}
"""The styles that components share, by what the markup holds that has them."""


def script_of(name: str) -> Path:
    """The module of the component `name`, which imports its others."""
    return HERE / name / f"{name}.js"


def source(name: str) -> dict[str, str]:
    """html, css and js of the component `name`, as `st.components.v2.component` takes them.

    Raises:
        ValueError: where its modules cannot be joined; see `modules.joined`.
    """
    html = script_of(name).with_suffix(".html").read_text("utf-8")
    shared = [style for style, mark in STYLES.items() if mark in html]
    styles = [*(HERE / f"{style}.css" for style in shared), script_of(name).with_suffix(".css")]
    for place, file in SHARED.items():
        html = html.replace(place, (HERE / f"{file}.html").read_text("utf-8"))
    return {
        "html": html,
        "css": "\n".join(style.read_text("utf-8") for style in styles),
        "js": modules.joined(script_of(name)),
    }


def registered(name: str, isolate_styles: bool = True) -> ComponentRenderer:
    """What draws the component `name`."""
    return component(f"explorer_{name}", **source(name), isolate_styles=isolate_styles)


_registered = cache(registered)


def _mount(name: str, key: str, data: bytes, *heard: str, **callbacks: Any):
    """Draw a component, to hear what is `heard` of its state; what it is given is what a file of
    the page will hold."""
    shown.note(component=name, data=data)
    callbacks |= {f"on_{each}_change": lambda: None for each in heard}
    return _registered(name)(key=key, data=data, **callbacks)


def _answering(key: str, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
    """A drawing of a component whose `report`, in its state, `exchange.take` has taken."""
    return pack({**header, "answers": exchange.answers(key)}, arrays)


def below(
    name: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, Any],
    *,
    words: str,
    figures: Callable[[], Any],
    key: str,
) -> None:
    """Draw another picture of the page, which a file of it has below the first; the file says
    `words` of it, and has its `figures`. What the reader does is reported (ui/exchange.py) once it
    is let go:

    theorem   the two errors in the bound of Theorem 4.1, and its proof for other σ_k, a drawing of
              pages/design/view_terms.py: the `ff` to which the reader turns
    slices    of a coupling of tokens with several numbers, of pages/design/view_several.py: the
              `several_m` and `held` of the reader
    head      of a real model, of pages/real/view_head.py: the `k` terms that are kept
    reorder   tokens that may be carried to other places, of pages/real/view_order.py: the `order`,
              its `name` where it has one and the `seed` of that
    """
    data = _answering(key, header, arrays)
    shown.note_more(name, data, words, figures)
    _registered(name)(key=key, data=data, on_report_change=lambda: None)


def live(
    stream: Mapping[str, Any],
    drawing: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
    here: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
    *,
    key: str = "live",
):
    """Draw a run from its WebSocket, or a design that is not trained; a turn of a run is one rerun
    of the caller.

    `stream` has `push`, the address of the WebSocket of `run` or None, and its `turn` that the
    caller draws (`registry.live_state`). `pins` are runs to compare with, each its `push` and
    `label`.
    In `selection` are `step`, the kept picture to show (None = the newest), and `t`, the token
    whose attention is shown. Reported (ui/exchange.py) under that name, with its `run`, is what the
    reader selects instead, once they let go, and the `turn` that the run is at, where it is another
    one: the store is what to believe.
    `drawing` (pages/train/view.py) is what is drawn while there is no run, and `here` what a run
    begins with that the reader's browser trains (ui/here.py).
    """
    header, arrays = drawing or (None, {})
    offer, more = here or (None, {})
    data = pack({"stream": stream, "drawing": header, "here": offer}, {**arrays, **more})
    return _mount("live", key, data, "selection")


def shelved() -> None:
    """List the runs that the reader's browser has trained and keeps (ui/here.py)."""
    _registered("shelved")(key="shelved", data=None)


def design(
    header: Mapping[str, Any],
    arrays: Mapping[str, Any],
    *,
    refused: bool = False,
    key: str = "design",
    on_open: Callable = lambda: None,
) -> None:
    """Draw a coupling that the reader may change: a drawing of pages/design/view_drawing.py.

    Once a drag or a key is let go, what was changed is reported (ui/exchange.py): `edit` as
    `spec_changes` takes it, `at` {"u", "v"} of the crosshair, the term `k`, the absolute
    `tolerance`, the `error` for which a width is asked. The drawing is dimmed where what was typed
    last is `refused`. A press on a trained run comes as `open`, its name.
    """
    data = _answering(key, {**header, "refused": refused}, arrays)
    _mount("design", key, data, "report", on_open_change=on_open)


def attention(
    header: Mapping[str, Any], arrays: Mapping[str, Any], *, key: str = "attention"
) -> None:
    """Draw a head that the reader may ask: a drawing of pages/attention/view.py.

    What was moved or set is reported (ui/exchange.py) once it is let go: a state as
    pages/attention/view_board.py takes it. `selection` is that of `live`.
    """
    data = _answering(key, header, arrays)
    _mount("attention", key, data, "report", "selection")


def order(header: Mapping[str, Any], *, key: str = "order") -> None:
    """Draw a target that the reader may reorder and filter: a drawing of pages/order/view.py.

    What was changed is reported (ui/exchange.py) once it is let go: those of rho, order, taps and
    mode, as pages/order/view.py's `changes` takes them; or `hunt`, where a harder order is asked
    for. `selection` is that of `live`.
    """
    _mount("order", key, _answering(key, header, {}), "report", "selection")


def memory(stream: Mapping[str, Any], *, key: str = "memory") -> None:
    """Draw a run that learns to remember, and others beside it. `stream` and `selection`
    are those of `live`."""
    data = pack({"stream": stream}, {})
    _mount("memory", key, data, "selection")


def rates(
    header: Mapping[str, Any],
    here: tuple[Mapping[str, Any], Mapping[str, Any]] | None = None,
    *,
    key: str = "rates",
) -> None:
    """Draw a sweep: a drawing of pages/rates/view_drawing.py. What the reader chooses, predicts and
    cuts stays in the browser.

    `here` is what it begins with where the reader's browser trains it (ui/here.py). What has
    finished there comes as `trained` into the component's state: the id of the `sweep`, its `rows`
    by spec id, and whether it is `at_work`.
    """
    offer, arrays = here or (None, {})
    data = pack({**header, "here": offer}, arrays)
    _mount("rates", key, data, "trained")


def real(header: Mapping[str, Any], arrays: Mapping[str, Any], *, key: str) -> None:
    """Draw couplings of a real model: a drawing of pages/real/view_drawing.py.

    What the reader chooses is reported (ui/exchange.py): `centred`, layer and head as `one` or
    None, both from 0 on, or `k`.
    """
    _mount("real", key, _answering(key, header, arrays), "report")
