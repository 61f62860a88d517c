"""The filter of the Runs page is in its address, and what is wrong with the address is said."""

import streamlit_pages
from streamlit_pages import ran, shell

from explorer.runs.store import Store
from explorer.spec import CouplingSpec


def opened(**address):
    return turn(shell(**address), "runs")


def turn(at, page):
    if page == "design":
        at.query_params.clear()  # as Streamlit does in a browser
    return ran(streamlit_pages.turn(at, page))


def param(at, name):
    return "".join(at.query_params[name]) if name in at.query_params else None


def listed(at):
    return list(at.session_state["runs shown"])


def stored():
    first, second = Store().create(CouplingSpec(seed=3)), Store().create(CouplingSpec(seed=4))
    Store().create(CouplingSpec(seed=3, m_h=2), status="paused")
    return first, second


def test_what_narrows_the_list_is_in_the_link_and_comes_back_by_it():
    first, _ = stored()
    at = opened()
    at.text_input(key="runs text").set_value("seed=3")
    at.multiselect(key="runs statuses").set_value(["queued"])
    at.run()
    assert (param(at, "filter"), param(at, "status")) == ("seed=3", "queued")
    assert listed(at) == [first]
    again = opened(filter="seed=3", status="queued")
    assert listed(again) == [first]
    assert again.text_input(key="runs text").value == "seed=3"
    assert again.multiselect(key="runs statuses").value == ["queued"]
    again.text_input(key="runs text").set_value("")
    assert param(again.run(), "filter") is None and len(listed(again)) == 2


def test_a_turn_of_the_page_leaves_it_as_it_was():
    first, _ = stored()
    at = opened(filter="seed=3", status="queued")
    turn(at, "design")
    assert param(at, "filter") is None
    at.query_params.clear()
    assert listed(turn(at, "runs")) == [first] and param(at, "filter") == "seed=3"


def test_what_is_wrong_with_the_address_is_said_and_the_rest_counts():
    first, second = stored()
    at = opened(status="queued,lost", filter="seed=4" + " " * 300, runs=f"{first},../../etc")
    said = "\n".join(box.value for box in at.warning)
    assert "status = lost: allowed is queued | " in said
    assert "filter: 306 characters, 200 are read" in said
    assert "runs: ../../etc is not the id of a run" in said
    assert listed(at) == [second] and at.session_state["runs"] == [first]
