"""The chosen pictures in the address: what a link says is shown, what is moved is in the link."""

import json
import random

import pytest
from streamlit.testing.v1 import AppTest
from streamlit_pages import shell

from explorer.ui import address
from explorer.ui.selection import LONGEST, Selection, dump, is_asked, parse
from explorer.views.glossary import undotted
from explorer.views.selection import Racing


def opened(view=None):
    return shell(**({} if view is None else {"view": view})).run()


def shown(app):
    return app.session_state["view"].model_dump()


def linked(app):
    value = app.query_params["view"]
    return json.loads(value if isinstance(value, str) else value[0])


def moved(app, **changes):
    """The page after the reader has moved these pictures, as its callbacks say."""
    app.session_state["moved"] = changes
    return app.run()


def page():
    import streamlit as st

    from explorer.ui import selection

    selection.current()
    selection.change(**st.session_state.get("moved", {}))


DEFAULTS = {
    "k": 1,
    "u": 0.3,
    "v": 0.8,
    "centred": True,
    "tolerance": None,
    "error": 0.01,
    "map": "kept",
    "budget": None,
    "form": "printed",
    "alpha": None,
    "ff": None,
    "relation": None,
    "places": 2,
    "digits": 2,
    "several": None,
    "several_from": "formula",
    "several_grid": None,
    "numbers": 2,
    "several_m": 2,
    "axis_u": 1,
    "axis_v": 1,
    "held": 0.5,
    "same": "gauge",
    "along": None,
    "norm": "mse",
    "statistic": "median",
    "all_lines": False,
    "rank_from": None,
}


OTHERS = {
    "k": 4,
    "u": 0.123456789012,
    "v": 1 / 3,
    "centred": False,
    "tolerance": 1 / 7,
    "error": 1 / 9,
    "map": "term",
    "budget": 12,
    "form": "squared",
    "alpha": 0.7,
    "norm": "mae",
    "statistic": "best",
    "all_lines": True,
    "rank_from": 6,
}


def test_a_link_opens_its_pictures():
    app = opened('{"k": 3, "centred": false, "u": 0.75, "error": 1e-4}')
    assert not app.exception and not app.toggle[0].value
    assert shown(app) == DEFAULTS | {"k": 3, "centred": False, "u": 0.75, "error": 1e-4}
    assert any("m_h for truncation ≤ 1.0·10⁻⁴" in undotted(text.value) for text in app.caption)


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
    monkeypatch.setattr(address, "by_history", lambda: True)
    assert shown(app.run()) == shown(opened())


BROKEN = {
    "": "view: not JSON",
    "{": "view: not JSON",
    "[1]": "view: must be a JSON object",
    '{"u": NaN}': "view: NaN is not allowed",
    "[" * 6000: "view: 6000 characters, at most 5000",
    '{"k": 900}': "view: k = 900: allowed is a whole number from 1 to 64",
    '{"k": "3"}': 'view: k = "3": allowed is',
    '{"x": 1}': "view: x: unknown field; known are k,",
    '{"map": "all"}': 'view: map = "all": allowed is "kept" | "residual" | "term"',
}


@pytest.mark.parametrize("view", BROKEN)
def test_a_link_that_cannot_be_read_says_so_and_shows_the_defaults(view):
    app = opened(view)
    assert not app.exception
    assert shown(app) == DEFAULTS
    (box,) = app.warning
    assert f"- `{BROKEN[view]}" in box.value
    app.toggle[0].set_value(False).run()
    assert not app.warning and linked(app) == {"centred": False}, "gone with the next choice"


@pytest.mark.parametrize("name", Selection.model_fields)
def test_only_the_bad_field_of_a_link_is_dropped(name):
    good = {key: value for key, value in OTHERS.items() if key != name}
    for value in ("<b>", -1e9 if name == "along" else -1, [1], {}, 1e9):
        found, problems = parse(json.dumps(good | {name: value}))
        assert len(problems) == 1 and problems[0].startswith(f"view: {name} = ")
        assert found == Selection(**good)


def random_choice(draw):
    return Selection(
        k=draw.randint(1, 64),
        u=draw.random(),
        v=draw.random(),
        centred=draw.random() < 0.5,
        tolerance=draw.choice([None, 1 / 3, 1e-12]),
        error=draw.choice([0.01, 1 / 7, 1e-9]),
        map=draw.choice(["kept", "residual", "term"]),
        budget=draw.choice([None, 3, 18]),
        form=draw.choice(["printed", "squared", "absolute"]),
        alpha=draw.choice([None, 2 / 3]),
        norm=draw.choice(["mse", "mae"]),
        statistic=draw.choice(["median", "best"]),
        all_lines=draw.random() < 0.5,
    )


def test_every_choice_comes_back_from_its_link_to_the_last_digit():
    draw = random.Random(11)
    for _ in range(200):
        selection = random_choice(draw)
        text = dump(selection)
        assert (parse(text) if text else (Selection(), ())) == (selection, ())
        assert len(text or "") < LONGEST
    assert set(random_choice(draw).model_dump()) == set(DEFAULTS), "each is drawn"


@pytest.mark.parametrize("text", ["[" * 4000, "[[1]]", "1", "{", "", '{"k": 3}', "x" * 9999])
def test_what_asks_for_nothing_of_a_race_opens_none(text, monkeypatch):
    monkeypatch.setattr(address, "param", {"view": text}.get)
    assert not is_asked(Racing)
    monkeypatch.setattr(address, "param", {"view": '{"race_size": 40}'}.get)
    assert is_asked(Racing), "a default, as it is written"
