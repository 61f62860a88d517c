"""The chosen pictures in the address: what a link says is shown, what is moved is in the link."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui import attach

SHELL = "../explorer/ui/shell.py"


def opened(view=None):
    app = AppTest.from_file(SHELL, default_timeout=60)
    if view is not None:
        app.query_params["view"] = view
    return app.run()


def shown(app):
    return app.session_state["chosen"].model_dump()


def linked(app):
    value = app.query_params["view"]
    return json.loads(value if isinstance(value, str) else value[0])


def moved(app, **changes):
    """The page after the reader has moved these pictures, as its callbacks say."""
    app.session_state["moved"] = changes
    return app.run()


def page():
    import streamlit as st

    from explorer.ui import chosen

    chosen.begin()
    chosen.change(**st.session_state.get("moved", {}))


DEFAULTS = {
    "k": 1, "u": 0.3, "v": 0.8, "centred": True, "tolerance": None, "error": 0.01,
    "map": "kept", "budget": None, "form": "printed", "alpha": None, "norm": "mse",
    "statistic": "median",
}  # fmt: skip


def test_a_link_opens_its_pictures():
    app = opened('{"k": 3, "centred": false, "u": 0.75, "error": 1e-4}')
    assert not app.exception and not app.toggle[0].value
    assert shown(app) == DEFAULTS | {"k": 3, "centred": False, "u": 0.75, "error": 1e-4}
    assert any("m_h for a floor ≤ 1.0·10⁻⁴" in text.value for text in app.caption)


def test_the_toggle_is_in_the_link():
    app = opened()
    assert "view" not in app.query_params and shown(app) == DEFAULTS
    app.toggle[0].set_value(False).run()
    assert linked(app) == {"centred": False}
    app.toggle[0].set_value(True).run()
    assert "view" not in app.query_params


def test_what_is_moved_is_in_the_link_and_a_default_or_nonsense_is_not():
    app = AppTest.from_function(page).run()
    assert linked(moved(app, k=4)) == {"k": 4}
    assert linked(moved(app, u=0.5, tolerance=1e-3)) == {"k": 4, "tolerance": 1e-3, "u": 0.5}
    assert linked(moved(app, k=65)) == {"k": 4, "tolerance": 1e-3, "u": 0.5}
    moved(app, k=1, u=0.3, tolerance=None)
    assert "view" not in app.query_params


def test_back_to_an_address_without_pictures_shows_the_defaults(monkeypatch):
    app = opened('{"k": 3, "centred": false}')
    del app.query_params["view"]
    assert shown(app.run())["k"] == 3, "not Back: an address that lags behind"
    del app.query_params["view"]
    monkeypatch.setattr(attach, "_history", lambda: True)
    assert shown(app.run()) == shown(opened())


@pytest.mark.parametrize(
    "view", ["", "{", '{"k": 900}', '{"k": "3"}', '{"u": NaN}', '{"x": 1}', "[" * 1000, "0" * 9000]
)
def test_a_link_that_cannot_be_read_shows_the_defaults(view):
    app = opened(view)
    assert not app.exception
    assert shown(app) == DEFAULTS
