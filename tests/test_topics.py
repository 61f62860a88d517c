"""What depends on the topic of a specification: another one is refused by its name, and takes no
other's picture or words."""

from types import SimpleNamespace

import pytest

from explorer.ui import comparison, live

OTHER = SimpleNamespace(topic="moon", has_coupling=False)
ROW = SimpleNamespace(spec=OTHER)
ASKED = {
    "drawing": lambda: live._drawing(OTHER, None),
    "sentence": lambda: comparison._sentence([ROW]),
    "figures": lambda: comparison.figures_of(ROW),
}


@pytest.mark.parametrize("what", ASKED)
def test_a_topic_without_a_case_is_named(what):
    with pytest.raises(LookupError, match=f"no {what} of .* about moon|no {what} on .* about moon"):
        ASKED[what]()
