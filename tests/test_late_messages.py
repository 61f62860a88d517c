"""What a browser says late is no change of the reader."""

import json

from late_browser import LateBrowser
from streamlit_pages import app, ran


def test_a_beat_does_not_bring_back_what_another_hand_has_changed(monkeypatch):
    """As a head that is picked in the map."""
    at = ran(app("real", real=json.dumps({"layer": 1, "head": 1})))
    browser = LateBrowser(at, monkeypatch)
    picked = {"rev": 1, "centred": False, "one": [1, 2], "k": 5}
    at.session_state["real picture"] = {"choice": picked}
    ran(at)
    for message in (lambda: None, browser.beats):
        message()
        looked = json.loads("".join(at.query_params["real"]))
        assert looked == {"layer": 2, "head": 3, "k": 5}
