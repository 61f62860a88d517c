"""What a browser says late is no change of the reader."""

import json

import pytest
from late_browser import LateBrowser
from own_models import BERT, saved
from streamlit_pages import app, ran, report

from explorer.runs import jobs
from explorer.runs.database import StoreError
from explorer.runs.quota import Quota
from explorer.runs.store import Store


def looked_at(at):
    return json.loads("".join(at.query_params["real"]))


@pytest.mark.parametrize("how", ["a part", "a press", "a choice"])
def test_what_is_said_late_does_not_bring_back_what_another_hand_has_changed(how, monkeypatch):
    """As a head that is picked in the map; what is pressed meanwhile is taken beside it."""
    at = ran(app("real", real=json.dumps({"layer": 1, "head": 1})))
    browser = LateBrowser(at, monkeypatch)
    at.session_state["real picture"] = report(1, {"one": [1, 2], "k": 5})
    at.run()
    browser.waits()
    now = {"layer": 2, "head": 3, "k": 5}
    assert looked_at(at) == now
    for again in (False, True):
        if how == "a press":
            at.toggle(key="real centred").set_value(not again)
            now |= {"centred": not again}
        if how == "a choice":  # in a place that is another one meanwhile
            at.selectbox(key="real layer").set_value(4 + again)
            now["layer"] = 4 + again
        (browser.wakes_a_part if how == "a part" else browser.says)()
        assert {"centred": False} | looked_at(at) == {"centred": False} | now


def test_what_a_browser_says_first_is_what_the_link_says():
    """A widget's value that comes beside its default is taken up after it: a message between the
    two would say the default."""
    at = ran(app("real", real=json.dumps({"model": "vit", "layer": 2, "head": 3, "centred": True})))
    shown = [*at.sidebar.selectbox, *at.sidebar.toggle]
    assert [each.value for each in shown] == ["vit", 2, 3, True]
    assert [each.proto.default for each in shown] == [1, 2, 3, True]
    assert not any(each.proto.set_value for each in shown)


def test_so_it_does_where_nothing_of_the_first_drawing_reached_it():
    """Nor of that in which another hand changed it: a drawing may be overtaken by the next."""
    at = ran(app("real", real=json.dumps({"model": "vit", "layer": 2, "head": 3, "centred": True})))
    defaults = [["vit", 2, 3, True], ["vit", 4, 5, True]]
    for value, one in zip(defaults, ([1, 2], [3, 4]), strict=True):
        at.session_state["real picture"] = report(one[0], {"one": one, "k": 5})
        ran(ran(at))
        shown = [*at.sidebar.selectbox, *at.sidebar.toggle]
        assert [each.value for each in shown] == value
        assert [each.proto.default for each in shown] == [1, *value[1:]]
        assert not any(each.proto.set_value for each in shown), "it was said in the one before"


FIELDS = {
    "field formula": ("design", {"formula": "u*v"}, "u*v"),
    "field sigma": ("design", {"spectrum": "list", "sigma": [1, 0.5]}, "1.0, 0.5"),
    "memory lags": ("memory", {"target": "fixed_memory", "lags": [1, 9]}, "1, 9"),
    "order taps": ("order", {"target": "linear", "kernel": "taps", "taps": [1, 0.5]}, "1, 0.5"),
}


@pytest.mark.parametrize("key", FIELDS)
def test_so_does_a_field_for_text(key):
    page, spec, text = FIELDS[key]
    at = ran(ran(app(page, spec=json.dumps(spec))))
    proto = at.text_input(key=key).proto
    assert (proto.default, proto.set_value) == (text, False)


def test_so_do_the_fields_of_a_specification():
    at = ran(app("design", spec='{"rank": 6, "m_h": 2, "tau": 20, "left": "haar"}'))
    shown = [each for each in [*at.slider, *at.selectbox] if (each.key or "").startswith("field ")]
    assert len(shown) > 4 and not any(each.proto.set_value for each in shown)
    sliders = {each.key: [*each.proto.default] for each in shown if each in [*at.slider]}
    assert sliders["field tau"] == [20]


