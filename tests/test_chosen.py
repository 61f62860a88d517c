"""The chosen pictures in the address: what a link says is shown, what is moved is in the link."""

import json

import pytest
from streamlit.testing.v1 import AppTest

SHELL = "../explorer/ui/shell.py"


def opened(view=None):
    app = AppTest.from_file(SHELL, default_timeout=60)
    if view is not None:
        app.query_params["view"] = view
    return app.run()


def shown(app):
    [toggle], [k] = app.toggle, app.number_input
    return toggle.value, k.value


def linked(app):
    value = app.query_params["view"]
    return json.loads(value if isinstance(value, str) else value[0])


def test_a_link_opens_its_pictures():
    app = opened('{"k": 3, "centred": false, "u": 0.75}')
    assert not app.exception
    assert shown(app) == (False, 3)
    assert any("u = 0.75" in text.value for text in app.markdown)


def test_what_is_moved_is_in_the_link_and_a_default_is_not():
    app = opened()
    assert "view" not in app.query_params
    app.number_input[0].set_value(4).run()
    assert linked(app) == {"k": 4}
    app.toggle[0].set_value(False).run()
    assert linked(app) == {"k": 4, "centred": False}
    app.number_input[0].set_value(1).run()
    app.toggle[0].set_value(True).run()
    assert "view" not in app.query_params


@pytest.mark.parametrize(
    "view", ["", "{", '{"k": 900}', '{"k": "3"}', '{"u": NaN}', '{"x": 1}', "[" * 1000, "0" * 9000]
)
def test_a_link_that_cannot_be_read_shows_the_defaults(view):
    app = opened(view)
    assert not app.exception
    assert shown(app) == (True, 1)
