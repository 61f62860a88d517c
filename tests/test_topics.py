"""What depends on the topic of a specification: another one is refused by its name, and takes no
other's picture, words or sums."""

from types import SimpleNamespace

import pytest

from explorer.reproduce import request
from explorer.runs import sweeps
from explorer.ui import comparison, live

OTHER = SimpleNamespace(topic="moon", has_coupling=False, grid=None, members=lambda: [])
ROW = SimpleNamespace(spec=OTHER)
ASKED = {
    "drawing": lambda: live._drawing(OTHER, None),
    "sentence": lambda: comparison._sentence([ROW]),
    "figures": lambda: comparison.figures_of(ROW),
    "summary": lambda: request.swept(SimpleNamespace(grid=None), OTHER, "local", 1, "cpu"),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_topic_without_a_case_is_named(what, monkeypatch):
    monkeypatch.setattr(request, "spec_id", lambda sweep: "0")
    monkeypatch.setattr(sweeps, "run", lambda *_: [])
    with pytest.raises(LookupError, match=f"no {what} of .* about moon|no {what} on .* about moon"):
        ASKED[what]()
