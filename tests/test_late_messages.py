"""What a browser says late is no change of the reader."""

import json

import pytest
from late_browser import LateBrowser
from streamlit_pages import app, ran


def looked_at(at):
    return json.loads("".join(at.query_params["real"]))


@pytest.mark.parametrize("how", ["a beat", "a press", "a choice"])
def test_what_is_said_late_does_not_bring_back_what_another_hand_has_changed(how, monkeypatch):
    """As a head that is picked in the map; what is pressed meanwhile is taken beside it."""
    at = ran(app("real", real=json.dumps({"layer": 1, "head": 1})))
    browser = LateBrowser(at, monkeypatch)
    picked = {"rev": 1, "centred": False, "one": [1, 2], "k": 5}
    at.session_state["real picture"] = {"choice": picked}
    at.run()
    browser.waits()
    now = {"layer": 2, "head": 3, "k": 5}
    assert looked_at(at) == now
    if how == "a press":
        at.toggle(key="real centred").set_value(True)
        now["centred"] = True
    if how == "a choice":  # in a place that is another one meanwhile
        at.selectbox(key="real layer").set_value(4)
        now["layer"] = 4
    for message in [browser.beats if how == "a beat" else browser.says] * 2:
        message()
        assert looked_at(at) == now


def test_what_a_browser_says_first_is_what_the_link_says():
    """A widget's value that comes beside its default is taken up after it: a message between the
    two would say the default."""
    at = ran(app("real", real=json.dumps({"model": "vit", "layer": 2, "head": 3, "centred": True})))
    shown = [*at.sidebar.selectbox, *at.sidebar.toggle]
    assert [each.value for each in shown] == ["vit", 2, 3, True]
    assert [each.proto.default for each in shown] == [1, 2, 3, True]
    assert not any(each.proto.set_value for each in shown)
