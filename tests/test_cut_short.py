"""A change of the reader that the next one interrupts is taken all the same."""

import json

import pytest
from stores import filled
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.scriptrunner.script_runner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest
from streamlit_pages import app, button, opened, ran

from explorer.hosting.visitors import WordError
from explorer.pages.runs import page as runs
from explorer.pages.talk import decks
from explorer.runs.store import Store
from explorer.spec import compact
from explorer.ui import address, exports, here, specs
from explorer.ui.callbacks import uninterrupted


def cut_short_at(monkeypatch, module, name, **later):
    """The next call of `module.name` finds that more has been changed, as the browser says
    `later`: Streamlit then ends whatever looks into the session."""
    whole, calls = getattr(module, name), []

    def cut(*args, **kwargs):
        calls.append(name)
        if len(calls) == 1:
            raise RerunException(RerunData(**later))
        return whole(*args, **kwargs)

    monkeypatch.setattr(module, name, cut)


class Cuts:
    """Cuts what answers a change short at its first look into the session, what is begun anew then
    at its second, and so on until one comes to its end: what is done by then was begun at all
    looks, and must be done once."""

    def __init__(self):
        self.made, self.looks, self.ever = 0, 0, 0
        self.answering = False

    def answer(self, call, *args, **kwargs):
        """Streamlit's call of what answers the changes."""
        self.made, self.looks, self.answering = 0, 0, True
        try:
            call(*args, **kwargs)
        finally:
            self.answering = False

    def look(self, look, runner):
        """What Streamlit does at each look."""
        self.looks += self.answering
        if self.looks > self.made:
            self.made, self.looks, self.ever = self.made + 1, 0, self.ever + 1
            context = get_script_run_ctx()
            raise RerunException(RerunData(context.query_string, None, context.page_script_hash))
        look(runner)


def _with(method, instead):
    return lambda *args, **kwargs: instead(method, *args, **kwargs)


@pytest.fixture
def cuts(monkeypatch):
    """Every callback is cut short, as often as it looks."""
    cuts = Cuts()
    for thing, name, instead in (
        (SessionState, "_call_callbacks", cuts.answer),
        (ScriptRunner, "_maybe_handle_execution_control_request", cuts.look),
    ):
        monkeypatch.setattr(thing, name, _with(getattr(thing, name), instead))
    yield cuts
    assert cuts.ever


def address_of(at):
    return {name: "".join(texts) for name, texts in at.query_params.items()}


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
    cut_short_at(monkeypatch, module, name, widget_states=later)
    ran(at)
    spec = json.loads(address_of(at)["spec"])
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


def press(at, label):
    button(at, label).click()
    return ran(at)


@pytest.mark.usefixtures("cuts")
def test_runs_are_narrowed_named_and_cleared():
    store = Store()
    run = filled(store)
    at = opened("runs", runs=run)
    at.text_input(key="runs text").set_value("nowhere")
    assert address_of(ran(at))["filter"] == "nowhere"
    at.multiselect(key="runs statuses").set_value(["finished"])
    assert address_of(ran(at))["status"] == "finished"
    press(at, "Show all runs")
    assert not {"filter", "status"} & {*address_of(at)}
    at.text_input(key=f"name {run}").set_value("mine")
    ran(at)
    assert store.get(run).name == "mine"
    press(at, "Clear choice")
    assert "runs" not in address_of(at)


@pytest.mark.usefixtures("cuts")
def test_runs_are_stopped_and_deleted_once():
    store = Store()
    waiting, done = filled(store, status="queued"), filled(store, seed=1)
    at = opened("runs", runs=f"{waiting},{done}")
    press(at, "Stop (1)")
    assert store.get(waiting).status == "stopped" and not at.error
    for answer, left in {"Keep": 2, "Delete": 0}.items():
        press(at, "Delete…")
        press(at, answer)
        assert len(store.list()) == left
    assert [each.value.count("Deleted") for each in at.success] == [1] and not at.error


def ticked():
    import streamlit as st

    from explorer.pages.runs import page as runs

    st.session_state["runs shown"] = ("aaaaaaaaaaaa-1", "bbbbbbbbbbbb-1")
    st.session_state[runs.TABLE] = {"selection": {"rows": [1]}}
    st.button("tick", on_click=runs._chose)


@pytest.mark.usefixtures("cuts")
def test_a_row_that_is_ticked_is_chosen_and_the_page_follows():
    at = ran(AppTest.from_function(ticked))
    press(at, "tick")
    assert address_of(at)["runs"] == "bbbbbbbbbbbb-1" and at.session_state[runs.CHANGED]