def test_train_trains_what_comes_with_the_press():
    """A number typed right before the press is said in one message with it, before it."""
    at = ran(app("train"))
    at.slider(key="field m_h").set_value(5)
    at.button(key="do train").click()
    message = at._tree.get_widget_states()
    message.widgets.sort(key=lambda widget: widget.trigger_value)
    at._run(message)
    (row,) = Store().list()
    assert row.spec.m_h == 5


def brought(tmp_path):
    """The page on which files of a model were given, named and the button pressed."""
    at = ran(app("real"))
    at.session_state["real models"] = True
    ran(at)
    folder = saved(tmp_path / "theirs", BERT)
    (field,) = [each for each in at.get("file_uploader") if each.label == "its files"]
    field.set_value([(each.name, each.read_bytes(), "") for each in folder.iterdir()])
    at = ran(at)
    at.text_input(key="own name 0").set_value("mine")
    at.button(key="own bring").click()
    return ran(at)


def test_a_name_typed_right_before_the_press_names_the_model(tmp_path):
    at = brought(tmp_path)
    assert not at.error, at.error
    (work,) = jobs.waiting(Store())
    assert "mine" in jobs.require(Store(), work).subject


def test_files_that_a_quota_refuses_are_not_written(tmp_path, monkeypatch):
    def refused(*_):
        raise StoreError("no model may be brought here")

    monkeypatch.setattr(Quota, "job", refused)
    at = brought(tmp_path)
    assert [error.value for error in at.error] == ["No model may be brought here"]
    assert not jobs.waiting(Store()) and not [*(Store().models / "own").glob(".given-*")]


@pytest.fixture
def drawn(monkeypatch):
    """The design page as a browser has it that does not know yet what was changed on the canvas."""
    at = ran(app("design", spec='{"rank": 6, "m_h": 2}'))
    browser = LateBrowser(at, monkeypatch)
    at.session_state["design"] = report(
        1, {"edit": {"spectrum": "list", "sigma": [1, 0.5], "rank": None}}
    )
    at.run()
    browser.waits()
    assert design_of(at)["sigma"] == [1, 0.5]
    return at, browser


def design_of(at):
    return json.loads("".join(at.query_params["spec"]))


def test_what_a_canvas_has_changed_stays_beside_what_is_said_of_it_with_another_change(drawn):
    """Its spectrum is still called by a law there, and all its fields are that law's."""
    at, browser = drawn
    at.slider(key="field tau").set_value(20)
    browser.says()
    assert design_of(at) == {
        **{"m_h": 2, "sigma": [1, 0.5], "spectrum": "list", "tau": 20, "version": 1},
    }


def test_what_is_chosen_there_by_its_own_field_is_taken(drawn):
    """The control of the test above: nothing else has been changed."""
    at, browser = drawn
    browser.gets_the_answer()
    assert at.selectbox(key="field spectrum").value == "list"
    ran(at)  # the browser has said so
    at.selectbox(key="field spectrum").set_value("power")
    ran(at)
    assert "sigma" not in design_of(at)


def test_what_another_hand_has_taken_back_is_chosen_again():
    """The last message said it, too: with the report of that hand."""
    at = ran(app("design", spec='{"rank": 6, "m_h": 2}'))
    for number in (1, 2):
        at.slider(key="field alpha").set_value(2.5)
        assert design_of(ran(at))["alpha"] == 2.5
        at.session_state["design"] = report(number, {"edit": {"alpha": 1.5}})
        assert design_of(ran(at))["alpha"] == 1.5


def test_an_answer_that_comes_late_is_none_of_the_reader(drawn):
    """It brings what was written into the field before it was written again."""
    at, browser = drawn
    back = {"edit": {"spectrum": "power", "sigma": None, "rank": 6}}
    at.session_state["design"] = report(2, back)
    browser.says()
    assert design_of(at) == {"m_h": 2, "rank": 6, "version": 1}
    at.slider(key="field tau").set_value(20)
    at.selectbox(key="field spectrum").set_value("list")  # as the first answer has it
    browser.says()
    assert design_of(at) == {"m_h": 2, "rank": 6, "tau": 20, "version": 1}
