"""A change of the reader that the next one interrupts is taken all the same."""

import json

import pytest
from streamlit.runtime.scriptrunner import RerunException
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit_pages import app, ran

from explorer.ui import address, specs
from explorer.ui.callbacks import uninterrupted


def cut_short_at(monkeypatch, module, name, later):
    """The next call of `module.name` finds that more has been changed, as the browser says
    `later`: Streamlit then ends whatever looks into the session."""
    whole, calls = getattr(module, name), []

    def cut(*args, **kwargs):
        calls.append(name)
        if len(calls) == 1:
            raise RerunException(RerunData(widget_states=later))
        return whole(*args, **kwargs)

    monkeypatch.setattr(module, name, cut)


def moved(at, first, then):
    """What the browser says once both have been moved, while the page has heard of the first."""
    second = at.slider(key=then[0])
    before = second.value
    at.slider(key=first[0]).set_value(first[1])
    second.set_value(then[1])
    later = at._tree.get_widget_states()
    second.set_value(before)
    return later


@pytest.mark.parametrize(("module", "name"), [(specs, "build"), (address, "set_params")])
def test_a_slider_is_moved_while_another_is_answered(monkeypatch, module, name):
    at = ran(app("design", spec='{"rank": 6, "m_h": 2}'))
    later = moved(at, ("field alpha", 2.5), ("field tau", 20))
    cut_short_at(monkeypatch, module, name, later)
    ran(at)
    spec = json.loads("".join(at.query_params["spec"]))
    assert (spec["alpha"], spec["tau"]) == (2.5, 20)


def test_what_is_cut_short_twice_is_done_once_and_the_last_change_is_answered():
    cuts, done = [RerunException(RerunData(query_string=each)) for each in ("a=1", "a=2")], []

    @uninterrupted
    def taken(change):
        if cuts:
            raise cuts.pop(0)
        done.append(change)

    with pytest.raises(RerunException) as left:
        taken("mine")
    assert done == ["mine"] and left.value.rerun_data.query_string == "a=2"