def test_an_archive_is_taken_in_once(monkeypatch):
    store = Store()
    run = filled(store)
    data = exports.stored_archive(run)
    store.delete(run)
    at = opened("runs")
    at.file_uploader[0].set_value([("a.zip", data, "application/zip")])
    cut_short_at(monkeypatch, runs, "choose", page_script_hash=at._page_hash)
    ran(at)
    (row,) = store.list()
    assert address_of(at)["runs"] == row.run and len(at.success) == 1


def test_samples_whose_taking_is_cut_short_are_taken_all_the_same(monkeypatch):
    at = ran(app("design", spec='{"formula":"u*v"}'))
    at.segmented_control(key="way").set_value("samples")
    ran(at)
    at.file_uploader(key="samples").set_value(("rho.csv", b"1,2\n3,4\n", "text/csv"))
    cut_short_at(monkeypatch, specs, "change", page_script_hash=at._page_hash)
    ran(at)
    assert json.loads(address_of(at)["spec"])["grid"]


@pytest.mark.parametrize("why", ["", "no such word"])
def test_a_word_is_entered_once_and_answered_however_often_it_is_cut_short(monkeypatch, why):
    entered, state = [], {"field": "a word"}

    def enter(word):
        entered.append(word)
        if why:
            raise WordError(why)

    class Cut(dict):
        """Ends the callback at the first look after the word was entered."""

        def __setitem__(self, name, value):
            if entered and not state.get("cut"):
                state["cut"] = True
                raise RerunException(RerunData())
            super().__setitem__(name, value)

    session = Cut(state)
    monkeypatch.setattr(here.registry, "enter", enter)
    monkeypatch.setattr(here.st, "session_state", session)
    with pytest.raises(RerunException):
        here._enter("field")
    assert entered == ["a word"] and session["field"] == ""
    assert session.get("field refused", "") == why and (here.WHERE in session) == (not why)


@pytest.mark.usefixtures("one_thread", "cuts")
def test_a_talk_is_changed_once_by_each_press():
    at = opened("talk")
    before = [scene.title for scene in decks.load().scenes]
    press(at, "Duplicate")
    press(at, "Down")
    assert [scene.title for scene in decks.load().scenes] == [before[0], *before]
    at.text_input(key="link None").set_value("https://example.org/talk.html")
    ran(at)
    assert decks.load().link == "https://example.org/talk.html"
    next(field for field in at.text_input if field.label == "Title").set_value("Mine")
    press(at, "Save")
    assert decks.load().scenes[0].title == "Mine"
    press(at, "The shipped talk again")
    assert [scene.title for scene in decks.load().scenes] == before and not at.warning


@pytest.mark.usefixtures("cuts")
def test_a_view_is_added_to_the_talk_once_and_it_is_said():
    at = app("design")
    press(ran(at), "Add this view to the talk")
    now = len(decks.load(decks.OURS).scenes) + 1
    assert len(decks.load().scenes) == now
    assert [each.value for each in at.toast] == [f"Scene {now} of your talk."]


@pytest.mark.usefixtures("cuts")
@pytest.mark.parametrize(
    ("page", "label"), [("memory", "Train 1 and 2 layers"), ("order", "Train both")]
)
def test_of_a_pair_both_are_trained_and_once(page, label):
    at = press(opened(page), label)
    shown, partner = Store().list()
    assert address_of(at)["run"] == shown.run and shown.spec != partner.spec
    kept = address_of(at)["pin"] if page == "memory" else at.session_state["order partner"]
    assert kept == partner.run


@pytest.mark.usefixtures("cuts")
def test_another_width_is_trained_once_and_compared():
    store = Store()
    first = filled(store)
    at = opened("train", spec=compact(store.get(first).spec), run=first)
    at.button(key="add beside").click()
    at = ran(at)
    assert address_of(at)["run"] == store.list()[0].run and len(store.list()) == 2
    assert address_of(at)["pin"] == first


def one_file():
    from explorer.ui.exports import download, show_failures

    def make():
        raise ValueError("it has gone")

    show_failures(download("SVG", make, "a.svg", "image/svg+xml", key="svg a"), instead="Reload.")


@pytest.mark.usefixtures("cuts")
def test_why_a_file_could_not_be_made_is_said():
    at = ran(AppTest.from_function(one_file))
    assert not at.error
    at.download_button[0].click()
    assert ran(at).error[0].value == "`a.svg` could not be made. It has gone. Reload."
