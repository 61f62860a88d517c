"""A value of the session that stands in the address: read, kept, written back, refused."""

import pytest
from streamlit.testing.v1 import AppTest

from explorer.ui import address

PARAM = "sweep"


def page():
    """Reads a number of the address, after what the test asks for."""
    import streamlit as st

    from explorer.ui import address
    from explorer.ui.address import Linked

    def parse(text):
        st.session_state.parsed = st.session_state.get("parsed", 0) + 1
        return (int(text), ()) if text.isdigit() else (0, (f"{text} is no number",))

    def dump(value):
        return str(value) if value else None

    session = st.session_state
    address.open_page(session.get("page", "rates"))
    number = Linked("sweep", parse, dump, lambda: 0, session.get("about"))
    before = number.current()
    session.number = number.read()
    if (asked := session.pop("asked", None)) is not None:
        number.write(asked, run="a-1") if asked >= 0 else number.refuse("below 0")
    session.seen = before, number.current(), address.problems("sweep"), number.refused
    address.close_page()


@pytest.fixture
def opened():
    """The page with this text in the address: what it then holds."""

    def at(text=None, **session):
        for name, value in session.items():
            app.session_state[name] = value
        app.query_params.clear()
        if text is not None:
            app.query_params[PARAM] = text
        app.run()
        assert not app.exception
        return app.session_state["number"]

    app = AppTest.from_function(page)
    at.app = app
    return at


def seen(opened):
    return opened.app.session_state["seen"]


def test_a_cold_link_is_read_once(opened):
    assert opened("7") == 7 and opened("7") == 7
    assert opened.app.session_state["parsed"] == 1 and seen(opened) == (7, 7, (), False)


def test_without_a_link_the_default_is_shown_and_nothing_is_written(opened):
    assert opened() == 0 and not opened.app.query_params
    assert "parsed" not in opened.app.session_state


def test_what_is_written_stands_in_the_address_with_what_goes_with_it(opened):
    opened("7", asked=9)
    assert seen(opened)[1] == 9
    params = {name: "".join(opened.app.query_params[name]) for name in opened.app.query_params}
    assert params == {PARAM: "9", "run": "a-1"}
    assert opened("7") == 9, "the browser's address lags behind"
    opened("9", asked=0)
    assert PARAM not in opened.app.query_params, "a default need not stand there"


def test_back_reads_the_address_and_a_default_where_it_is_bare(opened, monkeypatch):
    opened("7", asked=9)
    monkeypatch.setattr(address, "by_history", lambda: True)
    assert opened("7") == 7 and opened() == 0


def test_what_cannot_be_read_is_said_until_the_next_change(opened):
    assert opened("x") == 0 and seen(opened)[2:] == (("x is no number",), False)
    assert opened("x", asked=3) == 0 and seen(opened)[1:] == (3, (), False)


def test_a_refused_change_leaves_the_last_good_value_and_the_address(opened):
    assert opened("7", asked=-1) == 7 and seen(opened)[1:] == (7, ("below 0",), True)
    assert opened("7") == 7 and seen(opened)[2:] == (("below 0",), True), "still said"
    assert opened("7", asked=8) == 7 and seen(opened)[2:] == ((), False)


def test_a_value_about_something_else_is_read_anew(opened):
    opened("7", about={"tau": 4}, asked=-1)
    assert opened("7", about={"tau": 4}) == 7 and opened.app.session_state["parsed"] == 1
    assert opened("7", about={"tau": 5}) == 7 and opened.app.session_state["parsed"] == 2
    assert seen(opened)[2:] == ((), False)


def test_each_kind_of_target_has_its_own_value(opened):
    opened("7")
    assert opened(page="attention") == 0
    assert opened(page="train") == 7, "it comes back into the address of its own pages"
    assert "".join(opened.app.query_params[PARAM]) == "7"
