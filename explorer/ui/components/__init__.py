"""The canvas components of the pages: registered once, at import; the functions below mount them.

plot.js holds the drawing primitives; each component is plot.js followed by its parts (name-part.js)
and its own script, joined into the one string that `st.components.v2` takes. Markup and styles lie
beside this module.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.runs.frames import pack

HERE = Path(__file__).parent


def source(name: str) -> dict[str, str]:
    """html, css and js of the component `name`, as `st.components.v2.component` takes them."""
    scripts = [HERE / "plot.js", *sorted(HERE.glob(f"{name}-*.js")), HERE / f"{name}.js"]
    return {
        "html": (HERE / f"{name}.html").read_text("utf-8"),
        "css": (HERE / f"{name}.css").read_text("utf-8"),
        "js": "\n".join(script.read_text("utf-8") for script in scripts),
    }


_LIVE = st.components.v2.component("explorer_live", **source("live"))
_HEATMAP = st.components.v2.component("explorer_heatmap", **source("heatmap"))
_DESIGN = st.components.v2.component("explorer_design", **source("design"))


def live(
    run: str,
    status: str,
    *,
    pin: str | None = None,
    key: str = "live",
    on_status: Callable = lambda: None,
):
    """Draw the run `run` from its WebSocket; a change of status is one rerun of the caller.

    `status` is the one the caller knows: only another one is reported. The component's state has
    `status`, a dict with `run` and `status`; the store is what to believe. `pin` is a second run
    to compare with.
    """
    data = {"push": f"/api/runs/{run}/live", "run": run, "status": status}
    data["pin"] = pin and f"/api/runs/{pin}/live"
    return _LIVE(key=key, data=data, on_status_change=on_status)


def heatmap(
    matrices: Mapping[str, object],
    *,
    u: float | None = None,
    key: str = "heatmap",
    on_u: Callable = lambda: None,
) -> None:
    """Draw one or two matrices (Nu, Nv) over [0, 1]², title by title, on one diverging scale.

    Rows are u from the top, columns v from the left, at cell centres. With `u` the reader may move
    the row; after the release the component's state has the `u` they chose, and `on_u` is called.
    """
    _HEATMAP(key=key, data=pack({"u": u}, matrices), on_u_change=on_u)


def design(
    header: Mapping[str, Any],
    arrays: Mapping[str, Any],
    *,
    key: str = "design",
    on_edit: Callable[[dict], Any] = lambda edit: None,
    on_at: Callable[[dict], Any] = lambda at: None,
    on_k: Callable[[int], Any] = lambda k: None,
    on_tolerance: Callable[[float], Any] = lambda tolerance: None,
) -> None:
    """Draw a coupling that the reader may change: a scene of views/design_scene.py.

    The callbacks get what was changed, once a drag or a key is let go: an edit as `spec_changes`
    takes it, {"u", "v"} of the crosshair, the term k, the absolute tolerance. Each report has a
    number `rev`; a scene answers all up to its own, and the component waits for that.
    """
    takers = {"edit": on_edit, "at": on_at, "k": on_k, "tolerance": on_tolerance}

    def reported(name: str) -> dict:
        return (st.session_state.get(key) or {}).get(name) or {}

    def taken(name: str) -> None:
        said = {field: value for field, value in reported(name).items() if field != "rev"}
        if said:
            takers[name](said[name] if name in ("k", "tolerance") else said)

    rev = max(reported(name).get("rev", 0) for name in takers)
    calls = {f"on_{name}_change": partial(taken, name) for name in takers}
    _DESIGN(key=key, data=pack({**header, "rev": rev}, arrays), **calls)
