"""The canvas components of the pages: registered once, at import; the functions below mount them.

plot.js holds the drawing primitives; each component is plot.js followed by its own script, joined
into the one string that `st.components.v2` takes. Markup and styles lie beside this module.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import streamlit as st

from explorer.runs.frames import pack

HERE = Path(__file__).parent


def source(name: str) -> dict[str, str]:
    """html, css and js of the component `name`, as `st.components.v2.component` takes them."""
    scripts = [HERE / "plot.js", HERE / f"{name}.js"]
    return {
        "html": (HERE / f"{name}.html").read_text("utf-8"),
        "css": (HERE / f"{name}.css").read_text("utf-8"),
        "js": "\n".join(script.read_text("utf-8") for script in scripts),
    }


_LIVE = st.components.v2.component("explorer_live", **source("live"))
_HEATMAP = st.components.v2.component("explorer_heatmap", **source("heatmap"))


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
