"""Server state and the address that goes from page to page."""

import pytest
from starlette.requests import Request
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from explorer.runs.database import StoreError
from explorer.ui import address as address_of_session
from explorer.ui import first, opening, registry
from explorer.ui.pages import FIRST, PAGES


def page():
    import streamlit as st

    from explorer.ui import address

    address.open_page(st.session_state.turned_to)
    address.carry_over(**st.session_state.get("held", {}))
    with address.one_step():
        for name, value in st.session_state.get("put", {}).items():
            address.set_params(**{name: value})
    address.close_page()


@pytest.fixture
def address():
    """Turn to a page with these parameters in the address; those after the run come back."""
    app = AppTest.from_function(page)

    def turn(to, given, put=None):
        app.session_state["turned_to"], app.session_state["put"] = to, put or {}
        for name in list(app.query_params):
            del app.query_params[name]
        for name, value in given.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception
        return {name: "".join(app.query_params[name]) for name in app.query_params}

    turn.app = app
    return turn


def test_a_turn_of_the_page_keeps_run_and_spec(address):
    link = {"run": "0123456789ab-1", "spec": '{"m_h":4}'}
    assert address("train", link) == link
    assert address("design", {}) == link


def test_a_link_wins_over_the_memory(address):
    address("train", {"run": "0123456789ab-1"})
    assert address("design", {"run": "0123456789ab-2"}) == {"run": "0123456789ab-2"}


def test_after_back_the_address_is_the_truth(address, monkeypatch):
    address("train", {"run": "0123456789ab-1"})
    with monkeypatch.context() as back:
        back.setattr(address_of_session, "by_history", lambda: True)
        assert address("train", {}) == {}
    assert address("design", {}) == {}


def test_what_is_put_together_right_after_back_is_kept(address, monkeypatch):
    """The press that follows Back may come in one message with it."""
    address("train", {"run": "0123456789ab-1"})
    monkeypatch.setattr(address_of_session, "by_history", lambda: True)
    put = {"spec": "{}", "view": '{"k":2}'}
    assert address("train", {"t": "3"}, put=put) == {"t": "3"} | put


def test_else_the_browser_may_lag_behind_and_gets_what_it_has_not(address):
    """Two changes in quick succession: the second comes with the address before the first."""
    before = {"run": "0123456789ab-1"}
    assert address("train", before, put={"spec": "{}"}) == before | {"spec": "{}"}
    after = before | {"spec": "{}", "view": '{"k":2}'}
    assert address("train", before, put={"view": '{"k":2}'}) == after
    assert address("train", before) == address("train", {}) == after
    assert address("design", {}) == after


def test_what_is_put_together_is_written_once(address, monkeypatch):
    address("train", {})
    written = []
    monkeypatch.setattr(QueryParamsProxy, "from_dict", lambda self, params: written.append(params))
    address("train", {}, put={"spec": "{}", "run": "0123456789ab-1"})
    assert len(written) == 1


def test_what_an_address_does_not_hold_is_carried_all_the_same(address):
    """As the specification of a page that was opened without one."""
    address.app.session_state["held"] = {"spec": '{"m_h":4}'}
    assert address("design", {}) == {}
    assert address("train", {}) == {"spec": '{"m_h":4}'}


def test_what_a_page_takes_out_stays_out(address):
    address("train", {"run": "0123456789ab-1", "spec": "{}"}, put={"run": None})
    assert address("design", {}) == {"spec": "{}"}


def test_the_store_follows_its_home(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "a"))
    first = registry.store()
    assert registry.store() is first
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path / "b"))
    assert registry.store().home == tmp_path / "b"


def test_a_store_that_was_mended_opens_without_a_restart(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "HOLDER", f"_explorer_state_{tmp_path.name}")
    monkeypatch.setenv("EXPLORER_HOME", str(tmp_path))
    broken = tmp_path / "store.sqlite3"
    broken.write_bytes(b"not a database, and longer than a header " * 40)
    with pytest.raises(StoreError):
        registry.store()
    broken.unlink()
    assert registry.store().list() == []


def test_the_first_document_has_room_for_the_controls_that_come_later():
    train, runs = opening.document("train"), opening.document("runs")
    assert opening.WAITS in train and opening.WAITS not in runs
    for html in (train, runs):
        head = html.partition("</head>")[0]
        assert ".st-key-question" in head and head.count('as="font"') == 1 + len(opening.FONTS)
    drawn = {route.path for route in first.routes()}
    assert {route.path for route in opening.routes()} - drawn == {
        "/",
        *(f"/{name}" for name in PAGES),
    }


@pytest.mark.parametrize("query", ["", "spec=%7B%22m_h%22%3A4%7D&run=0123456789ab-1"])
def test_the_first_page_is_found_by_its_name_too_with_all_of_its_link(query):
    (route,) = (each for each in opening.routes() if each.path == f"/{FIRST}")
    asked = {"type": "http", "headers": [], "path": route.path, "query_string": query.encode()}
    answer = route.endpoint(Request(asked))
    assert answer.status_code == 307
    assert answer.headers["location"] == (f"./?{query}" if query else "./")
